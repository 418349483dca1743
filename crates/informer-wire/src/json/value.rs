//! Values of a document that is here as a whole: checks each to be JSON, says where it ends, and decodes nothing.
//!
//! What serde_json accepts as a document is accepted here, and nothing else; a seeded test compares the two. Strings are
//! stepped through eight bytes at a time, which is most of what makes taking in an object fast. Whether they are UTF-8 is
//! not checked here: that is quicker for the whole document at once.

/// Whether this may stand between the tokens of JSON.
#[inline]
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The first place from here on that is no space.
#[inline]
pub fn skip_space(json: &[u8], from: usize) -> usize {
    let mut at = from;
    while json.get(at).is_some_and(|byte| is_space(*byte)) {
        at += 1;
    }
    at
}

/// Where the value that begins at `at` ends; `None` if it is not JSON or does not end.
///
/// Keeps its own stack instead of recursing, so depth does not matter.
pub(super) fn value_end(json: &[u8], mut at: usize) -> Option<usize> {
    let mut open = Brackets::default();
    loop {
        match *json.get(at)? {
            b'"' => at = string_end(json, at)?,
            b'{' => {
                at = skip_space(json, at + 1);
                if json.get(at)? == &b'}' {
                    at += 1;
                } else {
                    open.push(true);
                    at = value_start(json, at)?;
                    continue;
                }
            }
            b'[' => {
                at = skip_space(json, at + 1);
                if json.get(at)? == &b']' {
                    at += 1;
                } else {
                    open.push(false);
                    continue;
                }
            }
            b't' => at = word_end(json, at, b"true")?,
            b'f' => at = word_end(json, at, b"false")?,
            b'n' => at = word_end(json, at, b"null")?,
            _ => at = number_end(json, at)?,
        }
        // Behind a value: brackets may close, until a comma says that there is another one.
        while let Some(object) = open.top() {
            at = skip_space(json, at);
            match *json.get(at)? {
                b',' => {
                    at = skip_space(json, at + 1);
                    if object {
                        at = value_start(json, at)?;
                    }
                    break;
                }
                b'}' if object => open.pop(),
                b']' if !object => open.pop(),
                _ => return None,
            }
            at += 1;
        }
        if open.top().is_none() {
            return Some(at);
        }
    }
}

/// Which brackets are open, a bit for each from the innermost on: one for an object, zero for an array. The highest bit that
/// is set stands above them all and marks the end.
struct Brackets {
    bits: u128,
    /// Outer brackets that no longer fit into the bits: only for documents nested more than 127 deep.
    outer: Vec<u128>,
}

impl Default for Brackets {
    fn default() -> Self {
        Self { bits: 1, outer: Vec::new() }
    }
}

impl Brackets {
    #[inline]
    fn push(&mut self, object: bool) {
        if self.bits >> 127 != 0 {
            self.outer.push(std::mem::replace(&mut self.bits, 1));
        }
        self.bits = self.bits << 1 | u128::from(object);
    }

    #[inline]
    fn pop(&mut self) {
        self.bits >>= 1;
        if self.bits == 1
            && let Some(outer) = self.outer.pop()
        {
            self.bits = outer;
        }
    }

    /// Whether the innermost is an object; `None` if there is none.
    #[inline]
    fn top(&self) -> Option<bool> {
        (self.bits != 1).then_some(self.bits & 1 == 1)
    }
}

/// Where the value of the member begins whose key begins at `at`.
#[inline]
fn value_start(json: &[u8], at: usize) -> Option<usize> {
    let colon = skip_space(json, string_end(json, at)?);
    (json.get(colon)? == &b':').then(|| skip_space(json, colon + 1))
}

/// Where the string that begins at `at` ends, behind its closing quote.
#[inline]
pub fn string_end(json: &[u8], at: usize) -> Option<usize> {
    if json.get(at)? != &b'"' {
        return None;
    }
    let mut at = at + 1;
    while let Some(&eight) = json.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let marks = marks(u64::from_le_bytes(eight));
        if marks == 0 {
            at += 8;
            continue;
        }
        at += marks.trailing_zeros() as usize / 8;
        match json.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at = escape_end(json, at)?,
            _ => return None,
        }
    }
    string_end_by_bytes(json, at)
}

/// Sets the highest bit of every byte that is a quote, a backslash or a control character; above the first of them it
/// may set others.
#[inline]
fn marks(eight: u64) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGHEST: u64 = u64::from_ne_bytes([0x80; 8]);
    let zeros = |bytes: u64| bytes.wrapping_sub(ONES) & !bytes;
    let quotes = zeros(eight ^ (ONES * u64::from(b'"')));
    let backslashes = zeros(eight ^ (ONES * u64::from(b'\\')));
    let controls = eight.wrapping_sub(ONES * 0x20) & !eight;
    (quotes | backslashes | controls) & HIGHEST
}

/// The same within the last bytes of a document.
#[cold]
fn string_end_by_bytes(json: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match *json.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at = escape_end(json, at)?,
            byte if byte < 0x20 => return None,
            _ => at += 1,
        }
    }
}

fn escape_end(json: &[u8], at: usize) -> Option<usize> {
    match json.get(at + 1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(at + 2),
        b'u' => json.get(at + 2..at + 6)?.iter().all(u8::is_ascii_hexdigit).then_some(at + 6),
        _ => None,
    }
}

fn word_end(json: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    json.get(at..)?.starts_with(word).then(|| at + word.len())
}

fn number_end(json: &[u8], at: usize) -> Option<usize> {
    let digits = |at: usize| {
        let rest = json.get(at..).unwrap_or_default();
        at + rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len())
    };
    let some_digits = |at: usize| Some(digits(at)).filter(|end| *end > at);
    let mut at = if json.get(at)? == &b'-' { at + 1 } else { at };
    // Nothing follows a leading zero.
    at = if json.get(at)? == &b'0' { at + 1 } else { some_digits(at)? };
    if json.get(at) == Some(&b'.') {
        at = some_digits(at + 1)?;
    }
    if matches!(json.get(at), Some(b'e' | b'E')) {
        at += 1;
        let sign = matches!(json.get(at), Some(b'+' | b'-'));
        at = some_digits(at + usize::from(sign))?;
    }
    Some(at)
}

#[cfg(test)]
mod tests;
