//! Finding what paths lead to, without decoding the document.

use std::ops::Range;

use super::members::Members;
use super::string::string_is;
use super::value::{skip_space, value_end};
use crate::path::Step;

/// Finds the members and elements that paths lead to, from the beginning of the key to the end of the value, for
/// [`edit`](super::edit).
///
/// Goes only into what lies on a path and steps over the rest. Where the document is not JSON, the search ends early; there
/// is no panic.
pub fn find<'a>(json: &[u8], paths: impl IntoIterator<Item = &'a [Step]>, found: &mut Vec<Range<usize>>) {
    let paths: Vec<&[Step]> = paths.into_iter().collect();
    find_in(json, skip_space(json, 0), &paths, found);
}

/// Goes through the value at `at` and says where it ends. Recurses no deeper than the longest path.
fn find_in(json: &[u8], at: usize, paths: &[&[Step]], found: &mut Vec<Range<usize>>) -> Option<usize> {
    let Some(mut members) = Members::of(json, at) else { return value_end(json, at) };
    // Only paths whose next step fits this value: a name for an object, `Each` for an array. Single elements are not chosen here.
    let goes_on = |step: &Step| match step {
        Step::Name(_) => members.in_object(),
        Step::Each => !members.in_object(),
        Step::At(_) | Step::Where(_) => false,
    };
    let paths: Vec<&[Step]> =
        paths.iter().filter(|path| path.first().is_some_and(goes_on)).copied().collect();
    if paths.is_empty() {
        return value_end(json, at);
    }
    while let Some(key) = members.next()? {
        let below: Vec<&[Step]> =
            paths.iter().filter(|path| leads_to(path, key)).filter_map(|path| path.get(1..)).collect();
        if below.is_empty() {
            members.value()?;
        } else if below.iter().any(|path| path.is_empty()) {
            members.value()?;
            found.push(members.start()..members.at());
        } else {
            let end = find_in(json, members.at(), &below, found)?;
            members.skip_to(end);
        }
    }
    Some(members.at())
}

/// Whether the first step of a path leads to the member of this key, or to an element of an array.
fn leads_to(path: &[Step], key: &[u8]) -> bool {
    match path.first() {
        Some(Step::Name(name)) => string_is(key, name),
        Some(Step::Each) => true,
        Some(Step::At(_) | Step::Where(_)) | None => false,
    }
}

#[cfg(test)]
mod tests;
