//! Makes text from a server safe for a terminal.

use std::borrow::Cow;

use informer_wire::document::is_obeyed;

/// The text on one line, with control characters and characters that change the direction of text as escapes, so that it
/// cannot control the terminal.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    escaped(text, is_obeyed, char::escape_default)
}

/// The same for text that may have several lines.
pub(crate) fn plain_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c != '\n' && is_obeyed(c), char::escape_default)
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
        if is_escaped(c) {
            plain.extend(escape(c));
        } else {
            plain.push(c);
        }
    }
    plain.into()
}

#[cfg(test)]
mod tests;
