//! The programs of `examples/`, as their users run them, on the embedded server; `tests/e2e` runs the same on
//! a real one.
//!
//! `cargo test` builds examples before it runs tests. With `--test programs` it does not: build them first.

#![allow(clippy::unwrap_used)]

mod endpoints;
mod leader;
mod replicas;
mod sample;
#[allow(dead_code, reason = "shared with the suite on the real server")]
mod support;

use crate::support::Server;

/// Where a story takes place. It is always there.
async fn server(_test: &str) -> Option<Server> {
    Some(Server::embedded().await)
}
