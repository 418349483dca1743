//! The members of one JSON object, or the elements of one array, found while the bytes come in.

use super::scan::{Malformed, ValueScan, is_space};

/// Walks one object or array and says where keys and values begin and end. What is inside a value is skipped.
#[derive(Clone, Debug)]
pub(crate) struct Container {
    array: bool,
    state: State,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// Before the opening bracket.
    Open,
    /// Just behind the opening bracket.
    FirstOrClose,
    /// Behind a comma: there must be another one.
    Next,
    InKey(ValueScan),
    Colon,
    Value,
    InValue(ValueScan),
    CommaOrClose,
    Closed,
}

/// A place in the chunk at hand. Starts are the first byte, ends the place just behind the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Open(usize),
    KeyStart(usize),
    KeyEnd(usize),
    ValueStart(usize),
    ValueEnd(usize),
    Close(usize),
}

impl Container {
    /// An object whose opening brace is still to come.
    pub(crate) fn object() -> Self {
        Self { array: false, state: State::Open }
    }

    /// An array whose opening bracket has been read.
    pub(crate) fn open_array() -> Self {
        Self { array: true, state: State::FirstOrClose }
    }

    /// Whether the closing bracket has been read.
    pub(crate) fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed)
    }

    /// Whether nothing but whitespace has been read.
    pub(crate) fn is_untouched(&self) -> bool {
        matches!(self.state, State::Open)
    }

    /// The value that was just begun has been read to its end by somebody else.
    pub(crate) fn value_done(&mut self) {
        self.state = State::CommaOrClose;
    }

    /// Goes on at `at` to the next mark and moves `at` behind it; `None` when the chunk is used up.
    pub(crate) fn next_mark(&mut self, chunk: &[u8], at: &mut usize) -> Result<Option<Mark>, Malformed> {
        loop {
            match &mut self.state {
                State::InKey(scan) => {
                    let Some(end) = scan.run(chunk, *at)? else { return Ok(used_up(chunk, at)) };
                    *at = end;
                    self.state = State::Colon;
                    return Ok(Some(Mark::KeyEnd(end)));
                }
                State::InValue(scan) => {
                    let Some(end) = scan.run(chunk, *at)? else { return Ok(used_up(chunk, at)) };
                    *at = end;
                    self.state = State::CommaOrClose;
                    return Ok(Some(Mark::ValueEnd(end)));
                }
                _ => {}
            }
            while chunk.get(*at).is_some_and(|byte| is_space(*byte)) {
                *at += 1;
            }
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
        match (self.state, byte) {
            (State::Open, b'{') => {
                self.state = State::FirstOrClose;
                Ok(Some(Mark::Open(at)))
            }
            (State::Open, _) => Err(Malformed("expected an object")),
            (State::FirstOrClose | State::CommaOrClose, byte) if byte == close => {
                self.state = State::Closed;
                Ok(Some(Mark::Close(at + 1)))
            }
            (State::CommaOrClose, b',') => {
                self.state = State::Next;
                Ok(None)
            }
            (State::CommaOrClose, _) => Err(Malformed("expected a comma or a closing bracket")),
            (State::FirstOrClose | State::Next, b'"') if !self.array => {
                self.state = State::InKey(ValueScan::begin(byte)?);
                Ok(Some(Mark::KeyStart(at)))
            }
            (State::FirstOrClose | State::Next, _) if !self.array => Err(Malformed("expected a key")),
            (State::Colon, b':') => {
                self.state = State::Value;
                Ok(None)
            }
            (State::Colon, _) => Err(Malformed("expected a colon")),
            (State::FirstOrClose | State::Next | State::Value, _) => {
                self.state = State::InValue(ValueScan::begin(byte)?);
                Ok(Some(Mark::ValueStart(at)))
            }
            (State::InKey(_) | State::InValue(_) | State::Closed, _) => {
                Err(Malformed("expected nothing more"))
            }
        }
    }
}

fn used_up(chunk: &[u8], at: &mut usize) -> Option<Mark> {
    *at = chunk.len();
    None
}

/// The raw value of a member, in a document that may be cut off anywhere: then what there is of it.
/// The flag says whether the value is whole.
pub(crate) fn member<'a>(document: &'a [u8], key: &str) -> Option<(&'a [u8], bool)> {
    let mut container = Container::object();
    let (mut at, mut start, mut wanted) = (0, 0, false);
    while let Ok(Some(mark)) = container.next_mark(document, &mut at) {
        match mark {
            Mark::KeyStart(place) | Mark::ValueStart(place) => start = place,
            Mark::KeyEnd(end) => wanted = is_key(document.get(start..end)?, key),
            Mark::ValueEnd(end) if wanted => return Some((document.get(start..end)?, true)),
            Mark::Open(_) | Mark::ValueEnd(_) | Mark::Close(_) => {}
        }
    }
    (wanted && matches!(container.state, State::InValue(_)))
        .then(|| document.get(start..).unwrap_or_default())
        .map(|value| (value, false))
}

/// The raw value of a member of a whole document; the last one, should the key stand there twice. None of what is no object.
pub(crate) fn last_member<'a>(document: &'a [u8], key: &str) -> Option<&'a [u8]> {
    let mut container = Container::object();
    let (mut at, mut start, mut wanted, mut found) = (0, 0, false, None);
    while let Ok(Some(mark)) = container.next_mark(document, &mut at) {
        match mark {
            Mark::KeyStart(place) | Mark::ValueStart(place) => start = place,
            Mark::KeyEnd(end) => wanted = is_key(document.get(start..end)?, key),
            Mark::ValueEnd(end) if wanted => found = document.get(start..end),
            Mark::Close(_) => break,
            Mark::Open(_) | Mark::ValueEnd(_) => {}
        }
    }
    found
}

/// Whether a raw key, with its quotes, is this text. Escapes are read only if there are any.
pub(crate) fn is_key(raw: &[u8], key: &str) -> bool {
    match raw {
        [b'"', plain @ .., b'"'] if !plain.contains(&b'\\') => plain == key.as_bytes(),
        _ => serde_json::from_slice::<String>(raw).is_ok_and(|text| text == key),
    }
}

#[cfg(test)]
mod tests;
