//! The embedded server compared with the real one: discovery, unusual requests, CustomResourceDefinitions, writes of each
//! kind, strategic merge patches, and unknown fields.

mod definitions;
mod discovery;
mod fields;
mod requests;
mod strategic;
mod support;
mod writes;
