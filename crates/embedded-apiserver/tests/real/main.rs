//! The embedded server compared with the real one: discovery, unusual requests, CustomResourceDefinitions, and writes of
//! each kind.

mod builtins;
mod collections;
mod compare;
mod controllers;
mod definitions;
mod discovery;
mod json_patch;
mod metadata;
mod preconditions;
mod requests;
mod reviews;
mod support;
mod writes;
