//! In which forms a client takes objects.

/// A form in which objects can be given that are put together from a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Whole,
    /// As `PartialObjectMetadata`.
    Metadata,
}

/// The first of the forms of the header `Accept` that there is; `None` if there is none.
pub(super) fn negotiate(accept: &str) -> Option<Form> {
    if accept.trim().is_empty() {
        return Some(Form::Whole);
    }
    accept.split(',').find_map(|range| {
        let mut parts = range.split(';').map(str::trim);
        let is_json = matches!(parts.next()?, "application/json" | "application/*" | "*/*");
        let parameter = |name: &str| range.split(';').find_map(|part| part.trim().strip_prefix(name));
        // Watches are JSON in either form.
        let is_other_stream = parameter("stream=").is_some_and(|stream| stream != "watch");
        match parameter("as=") {
            _ if !is_json || is_other_stream => None,
            None => Some(Form::Whole),
            Some("PartialObjectMetadata" | "PartialObjectMetadataList") => Some(Form::Metadata),
            Some(_) => None,
        }
    })
}
