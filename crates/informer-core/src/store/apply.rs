//! From events to a plan. Pure: no clock, no waiting, no user code. Only the heat of a record and the texts of its key go over to
//! its next version.
//!
//! | event | stored | plan |
//! |---|---|---|
//! | Added or Updated | nothing | Added |
//! | | same uid, stored version is older or not comparable | Updated |
//! | | same uid, stored version is the same or newer | dropped as a duplicate |
//! | | other uid, stored version is newer | dropped as a duplicate |
//! | | other uid, else | Deleted, then Added |
//! | Deleted | nothing | ignored |
//! | | stored version is newer | dropped as a duplicate |
//! | | same uid | Deleted with the last state |
//! | | other uid | Deleted: the delete of the stored incarnation was missed |
//! | LeftOut | stored version is newer | dropped as a duplicate |
//! | | something else | Deleted: what is stored is out of date |
//! | Bookmark | | only the version of the scope |
//! | Looked, its version not after the scope's | | dropped as a duplicate: the watch has passed it |
//! | Looked, found | | as Added or Updated, and a barrier |
//! | Looked, not found | something | Deleted, its last state unknown, and a barrier |
//!
//! A barrier remains after a single key was looked up at version V: the store already shows the key as of V, although the
//! watch has not come so far. Until the scope has passed V, events of that key up to V are dropped as duplicates; applied,
//! they would show an older state of the key after a caller of `wait_for` has been answered.

use std::cmp::Ordering;
use std::sync::Arc;

use hashbrown::HashTable;
use informer_wire::ResourceVersion;
use informer_wire::key::{KeyRef, ObjectKey};
use informer_wire::version::is_concrete;

use crate::delta::{Delta, DeltaChange};
use crate::object::record::Record;
use crate::scope::ScopeId;
use crate::store::change::Change;
use crate::store::plan::{Edit, Plan};
use crate::store::sharded::hash_key;
use crate::store::state::StoreState;

/// What one plan is made from, and one commit: some events, or one list.
pub enum PlanInput {
    /// Some events.
    Events(Vec<(ScopeId, StoreEvent)>),
    /// The whole content of a scope.
    Replace {
        /// The scope.
        scope: ScopeId,
        /// As of this version.
        version: ResourceVersion,
        /// All of its objects.
        objects: Vec<Arc<Record>>,
        /// Whether the server went back in time.
        rewound: bool,
    },
}

/// One delta as the store sees it. Added and Updated are the same: only the store knows whether it holds the key.
#[expect(missing_docs, reason = "as in `DeltaChange`")]
pub enum StoreEvent {
    Put(Arc<Record>),
    Delete(Arc<Record>),
    LeftOut { key: ObjectKey, version: ResourceVersion },
    Bookmark(ResourceVersion),
    Looked { key: ObjectKey, version: ResourceVersion, object: Option<Arc<Record>>, rewinds: u64 },
}

/// Cuts a batch into pieces that are planned and committed one after the other.
pub fn plan_inputs(deltas: Vec<Delta>) -> Vec<PlanInput> {
    let mut plan_inputs = Vec::new();
    for Delta { scope, change } in deltas {
        let event = match change {
            DeltaChange::Added(record) | DeltaChange::Updated(record) => StoreEvent::Put(record),
            DeltaChange::Deleted(record) => StoreEvent::Delete(record),
            DeltaChange::LeftOut { key, version } => StoreEvent::LeftOut { key, version },
            DeltaChange::Bookmark(version) => StoreEvent::Bookmark(version),
            DeltaChange::Looked { key, version, object, rewinds } => {
                StoreEvent::Looked { key, version, object, rewinds }
            }
            DeltaChange::Replaced { version, objects, rewound } => {
                plan_inputs.push(PlanInput::Replace { scope, version, objects, rewound });
                continue;
            }
        };
        match plan_inputs.last_mut() {
            Some(PlanInput::Events(events)) => events.push((scope, event)),
            _ => plan_inputs.push(PlanInput::Events(vec![(scope, event)])),
        }
    }
    plan_inputs
}

/// Plans a batch of events. Several of one key see each other.
pub(crate) fn plan(state: &StoreState, events: Vec<(ScopeId, StoreEvent)>) -> Plan {
    let mut planner = Planner { state, edited: HashTable::new(), plan: Plan::default() };
    for (scope, event) in events {
        planner.event(scope, event);
    }
    planner.plan
}

struct Planner<'a> {
    state: &'a StoreState,
    /// Which edit of the plan is about a key.
    edited: HashTable<usize>,
    plan: Plan,
}

impl Planner<'_> {
    fn event(&mut self, scope: ScopeId, event: StoreEvent) {
        match event {
            StoreEvent::Put(record) => {
                if self.in_scope(scope, record.key()) && self.is_news(scope, &record) {
                    self.put(record);
                } else {
                    self.plan.discarded.push(record);
                }
            }
            StoreEvent::Delete(record) => {
                if self.in_scope(scope, record.key()) && self.is_news(scope, &record) {
                    self.delete(record);
                } else {
                    self.plan.discarded.push(record);
                }
            }
            StoreEvent::LeftOut { key, version } => {
                if self.in_scope(scope, &key) {
                    self.left_out(scope, key, &version);
                }
            }
            StoreEvent::Bookmark(version) => self.saw(scope, &version),
            StoreEvent::Looked { key, version, object, rewinds } => {
                if !self.in_scope(scope, &key) {
                    return self.plan.discarded.extend(object);
                }
                if self.state.scope(scope).is_some_and(|scope| scope.rewinds == rewinds) {
                    self.looked(scope, key, version, object);
                } else {
                    self.duplicate(object);
                }
            }
        }
    }

    /// Moves the version of the scope. False if the key is known to be beyond this event already.
    fn is_news(&mut self, scope: ScopeId, record: &Arc<Record>) -> bool {
        let version = &record.head.resource_version;
        let held_back = self.barrier(scope, record.key()).is_some_and(|barrier| barrier.is_at_least(version));
        self.saw(scope, version);
        if held_back {
            self.plan.counts.duplicates += 1;
        }
        !held_back
    }

    fn left_out(&mut self, scope: ScopeId, key: ObjectKey, version: &ResourceVersion) {
        let stored = self.stored((&key).into());
        let barrier = self.barrier(scope, &key);
        let is_beyond = |known: &ResourceVersion| version.is_older_than(known);
        if barrier.is_some_and(|barrier| barrier.is_at_least(version))
            || stored.as_ref().is_some_and(|old| is_beyond(&old.head.resource_version))
        {
            self.plan.counts.duplicates += 1;
            return;
        }
        // An event whose version cannot be read may be newer than the barrier, and so may all that follow it: a barrier
        // that stayed would drop them.
        let is_unclear = barrier.is_some_and(|barrier| !barrier.is_older_than(version));
        if let Some(old) = stored {
            self.remove(old, None);
        }
        if is_unclear {
            self.plan.barriers.push((scope, key, None));
        }
    }

    fn looked(
        &mut self,
        scope: ScopeId,
        key: ObjectKey,
        version: ResourceVersion,
        object: Option<Arc<Record>>,
    ) {
        let ahead_of_scope = self.version(scope).is_some_and(|at| at.is_older_than(&version));
        let ahead_of_barrier =
            self.barrier(scope, &key).is_none_or(|barrier| barrier.is_older_than(&version));
        if !(ahead_of_scope && ahead_of_barrier) {
            return self.duplicate(object);
        }
        match object {
            Some(new) => self.put(new),
            None => {
                let stored = self.stored((&key).into());
                if let Some(old) = stored.filter(|old| !version.is_older_than(&old.head.resource_version)) {
                    self.remove(old, None);
                }
            }
        }
        self.plan.barriers.push((scope, key, Some(version)));
    }

    fn put(&mut self, mut new: Arc<Record>) {
        let Some(old) = self.stored(new.key().into()) else { return self.add(new) };
        let order = new.head.resource_version.compare(&old.head.resource_version);
        if !old.same_incarnation(&new) {
            if order == Some(Ordering::Less) {
                self.duplicate(Some(new));
            } else {
                self.remove(old, None);
                self.add(new);
            }
            return;
        }
        let newer = match order {
            Some(order) => order == Ordering::Greater,
            None => !old.same_version(&new),
        };
        if newer {
            new.take_key_of(&old);
            self.edit(Edit::Put(new.clone()));
            self.plan.changes.push(Change::updated(old, new));
        } else {
            self.duplicate(Some(new));
        }
    }

    fn delete(&mut self, last: Arc<Record>) {
        let Some(old) = self.stored(last.key().into()) else {
            self.plan.counts.unknown_deletes += 1;
            return self.plan.discarded.push(last);
        };
        if last.head.resource_version.is_older_than(&old.head.resource_version) {
            self.duplicate(Some(last));
        } else if old.same_incarnation(&last) {
            self.remove(old, Some(last));
        } else {
            self.plan.discarded.push(last);
            self.remove(old, None);
        }
    }

    /// The store knows this, or something newer.
    fn duplicate(&mut self, record: Option<Arc<Record>>) {
        self.plan.counts.duplicates += 1;
        self.plan.discarded.extend(record);
    }

    fn add(&mut self, new: Arc<Record>) {
        self.edit(Edit::Put(new.clone()));
        self.plan.changes.push(Change::Added { new });
    }

    fn remove(&mut self, old: Arc<Record>, last: Option<Arc<Record>>) {
        self.edit(Edit::Remove(old.clone()));
        self.plan.removed(&old);
        self.plan.changes.push(Change::Deleted { old, last });
    }

    /// What the store will hold for this key, the plan so far included.
    fn stored(&self, key: KeyRef<'_>) -> Option<Arc<Record>> {
        let edits = &self.plan.edits;
        match self.edited.find(hash_key(&key), |at| edits[*at].key() == key) {
            Some(at) => edits[*at].record().cloned(),
            None => self.state.get(key).cloned(),
        }
    }

    fn edit(&mut self, edit: Edit) {
        let edits = &mut self.plan.edits;
        let hash = hash_key(&edit.key());
        match self.edited.find(hash, |at| edits[*at].key() == edit.key()) {
            Some(at) => edits[*at] = edit,
            None => {
                edits.push(edit);
                self.edited.insert_unique(hash, edits.len() - 1, |at| hash_key(&edits[*at].key()));
            }
        }
    }

    fn in_scope(&mut self, scope: ScopeId, key: &ObjectKey) -> bool {
        // A scope that was removed meanwhile: its last deltas are ignored.
        let Some(scope) = self.state.scope(scope) else { return false };
        let inside = scope.scope.contains(key);
        if !inside {
            self.plan.counts.outside_scope += 1;
        }
        inside
    }

    /// The version of a scope, the plan so far included.
    fn version(&self, scope: ScopeId) -> Option<&ResourceVersion> {
        let planned = self.plan.versions.iter().find(|(planned, _)| *planned == scope);
        planned.map(|(_, version)| version).or_else(|| Some(&self.state.scope(scope)?.version))
    }

    /// As of when a key was looked up, if that is ahead of the scope, the plan so far included.
    fn barrier(&self, scope: ScopeId, key: &ObjectKey) -> Option<&ResourceVersion> {
        let planned = self.plan.barriers.iter().rfind(|(of, about, _)| *of == scope && about == key);
        let barrier = match planned {
            Some((_, _, barrier)) => barrier.as_ref(),
            None => self.state.scope(scope)?.barriers.get(key),
        };
        barrier.filter(|barrier| !self.version(scope).is_some_and(|at| at.is_at_least(barrier)))
    }

    /// Moves the version of the scope, never backwards and never to nothing.
    fn saw(&mut self, scope: ScopeId, version: &ResourceVersion) {
        let Some(stored) = self.state.scope(scope) else { return };
        if !is_concrete(version) {
            return;
        }
        let planned = self.plan.versions.iter_mut().find(|(planned, _)| *planned == scope);
        match planned {
            Some((_, planned)) if !version.is_older_than(planned) => *planned = version.clone(),
            None if !version.is_older_than(&stored.version) => {
                self.plan.versions.push((scope, version.clone()));
            }
            Some(_) | None => {}
        }
    }
}

#[cfg(test)]
mod tests;
