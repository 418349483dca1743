//! What decoding says when it fails, without giving secrets away.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::json;
use crate::key::ObjectKey;
use crate::kind::KindInfo;
use crate::object::record::Record;
use crate::report::panic_text;

/// An object does not decode into the type asked for.
///
/// Names kind and key and what the decoder said. For Secrets, and what else was marked sensitive, only the place in the
/// JSON is told, because decoders quote what they did not expect.
#[derive(Clone, PartialEq, Eq)]
pub struct DecodeError(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    kind: KindInfo,
    key: ObjectKey,
    message: String,
}

impl DecodeError {
    pub(crate) fn new(record: &Record, message: String) -> Self {
        let (kind, key) = (record.origin.kind.clone(), record.head.key.clone());
        Self(Box::new(Inner { kind, key, message }))
    }

    /// The kind of the object.
    pub fn kind(&self) -> &KindInfo {
        &self.0.kind
    }

    /// Its namespace and name.
    pub fn key(&self) -> &ObjectKey {
        &self.0.key
    }

    /// What the decoder said.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} does not decode: {}", self.0.kind.noun(), self.0.key, self.0.message)
    }
}

impl fmt::Debug for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DecodeError({self})")
    }
}

impl std::error::Error for DecodeError {}

/// A value or a document that does not make an object of its kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this makes no object of {kind}: {message}")]
pub struct InvalidObject {
    pub(crate) kind: KindInfo,
    pub(crate) message: String,
}

/// What serde said; only the place where it may not quote.
pub(crate) fn describe(error: &serde_json::Error, sensitive: bool) -> String {
    if sensitive { json::position(error) } else { error.to_string() }
}

/// Runs a user's `Deserialize`. A panic of it is an error like any other.
pub(crate) fn attempt<T>(
    sensitive: bool,
    decode: impl FnOnce() -> Result<T, serde_json::Error>,
) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(decode)) {
        Ok(result) => result.map_err(|error| describe(&error, sensitive)),
        Err(_) if sensitive => Err("the type's Deserialize panicked".to_owned()),
        Err(payload) => Err(format!("the type's Deserialize panicked: {}", panic_text(&*payload))),
    }
}
