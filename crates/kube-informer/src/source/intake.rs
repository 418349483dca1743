//! The step from the bytes of one object to a record, as the decoders see it.

use std::sync::Arc;

use crate::object::ingest::{Ingest, IngestError};
use crate::object::known::Known;
use crate::object::record::Record;

/// Takes in the JSON of one object. A trait only so that the decoders can be tested without the real thing.
pub(crate) trait Intake {
    /// The record of an object: the one that is already known in exactly this version, or a new one.
    fn take(&self, json: &[u8], known: &dyn Known) -> Result<Arc<Record>, IngestError>;
}

impl Intake for Ingest {
    fn take(&self, json: &[u8], known: &dyn Known) -> Result<Arc<Record>, IngestError> {
        let scanned = self.scan(json)?;
        let reusable = !scanned.uid.is_empty() && !scanned.resource_version.is_empty();
        if reusable && let Some(record) = known.lookup(&scanned.key, &scanned.uid, &scanned.resource_version)
        {
            return Ok(record);
        }
        self.record(scanned)
    }
}
