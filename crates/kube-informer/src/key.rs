//! The identity of an object within its kind: namespace and name.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock};

use hashbrown::Equivalent;

/// In unit tests hashing is the same in every run, so that a printed seed replays.
#[cfg(test)]
type KeyHasher = std::hash::BuildHasherDefault<std::hash::DefaultHasher>;
#[cfg(not(test))]
type KeyHasher = hashbrown::DefaultHashBuilder;

/// One for all maps: where a key lies depends only on the key and the number of shards.
pub(crate) static HASHER: LazyLock<KeyHasher> = LazyLock::new(KeyHasher::default);

/// Namespace and name of an object. Cheap to clone; prints as `namespace/name`, or `name` without a namespace.
#[derive(Clone)]
pub struct ObjectKey {
    namespace: Option<Arc<str>>,
    name: Arc<str>,
    /// Of both, so that the cache does not have to read the name to look it up.
    hash: u64,
}

/// An object key without owning it. No namespace and the empty one are the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyRef<'a> {
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
    hash: u64,
}

impl<'a> KeyRef<'a> {
    pub(crate) fn new(namespace: Option<&'a str>, name: &'a str) -> Self {
        let namespace = namespace.unwrap_or_default();
        Self { namespace, name, hash: HASHER.hash_one((namespace, name)) }
    }
}

/// A key in a map of this process: hashed by the hash that it has, where a plain [`ObjectKey`] is hashed by its texts. It is looked up
/// by a [`KeyRef`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MapKey(pub(crate) ObjectKey);

impl Hash for MapKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        KeyRef::from(&self.0).hash(state);
    }
}

impl Equivalent<MapKey> for KeyRef<'_> {
    fn equivalent(&self, key: &MapKey) -> bool {
        *self == KeyRef::from(&key.0)
    }
}

/// Most keys that are looked up come from an object of the same store, and share its texts: these need not be read.
impl PartialEq for KeyRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        let same = |mine: &str, other: &str| std::ptr::eq(mine, other) || mine == other;
        self.hash == other.hash && same(self.name, other.name) && same(self.namespace, other.namespace)
    }
}

impl Eq for KeyRef<'_> {}

impl Hash for KeyRef<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl<'a> From<&'a ObjectKey> for KeyRef<'a> {
    fn from(key: &'a ObjectKey) -> Self {
        Self { namespace: key.namespace().unwrap_or_default(), name: &key.name, hash: key.hash }
    }
}

impl PartialEq for ObjectKey {
    fn eq(&self, other: &Self) -> bool {
        KeyRef::from(self) == KeyRef::from(other)
    }
}

impl Eq for ObjectKey {}

/// Of the texts, so that it is the same in every process.
impl Hash for ObjectKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.namespace(), self.name()).hash(state);
    }
}

impl Ord for ObjectKey {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.namespace(), self.name()).cmp(&(other.namespace(), other.name()))
    }
}

impl PartialOrd for ObjectKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl ObjectKey {
    /// The key of an object in a namespace. An empty namespace is none.
    pub fn namespaced(namespace: impl Into<Arc<str>>, name: impl Into<Arc<str>>) -> Self {
        Self::from_parts(Some(namespace.into()), name.into())
    }

    /// The key of an object of the whole cluster.
    pub fn cluster(name: impl Into<Arc<str>>) -> Self {
        Self::from_parts(None, name.into())
    }

    pub(crate) fn from_parts(namespace: Option<Arc<str>>, name: Arc<str>) -> Self {
        let namespace = namespace.filter(|namespace| !namespace.is_empty());
        let hash = KeyRef::new(namespace.as_deref(), &name).hash;
        Self { namespace, name, hash }
    }

    /// From `name` or `namespace/name`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('/');
        match (parts.next(), parts.next(), parts.next()) {
            (Some(name), None, None) if !name.is_empty() => Some(Self::cluster(name)),
            (Some(namespace), Some(name), None) if !name.is_empty() => {
                Some(Self::namespaced(namespace, name))
            }
            _ => None,
        }
    }

    /// The namespace, `None` for objects of the whole cluster.
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn shared_namespace(&self) -> Option<&Arc<str>> {
        self.namespace.as_ref()
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(f, "{namespace}/{}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

impl fmt::Debug for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests;
