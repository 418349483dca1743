//! The types of the built-in kinds: which fields an object has, of which types, and how patches merge them.

mod decode;
mod go_types;
mod quantity;
mod scalar;
mod types;

#[cfg(test)]
pub(crate) use decode::Decoded;
pub(crate) use decode::{Flavour, decode, duplicates, operations};
pub(crate) use go_types::{is_zero, written};
#[cfg(feature = "cel")]
pub(crate) use quantity::canonical as canonical_quantity;
#[cfg(test)]
pub(crate) use types::add_foreign;
pub(crate) use types::{Field, Shape, Struct, named, object_meta, of};

#[cfg(test)]
mod tests;
