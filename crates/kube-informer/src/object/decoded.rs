//! Decoded forms of records, shared while anybody holds them.

/// The decoded forms of one record.
#[derive(Default)]
pub(crate) struct DecodedSlot;

/// Recently decoded objects of one informer.
#[derive(Default)]
pub(crate) struct Shelf;
