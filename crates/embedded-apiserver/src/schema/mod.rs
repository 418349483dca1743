//! The types of the built-in kinds: which fields an object has, of which types, and how patches merge them.

mod decode;
mod scalar;
mod types;

pub(crate) use decode::{Decoded, Flavour, decode, duplicates, operations};
#[cfg(test)]
pub(crate) use types::add_foreign;
pub(crate) use types::{Field, Shape, Struct, named, of};

#[cfg(test)]
mod tests;
