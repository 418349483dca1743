//! The work queues of a program, as plain values.

use std::time::Duration;

/// The state of a work queue at one moment, for [`Endpoint::queues`](crate::Endpoint::queues).
///
/// The endpoint knows no queue: a program hands in what it has. `informer_controller::queue::WorkQueue::status` has all of
/// this. What a program does not know it leaves out: `..QueueStatus::default()`.
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
    /// Runs so far: items that workers were done with, whether well or not.
    pub runs: u64,
    /// How many of them failed.
    pub failures: u64,
    /// Items that were to come again after a time, because they failed or were to wait: client-go's `workqueue_retries_total`.
    pub retries: u64,
}
