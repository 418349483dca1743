//! Letting others run in the middle of long work.

use std::future::poll_fn;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// How many units of work (objects looked at, edits made) are done between two pauses: well under 5 ms.
pub(crate) const STEP: usize = 256;

/// Gives the executor one chance to run something else. Works on any executor.
pub async fn yield_now() {
    let mut yielded = false;
    poll_fn(|context| {
        if yielded {
            return Poll::Ready(());
        }
        yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Counts work and says when to pause.
#[derive(Default)]
pub struct Pace {
    done: usize,
    /// Never pause: the caller is not async and needs the result within one poll.
    hurried: bool,
}

impl Pace {
    /// Never pauses: a future that uses it completes in one poll.
    pub(crate) fn hurried() -> Self {
        Self { done: 0, hurried: true }
    }

    /// Counts some work; pauses if enough was done since the last pause.
    pub async fn work(&mut self, amount: usize) {
        self.done += amount;
        if self.done >= STEP && !self.hurried {
            self.done = 0;
            yield_now().await;
        }
    }
}

/// Runs a future that completes in one poll, as those with a [hurried](Pace::hurried) pace do.
pub(crate) fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => Some(done),
        Poll::Pending => None,
    }
}

/// Drops many things with pauses: freeing a million records at once takes a second.
pub async fn free<T>(mut things: Vec<T>) {
    let mut pace = Pace::default();
    while !things.is_empty() {
        things.truncate(things.len().saturating_sub(STEP));
        pace.work(STEP).await;
    }
}
