//! The embedded server beside the real one: what is told about kinds, odd requests, definitions of custom resources.

mod definitions;
mod discovery;
mod requests;
mod servers;
