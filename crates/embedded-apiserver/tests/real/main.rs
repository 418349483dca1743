//! The embedded server beside the real one: what is told about kinds, odd requests,
//! definitions of custom resources, and how kinds are written.

mod definitions;
mod discovery;
mod requests;
mod support;
mod writes;
