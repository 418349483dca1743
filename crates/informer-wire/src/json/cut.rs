//! Cuts members out of a document, and adds some to it, without decoding it.

use std::ops::Range;

use super::value::{is_space, skip_space};

/// Appends an object to `kept`: with some members added at its front, and without some parts.
///
/// Each of `added` is a key and a value with the comma that follows them; the object must not be empty where there are
/// any.
///
/// Each part is a member of an object (key and value) or an element of an array, as [`Members`](super::Members) and
/// [`find`](super::find) find them, and goes with exactly one of the commas beside it. Parts may come in any order and
/// contain each other. The document must be JSON for the result to be JSON; whatever it is, there is no panic.
pub fn edit(json: &[u8], added: &[&[u8]], parts: &mut [Range<usize>], kept: &mut Vec<u8>) {
    kept.reserve(json.len() + added.iter().map(|member| member.len()).sum::<usize>());
    let behind_brace = json.len().min(skip_space(json, 0) + 1);
    kept.extend_from_slice(json.get(..behind_brace).unwrap_or_default());
    added.iter().for_each(|member| kept.extend_from_slice(member));
    cut(json, behind_brace, parts, kept);
}

/// Appends a document from a place on without some parts of it.
fn cut(json: &[u8], from: usize, parts: &mut [Range<usize>], kept: &mut Vec<u8>) {
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
#[cfg(any(test, feature = "testing"))]
pub fn without(json: &[u8], parts: &mut [Range<usize>]) -> Vec<u8> {
    let mut kept = Vec::new();
    cut(json, 0, parts, &mut kept);
    kept
}

#[cfg(test)]
mod tests;
