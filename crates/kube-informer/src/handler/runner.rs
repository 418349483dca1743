//! Runs one handler: takes deliveries from its mailbox and calls the user's code, one call at a time.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use informer_core::mailbox::delivery::Delivery;
use informer_core::store::pace::Pace;
use tokio::time::Instant;

use crate::handler::listener::Listener;
use crate::report::Cause;

/// A call is user code and may decode the object; it counts as this much work.
const CALL: usize = 4;

/// User code that is called with deliveries, without its type.
pub(crate) trait Callee: Send {
    /// Calls the user's code. Asynchronous code returns a future to be awaited.
    fn call(&mut self, delivery: Delivery, listener: &Listener) -> Option<BoxFuture<'static, ()>>;
}

/// Marks the listener finished however the runner ends, also when its task is dropped in the middle of a call.
pub(crate) struct Finish(pub(crate) Arc<Listener>);

impl Drop for Finish {
    fn drop(&mut self) {
        self.0.finish();
    }
}

/// Delivers until the handler is removed or the informer stops.
pub(crate) async fn run(listener: Arc<Listener>, mut callee: Box<dyn Callee>) {
    let _finish = Finish(listener.clone());
    listener.start();
    let mut pace = Pace::default();
    loop {
        let taken = listener.next().await;
        if taken.is_empty() {
            return;
        }
        let work = taken.len() * CALL;
        for delivery in taken {
            if listener.is_closed() {
                return;
            }
            let started = Instant::now();
            let (called, mut took) = call(&listener, &mut *callee, delivery, started);
            let outcome = match called {
                Ok(Some(future)) => {
                    let outcome = AssertUnwindSafe(future).catch_unwind().await;
                    took = started.elapsed();
                    outcome
                }
                called => called.map(drop),
            };
            done(&listener, took, outcome);
        }
        // A whole cache may be waiting, and other tasks of this thread must have their turn.
        pace.work(work).await;
    }
}

type Panic = Box<dyn Any + Send>;

/// Calls the user's code, which gives a future if it is asynchronous, and says how long that took.
fn call(
    listener: &Listener,
    callee: &mut dyn Callee,
    delivery: Delivery,
    started: Instant,
) -> (Result<Option<BoxFuture<'static, ()>>, Panic>, Duration) {
    let outcome = catch_unwind(AssertUnwindSafe(|| callee.call(delivery, listener)));
    let blocked = started.elapsed();
    if blocked > listener.slow_call && listener.counters.slow.fetch_add(1, Ordering::Relaxed) == 0 {
        tracing::warn!(handler = %listener.name, ?blocked, "a handler blocks: make it async or `.blocking()`");
    }
    (outcome, blocked)
}

fn done(listener: &Listener, took: Duration, outcome: Result<(), Panic>) {
    listener.duration.record(took);
    listener.counters.called(took);
    listener.counters.in_hand.fetch_sub(1, Ordering::Relaxed);
    if let Err(panic) = outcome {
        listener.counters.panics.fetch_add(1, Ordering::Relaxed);
        let message = listener.reporter.panic_text(&*panic);
        listener.reporter.report(None, Cause::Handler { handler: listener.name.clone(), message });
    }
}
