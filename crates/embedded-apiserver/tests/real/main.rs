//! The embedded server compared with the real one: discovery, unusual requests, CustomResourceDefinitions, writes of each
//! kind, strategic merge patches, unknown fields, and schemas of custom resources.

mod definitions;
mod discovery;
mod fields;
mod requests;
mod schemas;
mod strategic;
mod support;
mod writes;
