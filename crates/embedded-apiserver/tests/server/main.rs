//! The server from outside: over TCP and from within the process.

mod bad_input;
mod stopping;
mod support;
