//! Why the body of an answer cannot be read any further.

use crate::json::{self, Malformed};
use crate::key::ObjectKey;
use crate::status::Status;

/// Why the rest of a body is of no use. A list with such an error counts for nothing, a watch ends with it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StreamError {
    /// The body ended in the middle: the connection was cut, nothing is wrong with what came before.
    #[error("the answer ends in the middle of a document: the connection was cut or the server gave up")]
    CutFrame,
    /// The bytes are not JSON. The text never shows them, they may be secret.
    #[error("the answer is not JSON: {0}")]
    NotJson(String),
    /// One document is larger than the limit.
    #[error("{} is larger than the limit of {limit} bytes", match key {
        Some(key) => format!("object {key}"),
        None => "an object".to_owned(),
    })]
    TooBig {
        /// How many bytes a document may have.
        limit: usize,
        /// The object, if the beginning of the document names it.
        key: Option<ObjectKey>,
    },
    /// Something else was sent instead of a list: a Table, a single object.
    #[error("expected a list but the server sent {}", if .0.is_empty() { "a document without kind and items" } else { .0 })]
    NotAList(String),
    /// A list without `metadata.resourceVersion` cannot be followed by a watch.
    #[error("the list has no metadata.resourceVersion")]
    NoVersion,
    /// A Status was sent instead of a list, with HTTP status 200.
    #[error("the server sent an error instead of a list: {0}")]
    Status(Status),
}

impl From<Malformed> for StreamError {
    fn from(malformed: Malformed) -> Self {
        Self::NotJson(malformed.to_string())
    }
}

impl From<serde_json::Error> for StreamError {
    /// Keeps the place and the class of the error; the text itself may quote what was read.
    fn from(error: serde_json::Error) -> Self {
        Self::NotJson(json::position(&error))
    }
}
