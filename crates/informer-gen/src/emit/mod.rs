//! Writes the model as Rust code.

mod accessors;
pub(crate) mod built_in;
pub(crate) mod code;
pub(crate) mod custom;
