//! Reading an object that is not in the cache.

use informer_wire::ObjectKey;

use crate::kind::KindInfo;

/// The cache does not hold the requested object.
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

    /// The kind of the requested object.
    pub fn kind(&self) -> &KindInfo {
        &self.kind
    }

    /// The key of the requested object.
    pub fn key(&self) -> &ObjectKey {
        &self.key
    }
}
