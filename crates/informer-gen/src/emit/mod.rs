//! From the model to Rust text.

mod accessors;
pub(crate) mod built_in;
pub(crate) mod code;
pub(crate) mod custom;
