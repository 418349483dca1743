//! The state itself: plain maps, no locks. Only the writer changes it, readers see it between commits.

use std::collections::{BTreeMap, VecDeque};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hashbrown::HashMap;
use informer_wire::key::{KeyRef, ObjectKey};
use informer_wire::{ResourceVersion, Uid};

use crate::object::record::Record;
use crate::panics::user_panic;
use crate::scope::{Scope, ScopeId};
use crate::store::index::{ErasedIndex, IndexFailure, Staged};
use crate::store::plan::{Edit, Plan, REMEMBERED};
use crate::store::sharded::{ShardedMap, WIDE};
use crate::store::snapshot::Snapshot;

/// Everything one informer knows.
#[derive(Default)]
pub(crate) struct StoreState {
    /// Counts the commits.
    commit: u64,
    /// All objects, for reading one: half of the memory that a look into the bucket of its namespace goes through.
    by_key: ShardedMap<Arc<Record>, WIDE>,
    /// The bucket of a namespace is where its objects live; `""` holds those without one. Never an empty bucket.
    namespaces: HashMap<Arc<str>, ShardedMap<Arc<Record>>>,
    scopes: BTreeMap<ScopeId, ScopeState>,
    indexes: Vec<IndexSlot>,
    /// The last incarnations that went, the newest at the end.
    removed: VecDeque<Uid>,
    /// How often the server of any scope was found to have gone back in time, also of those that are no longer looked at.
    rewinds: u64,
}

/// What is known of one scope as a whole.
#[derive(Clone)]
pub struct ScopeState {
    /// All namespaces or one.
    pub scope: Scope,
    /// Everything up to this version is in the store.
    pub version: ResourceVersion,
    /// Whether a whole list has been taken in.
    pub synced: bool,
    /// Keys that were looked up on their own, and as of when: all of them ahead of the version.
    pub barriers: HashMap<ObjectKey, ResourceVersion>,
    /// How often the server was found to have gone back in time.
    pub rewinds: u64,
}

/// One index of the state.
pub(crate) struct IndexSlot {
    pub(crate) name: Arc<str>,
    /// The field that it is on; `None` for one on a function, which cannot be compared with another.
    pub(crate) field: Option<&'static str>,
    /// Tells an index from a later one of the same name.
    pub(crate) id: u64,
    pub(crate) index: Box<dyn ErasedIndex>,
}

impl Clone for IndexSlot {
    fn clone(&self) -> Self {
        Self { name: self.name.clone(), field: self.field, id: self.id, index: self.index.copy() }
    }
}

/// An index that was dropped because `Hash` or `Eq` of its values panicked. The writer frees it after it has released the
/// lock: that may run a user's `Drop`.
pub(crate) struct BrokenIndex {
    failure: IndexFailure,
    _index: Box<dyn ErasedIndex>,
    _stage: Box<dyn Staged>,
}

impl BrokenIndex {
    pub(crate) fn into_failure(self) -> IndexFailure {
        self.failure
    }
}

/// The index values of a commit being prepared, in the order of the state's indexes.
pub(crate) type Stages = Vec<Box<dyn Staged>>;

impl StoreState {
    /// A copy to make a commit on. It shares all objects and is cheap.
    pub(crate) fn copy(&self) -> Self {
        Self { by_key: self.by_key.clone(), ..self.copy_without_keys() }
    }

    /// The same without the map by key, which [`take_keys`](Self::take_keys) brings when the commit is complete: no snapshot holds
    /// a part of that map, so nothing of it need be copied for a commit that is small enough to be made in it at once.
    pub(crate) fn copy_without_keys(&self) -> Self {
        Self {
            commit: self.commit,
            by_key: ShardedMap::default(),
            namespaces: self.namespaces.clone(),
            scopes: self.scopes.clone(),
            indexes: self.indexes.clone(),
            removed: self.removed.clone(),
            rewinds: self.rewinds,
        }
    }

    /// Takes the map by key out of the state that this one takes the place of, and makes the edits of the commit in it.
    ///
    /// Nothing is dropped: the old state and the plan hold all records.
    pub(crate) fn take_keys(&mut self, old: &mut Self, edits: &[Edit]) {
        self.by_key = mem::take(&mut old.by_key);
        self.edit_keys(edits);
    }

    pub(crate) fn len(&self) -> usize {
        self.by_key.len()
    }

    /// `None` if it is not looked at, or no longer.
    pub(crate) fn scope(&self, scope: ScopeId) -> Option<&ScopeState> {
        self.scopes.get(&scope)
    }

    pub(crate) fn scopes(&self) -> impl Iterator<Item = &ScopeState> {
        self.scopes.values()
    }

    /// Begins to take in what comes from a scope. Scopes must not overlap.
    pub(crate) fn add_scope(&mut self, id: ScopeId, scope: Scope) {
        let new = ScopeState {
            scope,
            version: ResourceVersion::empty(),
            synced: false,
            barriers: HashMap::new(),
            rewinds: 0,
        };
        self.scopes.insert(id, new);
    }

    /// Counts the commits.
    pub(crate) fn commit(&self) -> u64 {
        self.commit
    }

    /// Counts how often the server went back in time, and never goes back itself.
    pub(crate) fn rewinds(&self) -> u64 {
        self.rewinds
    }

    /// Whether this incarnation is one of the last that went.
    pub(crate) fn has_removed(&self, uid: &Uid) -> bool {
        self.removed.contains(uid)
    }

    pub(crate) fn get(&self, key: KeyRef<'_>) -> Option<&Arc<Record>> {
        self.by_key.get(&key)
    }

    /// Where the parts of the map by key are in memory.
    #[cfg(test)]
    pub(crate) fn places_by_key(&self) -> Vec<*const ()> {
        self.by_key.shards().iter().map(|shard| Arc::as_ptr(shard).cast()).collect()
    }

    pub(crate) fn snapshot(&self, scope: &Scope) -> Snapshot {
        let mut snapshot = Snapshot::new(self.commit);
        match scope {
            Scope::All => {
                let parts = self.namespaces.values().map(|objects| objects.shards().len()).sum();
                snapshot.reserve(self.namespaces.len(), parts);
                for (namespace, objects) in &self.namespaces {
                    snapshot.add(namespace, objects);
                }
            }
            Scope::Namespace(namespace) => {
                if let Some(objects) = self.namespaces.get(namespace) {
                    snapshot.add(namespace, objects);
                }
            }
        }
        snapshot
    }

    /// How many of these edits would have to copy a shard first, because a snapshot holds it.
    pub(crate) fn copies_for(&self, edits: &[Edit]) -> usize {
        let shared = |edit: &&Edit| {
            let key = edit.key();
            let objects = self.namespaces.get(key.namespace);
            let shard = objects.and_then(|objects| objects.shards().get(objects.shard_of(&key)?));
            shard.is_some_and(|shard| Arc::strong_count(shard) > 1)
        };
        edits.iter().filter(shared).count()
    }

    /// How much an edit has to do: one for the object, one for each value of an index that it is filed under or taken
    /// out from.
    pub(crate) fn work(&self, at: usize, edit: &Edit, stages: &Stages) -> usize {
        let indexes = self.indexes.iter().zip(stages);
        1 + indexes.map(|(slot, stage)| slot.index.work(at, edit, &**stage)).sum::<usize>()
    }

    pub(crate) fn indexes(&self) -> &[IndexSlot] {
        &self.indexes
    }

    pub(crate) fn indexes_mut(&mut self) -> &mut Vec<IndexSlot> {
        &mut self.indexes
    }

    /// Makes some edits of a commit in the map by key.
    pub(crate) fn edit_keys(&mut self, edits: &[Edit]) {
        for edit in edits {
            match edit {
                Edit::Put(record) => drop(self.by_key.insert(record.clone())),
                Edit::Remove(_) => drop(self.by_key.remove(&edit.key())),
            }
        }
    }

    /// Makes some edits of a commit everywhere but in the map by key, the first of them the `first`th of that commit.
    ///
    /// The only user code in here are `Hash` and `Eq` of index values. If one panics, its index is dropped rather than
    /// left half-written; the rest of the state is not affected.
    pub(crate) fn edit(
        &mut self,
        first: usize,
        edits: &[Edit],
        stages: &mut Stages,
        broken: &mut Vec<BrokenIndex>,
    ) {
        for (at, edit) in (first..).zip(edits) {
            match edit {
                Edit::Put(record) => self.put(record.clone()),
                Edit::Remove(_) => self.remove(edit.key()),
            }
            let mut slot = 0;
            while let (Some(entry), Some(stage)) = (self.indexes.get_mut(slot), stages.get(slot)) {
                match catch_unwind(AssertUnwindSafe(|| entry.index.commit(at, edit, &**stage))) {
                    Ok(()) => slot += 1,
                    Err(payload) => {
                        let index = self.indexes.remove(slot);
                        let stage = stages.remove(slot);
                        let (Edit::Put(record) | Edit::Remove(record)) = edit;
                        let text = user_panic(&*payload, record.origin.sensitive);
                        let message =
                            format!("the index is dropped, Hash or Eq of its value panicked: {text}");
                        let failure = IndexFailure { index: index.name, key: record.key().clone(), message };
                        broken.push(BrokenIndex { failure, _index: index.index, _stage: stage });
                    }
                }
            }
        }
    }

    /// Ends a commit: what concerns whole scopes.
    pub(crate) fn seal(&mut self, plan: &Plan) {
        if let Some(scope) = plan.rewound.and_then(|scope| self.scopes.get_mut(&scope)) {
            scope.rewinds += 1;
            self.rewinds += 1;
            scope.barriers.clear();
            // What was gone may be there again.
            self.removed.clear();
        }
        for (scope, key, barrier) in &plan.barriers {
            if let Some(scope) = self.scopes.get_mut(scope) {
                match barrier {
                    Some(version) => scope.barriers.insert(key.clone(), version.clone()),
                    None => scope.barriers.remove(key),
                };
            }
        }
        for (scope, version) in &plan.versions {
            if let Some(scope) = self.scopes.get_mut(scope) {
                scope.version = version.clone();
                scope.barriers.retain(|_, barrier| !version.is_at_least(barrier));
            }
        }
        self.removed.extend(plan.removed.iter().cloned());
        self.removed.drain(..self.removed.len().saturating_sub(REMEMBERED));
        for scope in &plan.first_sync {
            if let Some(scope) = self.scopes.get_mut(scope) {
                scope.synced = true;
            }
        }
        if let Some(scope) = &plan.ended {
            self.scopes.remove(scope);
        }
        self.commit += 1;
    }

    fn put(&mut self, record: Arc<Record>) {
        let objects = match self.namespaces.get_mut(KeyRef::from(record.key()).namespace) {
            Some(objects) => objects,
            None => {
                let namespace =
                    informer_wire::key::shared_namespace(record.key()).cloned().unwrap_or_default();
                self.namespaces.entry(namespace).or_default()
            }
        };
        objects.insert(record);
    }

    fn remove(&mut self, key: KeyRef<'_>) {
        let Some(objects) = self.namespaces.get_mut(key.namespace) else { return };
        objects.remove(&key);
        if objects.is_empty() {
            self.namespaces.remove(key.namespace);
        }
    }
}

/// What is left of an old state or index: taken apart so that it can be freed in small steps.
pub(crate) struct Rubble {
    by_key: ShardedMap<Arc<Record>, WIDE>,
    maps: Vec<ShardedMap<Arc<Record>>>,
    indexes: Vec<Box<dyn ErasedIndex>>,
}

impl From<StoreState> for Rubble {
    fn from(state: StoreState) -> Self {
        Self {
            by_key: state.by_key,
            maps: state.namespaces.into_values().collect(),
            indexes: state.indexes.into_iter().map(|slot| slot.index).collect(),
        }
    }
}

impl From<Box<dyn ErasedIndex>> for Rubble {
    fn from(index: Box<dyn ErasedIndex>) -> Self {
        Self { by_key: ShardedMap::default(), maps: Vec::new(), indexes: vec![index] }
    }
}

impl Rubble {
    /// Frees a little of it, at most a shard's worth, and says how much that was; `None` when all is gone.
    pub(crate) fn free_some(&mut self) -> Option<usize> {
        if let Some(freed) = self.by_key.free_shard() {
            return Some(freed);
        }
        if let Some(map) = self.maps.last_mut() {
            let freed = map.free_shard();
            if freed.is_none() {
                self.maps.pop();
            }
            return Some(freed.unwrap_or(1));
        }
        let index = self.indexes.last_mut()?;
        let freed = index.take_apart(&mut self.maps);
        if freed.is_none() {
            self.indexes.pop();
        }
        Some(freed.unwrap_or(1))
    }
}
