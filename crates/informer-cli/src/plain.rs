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
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_escaped() {
        assert_eq!(plain("\x1b[2Jgone\r\nb\tc\u{9b}1m"), "\\u{1b}[2Jgone\\r\\nb\\tc\\u{9b}1m");
        assert_eq!(plain("a\u{202e}b\u{2028}"), "a\\u{202e}b\\u{2028}");
        assert_eq!(plain_lines("a\nb\x07"), "a\nb\\u{7}");
    }

    #[test]
    fn all_else_stays_as_it_is() {
        let text = "a → b, \"ü\" ☃ \\n {}";
        assert!(matches!(plain(text), Cow::Borrowed(same) if same == text));
    }
}
