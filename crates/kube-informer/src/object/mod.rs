//! Objects: bytes in the middle, types at the edges.

pub(crate) mod body;
pub(crate) mod decoded;
pub(crate) mod head;
pub(crate) mod ingest;
pub(crate) mod known;
pub(crate) mod labels;
pub(crate) mod origin;
pub(crate) mod record;
#[cfg(test)]
pub(crate) mod testing;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

pub use head::OwnerReference;
pub use labels::Labels;
use record::Record;

use crate::key::ObjectKey;
use crate::kind::KindInfo;
use crate::version::{ResourceVersion, Uid};

/// One version of one object in an informer's cache. Cheap to clone, never changes.
pub struct Object<K> {
    record: Arc<Record>,
    of: PhantomData<fn() -> K>,
}

impl<K> Object<K> {
    pub(crate) fn from_record(record: Arc<Record>) -> Self {
        Self { record, of: PhantomData }
    }

    pub(crate) fn record(&self) -> &Arc<Record> {
        &self.record
    }

    /// Namespace and name.
    pub fn key(&self) -> &ObjectKey {
        &self.record.head.key
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.key().name()
    }

    /// The namespace, `None` for objects of the whole cluster.
    pub fn namespace(&self) -> Option<&str> {
        self.key().namespace()
    }

    /// The uid of this incarnation of the name.
    pub fn uid(&self) -> &Uid {
        &self.record.head.uid
    }

    /// The version.
    pub fn resource_version(&self) -> &ResourceVersion {
        &self.record.head.resource_version
    }

    /// The labels.
    pub fn labels(&self) -> &Labels {
        &self.record.head.labels
    }

    /// Group, version, kind and plural.
    pub fn kind(&self) -> &KindInfo {
        &self.record.origin.kind
    }
}

impl<K> Clone for Object<K> {
    fn clone(&self) -> Self {
        Self::from_record(self.record.clone())
    }
}

impl<K> fmt::Display for Object<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind().kind(), self.key())
    }
}

impl<K> fmt::Debug for Object<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind().kind(), self.key())
    }
}

/// TEMPORARY
#[derive(Clone, Debug, thiserror::Error)]
#[error("x")]
pub struct DecodeError;
impl<K: serde::de::DeserializeOwned> Object<K> {
    /// x
    pub fn get(&self) -> Result<Arc<K>, DecodeError> {
        self.record.body.with_json(|j| serde_json::from_slice(j)).map(Arc::new).map_err(|_| DecodeError)
    }
}
