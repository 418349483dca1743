//! One copy of what many objects have in common: label sets, owner lists, finalizer lists, namespaces.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hashbrown::{DefaultHashBuilder, HashTable};
use informer_wire::Uid;
use parking_lot::Mutex;

use crate::object::head::OwnerReference;
use crate::object::label_set::LabelSet;
use crate::object::metadata::Owner;

type SharedLabel = (Arc<str>, Arc<str>);

/// The shared parts of one informer's records.
///
/// Keeps every part that it hands out. Whenever a table has doubled, or half of the records are gone, it drops the parts that
/// no record uses any more, so that it never grows much beyond twice the size of the parts in use.
///
/// For a sensitive kind it holds nothing, and every record has its own: what was in a record goes with it.
pub(crate) struct Interner {
    tables: Option<Mutex<Tables>>,
    /// The most records that there were since parts were last looked through because many had gone.
    most: AtomicUsize,
}

#[derive(Default)]
struct Tables {
    hasher: DefaultHashBuilder,
    texts: Pool<str>,
    labels: Pool<[SharedLabel]>,
    owners: Pool<[OwnerReference]>,
    finalizers: Pool<[Arc<str>]>,
}

impl Interner {
    pub(crate) fn new(sensitive: bool) -> Self {
        Self { tables: (!sensitive).then(Mutex::default), most: AtomicUsize::new(0) }
    }

    /// Is told how many records there are. After half of them have gone, so have many of their parts.
    pub(crate) fn records(&self, alive: usize) {
        let most = self.most.fetch_max(alive, Ordering::Relaxed);
        if most >= MANY && alive < most / 2 {
            self.most.store(alive, Ordering::Relaxed);
            if let Some(tables) = &self.tables {
                tables.lock().sweep();
            }
        }
    }

    /// A text that many objects carry, such as their namespace.
    pub(crate) fn text(&self, text: &str) -> Arc<str> {
        match &self.tables {
            Some(tables) => tables.lock().text(text),
            None => text.into(),
        }
    }

    /// A set of labels, sorted by key, each key once.
    pub(crate) fn labels(&self, labels: &[(Cow<'_, str>, Cow<'_, str>)]) -> LabelSet {
        let Some(tables) = &self.tables else {
            let pairs: Arc<[SharedLabel]> =
                labels.iter().map(|(key, value)| ((&**key).into(), (&**value).into())).collect();
            return LabelSet::from_shared(pairs);
        };
        let mut tables = tables.lock();
        // `Arc<str>` and `Cow<str>` both hash as the `str` within, so a set is found without being built.
        let hash = tables.hasher.hash_one(labels);
        let same = |candidate: &[SharedLabel]| {
            candidate.len() == labels.len()
                && candidate.iter().zip(labels).all(|(a, b)| *a.0 == *b.0 && *a.1 == *b.1)
        };
        if let Some(found) = tables.labels.find(hash, same) {
            return LabelSet::from_shared(found);
        }
        let pairs: Vec<SharedLabel> =
            labels.iter().map(|(key, value)| (tables.text(key), tables.text(value))).collect();
        let Tables { hasher, labels, .. } = &mut *tables;
        LabelSet::from_shared(labels.insert(hash, pairs.into(), hasher))
    }

    pub(crate) fn owners(&self, owners: &[Owner<'_>]) -> Arc<[OwnerReference]> {
        let read = |owner: &Owner<'_>, text: &mut dyn FnMut(&str) -> Arc<str>| OwnerReference {
            api_version: text(&owner.api_version),
            kind: text(&owner.kind),
            name: text(&owner.name),
            uid: Uid::new(&owner.uid),
            controller: owner.controller,
            block_owner_deletion: owner.block_owner_deletion,
        };
        let Some(tables) = &self.tables else {
            return owners.iter().map(|owner| read(owner, &mut |text| text.into())).collect();
        };
        let mut tables = tables.lock();
        let owners: Vec<_> = owners.iter().map(|owner| read(owner, &mut |text| tables.text(text))).collect();
        let Tables { hasher, owners: pool, .. } = &mut *tables;
        pool.get(owners, hasher)
    }

    pub(crate) fn finalizers(&self, finalizers: &[Cow<'_, str>]) -> Arc<[Arc<str>]> {
        let Some(tables) = &self.tables else {
            return finalizers.iter().map(|text| (&**text).into()).collect();
        };
        let mut tables = tables.lock();
        let finalizers: Vec<Arc<str>> = finalizers.iter().map(|text| tables.text(text)).collect();
        let Tables { hasher, finalizers: pool, .. } = &mut *tables;
        pool.get(finalizers, hasher)
    }
}

impl Tables {
    fn sweep(&mut self) {
        let Self { hasher, texts, labels, owners, finalizers } = self;
        // The texts last: the others hold some.
        labels.sweep(hasher);
        owners.sweep(hasher);
        finalizers.sweep(hasher);
        texts.sweep(hasher);
    }

    fn text(&mut self, text: &str) -> Arc<str> {
        let hash = self.hasher.hash_one(text);
        match self.texts.find(hash, |candidate| candidate == text) {
            Some(found) => found,
            None => self.texts.insert(hash, text.into(), &self.hasher),
        }
    }
}

/// Below this size a table is not swept.
const SMALL: usize = 64;

/// Below this number of records it is not worth it to look what parts they left behind.
const MANY: usize = 1_000;

/// A table of shared values.
struct Pool<T: ?Sized> {
    table: HashTable<Arc<T>>,
    /// The size at which the table is swept next.
    sweep_at: usize,
}

impl<T: ?Sized> Default for Pool<T> {
    fn default() -> Self {
        Self { table: HashTable::new(), sweep_at: SMALL }
    }
}

impl<T: ?Sized + Hash> Pool<T> {
    fn find(&self, hash: u64, same: impl Fn(&T) -> bool) -> Option<Arc<T>> {
        self.table.find(hash, |candidate| same(candidate)).cloned()
    }

    fn sweep(&mut self, hasher: &DefaultHashBuilder) {
        // An `Arc` with a count of one is held by this table alone, and only a holder can clone it.
        self.table.retain(|value| Arc::strong_count(value) > 1);
        self.sweep_at = (self.table.len() * 2).max(SMALL);
        self.table.shrink_to(self.sweep_at, |value| hasher.hash_one(value));
    }

    fn insert(&mut self, hash: u64, value: Arc<T>, hasher: &DefaultHashBuilder) -> Arc<T> {
        if self.table.len() >= self.sweep_at {
            self.sweep(hasher);
        }
        self.table.insert_unique(hash, value.clone(), |value| hasher.hash_one(value));
        value
    }
}

impl<E: Hash + Eq> Pool<[E]> {
    fn get(&mut self, values: Vec<E>, hasher: &DefaultHashBuilder) -> Arc<[E]> {
        let hash = hasher.hash_one(&*values);
        match self.find(hash, |candidate| *candidate == *values) {
            Some(found) => found,
            None => self.insert(hash, values.into(), hasher),
        }
    }
}

#[cfg(test)]
mod tests;
