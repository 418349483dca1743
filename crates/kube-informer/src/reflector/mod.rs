//! Keeps up with one source.
