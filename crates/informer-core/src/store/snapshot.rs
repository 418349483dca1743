//! All objects of one commit, unchanged for as long as the snapshot is held.

use std::fmt;
use std::sync::Arc;

use hashbrown::HashMap;
use informer_wire::key::{KeyRef, ObjectKey};

use crate::object::record::Record;
use crate::store::sharded::{Shard, ShardedMap, hash_key, place};

/// The objects of one scope at one commit: it never changes, and holding it delays neither the writer nor other readers.
///
/// It comes in parts of a few dozen objects, so that a long scan can be cut into short steps: full scans, handlers that
/// join late, resyncs. Taking one copies a pointer per part. The order of objects is unspecified.
#[derive(Clone, Default)]
pub struct Snapshot {
    commit: u64,
    len: usize,
    /// For each namespace the number of its first part, and how many it has.
    namespaces: HashMap<Arc<str>, (usize, usize)>,
    /// `None` for one that was taken out.
    parts: Vec<Option<Part>>,
}

/// A part of a snapshot.
pub type Part = Arc<Shard<Arc<Record>>>;

impl Snapshot {
    pub(crate) fn new(commit: u64) -> Self {
        Self { commit, ..Self::default() }
    }

    pub(crate) fn reserve(&mut self, namespaces: usize, parts: usize) {
        self.namespaces.reserve(namespaces);
        self.parts.reserve_exact(parts);
    }

    pub(crate) fn add(&mut self, namespace: &Arc<str>, objects: &ShardedMap<Arc<Record>>) {
        self.len += objects.len();
        self.namespaces.insert(namespace.clone(), (self.parts.len(), objects.shards().len()));
        self.parts.extend(objects.shards().iter().cloned().map(Some));
    }

    /// The number of the commit it shows; each commit has a higher one.
    #[inline]
    pub fn commit(&self) -> u64 {
        self.commit
    }

    /// How many objects it holds.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many parts it is cut into.
    #[inline]
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// The objects of one part; none if there is no such part.
    #[inline]
    pub fn part(&self, part: usize) -> impl Iterator<Item = &Arc<Record>> {
        self.parts.get(part).into_iter().flatten().flat_map(|part| part.iter())
    }

    /// Takes a part out for good, so that its objects can be freed before the others.
    pub fn take_part(&mut self, part: usize) -> Option<Part> {
        self.parts.get_mut(part)?.take()
    }

    /// Whether this part of both is the same, and so need not be compared. False says nothing.
    pub(crate) fn shares_part(&self, other: &Self, part: usize) -> bool {
        match (self.parts.get(part), other.parts.get(part)) {
            (Some(Some(mine)), Some(Some(theirs))) => Arc::ptr_eq(mine, theirs),
            _ => false,
        }
    }

    /// Which part holds this key, if any does. `None` if nothing of its namespace is here.
    pub(crate) fn part_of(&self, key: &ObjectKey) -> Option<usize> {
        let parts = KeyRef::from(key);
        let (first, count) = self.namespaces.get(parts.namespace)?;
        Some(first + place(hash_key(&parts), *count))
    }

    /// The object with this key.
    pub fn get(&self, key: &ObjectKey) -> Option<&Arc<Record>> {
        let parts = KeyRef::from(key);
        let (first, count) = self.namespaces.get(parts.namespace)?;
        let hash = hash_key(&parts);
        let part = self.parts.get(first + place(hash, *count))?.as_ref()?;
        part.find(hash, |record| KeyRef::from(record.key()) == parts)
    }

    /// All objects.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Record>> {
        self.parts.iter().flatten().flat_map(|part| part.iter())
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Snapshot({} objects of commit {})", self.len, self.commit)
    }
}
