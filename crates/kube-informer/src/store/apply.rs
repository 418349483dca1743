//! From events to a plan. Pure: no lock, no clock, no waiting, no user code.
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
//! | LeftOut | something | Deleted: what is stored is out of date |
//! | Bookmark | | only the version of the scope |

use std::cmp::Ordering;
use std::sync::Arc;

use hashbrown::HashTable;

use crate::delta::{Delta, DeltaChange};
use crate::key::ObjectKey;
use crate::object::record::Record;
use crate::scope::ScopeId;
use crate::store::change::Change;
use crate::store::parts::Parts;
use crate::store::plan::{Edit, Plan};
use crate::store::sharded::hash_key;
use crate::store::state::State;
use crate::version::ResourceVersion;

/// What a delta asks for. Added and Updated are one: whether a key is known is for the store to say (B-286).
pub(crate) enum Step {
    Events(Vec<(ScopeId, Event)>),
    Replace { scope: ScopeId, version: ResourceVersion, objects: Vec<Arc<Record>> },
}

pub(crate) enum Event {
    Put(Arc<Record>),
    Delete(Arc<Record>),
    LeftOut(ObjectKey),
    Bookmark(ResourceVersion),
}

/// Cuts a batch into steps that are planned and committed one after the other.
pub(crate) fn steps(deltas: Vec<Delta>) -> Vec<Step> {
    let mut steps = Vec::new();
    for Delta { scope, change } in deltas {
        let event = match change {
            DeltaChange::Added(record) | DeltaChange::Updated(record) => Event::Put(record),
            DeltaChange::Deleted(record) => Event::Delete(record),
            DeltaChange::LeftOut(key) => Event::LeftOut(key),
            DeltaChange::Bookmark(version) => Event::Bookmark(version),
            DeltaChange::Replaced { version, objects } => {
                steps.push(Step::Replace { scope, version, objects });
                continue;
            }
        };
        match steps.last_mut() {
            Some(Step::Events(events)) => events.push((scope, event)),
            _ => steps.push(Step::Events(vec![(scope, event)])),
        }
    }
    steps
}

/// Plans a batch of events. Several of one key see each other.
pub(crate) fn plan(state: &State, events: Vec<(ScopeId, Event)>) -> Plan {
    let mut planner = Planner { state, edited: HashTable::new(), plan: Plan::default() };
    for (scope, event) in events {
        planner.event(scope, event);
    }
    planner.plan
}

struct Planner<'a> {
    state: &'a State,
    /// Which edit of the plan is about a key.
    edited: HashTable<usize>,
    plan: Plan,
}

impl Planner<'_> {
    fn event(&mut self, scope: ScopeId, event: Event) {
        match event {
            Event::Put(record) => {
                if self.in_scope(scope, record.key()) {
                    self.saw(scope, &record.head.resource_version);
                    self.put(record);
                }
            }
            Event::Delete(record) => {
                if self.in_scope(scope, record.key()) {
                    self.saw(scope, &record.head.resource_version);
                    self.delete(record);
                }
            }
            Event::LeftOut(key) => {
                if self.in_scope(scope, &key)
                    && let Some(old) = self.stored((&key).into())
                {
                    self.remove(old, None);
                }
            }
            Event::Bookmark(version) => self.saw(scope, &version),
        }
    }

    fn put(&mut self, new: Arc<Record>) {
        let Some(old) = self.stored((&new).into()) else { return self.add(new) };
        let order = new.head.resource_version.compare(&old.head.resource_version);
        if !old.same_incarnation(&new) {
            if order == Some(Ordering::Less) {
                self.plan.counts.duplicates += 1;
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
            self.edit(Edit::Put(new.clone()));
            self.plan.changes.push(Change::Updated { old, new });
        } else {
            self.plan.counts.duplicates += 1;
        }
    }

    fn delete(&mut self, last: Arc<Record>) {
        let Some(old) = self.stored((&last).into()) else {
            self.plan.counts.unknown_deletes += 1;
            return;
        };
        if last.head.resource_version.is_older_than(&old.head.resource_version) {
            self.plan.counts.duplicates += 1;
        } else {
            let last = old.same_incarnation(&last).then_some(last);
            self.remove(old, last);
        }
    }

    fn add(&mut self, new: Arc<Record>) {
        self.edit(Edit::Put(new.clone()));
        self.plan.changes.push(Change::Added { new });
    }

    fn remove(&mut self, old: Arc<Record>, last: Option<Arc<Record>>) {
        self.edit(Edit::Remove(old.clone()));
        self.plan.changes.push(Change::Deleted { old, last });
    }

    /// What the store will hold for this key, the plan so far included.
    fn stored(&self, key: Parts<'_>) -> Option<Arc<Record>> {
        let edits = &self.plan.edits;
        match self.edited.find(hash_key(&key), |at| edits[*at].parts() == key) {
            Some(at) => edits[*at].record().cloned(),
            None => self.state.get(key).cloned(),
        }
    }

    fn edit(&mut self, edit: Edit) {
        let edits = &mut self.plan.edits;
        let hash = hash_key(&edit.parts());
        match self.edited.find(hash, |at| edits[*at].parts() == edit.parts()) {
            Some(at) => edits[*at] = edit,
            None => {
                edits.push(edit);
                self.edited.insert_unique(hash, edits.len() - 1, |at| hash_key(&edits[*at].parts()));
            }
        }
    }

    fn in_scope(&mut self, scope: ScopeId, key: &ObjectKey) -> bool {
        // What is still on its way from a scope that was removed is no news.
        let Some(scope) = self.state.scope(scope) else { return false };
        let inside = scope.scope.contains(key);
        if !inside {
            self.plan.counts.outside_scope += 1;
        }
        inside
    }

    /// Moves the version of the scope, never backwards and never to nothing.
    fn saw(&mut self, scope: ScopeId, version: &ResourceVersion) {
        let Some(stored) = self.state.scope(scope) else { return };
        if !version.is_concrete() {
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
