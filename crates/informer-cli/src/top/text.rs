//! Text in columns of a terminal, where a character may take no column, one, two or three.

use unicode_width::UnicodeWidthStr as _;

pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// The text in exactly so many columns: cut with `…`, or filled up on the right.
pub(super) fn left(text: &str, columns: usize) -> String {
    let cut = cut(text, columns);
    let blanks = columns.saturating_sub(width(&cut));
    cut + &" ".repeat(blanks)
}

/// The same, filled up on the left.
pub(super) fn right(text: &str, columns: usize) -> String {
    let cut = cut(text, columns);
    " ".repeat(columns.saturating_sub(width(&cut))) + &cut
}

/// The text in at most so many columns.
pub(super) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    if columns == 0 {
        return String::new();
    }
    beginning(text, columns - 1).to_owned() + "…"
}

/// Lines of at most so many columns, broken between words where that is possible. A character that is wider than a line has one
/// for itself.
pub(super) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let mut word = word;
        while let Some(line) = lines.last_mut() {
            let blank = usize::from(!line.is_empty());
            if width(line) + blank + width(word) <= columns {
                line.push_str(&" ".repeat(blank));
                line.push_str(word);
                break;
            }
            if line.is_empty() {
                // A word that is longer than a line.
                let part = match beginning(word, columns) {
                    "" => &word[..word.chars().next().map_or(0, char::len_utf8)],
                    part => part,
                };
                line.push_str(part);
                word = &word[part.len()..];
            }
            lines.push(String::new());
        }
    }
    lines
}

/// The longest beginning of at most so many columns. Characters that belong together may take more or fewer columns than each alone.
fn beginning(text: &str, columns: usize) -> &str {
    let ends = text.char_indices().map(|(place, c)| place + c.len_utf8());
    let fitting = ends.take_while(|end| width(&text[..*end]) <= columns).last();
    &text[..fitting.unwrap_or(0)]
}

#[cfg(test)]
mod tests;
