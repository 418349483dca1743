//! The server under test, and how it is asked.

pub(crate) mod server;
pub(crate) mod wire;
