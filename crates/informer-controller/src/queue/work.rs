//! An item with a worker.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use super::core::Outcome;
use super::{Shared, nanos};

/// An item that a worker has. Dropped without a word it counts as failed.
#[must_use = "dropped without a word it counts as failed"]
pub struct Work<T: Clone + Eq + Hash> {
    pub(super) queue: Arc<Shared<T>>,
    pub(super) slot: u32,
    pub(super) item: T,
    pub(super) failures: u32,
    pub(super) is_settled: bool,
}

impl<T: Clone + Eq + Hash> Work<T> {
    /// The item.
    pub fn item(&self) -> &T {
        &self.item
    }

    /// How often it has failed in a row.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// It is done.
    pub fn done(mut self) {
        self.settle(Outcome::Done);
    }

    /// It is done, and due again after this time.
    pub fn done_for(mut self, time: Duration) {
        self.settle(Outcome::After(nanos(time)));
    }

    /// It has failed, and comes back after the wait of the queue's [`RateLimit`](super::RateLimit).
    pub fn failed(mut self) {
        self.settle(Outcome::Failed);
    }

    /// It has failed, and does not come back before it is added again.
    pub(crate) fn give_up(mut self) {
        self.settle(Outcome::GivenUp);
    }

    /// It has not been run, and is as due as before it was handed out: with its place, its priority and its failures.
    pub fn put_back(mut self) {
        self.settle(Outcome::PutBack);
    }

    /// Nobody works on it at present: it is not among what metrics call unfinished work. It is still in nobody else's hands.
    pub fn set_aside(&self) {
        self.queue.state.lock().core.set_aside(self.slot);
    }

    fn settle(&mut self, outcome: Outcome) {
        if std::mem::replace(&mut self.is_settled, true) {
            return;
        }
        let now = self.queue.now();
        let mut state = self.queue.state.lock();
        let took = state.core.finish(now, self.slot, outcome);
        state.totals.count(outcome);
        if outcome.is_retry() {
            self.queue.count_retry(&mut state);
        }
        let (is_closed, counts) = (state.core.is_closed(), state.core.counts());
        self.queue.meter.depth(counts.ready);
        let took = (outcome != Outcome::PutBack).then_some(took);
        let samples = state.samples.took(now, took, counts.ready + counts.working == 0);
        drop(state);
        self.queue.meter.record(samples);
        if is_closed {
            // Each of those who wait may be the one that has nothing to wait for any more.
            self.queue.wake.notify_waiters();
            self.queue.settled.notify_waiters();
        } else {
            self.queue.wake_one();
        }
    }
}

impl<T: Clone + Eq + Hash> Drop for Work<T> {
    fn drop(&mut self) {
        self.settle(Outcome::Failed);
    }
}

impl<T: Clone + Eq + Hash + fmt::Debug> fmt::Debug for Work<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work")
            .field("item", &self.item)
            .field("failures", &self.failures)
            .finish_non_exhaustive()
    }
}
