//! Waiting for one's turn to send a question or a refresh.

use parking_lot::Mutex;
use tokio::time::{Instant, sleep};

use super::budget::Budget;

/// Waits for a turn and takes it. Nothing is taken if the wait is given up: a question that nobody waits for any more must
/// not keep the next one waiting.
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
