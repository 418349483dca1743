//! Objects as records.
//!
//! Bytes in the middle, types at the edges. The JSON of one object → `metadata` is read out in one pass → `ingest` drops
//! `fields`, runs the `transform`, shares what objects have in common (`intern`), packs the rest (`packed`) →
//! `record`. `decoded` shares what records are decoded into.

mod check;
pub mod decoded;
pub mod error;
pub mod field_values;
pub mod fields;
pub mod head;
pub mod ingest;
mod intake;
mod intern;
pub mod known;
pub mod label_set;
mod metadata;
pub mod origin;
pub mod packed;
pub mod record;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
pub mod transform;
