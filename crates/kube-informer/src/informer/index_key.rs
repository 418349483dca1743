//! Indexes that are known ahead of time, by name, field and type.

use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;

use informer_core::object::fields::FieldPath;
use serde::de::DeserializeOwned;

use crate::informer::{Index, SharedInformer};
use crate::object::Object;

/// The name and the field of an index: objects are found by the values of that field. A constant that all parts of a
/// program can share.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::testing::ScriptedSource;
/// use kube_informer::{IndexKey, SharedInformer};
///
/// const BY_NODE: IndexKey<Pod, String> = IndexKey::new("node", "spec.nodeName");
/// const BY_IMAGE: IndexKey<Pod, String> = IndexKey::new("image", "spec.containers[*].image");
///
/// # let pods = SharedInformer::<Pod>::builder(ScriptedSource::of::<Pod>()).build()?;
/// let on_node = pods.index_by(BY_NODE).get("node-1")?;
/// # assert!(on_node.is_empty());
/// # Ok(())
/// # }
/// ```
pub struct IndexKey<K, V> {
    name: &'static str,
    path: &'static str,
    of: PhantomData<fn() -> (K, V)>,
}

impl<K, V> IndexKey<K, V> {
    /// An index of this name on the field that a path leads to, such as `spec.nodeName`, `spec.containers[*].image` or
    /// `metadata.labels["example.com/colour"]`: names are separated by dots, `[*]` goes through all elements of a list, and a
    /// name with other characters than letters, digits, `-`, `_`, `/` and `$` is written in `["…"]`.
    ///
    /// An object is found by every value that the path leads to, and by none where the field is missing or null.
    pub const fn new(name: &'static str, path: &'static str) -> Self {
        Self { name, path, of: PhantomData }
    }

    /// The name of the index.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The path to the field.
    pub const fn path(&self) -> &'static str {
        self.path
    }
}

impl<K: Send + Sync + 'static> SharedInformer<K> {
    /// The index for a key. It is added if the informer has none of that name. It may be called concurrently with the
    /// same key: all callers get the same index.
    ///
    /// If the informer has an index of the same name that uses another field, a function or another value type, queries
    /// of the returned index fail with an error that says so.
    ///
    /// The field is read from the stored JSON without decoding the object. An object whose field has values of another
    /// type is left out of the index, which is counted and reported. If the path is invalid, this happens to all
    /// objects.
    pub fn index_by<V>(&self, key: IndexKey<K, V>) -> Index<K, V>
    where
        V: DeserializeOwned + Hash + Eq + Clone + Send + Sync + 'static,
    {
        if let Ok(index) = self.index_on(key.name, Some(key.path)) {
            return index;
        }
        let path = FieldPath::to_read(key.path);
        let values = move |object: &Object<K>| {
            let path = path.as_ref().map_err(ToString::to_string)?;
            object.values_at::<V>(path).map_err(|error| error.to_string())
        };
        self.add_or_share(key.name.into(), values, Some(key.path))
    }
}

impl<K, V> Clone for IndexKey<K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for IndexKey<K, V> {}

impl<K, V> fmt::Debug for IndexKey<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IndexKey({} on {})", self.name, self.path)
    }
}
