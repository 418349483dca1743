//! How a queue is, as a plain value.

use std::fmt::Display;
use std::hash::Hash;
use std::time::Duration;

use informer_wire::QueueStatus;

use super::WorkQueue;
use super::ready::Moment;

impl<T: Clone + Eq + Hash + Display> WorkQueue<T> {
    /// How the queue is now.
    ///
    /// ```
    /// # use informer_controller::queue::{QueueOptions, WorkQueue};
    /// let queue = WorkQueue::new("pods", QueueOptions::default());
    /// queue.add("default/web-1");
    /// let status = queue.status();
    /// assert_eq!((status.name.as_str(), status.due), ("pods", 1));
    /// assert_eq!(status.oldest.unwrap().0, "default/web-1");
    /// ```
    pub fn status(&self) -> QueueStatus {
        let now = self.0.now();
        let since = |moment: Moment| Duration::from_nanos(u64::try_from(now - moment).unwrap_or_default());
        let state = self.0.state.lock();
        let (counts, totals) = (state.core.counts(), state.totals);
        // The item's `Display` is not called while the queue is locked.
        let oldest = state.core.oldest().map(|(item, at)| (item.clone(), since(at)));
        let longest_running = state.core.started().min().map(since);
        drop(state);
        QueueStatus {
            name: self.0.name.clone(),
            due: counts.ready,
            later: counts.later,
            working: counts.working,
            oldest: oldest.map(|(item, age)| (item.to_string(), age)),
            longest_running,
            runs: totals.runs,
            failures: totals.failures,
            retries: totals.retries,
        }
    }
}
