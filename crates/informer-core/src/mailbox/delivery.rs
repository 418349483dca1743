//! Events as they are delivered to handlers, without the Rust type of the objects.

use std::sync::Arc;

use crate::object::record::Record;

/// An event without the Rust type of the objects.
#[derive(Clone, Debug)]
pub enum Delivery {
    /// An object that is new to the handler.
    Added {
        /// The new state.
        new: Arc<Record>,
        /// Whether it was there before the handler.
        initial: bool,
    },
    /// Another version of an object.
    Updated {
        /// The state that the handler was last called with.
        old: Arc<Record>,
        /// The new state.
        new: Arc<Record>,
        /// Whether nothing changed and this is a resync.
        resync: bool,
    },
    /// The object is gone.
    Deleted {
        /// Its last known state.
        object: Arc<Record>,
        /// The version that the handler was last called with, if it differs from `object` and was kept.
        told: Option<Arc<Record>>,
        /// Whether that is its final state.
        final_state_known: bool,
    },
    /// From here on events are merged.
    Merged,
}

impl Delivery {
    pub(crate) fn is_initial(&self) -> bool {
        matches!(self, Self::Added { initial: true, .. })
    }
}
