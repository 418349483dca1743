//! The members of an object, or the elements of an array, of a document that is here as a whole.

use super::string::string_is;
use super::value::{skip_space, string_end, value_end};

/// Goes over the members of an object, or the elements of an array, one after the other.
///
/// Before [`next`](Self::next) is called again the value has to be stepped over: by [`value`](Self::value), or, after the
/// caller has walked through the value, by [`skip_to`](Self::skip_to).
#[derive(Debug)]
pub struct Members<'a> {
    json: &'a [u8],
    at: usize,
    /// Where the member begins that was reached last.
    start: usize,
    in_object: bool,
    first: bool,
}

impl<'a> Members<'a> {
    /// Those of the object or array that begins at `at`; `None` if neither does.
    pub fn of(json: &'a [u8], at: usize) -> Option<Self> {
        Self::of_object(json, at).or_else(|| Self::of_array(json, at))
    }

    /// The members of the object that begins at `at`; `None` if none does.
    #[inline]
    pub fn of_object(json: &'a [u8], at: usize) -> Option<Self> {
        (json.get(at)? == &b'{').then(|| Self::behind(json, at, true))
    }

    /// The elements of the array that begins at `at`; `None` if none does.
    #[inline]
    pub fn of_array(json: &'a [u8], at: usize) -> Option<Self> {
        (json.get(at)? == &b'[').then(|| Self::behind(json, at, false))
    }

    #[inline]
    fn behind(json: &'a [u8], bracket: usize, in_object: bool) -> Self {
        Self { json, at: bracket + 1, start: bracket + 1, in_object, first: true }
    }

    /// Whether these are the members of an object, and not the elements of an array.
    pub fn in_object(&self) -> bool {
        self.in_object
    }

    /// Goes to the next one and gives its key with the quotes, which is empty in an array. `Some(None)` at the end, where
    /// [`at`](Self::at) is behind the closing bracket; `None` if this is not JSON.
    #[expect(clippy::should_implement_trait, reason = "it can fail, and lends nothing of itself")]
    #[inline]
    pub fn next(&mut self) -> Option<Option<&'a [u8]>> {
        let mut at = skip_space(self.json, self.at);
        let close = if self.in_object { b'}' } else { b']' };
        let byte = *self.json.get(at)?;
        if byte == close {
            self.at = at + 1;
            return Some(None);
        }
        if !std::mem::take(&mut self.first) {
            if byte != b',' {
                return None;
            }
            at = skip_space(self.json, at + 1);
        }
        self.start = at;
        if !self.in_object {
            self.at = at;
            return Some(Some(&[]));
        }
        let end = string_end(self.json, at)?;
        let key = self.json.get(at..end)?;
        let colon = skip_space(self.json, end);
        if self.json.get(colon)? != &b':' {
            return None;
        }
        self.at = skip_space(self.json, colon + 1);
        Some(Some(key))
    }

    /// Where the walk stands: at the value, after a key.
    #[inline]
    pub fn at(&self) -> usize {
        self.at
    }

    /// Where the member that was reached last begins: at its key, or at the element itself in an array.
    #[inline]
    pub fn start(&self) -> usize {
        self.start
    }

    /// Steps over the value and gives it.
    #[inline]
    pub fn value(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        self.at = value_end(self.json, start)?;
        self.json.get(start..self.at)
    }

    /// Whether the value at hand is null, or not JSON, which [`value`](Self::value) will say.
    #[inline]
    pub fn is_null(&self) -> bool {
        self.json.get(self.at) == Some(&b'n')
    }

    /// The members of the value at hand, if it is an object. It is stepped over by [`skip_to`](Self::skip_to) its end.
    #[inline]
    pub fn object(&self) -> Option<Self> {
        Self::of_object(self.json, self.at)
    }

    /// The elements of the value at hand, if it is an array. It is stepped over by [`skip_to`](Self::skip_to) its end.
    #[inline]
    pub fn array(&self) -> Option<Self> {
        Self::of_array(self.json, self.at)
    }

    /// The caller has walked through the value at hand, which ends here.
    #[inline]
    pub fn skip_to(&mut self, end: usize) {
        self.at = end;
    }
}

/// The raw value of a member of an object; the last one, should the key stand there twice. `None` of all that is no
/// object.
pub fn last_member<'a>(json: &'a [u8], key: &str) -> Option<&'a [u8]> {
    let mut members = Members::of_object(json, skip_space(json, 0))?;
    let mut found = None;
    while let Some(name) = members.next()? {
        let value = members.value()?;
        if string_is(name, key) {
            found = Some(value);
        }
    }
    found
}

/// The raw value of a member of an object of which only the beginning is here, and whether the value is complete. If it is
/// not, as much of it as there is.
pub fn member_of_beginning<'a>(json: &'a [u8], key: &str) -> Option<(&'a [u8], bool)> {
    let mut members = Members::of_object(json, skip_space(json, 0))?;
    while let Some(name) = members.next()? {
        let at = members.at();
        let value = members.value();
        if string_is(name, key) {
            let beginning = || json.get(at..).filter(|rest| !rest.is_empty());
            return value.map(|value| (value, true)).or_else(|| Some((beginning()?, false)));
        }
        value?;
    }
    None
}

#[cfg(test)]
mod tests;
