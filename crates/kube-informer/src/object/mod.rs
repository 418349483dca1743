//! What objects consist of besides their content: labels, owners, versions and uids. [`Object`] itself is in the root of
//! the crate.

mod decode_cache;
pub(crate) mod face;
pub(crate) mod labels;

pub use decode_cache::DecodeCache;
pub(crate) use face::Object;
pub use informer_core::object::head::OwnerReference;
pub use labels::Labels;

pub use informer_wire::{ResourceVersion, Uid};
