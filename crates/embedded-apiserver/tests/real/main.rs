//! The embedded server compared with the real one: discovery, unusual requests, CustomResourceDefinitions, and writes of
//! each kind.

mod definitions;
mod discovery;
mod requests;
mod support;
mod writes;
