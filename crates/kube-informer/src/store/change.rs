//! The changes of a commit, in the form that handlers need.

use std::sync::Arc;

use informer_wire::ObjectKey;

use crate::object::record::Record;

/// One change of one key. The key held exactly `old` before and holds exactly `new` after.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Added {
        new: Arc<Record>,
    },
    /// Always the same incarnation (uid): a new one is `Deleted` followed by `Added`.
    Updated {
        old: Arc<Record>,
        new: Arc<Record>,
    },
    Deleted {
        /// What the store held.
        old: Arc<Record>,
        /// The last state as the server sent it with the delete event; `None` if the delete was found on a relist.
        last: Option<Arc<Record>>,
    },
}

impl Change {
    /// A new version of an object: what was read of the old one is likely to be read of the new one.
    pub(crate) fn updated(old: Arc<Record>, new: Arc<Record>) -> Self {
        old.decoded.bequeath(&new.decoded);
        Self::Updated { old, new }
    }

    pub(crate) fn key(&self) -> &ObjectKey {
        match self {
            Self::Added { new } | Self::Updated { new, .. } => new.key(),
            Self::Deleted { old, .. } => old.key(),
        }
    }
}
