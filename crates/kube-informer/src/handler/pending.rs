//! What one handler has yet to hear about one key: the difference between what it was told and the store.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::handler::delivery::Delivery;
use crate::object::record::Record;
use crate::store::change::Change;
use crate::store::snapshot::Part;

/// The difference between what a handler was told of a key and what the store holds. At most two versions are kept.
#[derive(Debug)]
pub(crate) struct Pending {
    told: Told,
    now: Option<Arc<Record>>,
    initial: bool,
    resync: bool,
}

/// What is kept of an incarnation that ended when the next one is there and two versions would be too many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Keep {
    /// The final state.
    #[default]
    Final,
    /// The version that the handler was told last: it is known to decode, the final state might not.
    Told,
}

/// What the handler was told.
#[derive(Debug)]
enum Told {
    /// It does not know the key.
    Nothing,
    /// It holds this version.
    Present(Arc<Record>),
    /// It holds a version whose incarnation has ended since.
    Ended {
        /// The version it holds; dropped once another incarnation came, when only the end still matters.
        told: Option<Arc<Record>>,
        /// The final state of that incarnation.
        last: Arc<Record>,
        final_state_known: bool,
    },
}

/// What a mailbox no longer needs. Freeing it may take long and run a user's `Drop`, so that is done without the lock.
#[derive(Debug)]
#[expect(dead_code, reason = "they are only held until they are dropped")]
pub(crate) enum Discard {
    Record(Arc<Record>),
    Change(Change),
    Part(Part),
}

impl Pending {
    /// The first change of a key of which the handler knows what the store held before.
    pub(crate) fn from_change(change: &Change) -> Self {
        let told = match change {
            Change::Added { .. } => Told::Nothing,
            Change::Updated { old, .. } | Change::Deleted { old, .. } => Told::Present(old.clone()),
        };
        let mut pending = Self { told, now: None, initial: false, resync: false };
        // Nothing has ended yet of which something could be kept or let go.
        pending.merge(change, Keep::default(), &mut Vec::new());
        pending
    }

    /// An object of the first snapshot, of which the handler knows nothing.
    pub(crate) fn initial(object: Arc<Record>) -> Self {
        Self { told: Told::Nothing, now: Some(object), initial: true, resync: false }
    }

    /// An object the handler knows, to be told again.
    pub(crate) fn resync(object: Arc<Record>) -> Self {
        Self { told: Told::Present(object.clone()), now: Some(object), initial: false, resync: true }
    }

    /// Takes in what happened since. The change still holds the version that it replaces.
    pub(crate) fn merge(&mut self, change: &Change, keep: Keep, discards: &mut Vec<Discard>) {
        match change {
            Change::Added { new } => {
                if let Told::Ended { told, last, final_state_known } = &mut self.told {
                    match told.take() {
                        // Back with the same uid, as when an object leaves a selector and returns.
                        Some(told) if told.same_incarnation(new) => self.told = Told::Present(told),
                        // Another incarnation: the end of the first one has to be told before it.
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

    /// Takes in the first sight of an object of which an earlier end is still to be told.
    pub(crate) fn succeed(&mut self, next: Self, keep: Keep, discards: &mut Vec<Discard>) {
        if next.initial
            && let Some(new) = next.now
        {
            self.merge(&Change::Added { new }, keep, discards);
        }
    }

    /// What the handler is to hear, in order: nothing, one event, or a delete and an add.
    pub(crate) fn deliver(self, out: &mut VecDeque<Delivery>, discards: &mut Vec<Discard>) {
        let Self { told, now, initial, resync } = self;
        match (told, now) {
            (Told::Nothing, None) => {}
            (Told::Nothing, Some(new)) => out.push_back(Delivery::Added { new, initial }),
            (Told::Present(old), Some(new)) => {
                // Read again without a difference: its namespace was removed and added meanwhile.
                let unchanged = Arc::ptr_eq(&old, &new) || (old.same_version(&new) && old.same_content(&new));
                if !unchanged || resync {
                    out.push_back(Delivery::Updated { old, new, resync: unchanged });
                } else {
                    discards.extend([old, new].map(Discard::Record));
                }
            }
            // `merge` turns Present into Ended when the object goes, so this is only for completeness.
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
