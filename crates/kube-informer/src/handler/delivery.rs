//! Events as they are delivered to handlers, without the Rust type of the objects.

use std::sync::Arc;

use crate::object::record::Record;

/// An event without the Rust type of the objects.
#[derive(Clone, Debug)]
pub(crate) enum Delivery {
    Added {
        new: Arc<Record>,
        initial: bool,
    },
    Updated {
        old: Arc<Record>,
        new: Arc<Record>,
        resync: bool,
    },
    Deleted {
        object: Arc<Record>,
        /// The version that the handler was last called with, if it differs from `object` and was kept.
        told: Option<Arc<Record>>,
        final_state_known: bool,
    },
    Merged,
}

impl Delivery {
    pub(crate) fn is_initial(&self) -> bool {
        matches!(self, Self::Added { initial: true, .. })
    }
}
