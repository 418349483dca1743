//! Makes text from a server safe for a terminal.

use std::borrow::Cow;

/// The text on one line, with control characters and characters that change the direction of text as escapes, so that it
/// cannot control the terminal.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    escaped(text, is_obeyed, char::escape_default)
}

/// The same for text that may have several lines.
pub(crate) fn plain_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c != '\n' && is_obeyed(c), char::escape_default)
}

/// The same for text with lines and tabs that is not in a table: the content of a field.
pub(crate) fn plain_text(text: &str) -> Cow<'_, str> {
    escaped(text, |c| !matches!(c, '\n' | '\t') && is_obeyed(c), char::escape_default)
}

/// The same for JSON, which stays JSON with the same meaning: such characters are within its strings only.
pub(crate) fn plain_json(json: &str) -> Cow<'_, str> {
    escaped(
        json,
        |c| c != '\n' && is_obeyed(c),
        |c| format!("\\u{:04x}", u32::from(c)).chars().collect::<Vec<_>>(),
    )
}

fn escaped<E: IntoIterator<Item = char>>(
    text: &str,
    is_escaped: impl Fn(char) -> bool,
    escape: impl Fn(char) -> E,
) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match is_escaped(c) {
            true => plain.extend(escape(c)),
            false => plain.push(c),
        }
    }
    plain.into()
}

/// Whether a terminal would do something else than show the character.
pub(crate) fn is_obeyed(c: char) -> bool {
    let turns =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    // Line and paragraph separators.
    turns || c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests;
