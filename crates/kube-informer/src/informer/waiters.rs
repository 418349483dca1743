//! The callers that wait for single objects, sorted so that a commit wakes only the callers that it concerns.
//!
//! A wait for a version ends at the latest when the scope has reached that version, so after a commit the writer goes
//! through the waits in the order of their versions, and stops at the version that the scope has reached. A wait that
//! ends earlier, because its object was requested from the server, is found by its key, and so is a wait for a
//! deletion. So with ten thousand waiting callers, a commit that concerns none of them costs only these lookups.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;
#[cfg(test)]
use std::sync::atomic::{AtomicU64, Ordering as Memory};

use hashbrown::{HashMap, HashSet};
use informer_wire::{ObjectKey, ResourceVersion};
use parking_lot::Mutex;
use tokio::sync::Notify;

use informer_core::scope::ScopeId;
use informer_core::store::change::Change;
use informer_core::store::writer::Applied;

/// After a commit of more changes than this all callers are woken, instead of looking up the callers of each change.
const MANY_CHANGES: usize = 4_096;

/// All callers that wait for an object of one informer.
#[derive(Default)]
pub(crate) struct Waiters {
    registry: Mutex<Registry>,
    /// How often waiting callers have looked at the store.
    #[cfg(test)]
    pub(crate) looks: AtomicU64,
}

#[derive(Default)]
struct Registry {
    next: u64,
    bells: HashMap<u64, Arc<Notify>>,
    /// The callers that wait for a scope to reach a version.
    by_scope: HashMap<ScopeId, Line>,
    /// The callers that wait for the state of one key as of a version.
    by_key: HashMap<ObjectKey, Line>,
    /// The callers that wait for an object with a certain uid to be deleted.
    leaving: HashMap<ObjectKey, HashSet<u64>>,
}

/// The callers that wait for a version, the lowest version first.
type Line = BTreeSet<(Rank, u64)>;

/// A version that can be compared, and so can be sorted.
#[derive(Clone, Debug)]
struct Rank(ResourceVersion);

impl Rank {
    fn new(version: &ResourceVersion) -> Option<Self> {
        version.compare(version).map(|_| Self(version.clone()))
    }
}

impl Ord for Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        // Ranks are made only of versions that can be compared.
        self.0.compare(&other.0).unwrap_or(Ordering::Equal)
    }
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Rank {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Rank {}

impl Waiters {
    /// Registers a waiting caller until the returned seat is dropped. From here on the caller misses no change.
    pub(crate) fn seat<'a>(&'a self, key: &'a ObjectKey, leaving: bool) -> Seat<'a> {
        let bell = Arc::new(Notify::new());
        let mut registry = self.registry.lock();
        let id = registry.next;
        registry.next += 1;
        registry.bells.insert(id, bell.clone());
        if leaving {
            registry.leaving.entry(key.clone()).or_default().insert(id);
        }
        Seat { waiters: self, id, key, leaving, bell, place: None }
    }

    /// Wakes the callers that a commit may concern.
    pub(crate) fn committed(&self, applied: &Applied) {
        let mut registry = self.registry.lock();
        if registry.bells.is_empty() {
            return;
        }
        if applied.upset || !applied.first_sync.is_empty() || applied.changes.len() > MANY_CHANGES {
            return registry.ring_all();
        }
        for (scope, version) in &applied.versions {
            registry.reached_scope(*scope, version);
        }
        for (_, key, barrier) in &applied.barriers {
            if let Some(version) = barrier {
                registry.reached_key(key, version);
            }
        }
        if !registry.leaving.is_empty() {
            for change in applied.changes.iter().filter(|change| matches!(change, Change::Deleted { .. })) {
                registry.left(change.key());
            }
        }
    }

    /// Wakes all callers: the informer has stopped.
    pub(crate) fn wake_all(&self) {
        self.registry.lock().ring_all();
    }

    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.registry.lock().bells.len()
    }

    #[cfg(test)]
    pub(crate) fn looked(&self) {
        self.looks.fetch_add(1, Memory::Relaxed);
    }
}

impl Registry {
    fn ring(&self, id: u64) {
        if let Some(bell) = self.bells.get(&id) {
            bell.notify_one();
        }
    }

    fn ring_all(&self) {
        self.bells.values().for_each(|bell| bell.notify_one());
    }

    fn reached_scope(&mut self, scope: ScopeId, version: &ResourceVersion) {
        if let Some(line) = self.by_scope.get_mut(&scope) {
            for id in due(line, version) {
                self.ring(id);
            }
        }
    }

    fn reached_key(&mut self, key: &ObjectKey, version: &ResourceVersion) {
        if let Some(line) = self.by_key.get_mut(key) {
            for id in due(line, version) {
                self.ring(id);
            }
        }
    }

    fn left(&self, key: &ObjectKey) {
        if let Some(waiting) = self.leaving.get(key) {
            waiting.iter().for_each(|id| self.ring(*id));
        }
    }
}

/// Removes from a line the callers that wait for this version or an earlier one, and returns them.
fn due(line: &mut Line, version: &ResourceVersion) -> Vec<u64> {
    let mut due = Vec::new();
    if let Some(reached) = Rank::new(version) {
        while line.first().is_some_and(|(rank, _)| *rank <= reached) {
            due.extend(line.pop_first().map(|(_, id)| id));
        }
    }
    due
}

/// The registration of one waiting caller.
pub(crate) struct Seat<'a> {
    waiters: &'a Waiters,
    id: u64,
    key: &'a ObjectKey,
    leaving: bool,
    bell: Arc<Notify>,
    place: Option<(ScopeId, Rank)>,
}

impl Seat<'_> {
    /// The caller is woken when the scope, or the key alone, has reached this version. A version that cannot be
    /// compared is never reached.
    pub(crate) fn await_version(&mut self, scope: ScopeId, version: &ResourceVersion) {
        let place = Rank::new(version).map(|rank| (scope, rank));
        if self.place == place {
            return;
        }
        self.stand_up();
        if let Some((scope, rank)) = &place {
            let mut registry = self.waiters.registry.lock();
            registry.by_scope.entry(*scope).or_default().insert((rank.clone(), self.id));
            registry.by_key.entry(self.key.clone()).or_default().insert((rank.clone(), self.id));
        }
        self.place = place;
    }

    /// Waits until a commit may have changed something for this caller.
    pub(crate) async fn woken(&self) {
        self.bell.notified().await;
    }

    fn stand_up(&mut self) {
        let Some((scope, rank)) = self.place.take() else { return };
        let entry = (rank, self.id);
        let registry = &mut *self.waiters.registry.lock();
        leave(&mut registry.by_scope, &scope, |line| line.remove(&entry), BTreeSet::is_empty);
        leave(&mut registry.by_key, self.key, |line| line.remove(&entry), BTreeSet::is_empty);
    }
}

/// Removes an entry from the line of a key, and removes the line if it is empty then.
fn leave<K: std::hash::Hash + Eq, L>(
    lines: &mut HashMap<K, L>,
    key: &K,
    remove: impl FnOnce(&mut L) -> bool,
    is_empty: impl FnOnce(&L) -> bool,
) {
    if let Some(line) = lines.get_mut(key) {
        remove(line);
        if is_empty(line) {
            lines.remove(key);
        }
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.stand_up();
        let registry = &mut *self.waiters.registry.lock();
        registry.bells.remove(&self.id);
        if self.leaving {
            leave(&mut registry.leaving, self.key, |ids| ids.remove(&self.id), HashSet::is_empty);
        }
    }
}
