//! The smallest piece of JSON reading: where does the value end that begins here?
//!
//! Bytes come in chunks of any size, so everything here remembers where it stopped. Nothing is checked that does not
//! help to find the end: whoever takes the value in checks it to be JSON. What is found wrong is found early, so that
//! a broken stream is noticed at the break and not at the end of the watch.

/// Bytes that cannot be JSON at this place. Says what was expected, never what the bytes are: they may be secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) &'static str);

/// Whitespace between the tokens of JSON.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// Looks for the end of one JSON value, over any number of chunks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValueScan {
    /// How many brackets are open.
    depth: usize,
    inside: Inside,
}

#[derive(Clone, Copy, Debug)]
enum Inside {
    Brackets,
    Text,
    /// Just behind a backslash in a text.
    Escape,
    /// A number, `true`, `false` or `null`.
    Word,
}

impl ValueScan {
    /// Begins with the first byte of the value; the search goes on behind it.
    pub(crate) fn begin(first: u8) -> Result<Self, Malformed> {
        match first {
            b'{' | b'[' => Ok(Self { depth: 1, inside: Inside::Brackets }),
            b'"' => Ok(Self { depth: 0, inside: Inside::Text }),
            byte if is_word(byte) => Ok(Self { depth: 0, inside: Inside::Word }),
            _ => Err(Malformed("expected a value")),
        }
    }

    /// Goes on at `at`. Gives the place just behind the value, or `None` if the bytes end before it does.
    pub(crate) fn run(&mut self, bytes: &[u8], mut at: usize) -> Result<Option<usize>, Malformed> {
        loop {
            match self.inside {
                Inside::Brackets => {
                    let Some(found) = next_bracket_or_quote(bytes, at) else { return Ok(None) };
                    at = found + 1;
                    match bytes[found] {
                        b'"' => self.inside = Inside::Text,
                        b'{' | b'[' => self.depth += 1,
                        _ => {
                            self.depth -= 1;
                            if self.depth == 0 {
                                return Ok(Some(at));
                            }
                        }
                    }
                }
                Inside::Text => {
                    let Some(found) = end_of_plain_text(bytes, at) else { return Ok(None) };
                    at = found + 1;
                    match bytes[found] {
                        b'\\' => self.inside = Inside::Escape,
                        // A lost quote turns text and structure inside out for good; the newline that ends every
                        // watch event shows it at once.
                        b'\n' => return Err(Malformed("a line break within a text")),
                        _ if self.depth == 0 => return Ok(Some(at)),
                        _ => self.inside = Inside::Brackets,
                    }
                }
                Inside::Escape => {
                    if at >= bytes.len() {
                        return Ok(None);
                    }
                    at += 1;
                    self.inside = Inside::Text;
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

/// The next byte outside of a text that matters to the structure.
#[inline]
fn next_bracket_or_quote(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    // `[` and `{` differ in one bit only, and so do `]` and `}`.
    rest.iter().position(|&byte| byte == b'"' || matches!(byte | 0x20, b'{' | b'}')).map(|found| at + found)
}

/// The next quote, backslash or line break of a text.
#[inline]
fn end_of_plain_text(bytes: &[u8], at: usize) -> Option<usize> {
    memchr::memchr3(b'"', b'\\', b'\n', bytes.get(at..)?).map(|found| at + found)
}

#[cfg(test)]
mod tests;
