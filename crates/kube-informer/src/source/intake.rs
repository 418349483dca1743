//! The step from the bytes of one object to a record, as the decoders see it.

use std::sync::Arc;

use crate::object::ingest::{Ingest, IngestError, Scanned};
use crate::object::known::Known;
use crate::object::record::Record;

/// Takes in the JSON of one object. A trait only so that the decoders can be tested without the real thing.
pub(crate) trait Intake {
    /// The record of an object: the one that is already known in exactly this version, or a new one.
    fn take(&self, json: &[u8], known: &dyn Known) -> Result<Arc<Record>, IngestError>;

    /// The same for the object at the beginning of some bytes, and where it ends, in one pass over it.
    ///
    /// `None` if no plain object is there, or not all of it, or what follows is not what should; then nothing has been
    /// done, and the object has to be cut out and taken by [`take`](Self::take).
    fn take_first(
        &self,
        bytes: &[u8],
        known: &dyn Known,
        follows: impl FnOnce(&[u8]) -> bool,
    ) -> Option<(Result<Arc<Record>, IngestError>, usize)>;
}

impl Intake for Ingest {
    fn take(&self, json: &[u8], known: &dyn Known) -> Result<Arc<Record>, IngestError> {
        known_or_new(self, self.scan(json)?, known)
    }

    fn take_first(
        &self,
        bytes: &[u8],
        known: &dyn Known,
        follows: impl FnOnce(&[u8]) -> bool,
    ) -> Option<(Result<Arc<Record>, IngestError>, usize)> {
        let (scanned, end) = self.scan_first(bytes)?;
        // Before the record is made: that runs user code, which is to happen once.
        follows(bytes.get(end..)?)
            .then(|| (scanned.and_then(|scanned| known_or_new(self, scanned, known)), end))
    }
}

fn known_or_new(
    ingest: &Ingest,
    scanned: Scanned<'_>,
    known: &dyn Known,
) -> Result<Arc<Record>, IngestError> {
    let reusable = !scanned.uid.is_empty() && !scanned.resource_version.is_empty();
    if reusable && let Some(record) = known.lookup(&scanned.key, &scanned.uid, &scanned.resource_version) {
        return Ok(record);
    }
    ingest.record(scanned)
}
