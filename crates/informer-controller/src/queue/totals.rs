//! What a queue has done so far.

use super::core::Outcome;

/// Plain numbers, kept with the lock that the queue takes anyway.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    pub(super) runs: u64,
    pub(super) failures: u64,
    pub(super) retries: u64,
}

impl Totals {
    /// A worker has said this of an item. Whether it comes again is counted with the metric.
    pub(super) fn count(&mut self, outcome: Outcome) {
        self.runs += u64::from(outcome != Outcome::PutBack);
        self.failures += u64::from(matches!(outcome, Outcome::Failed | Outcome::GivenUp));
    }
}
