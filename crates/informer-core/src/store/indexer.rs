//! The local store as its readers see it.
//!
//! What every reader can rely on:
//! - A query answers from exactly one commit, and readers see whole commits only: all of a batch, all of a relist.
//! - A later query of the same reader never shows an earlier commit.
//! - Nothing a reader holds is ever changed: objects do not change, snapshots do not change.
//! - A long scan goes over a [`Snapshot`] and holds no lock, so it delays neither the writer nor other readers.
//! - The order of objects is unspecified, except where a method says sorted.
//! - No user code runs under the lock of the store but `Hash`, `Eq` and `Clone` of index values.

use std::sync::Arc;

use hashbrown::HashMap;
use informer_wire::key::{KeyRef, ObjectKey};
use informer_wire::{ResourceVersion, Uid};
use parking_lot::RwLock;

use crate::object::known::Known;
use crate::object::label_set::LabelSet;
use crate::object::record::Record;
use crate::scope::{Scope, ScopeId};
use crate::store::snapshot::Snapshot;
use crate::store::state::{ScopeState, StoreState};

/// The local store of one informer, shared by all its readers and its one [`Writer`](super::writer::Writer).
#[derive(Default)]
pub struct Indexer {
    pub(super) state: RwLock<StoreState>,
}

/// How far the store is with one key.
pub struct Standing {
    /// Whether its scope has been listed.
    pub synced: bool,
    /// How often the server of its scope went back in time.
    pub rewinds: u64,
    /// The version of its scope.
    pub version: ResourceVersion,
    /// As of when it was looked up on its own, if that is ahead of the scope.
    pub barrier: Option<ResourceVersion>,
    /// What the store holds of it.
    pub stored: Option<Arc<Record>>,
    /// Whether the incarnation asked for is one of the last that went.
    pub removed: bool,
}

impl Indexer {
    /// The object with this key.
    pub fn get(&self, key: &ObjectKey) -> Option<Arc<Record>> {
        self.state.read().get(key.into()).cloned()
    }

    /// By namespace and name as they are at hand.
    pub fn get_parts(&self, namespace: Option<&str>, name: &str) -> Option<Arc<Record>> {
        self.state.read().get(KeyRef::new(namespace, name)).cloned()
    }

    #[cfg(test)]
    pub(crate) fn contains(&self, key: &ObjectKey) -> bool {
        self.state.read().get(key.into()).is_some()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.state.read().len()
    }

    /// Whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All objects.
    pub fn list(&self) -> Snapshot {
        self.snapshot(&Scope::All)
    }

    /// The objects of one namespace, or all.
    pub fn snapshot(&self, scope: &Scope) -> Snapshot {
        self.state.read().snapshot(scope)
    }

    /// The keys of all objects.
    pub fn keys(&self) -> Vec<ObjectKey> {
        self.list().iter().map(|record| record.key().clone()).collect()
    }

    /// The objects of a scope whose labels are picked.
    pub fn matching(&self, scope: &Scope, picks: impl Fn(&LabelSet) -> bool) -> Vec<Arc<Record>> {
        let snapshot = self.snapshot(scope);
        snapshot.iter().filter(|record| picks(&record.head.labels)).cloned().collect()
    }

    /// Everything up to this version of a scope is in the store. Empty before the first list.
    pub fn version(&self, scope: ScopeId) -> ResourceVersion {
        let state = self.state.read();
        state.scope(scope).map_or_else(ResourceVersion::empty, |scope| scope.version.clone())
    }

    /// Whether a whole list of this scope has been taken in.
    pub fn synced(&self, scope: ScopeId) -> bool {
        self.state.read().scope(scope).is_some_and(|scope| scope.synced)
    }

    /// What is known of a key and of its scope, of one commit: enough to decide whether a wait is over. `None` if the scope
    /// is not looked at.
    pub fn standing(&self, scope: ScopeId, key: &ObjectKey, uid: Option<&Uid>) -> Option<Standing> {
        let state = self.state.read();
        let known = state.scope(scope)?;
        Some(Standing {
            synced: known.synced,
            rewinds: known.rewinds,
            version: known.version.clone(),
            barrier: known.barriers.get(key).cloned(),
            stored: state.get(key.into()).cloned(),
            removed: uid.is_some_and(|uid| state.has_removed(uid)),
        })
    }

    /// How often the server of a scope was found to have gone back in time.
    pub fn rewinds(&self, scope: ScopeId) -> u64 {
        self.state.read().scope(scope).map_or(0, |scope| scope.rewinds)
    }

    /// How many keys of a scope are known as of a later version than the scope.
    pub fn barriers(&self, scope: ScopeId) -> usize {
        self.state.read().scope(scope).map_or(0, |scope| scope.barriers.len())
    }

    /// The number of the last commit, how often the server had gone back in time by then, and the scopes as of it, without their
    /// barriers.
    pub fn scopes(&self) -> (u64, u64, Vec<ScopeState>) {
        let state = self.state.read();
        let bare = |scope: &ScopeState| ScopeState {
            scope: scope.scope.clone(),
            version: scope.version.clone(),
            barriers: HashMap::new(),
            ..*scope
        };
        (state.commit(), state.rewinds(), state.scopes().map(bare).collect())
    }

    /// The oldest of the versions of these scopes; empty if one of them has none, or there are none.
    pub fn oldest_version(&self, scopes: impl IntoIterator<Item = ScopeId>) -> ResourceVersion {
        let state = self.state.read();
        let mut oldest: Option<&ResourceVersion> = None;
        for scope in scopes {
            let version =
                state.scope(scope).map(|scope| &scope.version).filter(|version| !version.is_empty());
            let Some(version) = version else { return ResourceVersion::empty() };
            if oldest.is_none_or(|oldest| version.is_older_than(oldest)) {
                oldest = Some(version);
            }
        }
        oldest.map_or_else(ResourceVersion::empty, Clone::clone)
    }

    /// The objects of a scope; none if it is not looked at.
    pub fn scope_snapshot(&self, scope: ScopeId) -> Snapshot {
        let state = self.state.read();
        state.scope(scope).map_or_else(Snapshot::default, |known| state.snapshot(&known.scope))
    }

    /// The names of the indexes, sorted.
    pub fn index_names(&self) -> Vec<Arc<str>> {
        let mut names: Vec<_> = self.state.read().indexes().iter().map(|slot| slot.name.clone()).collect();
        names.sort();
        names
    }
}

impl Known for Indexer {
    fn stored(&self, key: &ObjectKey) -> Option<Arc<Record>> {
        self.get(key)
    }
}
