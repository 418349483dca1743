//! Test doubles, with the feature `testing`: a source of objects that does what a test says, without a server.
//!
//! An API server inside the process, which the real client talks to, is the crate `embedded-apiserver`.

pub use crate::source::scripted::{Fault, InjectedFault, ScriptedSource};
