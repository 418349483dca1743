//! Where a value ends whose bytes are still coming in.
//!
//! Chunks may be of any size and end anywhere, even within an escape, so [`ChunkedValue`] remembers where it stopped. It
//! checks only what helps to find the end, and to notice soon that there is none: after half a document others follow, and
//! without a check they would be swallowed for as long as they come. The value is checked by
//! [`value_end`](super::value::value_end) when it is here as a whole.

use super::check::Malformed;
use super::value::is_space;

/// Looks for the end of one JSON value, over any number of chunks.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChunkedValue {
    /// How many brackets are open.
    depth: usize,
    inside: Inside,
    /// The last byte outside of strings that is no space, or the quote of a string.
    last: u8,
}

/// What the current read position is inside of.
#[derive(Clone, Copy, Debug)]
enum Inside {
    /// An object or array, but none of its strings.
    Brackets,
    String,
    /// Just behind a backslash in a string.
    Escape,
    /// A number, `true`, `false` or `null`.
    Word,
}

impl ChunkedValue {
    /// Begins with the first byte of the value; the search goes on behind it.
    pub(super) fn begin(first: u8) -> Result<Self, Malformed> {
        let (depth, inside) = match first {
            b'{' | b'[' => (1, Inside::Brackets),
            b'"' => (0, Inside::String),
            byte if is_word(byte) => (0, Inside::Word),
            _ => return Err(Malformed::new("expected a value")),
        };
        Ok(Self { depth, inside, last: first })
    }

    /// Goes on at `at`. Gives the place just behind the value, or `None` if the bytes end before it does.
    pub(super) fn find_end(&mut self, bytes: &[u8], mut at: usize) -> Result<Option<usize>, Malformed> {
        loop {
            match self.inside {
                Inside::Brackets => {
                    let found = next_bracket_or_quote(bytes, at);
                    let passed = bytes.get(at..found.unwrap_or(bytes.len())).unwrap_or_default();
                    if let Some(last) = passed.iter().rfind(|byte| !is_space(**byte)) {
                        self.last = *last;
                    }
                    let Some(found) = found else { return Ok(None) };
                    let before = std::mem::replace(&mut self.last, bytes[found]);
                    // Documents follow each other without a comma, so the one after half a document is noticed here: at
                    // once, or, where it can be taken for a part of that half, when the next one follows.
                    if !matches!(bytes[found], b'}' | b']') && !matches!(before, b'{' | b'[' | b',' | b':') {
                        return Err(Malformed::new("a value without a comma before it"));
                    }
                    at = found + 1;
                    match bytes[found] {
                        b'"' => self.inside = Inside::String,
                        b'{' | b'[' => self.depth += 1,
                        _ => {
                            self.depth -= 1;
                            if self.depth == 0 {
                                return Ok(Some(at));
                            }
                        }
                    }
                }
                Inside::String => {
                    let Some(found) = end_of_plain_string(bytes, at) else { return Ok(None) };
                    at = found + 1;
                    match bytes[found] {
                        b'\\' => self.inside = Inside::Escape,
                        // After a lost quote, strings are taken for structure and structure for strings, for the rest
                        // of the stream. JSON allows no line break within a string, and servers end every watch event
                        // with one: so a lost quote is noticed at the end of its event.
                        b'\n' => return Err(Malformed::new("a line break within a string")),
                        _ if self.depth == 0 => return Ok(Some(at)),
                        _ => self.inside = Inside::Brackets,
                    }
                }
                Inside::Escape => {
                    let Some(escaped) = bytes.get(at) else { return Ok(None) };
                    if *escaped == b'\n' {
                        return Err(Malformed::new("a line break within a string"));
                    }
                    at += 1;
                    self.inside = Inside::String;
                }
                Inside::Word => {
                    let rest = bytes.get(at..).unwrap_or_default();
                    return Ok(rest.iter().position(|byte| !is_word(*byte)).map(|length| at + length));
                }
            }
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

/// The next byte outside of strings that matters to the structure.
#[inline]
fn next_bracket_or_quote(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    // `[` and `{` differ in one bit only, and so do `]` and `}`.
    rest.iter().position(|&byte| byte == b'"' || matches!(byte | 0x20, b'{' | b'}')).map(|found| at + found)
}

/// The next quote, backslash or line break of a string.
#[inline]
fn end_of_plain_string(bytes: &[u8], at: usize) -> Option<usize> {
    memchr::memchr3(b'"', b'\\', b'\n', bytes.get(at..)?).map(|found| at + found)
}

#[cfg(test)]
mod tests;
