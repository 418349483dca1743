//! What of a text in Rust is code.

/// The code with comments, strings and characters emptied; every line keeps its number.
pub(super) fn of(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skipped = skipped(rest);
        if skipped == 0 {
            code.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            code.extend(rest[..skipped].chars().filter(|c| *c == '\n'));
            rest = &rest[skipped..];
        }
    }
    code
}

/// How long the comment, string or character is that `text` starts with; 0 if it starts with neither.
fn skipped(text: &str) -> usize {
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if let Some(hashes) = raw_string(text) {
        let end = format!("\"{}", "#".repeat(hashes));
        let open = "r\"".len() + hashes;
        return text[open..].find(&end).map_or(text.len(), |close| open + close + end.len());
    }
    if let Some(string) = text.strip_prefix('"') {
        return quoted(string, '"').map_or(text.len(), |length| length + 1);
    }
    // A lifetime has no quote at its end.
    let character = text.strip_prefix('\'').and_then(|rest| {
        let escaped = rest.starts_with('\\');
        let one = rest.chars().nth(1) == Some('\'');
        if escaped || one { quoted(rest, '\'') } else { None }
    });
    character.map_or(0, |length| length + 1)
}

/// How many `#` a raw string has that `text` starts with.
fn raw_string(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('r')?;
    let hashes = rest.chars().take_while(|c| *c == '#').count();
    rest[hashes..].starts_with('"').then_some(hashes)
}

/// The length up to and with the closing quote, over escaped ones.
fn quoted(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (index, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return Some(index + 1),
            _ => {}
        }
    }
    None
}
