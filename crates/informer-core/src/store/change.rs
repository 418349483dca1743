//! The changes of a commit, in the form that handlers need.

use std::sync::Arc;

use informer_wire::ObjectKey;

use crate::object::record::Record;

/// One change of one key. The key held exactly `old` before and holds exactly `new` after.
#[derive(Clone, Debug)]
pub enum Change {
    /// The key held nothing before.
    Added {
        /// What it holds.
        new: Arc<Record>,
    },
    /// Always the same incarnation (uid): a new one is `Deleted` followed by `Added`.
    Updated {
        /// What it held.
        old: Arc<Record>,
        /// What it holds.
        new: Arc<Record>,
    },
    /// The key holds nothing any more.
    Deleted {
        /// What the store held.
        old: Arc<Record>,
        /// The last state as the server sent it with the delete event; `None` if the delete was found on a relist.
        last: Option<Arc<Record>>,
    },
}

impl Change {
    /// A new version of an object: what was read of the old one is likely to be read of the new one.
    pub fn updated(old: Arc<Record>, new: Arc<Record>) -> Self {
        old.decoded.bequeath(&new.decoded);
        Self::Updated { old, new }
    }

    /// The key.
    #[inline]
    pub fn key(&self) -> &ObjectKey {
        match self {
            Self::Added { new } | Self::Updated { new, .. } => new.key(),
            Self::Deleted { old, .. } => old.key(),
        }
    }
}
