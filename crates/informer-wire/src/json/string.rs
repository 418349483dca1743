//! Strings as they stand in a document: with their quotes, and perhaps with escapes.

use std::borrow::Cow;

/// The text of a string, borrowed unless it has escapes; `None` if it is another value.
///
/// Only for what [`Members`](super::Members) or [`check`](super::check) has gone over: it does not look for control
/// characters again.
#[inline]
pub fn decode_string(raw: &[u8]) -> Option<Cow<'_, str>> {
    match raw {
        [b'"', plain @ .., b'"'] if !plain.contains(&b'\\') => {
            std::str::from_utf8(plain).ok().map(Cow::Borrowed)
        }
        [b'"', ..] => serde_json::from_slice(raw).ok().map(Cow::Owned),
        _ => None,
    }
}

/// Whether a string, such as a member's key, is this text. Escapes are read only if there are any.
#[inline]
pub fn string_is(raw: &[u8], text: &str) -> bool {
    match raw {
        [b'"', plain @ .., b'"'] if !plain.contains(&b'\\') => plain == text.as_bytes(),
        _ => serde_json::from_slice::<String>(raw).is_ok_and(|decoded| decoded == text),
    }
}

#[cfg(test)]
mod tests;
