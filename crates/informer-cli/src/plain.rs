//! Makes text from a server safe for a terminal.

use std::borrow::Cow;

/// The text on one line, with control characters and characters that change the direction of text as escapes, so that it
/// cannot control the terminal.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    escaped(text, is_obeyed)
}

/// The same for text that may have several lines.
pub(crate) fn plain_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c != '\n' && is_obeyed(c))
}

fn escaped(text: &str, escape: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&escape) {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match escape(c) {
            true => plain.extend(c.escape_default()),
            false => plain.push(c),
        }
    }
    plain.into()
}

fn is_obeyed(c: char) -> bool {
    let turns =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    // Line and paragraph separators.
    turns || c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests;
