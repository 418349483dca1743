//! The writes that are compared with the real server.

pub(super) mod kinds;
pub(super) mod scale;
pub(super) mod stories;
