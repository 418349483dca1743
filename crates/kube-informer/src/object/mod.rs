//! What objects consist of besides their content: labels, owners, versions and uids. [`Object`] itself is in the root of
//! the crate.

// Inside: bytes in the middle, types at the edges. The JSON of one object → `metadata` is read out in one pass → `ingest` drops
// `fields`, runs the `transform`, shares what objects have in common (`intern`), packs the rest (`pack`, `body`) or keeps what is different
// from a relative (`relatives`, `edits`) → `record`.
// `Object` is the typed face of a record; `decoded` shares what faces decode.

mod base;
pub(crate) mod body;
mod check;
mod decode_cache;
pub(crate) mod decoded;
mod edits;
mod error;
pub(crate) mod face;
mod field_values;
mod fields;
pub(crate) mod head;
pub(crate) mod ingest;
mod intake;
mod intern;
pub(crate) mod known;
pub(crate) mod label_set;
pub(crate) mod labels;
mod metadata;
pub(crate) mod origin;
pub(crate) mod pack;
pub(crate) mod record;
mod relatives;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod trainer;
pub(crate) mod transform;

pub use decode_cache::DecodeCache;
pub(crate) use face::Object;
pub(crate) use fields::FieldPath;
pub use head::OwnerReference;
pub use labels::Labels;

pub use informer_wire::{ResourceVersion, Uid};
