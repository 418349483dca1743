//! How a queue is, as a plain value.

use std::hash::Hash;
use std::time::Duration;

use super::WorkQueue;
use super::ready::Moment;

/// A queue at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueStatus<T> {
    /// Items that are due and wait for a worker.
    pub due: usize,
    /// Items that will be due later: retries and delays.
    pub later: usize,
    /// Items that workers have.
    pub working: usize,
    /// What has been due longest, and for how long.
    pub oldest: Option<(T, Duration)>,
    /// For how long the slowest worker has been at what it has.
    pub longest_running: Option<Duration>,
    /// Runs so far: items that workers were done with, whether well or not. As many as `workqueue_work_duration_seconds` has.
    pub runs: u64,
    /// How many of them failed. Of a [`Controller`](crate::Controller) these are the errors of
    /// `controller_runtime_reconcile_errors_total`, terminal ones included.
    pub failures: u64,
    /// Items that were to come again after a time, because they failed or were to wait: `workqueue_retries_total`.
    pub retries: u64,
}

impl<T: Clone + Eq + Hash> WorkQueue<T> {
    /// How the queue is now.
    ///
    /// ```
    /// # use informer_controller::queue::{QueueOptions, WorkQueue};
    /// let queue = WorkQueue::new("pods", QueueOptions::default());
    /// queue.add("default/web-1");
    /// let status = queue.status();
    /// assert_eq!((status.due, status.oldest.unwrap().0), (1, "default/web-1"));
    /// ```
    pub fn status(&self) -> QueueStatus<T> {
        let now = self.0.now();
        let since = |moment: Moment| Duration::from_nanos(u64::try_from(now - moment).unwrap_or_default());
        let state = self.0.state.lock();
        let (counts, totals) = (state.core.counts(), state.totals);
        QueueStatus {
            due: counts.ready,
            later: counts.later,
            working: counts.working,
            oldest: state.core.oldest().map(|(item, at)| (item.clone(), since(at))),
            longest_running: state.core.started().min().map(since),
            runs: totals.runs,
            failures: totals.failures,
            retries: totals.retries,
        }
    }
}
