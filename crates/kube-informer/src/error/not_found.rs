//! Reading what is not there.

use crate::key::ObjectKey;
use crate::kind::KindInfo;

/// There is no such object in the cache.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} \"{key}\" not found")]
pub struct NotFoundError {
    kind: KindInfo,
    key: ObjectKey,
}

impl NotFoundError {
    pub(crate) fn new(kind: KindInfo, key: ObjectKey) -> Self {
        Self { kind, key }
    }

    /// The kind that was asked for.
    pub fn kind(&self) -> &KindInfo {
        &self.kind
    }

    /// The key that was asked for.
    pub fn key(&self) -> &ObjectKey {
        &self.key
    }
}
