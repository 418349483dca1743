//! Those who wait for single objects, sorted so that a commit wakes only those whom it concerns.
//!
//! Waiting for a version ends at the latest when the scope has passed it, so the writer looks at the lowest version that
//! is waited for and goes no further than the scope has come. What is ahead of the scope comes by a look at one key, and
//! what is waited for to go is known by its key. So ten thousand who wait cost a commit that is about none of them
//! nothing but these looks.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;
#[cfg(test)]
use std::sync::atomic::{AtomicU64, Ordering as Memory};

use hashbrown::{HashMap, HashSet};
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::key::ObjectKey;
use crate::scope::ScopeId;
use crate::store::change::Change;
use crate::store::writer::Applied;
use crate::version::ResourceVersion;

/// After a commit of more changes than this all are woken, rather than look each change up.
const MANY_CHANGES: usize = 4_096;

/// Everybody who waits for an object of one informer.
#[derive(Default)]
pub(crate) struct Waiters {
    registry: Mutex<Registry>,
    /// How often somebody who waits has looked at the store.
    #[cfg(test)]
    pub(crate) looks: AtomicU64,
}

#[derive(Default)]
struct Registry {
    next: u64,
    bells: HashMap<u64, Arc<Notify>>,
    /// Who waits for a scope to come to a version.
    by_scope: HashMap<ScopeId, Line>,
    /// Who waits for one key to be known as of a version.
    by_key: HashMap<ObjectKey, Line>,
    /// Who waits for an incarnation of a key to go.
    leaving: HashMap<ObjectKey, HashSet<u64>>,
}

/// Who waits for a version, the lowest first.
type Line = BTreeSet<(Rank, u64)>;

/// A version that can be compared, and so has its place among others.
#[derive(Clone, Debug)]
struct Rank(ResourceVersion);

impl Rank {
    fn new(version: &ResourceVersion) -> Option<Self> {
        version.compare(version).map(|_| Self(version.clone()))
    }
}

impl Ord for Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        // Only what can be compared becomes a rank.
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
    /// A place for somebody who waits; given up when dropped. From here on he misses nothing.
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

    /// Wakes those whom a commit may concern.
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

    /// Wakes everybody: the informer has stopped.
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

/// Takes those out of a line who wait for this version or an earlier one.
fn due(line: &mut Line, version: &ResourceVersion) -> Vec<u64> {
    let mut due = Vec::new();
    if let Some(reached) = Rank::new(version) {
        while line.first().is_some_and(|(rank, _)| *rank <= reached) {
            due.extend(line.pop_first().map(|(_, id)| id));
        }
    }
    due
}

/// The place of one who waits.
pub(crate) struct Seat<'a> {
    waiters: &'a Waiters,
    id: u64,
    key: &'a ObjectKey,
    leaving: bool,
    bell: Arc<Notify>,
    place: Option<(ScopeId, Rank)>,
}

impl Seat<'_> {
    /// Has itself woken when the scope, or the key alone, has come to this version. One that cannot be compared is never
    /// reached.
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

    /// Waits until there may be news.
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

/// Takes something out of the line of a key, and the line with it if it was the last.
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
