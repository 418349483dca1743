//! The one question that goes against the flow: does the store already hold this version of this object?

use std::sync::Arc;

use crate::key::ObjectKey;
use crate::object::record::Record;
use crate::version::{ResourceVersion, Uid};

/// Answered by the store, asked while a list is decoded, so that a relist does not pack unchanged objects again.
pub(crate) trait Known: Send + Sync {
    /// The stored record of this key, if it has exactly this uid and resource version, both not empty.
    fn lookup(&self, key: &ObjectKey, uid: &Uid, version: &ResourceVersion) -> Option<Arc<Record>>;
}

/// Knows nothing: every object is built anew.
pub(crate) struct NothingKnown;

impl Known for NothingKnown {
    fn lookup(&self, _: &ObjectKey, _: &Uid, _: &ResourceVersion) -> Option<Arc<Record>> {
        None
    }
}
