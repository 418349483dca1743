//! Waiting for one's turn to send a question or a refresh.

use parking_lot::Mutex;
use tokio::time::{Instant, sleep};

use super::budget::Budget;

/// Waits until the budget has a request left and takes it. If the future is dropped before, nothing is taken: a request that
/// is no longer needed must not delay the next one.
pub(crate) async fn turn(budget: &Mutex<Budget>) {
    loop {
        let wait = {
            let mut budget = budget.lock();
            let now = Instant::now();
            let wait = budget.wait(now);
            if wait.is_zero() {
                budget.take(now);
                return;
            }
            wait
        };
        sleep(wait).await;
    }
}

#[cfg(test)]
mod tests;
