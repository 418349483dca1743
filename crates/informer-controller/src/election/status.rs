//! How an election is, as a plain value.

use std::sync::{Arc, OnceLock};

use super::leadership::Shared;

/// An election at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ElectionStatus {
    /// Whether this replica leads.
    pub is_leader: bool,
    /// The term that it leads in, or has led in.
    pub term: Option<u64>,
    /// Why the last request for the Lease failed, such as a namespace that does not exist. `None` once one has succeeded.
    pub trouble: Option<String>,
}

/// One run of an election, once it has begun.
#[derive(Clone, Default)]
pub(super) struct Running(Arc<OnceLock<Arc<Shared>>>);

impl Running {
    pub(super) fn begun(&self, shared: &Arc<Shared>) {
        // It runs once, so nothing is there yet.
        self.0.set(shared.clone()).ok();
    }

    pub(super) fn status(&self) -> ElectionStatus {
        let Some(shared) = self.0.get() else { return ElectionStatus::default() };
        let state = *shared.state.borrow();
        ElectionStatus {
            is_leader: state.term.is_some() && !state.is_over && shared.clock.now() < state.until,
            term: state.term,
            trouble: shared.trouble.lock().clone(),
        }
    }
}

/// What a leadership that ended in order leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Led<T> {
    /// What the work gave.
    pub result: T,
    /// Whether the Lease was released, so that another replica leads at once. If not, because the server did not answer in time
    /// or somebody else has taken it, others wait until it expires.
    pub is_released: bool,
}
