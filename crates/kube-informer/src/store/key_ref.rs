//! Looking objects up by borrowed namespace and name.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::key::ObjectKey;
use crate::object::record::Record;
use crate::store::sharded::{KeyOf, Keyed};

/// An object key without owning it. No namespace and the empty one are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct KeyRef<'a> {
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
}

impl<'a> KeyRef<'a> {
    pub(crate) fn new(namespace: Option<&'a str>, name: &'a str) -> Self {
        Self { namespace: namespace.unwrap_or_default(), name }
    }
}

impl<'a> From<&'a ObjectKey> for KeyRef<'a> {
    fn from(key: &'a ObjectKey) -> Self {
        Self::new(key.namespace(), key.name())
    }
}

impl<'a> From<&'a Arc<Record>> for KeyRef<'a> {
    fn from(record: &'a Arc<Record>) -> Self {
        record.key().into()
    }
}

impl KeyOf<Arc<Record>> for KeyRef<'_> {
    fn is_key_of(&self, entry: &Arc<Record>) -> bool {
        *self == KeyRef::from(entry)
    }
}

impl Keyed for Arc<Record> {
    fn hash_key(&self, hasher: &mut impl Hasher) {
        KeyRef::from(self).hash(hasher);
    }

    fn same_key(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
