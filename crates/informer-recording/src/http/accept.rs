//! In which forms a client takes objects.

use crate::record::METADATA;

/// A form in which objects can be given that are put together from a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectForm {
    Whole,
    /// As `PartialObjectMetadata`.
    Metadata,
}

/// The form that is asked for before all others, as in `application/json;as=Table;v=v1;g=meta.k8s.io`, if it is not that of
/// the objects themselves.
pub(super) fn form(accept: &str) -> Option<&str> {
    // It is written down, and a client may say anything there.
    form_of(accept.split(',').next()?).filter(|form| form.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// The form that one of the ranges of the header asks for.
fn form_of(range: &str) -> Option<&str> {
    let form = parameter(range, "as=")?;
    // Of lists and of single objects it is the same.
    Some(if form == "PartialObjectMetadataList" { METADATA } else { form })
}

fn parameter<'a>(range: &'a str, name: &str) -> Option<&'a str> {
    range.split(';').find_map(|part| part.trim().strip_prefix(name))
}

/// The first of the forms of the header `Accept` that there is; `None` if there is none.
pub(super) fn negotiate(accept: &str) -> Option<ObjectForm> {
    if accept.trim().is_empty() {
        return Some(ObjectForm::Whole);
    }
    accept.split(',').find_map(|range| {
        let kind = range.split(';').next()?.trim();
        let is_json = matches!(kind, "application/json" | "application/*" | "*/*");
        // Watches are JSON in either form.
        let is_other_stream = parameter(range, "stream=").is_some_and(|stream| stream != "watch");
        match form_of(range) {
            _ if !is_json || is_other_stream => None,
            None => Some(ObjectForm::Whole),
            Some(METADATA) => Some(ObjectForm::Metadata),
            Some(_) => None,
        }
    })
}
