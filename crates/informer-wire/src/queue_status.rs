//! A work queue at one moment.

use std::time::Duration;

/// A work queue at one moment, as plain values.
///
/// A queue of `informer-controller` says all of this. A program with a queue of its own leaves out what it does not know:
/// `..QueueStatus::default()`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueStatus {
    /// The name of the queue or controller.
    pub name: String,
    /// Items that are due and wait for a worker.
    pub due: usize,
    /// Items that will be due later: retries and delays.
    pub later: usize,
    /// Items that workers have.
    pub working: usize,
    /// The item that has been due longest, such as `shop/web`, and for how long.
    pub oldest: Option<(String, Duration)>,
    /// For how long the slowest of the workers has had its item.
    pub longest_running: Option<Duration>,
    /// Runs so far: items that workers were done with, whether well or not. As many as `workqueue_work_duration_seconds` has.
    pub runs: u64,
    /// How many of them failed. Of a controller these are the errors of `controller_runtime_reconcile_errors_total`, terminal ones
    /// included.
    pub failures: u64,
    /// Items that were to come again after a time, because they failed or were to wait: client-go's `workqueue_retries_total`.
    pub retries: u64,
}
