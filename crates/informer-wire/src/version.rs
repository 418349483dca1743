//! Resource versions and uids: short texts from the server, held compactly.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// A `metadata.resourceVersion`: opaque, sent back as it came, comparable within one kind where it is a decimal.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ResourceVersion(Text);

/// A decimal that fits is kept as a number, anything else (also the empty text) as it came.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Text {
    Number(u64),
    Other(Arc<str>),
}

impl ResourceVersion {
    /// Reads a resource version as the server wrote it.
    pub fn new(text: &str) -> Self {
        if is_decimal(text)
            && let Ok(number) = text.parse()
        {
            return Self(Text::Number(number));
        }
        Self(Text::Other(text.into()))
    }

    /// No resource version.
    pub fn empty() -> Self {
        Self(Text::Other("".into()))
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        matches!(&self.0, Text::Other(text) if text.is_empty())
    }

    /// Compares two versions of one kind as decimals of any length; `None` if either is not a decimal.
    #[inline]
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (&self.0, &other.0) {
            (Text::Number(a), Text::Number(b)) => Some(a.cmp(b)),
            _ => {
                let (a, b) = (self.to_string(), other.to_string());
                (is_decimal(&a) && is_decimal(&b)).then(|| a.len().cmp(&b.len()).then_with(|| a.cmp(&b)))
            }
        }
    }

    /// Whether this version is known to be older than the other.
    #[inline]
    pub fn is_older_than(&self, other: &Self) -> bool {
        self.compare(other) == Some(Ordering::Less)
    }

    /// Whether this version is known to be the other or a later one.
    #[inline]
    pub fn is_at_least(&self, other: &Self) -> bool {
        self.compare(other).is_some_and(Ordering::is_ge)
    }
}

/// Digits only, no leading zero: the form that Kubernetes promises to be comparable.
fn is_decimal(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether an object or list can have this version. `0` only occurs in requests, where it means any version.
#[inline]
pub fn is_concrete(version: &ResourceVersion) -> bool {
    !version.is_empty() && !matches!(&version.0, Text::Other(text) if &**text == "0")
}

/// The last 15 decimal digits, which a 64-bit float holds exactly; `None` if it is not a decimal.
pub fn metric(version: &ResourceVersion) -> Option<u64> {
    const LIMIT: u64 = 1_000_000_000_000_000;
    match &version.0 {
        Text::Number(number) => Some(number % LIMIT),
        Text::Other(text) if is_decimal(text) => {
            text.get(text.len().saturating_sub(15)..).and_then(|digits| digits.parse().ok())
        }
        Text::Other(_) => None,
    }
}

impl fmt::Display for ResourceVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Text::Number(number) => write!(f, "{number}"),
            Text::Other(text) => f.write_str(text),
        }
    }
}

impl fmt::Debug for ResourceVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rv:{self}")
    }
}

impl From<&str> for ResourceVersion {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

/// A `metadata.uid`: tells one incarnation of a name from the next. Prints as the server wrote it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Uid(UidText);

/// A UUID in its usual spelling takes 16 bytes, anything else is kept as it came.
#[derive(Clone, PartialEq, Eq, Hash)]
enum UidText {
    Uuid([u8; 16]),
    Other(Arc<str>),
}

impl Uid {
    /// Reads a uid as the server wrote it.
    pub fn new(text: &str) -> Self {
        match parse_uuid(text.as_bytes()) {
            Some(bytes) => Self(UidText::Uuid(bytes)),
            None => Self(UidText::Other(text.into())),
        }
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        matches!(&self.0, UidText::Other(text) if text.is_empty())
    }
}

fn parse_uuid(text: &[u8]) -> Option<[u8; 16]> {
    let text: &[u8; 36] = text.try_into().ok()?;
    if [text[8], text[13], text[18], text[23]] != [b'-'; 4] {
        return None;
    }
    let mut bytes = [0; 16];
    // What is no digit sets a bit that no digit has, and is noticed at the end.
    let mut digits = 0;
    for (byte, at) in bytes.iter_mut().zip(PAIRS) {
        let (high, low) = (DIGITS[usize::from(text[at])], DIGITS[usize::from(text[at + 1])]);
        digits |= high | low;
        *byte = high << 4 | low & 0xf;
    }
    (digits < 16).then_some(bytes)
}

/// Where in a UUID the two digits of each byte stand.
const PAIRS: [usize; 16] = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

/// What a character stands for as a hexadecimal digit, in lower case; 255 if it is none.
static DIGITS: [u8; 256] = {
    let mut digits = [255; 256];
    let mut value: u8 = 0;
    while value < 16 {
        digits[b"0123456789abcdef"[value as usize] as usize] = value;
        value += 1;
    }
    digits
};

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            UidText::Uuid(bytes) => {
                for (place, byte) in bytes.iter().enumerate() {
                    if [4, 6, 8, 10].contains(&place) {
                        f.write_str("-")?;
                    }
                    write!(f, "{byte:02x}")?;
                }
                Ok(())
            }
            UidText::Other(text) => f.write_str(text),
        }
    }
}

impl fmt::Debug for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "uid:{self}")
    }
}

impl From<&str> for Uid {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

#[cfg(test)]
mod tests;
