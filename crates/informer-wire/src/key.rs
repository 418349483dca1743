//! The identity of an object within its kind: namespace and name.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};
use std::str::FromStr;
use std::sync::{Arc, LazyLock};

use hashbrown::Equivalent;

/// In tests hashing is the same in every run, so that a printed seed replays.
#[cfg(any(test, feature = "testing"))]
type KeyHasher = std::hash::BuildHasherDefault<std::hash::DefaultHasher>;
#[cfg(not(any(test, feature = "testing")))]
type KeyHasher = hashbrown::DefaultHashBuilder;

/// One for all maps: where a key lies depends only on the key and the number of shards.
pub static HASHER: LazyLock<KeyHasher> = LazyLock::new(KeyHasher::default);

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
pub struct KeyRef<'a> {
    /// The namespace, empty for objects of the whole cluster.
    pub namespace: &'a str,
    /// The name.
    pub name: &'a str,
    hash: u64,
}

impl<'a> KeyRef<'a> {
    /// The key with this namespace and name.
    #[inline]
    pub fn new(namespace: Option<&'a str>, name: &'a str) -> Self {
        let namespace = namespace.unwrap_or_default();
        Self { namespace, name, hash: HASHER.hash_one((namespace, name)) }
    }
}

/// A key in a map of this process: hashed by the hash that it has, where a plain [`ObjectKey`] is hashed by its texts. It is looked up
/// by a [`KeyRef`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapKey(pub ObjectKey);

impl Hash for MapKey {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        KeyRef::from(&self.0).hash(state);
    }
}

impl Equivalent<MapKey> for KeyRef<'_> {
    #[inline]
    fn equivalent(&self, key: &MapKey) -> bool {
        *self == KeyRef::from(&key.0)
    }
}

/// Most keys that are looked up come from an object of the same store, and share its texts: these need not be read.
impl PartialEq for KeyRef<'_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        let same = |mine: &str, other: &str| std::ptr::eq(mine, other) || mine == other;
        self.hash == other.hash && same(self.name, other.name) && same(self.namespace, other.namespace)
    }
}

impl Eq for KeyRef<'_> {}

impl Hash for KeyRef<'_> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl<'a> From<&'a ObjectKey> for KeyRef<'a> {
    #[inline]
    fn from(key: &'a ObjectKey) -> Self {
        Self { namespace: key.namespace().unwrap_or_default(), name: &key.name, hash: key.hash }
    }
}

impl PartialEq for ObjectKey {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        KeyRef::from(self) == KeyRef::from(other)
    }
}

impl Eq for ObjectKey {}

/// Of the texts, so that it is the same in every process.
impl Hash for ObjectKey {
    #[inline]
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
        from_parts(Some(namespace.into()), name.into())
    }

    /// The key of an object of the whole cluster.
    pub fn cluster(name: impl Into<Arc<str>>) -> Self {
        from_parts(None, name.into())
    }

    fn parse(text: &str) -> Option<Self> {
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
    #[inline]
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// The name.
    #[inline]
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// From namespace and name. An empty namespace is none.
pub fn from_parts(namespace: Option<Arc<str>>, name: Arc<str>) -> ObjectKey {
    let namespace = namespace.filter(|namespace| !namespace.is_empty());
    let hash = KeyRef::new(namespace.as_deref(), &name).hash;
    ObjectKey { namespace, name, hash }
}

/// The namespace with its allocation, to be shared.
#[inline]
pub fn shared_namespace(key: &ObjectKey) -> Option<&Arc<str>> {
    key.namespace.as_ref()
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

/// A text is neither `name` nor `namespace/name`.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not an object key: expected `name` or `namespace/name`")]
pub struct KeyError {
    text: String,
}

impl KeyError {
    /// The text that is not a key.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyError({self})")
    }
}

/// From `name` or `namespace/name`.
impl FromStr for ObjectKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        Self::parse(text).ok_or_else(|| KeyError { text: text.to_owned() })
    }
}

#[cfg(test)]
mod tests;
