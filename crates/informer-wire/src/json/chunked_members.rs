//! The members of an object, or the elements of an array, found while the document is still coming in.
//!
//! [`Members`](super::Members) does the same for a document that is here as a whole. It does not remember where it
//! stopped, so it would have to begin anew with every chunk, and it checks every byte, which is done for each value once
//! the value has been split off.

use super::check::Malformed;
use super::chunked_value::ChunkedValue;
use super::value::skip_space;

/// Walks one object or array, over any number of chunks, and says where keys and values begin and end. What is inside a
/// value is skipped.
#[derive(Clone, Debug)]
pub struct ChunkedMembers {
    array: bool,
    expected: Expected,
}

/// What may come next.
#[derive(Clone, Copy, Debug)]
enum Expected {
    /// Before the opening bracket.
    Open,
    /// Just behind the opening bracket.
    FirstOrClose,
    /// Behind a comma: there must be another one.
    Next,
    InKey(ChunkedValue),
    Colon,
    Value,
    InValue(ChunkedValue),
    CommaOrClose,
    Closed,
}

/// A place in the chunk at hand. Starts are the first byte, ends the place just behind the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The opening bracket.
    Open(usize),
    /// The opening quote of a key.
    KeyStart(usize),
    /// Behind the closing quote of a key.
    KeyEnd(usize),
    /// The first byte of a value.
    ValueStart(usize),
    /// Behind the last byte of a value.
    ValueEnd(usize),
    /// Behind the closing bracket.
    Close(usize),
}

impl ChunkedMembers {
    /// An object whose opening brace is still to come.
    pub fn of_object() -> Self {
        Self { array: false, expected: Expected::Open }
    }

    /// An array whose opening bracket has been read.
    pub fn of_open_array() -> Self {
        Self { array: true, expected: Expected::FirstOrClose }
    }

    /// Whether the closing bracket has been read.
    pub fn is_closed(&self) -> bool {
        matches!(self.expected, Expected::Closed)
    }

    /// Whether nothing but whitespace has been read.
    pub fn is_untouched(&self) -> bool {
        matches!(self.expected, Expected::Open)
    }

    /// The caller has read the value that was just begun to its end.
    pub fn value_done(&mut self) {
        self.expected = Expected::CommaOrClose;
    }

    /// Goes on at `at` to the next mark and moves `at` behind it; `None` when the chunk is used up.
    pub fn next_mark(&mut self, chunk: &[u8], at: &mut usize) -> Result<Option<Mark>, Malformed> {
        loop {
            match &mut self.expected {
                Expected::InKey(key) => {
                    let Some(end) = key.find_end(chunk, *at)? else { return Ok(used_up(chunk, at)) };
                    *at = end;
                    self.expected = Expected::Colon;
                    return Ok(Some(Mark::KeyEnd(end)));
                }
                Expected::InValue(value) => {
                    let Some(end) = value.find_end(chunk, *at)? else { return Ok(used_up(chunk, at)) };
                    *at = end;
                    self.expected = Expected::CommaOrClose;
                    return Ok(Some(Mark::ValueEnd(end)));
                }
                _ => {}
            }
            *at = skip_space(chunk, *at);
            let Some(&byte) = chunk.get(*at) else { return Ok(None) };
            if let Some(mark) = self.token(byte, *at)? {
                *at += 1;
                return Ok(Some(mark));
            }
            *at += 1;
        }
    }

    /// Takes in one byte that is not whitespace and not within a key or a value.
    fn token(&mut self, byte: u8, at: usize) -> Result<Option<Mark>, Malformed> {
        let close = if self.array { b']' } else { b'}' };
        match (self.expected, byte) {
            (Expected::Open, b'{') => {
                self.expected = Expected::FirstOrClose;
                Ok(Some(Mark::Open(at)))
            }
            (Expected::Open, _) => Err(Malformed::new("expected an object")),
            (Expected::FirstOrClose | Expected::CommaOrClose, byte) if byte == close => {
                self.expected = Expected::Closed;
                Ok(Some(Mark::Close(at + 1)))
            }
            (Expected::CommaOrClose, b',') => {
                self.expected = Expected::Next;
                Ok(None)
            }
            (Expected::CommaOrClose, _) => Err(Malformed::new("expected a comma or a closing bracket")),
            (Expected::FirstOrClose | Expected::Next, b'"') if !self.array => {
                self.expected = Expected::InKey(ChunkedValue::begin(byte)?);
                Ok(Some(Mark::KeyStart(at)))
            }
            (Expected::FirstOrClose | Expected::Next, _) if !self.array => {
                Err(Malformed::new("expected a key"))
            }
            (Expected::Colon, b':') => {
                self.expected = Expected::Value;
                Ok(None)
            }
            (Expected::Colon, _) => Err(Malformed::new("expected a colon")),
            (Expected::FirstOrClose | Expected::Next | Expected::Value, _) => {
                self.expected = Expected::InValue(ChunkedValue::begin(byte)?);
                Ok(Some(Mark::ValueStart(at)))
            }
            (Expected::InKey(_) | Expected::InValue(_) | Expected::Closed, _) => {
                Err(Malformed::new("expected nothing more"))
            }
        }
    }
}

fn used_up(chunk: &[u8], at: &mut usize) -> Option<Mark> {
    *at = chunk.len();
    None
}

#[cfg(test)]
mod tests;
