//! The step from the bytes of one object to a record, as the decoders of lists and watches take it.

use std::sync::Arc;

use crate::object::ingest::{Ingest, IngestError, Scanned};
use crate::object::known::Known;
use crate::object::record::Record;

impl Ingest {
    /// The record of an object: the one that is already known in exactly this version, or a new one.
    pub fn take(&self, json: &[u8], known: &dyn Known) -> Result<Arc<Record>, IngestError> {
        self.known_or_new(self.scan(json)?, known)
    }

    /// The same for the object at the beginning of some bytes, and where it ends, in one pass over it.
    ///
    /// `None` if no plain object is there, or not all of it, or `follows` refuses the bytes behind it; then nothing has
    /// been done, and the object has to be cut out and taken by [`take`](Self::take).
    pub fn take_first(
        &self,
        bytes: &[u8],
        known: &dyn Known,
        follows: impl FnOnce(&[u8]) -> bool,
    ) -> Option<(Result<Arc<Record>, IngestError>, usize)> {
        let (scanned, end) = self.scan_first(bytes)?;
        // Asked before the record is made, which runs user code: that must happen only once per object, and an object
        // that is refused here is taken a second time.
        follows(bytes.get(end..)?)
            .then(|| (scanned.and_then(|scanned| self.known_or_new(scanned, known)), end))
    }

    fn known_or_new(&self, scanned: Scanned<'_>, known: &dyn Known) -> Result<Arc<Record>, IngestError> {
        let stored = known.stored(&scanned.key);
        if known.may_stand_in()
            && let Some(record) = &stored
            && record.is_version(&scanned.uid, &scanned.resource_version)
            && self.is_as_long(record, &scanned)
        {
            return Ok(record.clone());
        }
        self.record(scanned, stored.as_deref())
    }
}
