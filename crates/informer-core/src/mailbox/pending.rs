//! The pending events of one handler for one key: the difference between the version that the handler was last called
//! with and the version in the store.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::mailbox::delivery::Delivery;
use crate::object::record::Record;
use crate::store::change::Change;
use crate::store::snapshot::Part;

/// The difference between the version that a handler was last called with for a key and the version in the store.
/// However many changes are merged, at most two versions are kept: a handler that is stuck must not keep every version
/// of an object in memory.
#[derive(Debug)]
pub(crate) struct Pending {
    told: Told,
    /// What the store holds; `None` if the object is gone.
    now: Option<Arc<Record>>,
    initial: bool,
    resync: bool,
}

/// Which version is kept of an object that was deleted and created again before the handler was called with either
/// event. Besides the new object's version only one version is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// The final state.
    #[default]
    Final,
    /// The version that the handler was last called with: it is known to decode, the final state might not.
    Told,
}

/// What the handler was last called with for a key.
#[derive(Debug)]
enum Told {
    /// Nothing, or a delete.
    Nothing,
    /// This version.
    Present(Arc<Record>),
    /// A version of an object that has been deleted since. The handler must be called with that delete, even if another
    /// object has the key now.
    Ended {
        /// The version that the handler was called with; dropped once another object has the key, because it is needed
        /// only if the object comes back with the same uid.
        told: Option<Arc<Record>>,
        /// The final state of that incarnation.
        last: Arc<Record>,
        final_state_known: bool,
    },
}

/// What a mailbox no longer needs. Freeing it may take long and run a user's `Drop`, so that is done without the lock.
#[derive(Debug)]
pub enum Discard {
    /// A version.
    Record(Arc<Record>),
    /// A change.
    Change(Change),
    /// A part of a snapshot.
    Part(Part),
}

impl Pending {
    /// The first change of a key after all earlier ones were delivered: the handler was last called with the version
    /// that the store held before this change.
    pub(crate) fn from_change(change: &Change) -> Self {
        let told = match change {
            Change::Added { .. } => Told::Nothing,
            Change::Updated { old, .. } | Change::Deleted { old, .. } => Told::Present(old.clone()),
        };
        let mut pending = Self { told, now: None, initial: false, resync: false };
        // There can be nothing to keep or to discard yet.
        pending.merge(change, Keep::default(), &mut Vec::new());
        pending
    }

    /// An object of the first snapshot, of which the handler knows nothing.
    pub(crate) fn initial(object: Arc<Record>) -> Self {
        Self { told: Told::Nothing, now: Some(object), initial: true, resync: false }
    }

    /// An object that the handler knows, to be delivered again.
    pub(crate) fn resync(object: Arc<Record>) -> Self {
        Self { told: Told::Present(object.clone()), now: Some(object), initial: false, resync: true }
    }

    /// Takes in a later change. Versions that are no longer needed need not be discarded here: the change itself holds them.
    pub(crate) fn merge(&mut self, change: &Change, keep: Keep, discards: &mut Vec<Discard>) {
        match change {
            Change::Added { new } => {
                if let Told::Ended { told, last, final_state_known } = &mut self.told {
                    match told.take() {
                        // Back with the same uid, as when an object leaves a selector and returns.
                        Some(told) if told.same_incarnation(new) => self.told = Told::Present(told),
                        // Another object of the same name: the delete of the first one has to be delivered before it.
                        Some(told) if keep == Keep::Told && !Arc::ptr_eq(&told, last) => {
                            discards.push(Discard::Record(std::mem::replace(last, told)));
                            *final_state_known = false;
                        }
                        told => discards.extend(told.map(Discard::Record)),
                    }
                }
                self.now = Some(new.clone());
            }
            Change::Updated { new, .. } => self.now = Some(new.clone()),
            Change::Deleted { old, last } => {
                if let Told::Present(told) = &self.told {
                    self.told = Told::Ended {
                        told: Some(told.clone()),
                        last: last.as_ref().unwrap_or(old).clone(),
                        final_state_known: last.is_some(),
                    };
                }
                self.now = None;
            }
        }
    }

    /// Takes in the object of a later sweep, if the handler does not know it yet. Of a resync nothing is needed: a change is
    /// pending anyway.
    pub(crate) fn succeed(&mut self, next: Self, keep: Keep, discards: &mut Vec<Discard>) {
        if next.initial
            && let Some(new) = next.now
        {
            self.merge(&Change::Added { new }, keep, discards);
        }
    }

    /// Whether there is nothing to deliver: what happened cancelled out.
    pub(crate) fn is_over(&self) -> bool {
        matches!((&self.told, &self.now), (Told::Nothing, None))
    }

    /// The events to call the handler with, in order: none, one event, or a delete and an add.
    pub(crate) fn deliver(self, out: &mut VecDeque<Delivery>, discards: &mut Vec<Discard>) {
        let Self { told, now, initial, resync } = self;
        match (told, now) {
            (Told::Nothing, None) => {}
            (Told::Nothing, Some(new)) => out.push_back(Delivery::Added { new, initial }),
            (Told::Present(old), Some(new)) => {
                // The same object again: its namespace was removed and added, or it left the selector and came back.
                let unchanged = Arc::ptr_eq(&old, &new) || (old.same_version(&new) && old.same_content(&new));
                if !unchanged || resync {
                    out.push_back(Delivery::Updated { old, new, resync: unchanged });
                } else {
                    discards.extend([old, new].map(Discard::Record));
                }
            }
            // Does not happen: `merge` turns Present into Ended when the object is deleted.
            (Told::Present(object), None) => {
                out.push_back(Delivery::Deleted { object, told: None, final_state_known: false });
            }
            (Told::Ended { told, last, final_state_known }, now) => {
                let told = told.filter(|told| !Arc::ptr_eq(told, &last));
                out.push_back(Delivery::Deleted { object: last, told, final_state_known });
                if let Some(new) = now {
                    out.push_back(Delivery::Added { new, initial: false });
                }
            }
        }
    }
}
