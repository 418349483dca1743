//! What happened, in order: the unit that travels from the reflectors to the store.

use std::sync::Arc;

use informer_wire::{ObjectKey, ResourceVersion};

use crate::object::record::Record;
use crate::scope::ScopeId;

/// One thing that happened in one scope of an informer.
#[derive(Debug)]
pub struct Delta {
    /// Which of the informer's scopes it came from.
    pub scope: ScopeId,
    /// What happened there.
    pub change: DeltaChange,
}

/// What happened.
#[derive(Debug)]
pub enum DeltaChange {
    /// An object that is new to the server.
    Added(Arc<Record>),
    /// Another version of an object.
    Updated(Arc<Record>),
    /// Deleted at the server; the object as the server last had it.
    Deleted(Arc<Record>),
    /// The object is at the server but cannot be taken in: whatever the store holds of it is out of date.
    LeftOut {
        /// The key.
        key: ObjectKey,
        /// Empty if it could not be read.
        version: ResourceVersion,
    },
    /// The whole content of the scope at one version.
    Replaced {
        /// As of this version.
        version: ResourceVersion,
        /// The objects, each key once.
        objects: Vec<Arc<Record>>,
        /// Read from a server that went back in time: nothing that was known before counts.
        rewound: bool,
    },
    /// The answer to a lookup of one key: this object, or none, as of this version. It says nothing about other keys, so the
    /// scope's version does not move.
    Looked {
        /// The key.
        key: ObjectKey,
        /// As of this version.
        version: ResourceVersion,
        /// The object, if there is one.
        object: Option<Arc<Record>>,
        /// How often the server had gone back in time when it was asked. An answer from before the last time is dropped.
        rewinds: u64,
    },
    /// Nothing up to this version has been missed.
    Bookmark(ResourceVersion),
}
