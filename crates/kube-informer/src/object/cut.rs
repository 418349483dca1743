//! Cuts members out of a JSON document without decoding it.

use std::ops::Range;

use crate::object::walk::{is_space, skip_space};

/// Appends a document from a place on without some parts of it, each with exactly one of the commas beside it.
///
/// A part is a member of an object (key and value) or an element of an array, as [`member`] and
/// [`crate::object::fields`] find them. Parts may come in any order and contain each other. The document must be JSON
/// for the result to be JSON; whatever it is, there is no panic.
pub(crate) fn cut(json: &[u8], from: usize, parts: &mut [Range<usize>], kept: &mut Vec<u8>) {
    // The larger of two parts that begin together comes first, so that the smaller one is skipped.
    parts.sort_unstable_by(|a, b| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
    let mut place = from;
    for part in parts.iter() {
        if part.start < place || part.end < part.start || part.end > json.len() {
            continue;
        }
        kept.extend_from_slice(json.get(place..part.start).unwrap_or_default());
        let after = skip_space(json, part.end);
        if json.get(after) == Some(&b',') {
            place = skip_space(json, after + 1);
        } else {
            // The last of its parent: the comma before it goes. It is looked for in what was kept, because members
            // before this one may have been cut as well.
            place = part.end;
            let end = kept.iter().rposition(|byte| !is_space(*byte));
            if let Some(end) = end
                && kept.get(end) == Some(&b',')
            {
                kept.truncate(end);
            }
        }
    }
    kept.extend_from_slice(json.get(place..).unwrap_or_default());
}

/// A whole document without some parts of it.
#[cfg(test)]
pub(crate) fn without(json: &[u8], parts: &mut [Range<usize>]) -> Vec<u8> {
    let mut kept = Vec::new();
    cut(json, 0, parts, &mut kept);
    kept
}

/// The member whose value stands at `value`: from the opening quote of its key to the end of its value.
pub(crate) fn member(json: &[u8], value: &Range<usize>) -> Option<Range<usize>> {
    let before = json.get(..value.start)?;
    let colon = before.iter().rposition(|byte| !is_space(*byte))?;
    let close = before.get(..colon)?.iter().rposition(|byte| !is_space(*byte))?;
    if before.get(colon) != Some(&b':') || before.get(close) != Some(&b'"') {
        return None;
    }
    // Within a text every quote has a backslash before it; before the opening one stands a brace, a comma or space.
    let mut open = close;
    loop {
        open = before.get(..open)?.iter().rposition(|byte| *byte == b'"')?;
        if open == 0 || before.get(open - 1) != Some(&b'\\') {
            return Some(open..value.end);
        }
    }
}

#[cfg(test)]
mod tests;
