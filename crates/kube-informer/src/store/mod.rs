//! The current state.

pub(crate) mod change;
