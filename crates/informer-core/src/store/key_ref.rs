//! Looking objects up by their keys.

use std::hash::{Hash as _, Hasher};
use std::sync::Arc;

use informer_wire::key::KeyRef;

use crate::object::record::Record;
use crate::store::sharded::{KeyOf, Keyed};

impl KeyOf<Arc<Record>> for KeyRef<'_> {
    fn is_key_of(&self, entry: &Arc<Record>) -> bool {
        *self == KeyRef::from(entry.key())
    }
}

impl Keyed for Arc<Record> {
    fn hash_key(&self, hasher: &mut impl Hasher) {
        KeyRef::from(self.key()).hash(hasher);
    }

    fn same_key(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
