//! From the JSON of one object to a record.

use std::sync::Arc;

use crate::key::ObjectKey;
use crate::object::origin::Origin;
use crate::object::record::Record;
use crate::version::{ResourceVersion, Uid};

/// Turns the JSON of objects into records. One per informer, shared by its reflectors.
pub(crate) struct Ingest {
    origin: Arc<Origin>,
}

/// The metadata of an object that was just read, still borrowing its JSON.
pub(crate) struct Scanned<'a> {
    pub(crate) key: ObjectKey,
    pub(crate) uid: Uid,
    pub(crate) resource_version: ResourceVersion,
    json: &'a [u8],
}

/// Why one object cannot be taken in.
#[derive(Debug)]
pub(crate) enum IngestError {
    /// The bytes are not JSON: the whole list or stream is spoilt.
    NotJson(String),
    /// This object alone is the problem: no name, another kind, the transform refused it.
    LeftOut { key: Option<ObjectKey>, message: String },
}

impl Ingest {
    pub(crate) fn origin(&self) -> &Arc<Origin> {
        &self.origin
    }

    /// Reads an object's metadata and checks the whole of it to be JSON.
    pub(crate) fn scan<'a>(&self, json: &'a [u8]) -> Result<Scanned<'a>, IngestError> {
        let _ = json;
        Err(IngestError::NotJson("not written yet".into()))
    }

    /// Builds the record: transform, dropped fields, interning, packing.
    pub(crate) fn record(&self, scanned: Scanned<'_>) -> Result<Arc<Record>, IngestError> {
        let _ = scanned.json;
        Err(IngestError::NotJson("not written yet".into()))
    }
}
