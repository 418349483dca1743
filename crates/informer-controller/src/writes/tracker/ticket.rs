//! A write between its request and its answer.

use kube_informer::ObjectKey;

use super::{Owner, Tracker};
use crate::writes::seen::{Until, is_same};

/// So many writes of a key are looked at for earlier ones of the same object.
const RECENT: usize = 64;

impl Owner {
    /// Tickets have numbers that grow.
    fn find(&self, ticket: u64) -> Option<usize> {
        self.unseen.binary_search_by_key(&ticket, |write| write.ticket).ok()
    }
}

/// A write that has been begun. Dropped without a word its outcome is not known.
pub(in crate::writes) struct Ticket {
    pub(super) tracker: Tracker,
    pub(super) owner: ObjectKey,
    pub(super) number: u64,
    pub(super) is_open: bool,
}

impl Ticket {
    /// The number by which the task of the request is known.
    pub(in crate::writes) fn number(&self) -> u64 {
        self.number
    }

    /// It was not written, or there is nothing of it to be seen.
    pub(in crate::writes) fn void(mut self) {
        self.is_open = false;
        let mut state = self.tracker.state.lock();
        state.ended(self.number);
        let Some(owner) = state.owners.get_mut(&self.owner) else { return };
        if let Some(index) = owner.find(self.number) {
            owner.unseen.remove(index);
        }
        owner.answered.notify_waiters();
        if owner.unseen.is_empty() {
            state.owners.remove(&self.owner);
        }
    }

    /// What the cache of that object has to see. `is_shown` says whether it is going to have it then.
    pub(in crate::writes) fn answered(mut self, key: ObjectKey, until: Until, is_shown: bool) {
        self.is_open = false;
        let mut state = self.tracker.state.lock();
        state.ended(self.number);
        let Some(owner) = state.owners.get_mut(&self.owner) else { return };
        let Some(index) = owner.find(self.number) else { return };
        let cache = owner.unseen[index].cache.clone();
        // Who has seen the last version of an object has seen the earlier ones. What is not answered yet may be later. Only the
        // last ones are looked at: what a run writes again and again is among them, and a run may write thousands of objects.
        let mut last = owner.unseen.split_off(owner.unseen.len().saturating_sub(RECENT).min(index));
        last.retain(|write| {
            let is_earlier = match (&write.until, &until) {
                (Until::Version(one), Until::Version(other)) => one.is_older_than(other),
                _ => false,
            };
            write.ticket == self.number
                || write.is_under_way
                || write.key != key
                || !is_same(&*write.cache, &*cache)
                || !is_earlier
        });
        owner.unseen.append(&mut last);
        if let Some(index) = owner.find(self.number) {
            let write = &mut owner.unseen[index];
            (write.key, write.until, write.is_shown, write.is_under_way) = (key, until, is_shown, false);
        }
        owner.answered.notify_waiters();
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.is_open {
            return;
        }
        let mut state = self.tracker.state.lock();
        state.ended(self.number);
        let Some(owner) = state.owners.get_mut(&self.owner) else { return };
        if let Some(index) = owner.find(self.number) {
            let write = &mut owner.unseen[index];
            write.is_under_way = false;
        }
        owner.answered.notify_waiters();
    }
}
