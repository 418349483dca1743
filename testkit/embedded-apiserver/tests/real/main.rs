//! The embedded server compared with the real one: discovery, unusual requests, CustomResourceDefinitions, writes of each
//! kind, and tables of writes: patches, preconditions, metadata, built-in kinds, reviews, deletes, collections,
//! strategic merge patches, unknown fields, schemas of custom resources, managers and server-side apply; controllers beside
//! kube-controller-manager.

mod apply;
mod builtins;
mod collections;
mod defaults;
mod definitions;
mod deletes;
mod differential;
mod discovery;
mod fields;
mod garbage;
mod generations;
mod json_patch;
mod metadata;
mod namespaces;
mod preconditions;
mod requests;
mod reviews;
mod schemas;
mod strategic;
mod subresources;
mod support;
mod writes;
