//! The programs of `examples/`, as their users run them, on the embedded and on the real server.
//!
//! `cargo test` builds examples before it runs tests. With `--test programs` it does not: build them first.

#![allow(clippy::unwrap_used)]

mod beside;
mod endpoints;
mod leader;
mod replicas;
mod sample;
mod support;
