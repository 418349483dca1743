//! `informer get`: objects from a synced cache.

pub(crate) mod table;
