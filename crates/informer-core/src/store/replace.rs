//! From the whole content of a scope to a plan. Pure, and in small steps: a list can hold a million objects.
//!
//! Changes come in this order: everything that is gone, then what is new or different in the order of the list. An
//! unchanged object is no change, and the store keeps the record it has. A list is believed whatever its version: a
//! server restored from a backup may go back. Only keys that were looked up as of a later version stay as they are, unless
//! the server did go back.

use std::mem;
use std::sync::Arc;
use std::vec;

use hashbrown::{HashSet, HashTable};
use informer_wire::ResourceVersion;
use informer_wire::key::{KeyRef, ObjectKey};

use crate::object::record::Record;
use crate::scope::{Scope, ScopeId};
use crate::store::change::Change;
use crate::store::plan::{Edit, Plan};
use crate::store::sharded::hash_key;
use crate::store::snapshot::Snapshot;
use crate::store::state::StoreState;

/// Comparing two bodies may unpack both; it counts as this many objects looked at.
const COMPARISON: usize = 8;

/// And as one more for so many bytes: if they differ they are parsed as well.
const A_UNIT: usize = 512;

/// Plans one replace. It looks at a snapshot, so between steps nothing is locked.
pub(crate) struct ReplacePlanner {
    scope: Scope,
    stored: Snapshot,
    objects: Vec<Arc<Record>>,
    /// Positions in the list, to be found by key.
    listed: HashTable<usize>,
    /// Positions in the list that do not count: outside the scope, or listed again further down.
    skipped: HashSet<usize>,
    /// Keys that are known as of a later version than that of the list.
    ahead: HashSet<ObjectKey>,
    phase: ReplacePhase,
    plan: Plan,
}

enum ReplacePhase {
    /// Learning the keys of the list, from this position on.
    Reading(usize),
    /// Looking for stored objects that are not listed, from this part on.
    Deleting(usize),
    Comparing(std::iter::Enumerate<vec::IntoIter<Arc<Record>>>),
    Done,
}

/// Whether there is more to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlanProgress {
    More,
    Done,
}

impl ReplacePlanner {
    /// Hands the objects back if the scope is not looked at, or no longer: they must not be dropped while the store is locked.
    pub(crate) fn new(
        state: &StoreState,
        scope: ScopeId,
        version: ResourceVersion,
        objects: Vec<Arc<Record>>,
        rewound: bool,
    ) -> Result<Self, Vec<Arc<Record>>> {
        let Some(known) = state.scope(scope) else { return Err(objects) };
        let mut plan = Plan::default();
        if !known.synced {
            plan.first_sync.push(scope);
        }
        let rewound = rewound || version.is_older_than(&known.version);
        plan.rewound = rewound.then_some(scope);
        let barriers =
            known.barriers.iter().filter(|(_, barrier)| !rewound && version.is_older_than(barrier));
        let ahead = barriers.map(|(key, _)| key.clone()).collect();
        // Set outright, also backwards; a list without a version says nothing about it.
        if !version.is_empty() {
            plan.versions.push((scope, version));
        }
        Ok(Self {
            scope: known.scope.clone(),
            stored: state.snapshot(&known.scope),
            listed: HashTable::with_capacity(objects.len()),
            objects,
            skipped: HashSet::new(),
            ahead,
            phase: ReplacePhase::Reading(0),
            plan,
        })
    }

    /// Does about this much of the work, counted in objects.
    pub(crate) fn step(&mut self, budget: usize) -> PlanProgress {
        match mem::replace(&mut self.phase, ReplacePhase::Done) {
            ReplacePhase::Reading(from) => {
                let to = self.objects.len().min(from.saturating_add(budget));
                for at in from..to {
                    self.read(at);
                }
                self.phase = if to == self.objects.len() {
                    ReplacePhase::Deleting(0)
                } else {
                    ReplacePhase::Reading(to)
                };
            }
            ReplacePhase::Deleting(part) if part < self.stored.parts() => {
                let mut next = part;
                let mut looked_at = 0;
                while next < self.stored.parts() && looked_at < budget {
                    looked_at += self.delete_unlisted(next);
                    next += 1;
                }
                self.phase = ReplacePhase::Deleting(next);
            }
            ReplacePhase::Deleting(_) => {
                self.listed = HashTable::new();
                // A first list is all new: growing step by step would copy megabytes at once.
                let new = self.objects.len().saturating_sub(self.stored.len());
                self.plan.edits.reserve(new);
                self.plan.changes.reserve(new);
                self.phase = ReplacePhase::Comparing(mem::take(&mut self.objects).into_iter().enumerate());
            }
            ReplacePhase::Comparing(mut objects) => {
                let mut work = 0;
                while work < budget {
                    let Some((at, object)) = objects.next() else { return PlanProgress::Done };
                    work += 1;
                    if !self.skipped.contains(&at) {
                        work += self.compare(object);
                    }
                }
                self.phase = ReplacePhase::Comparing(objects);
            }
            ReplacePhase::Done => return PlanProgress::Done,
        }
        PlanProgress::More
    }

    /// The plan, complete once a step said so.
    pub(crate) fn finish(self) -> Plan {
        self.plan
    }

    fn read(&mut self, at: usize) {
        let objects = &self.objects;
        if !self.scope.contains(objects[at].key()) {
            self.plan.counts.outside_scope += 1;
            self.skipped.insert(at);
            return;
        }
        if self.ahead.contains(objects[at].key()) {
            self.plan.counts.duplicates += 1;
            self.skipped.insert(at);
            return;
        }
        let key = KeyRef::from(objects[at].key());
        let hash = hash_key(&key);
        match self.listed.find_mut(hash, |at| KeyRef::from(objects[*at].key()) == key) {
            Some(earlier) => {
                self.skipped.insert(mem::replace(earlier, at));
            }
            None => {
                self.listed.insert_unique(hash, at, |at| hash_key(&KeyRef::from(objects[*at].key())));
            }
        }
    }

    fn delete_unlisted(&mut self, part: usize) -> usize {
        let mut looked_at = 0;
        for old in self.stored.part(part) {
            looked_at += 1;
            let key = KeyRef::from(old.key());
            let listed = self.listed.find(hash_key(&key), |at| KeyRef::from(self.objects[*at].key()) == key);
            if listed.is_none() && !self.ahead.contains(old.key()) {
                self.plan.removed(old);
                self.plan.edits.push(Edit::Remove(old.clone()));
                self.plan.changes.push(Change::Deleted { old: old.clone(), last: None });
            }
        }
        looked_at
    }

    /// Returns how much work it was beyond looking at the object.
    fn compare(&mut self, mut new: Arc<Record>) -> usize {
        let Some(old) = self.stored.get(new.key()) else {
            self.plan.edits.push(Edit::Put(new.clone()));
            self.plan.changes.push(Change::Added { new });
            return 0;
        };
        if Arc::ptr_eq(old, &new) {
            return 0;
        }
        let same_head = old.same_incarnation(&new) && old.head.resource_version == new.head.resource_version;
        let work = if same_head { COMPARISON + new.body.json_len() / A_UNIT } else { 0 };
        if same_head && old.same_content(&new) {
            return work;
        }
        new.take_key_of(old);
        self.plan.edits.push(Edit::Put(new.clone()));
        let old = old.clone();
        if old.same_incarnation(&new) {
            self.plan.changes.push(Change::updated(old, new));
        } else {
            self.plan.removed(&old);
            self.plan.changes.push(Change::Deleted { old, last: None });
            self.plan.changes.push(Change::Added { new });
        }
        work
    }
}

#[cfg(test)]
mod tests;
