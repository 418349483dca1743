//! The current state.

pub(crate) mod change;
pub(crate) mod snapshot;
