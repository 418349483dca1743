//! Runs one handler: takes deliveries from its mailbox and calls the user's code, one call at a time.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::Instant;

use crate::handler::delivery::Delivery;
use crate::handler::post::Post;
use crate::report::Cause;
use crate::store::pace::Pace;

/// A call is user code and may decode the object; it counts as this much work.
const CALL: usize = 4;

/// User code that hears deliveries, without its type.
pub(crate) trait Callee: Send {
    /// Calls the user's code. Asynchronous code gives back what is to be awaited.
    fn call(&mut self, delivery: Delivery, post: &Post) -> Option<BoxFuture<'static, ()>>;
}

/// Marks the post finished however the runner ends, also when its task is dropped in the middle of a call.
pub(crate) struct Finish(pub(crate) Arc<Post>);

impl Drop for Finish {
    fn drop(&mut self) {
        self.0.finish();
    }
}

/// Delivers until the handler is removed or the informer stops.
pub(crate) async fn run(post: Arc<Post>, mut callee: Box<dyn Callee>) {
    let _finish = Finish(post.clone());
    post.start();
    loop {
        let taken = post.next().await;
        if taken.is_empty() {
            return;
        }
        for delivery in taken {
            if post.is_closed() {
                return;
            }
            let started = Instant::now();
            let outcome = match call(&post, &mut *callee, delivery) {
                Ok(Some(future)) => AssertUnwindSafe(future).catch_unwind().await,
                Ok(None) => Ok(()),
                Err(panic) => Err(panic),
            };
            done(&post, started, outcome);
        }
    }
}

/// Delivers all there is at this moment, and lets others run now and then: it may be a whole cache.
pub(crate) async fn call_now(post: &Post, callee: &mut dyn Callee) {
    let mut pace = Pace::default();
    loop {
        let taken = post.take_now();
        if taken.is_empty() {
            return;
        }
        let work = taken.len() * CALL;
        for delivery in taken {
            let started = Instant::now();
            let outcome = call(post, callee, delivery).map(|_| ());
            done(post, started, outcome);
        }
        pace.work(work).await;
    }
}

type Panic = Box<dyn Any + Send>;

fn call(
    post: &Post,
    callee: &mut dyn Callee,
    delivery: Delivery,
) -> Result<Option<BoxFuture<'static, ()>>, Panic> {
    let started = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| callee.call(delivery, post)));
    let blocked = started.elapsed();
    if blocked > post.slow_call && post.counters.slow.fetch_add(1, Ordering::Relaxed) == 0 {
        tracing::warn!(handler = %post.name, ?blocked, "a handler blocks: make it async or `.blocking()`");
    }
    outcome
}

fn done(post: &Post, started: Instant, outcome: Result<(), Panic>) {
    post.duration.record(started.elapsed());
    post.counters.delivered.fetch_add(1, Ordering::Relaxed);
    post.counters.in_hand.fetch_sub(1, Ordering::Relaxed);
    if let Err(panic) = outcome {
        post.counters.panics.fetch_add(1, Ordering::Relaxed);
        let message = post.reporter.panic_text(&*panic);
        post.reporter.report(None, Cause::Handler { handler: post.name.clone(), message });
    }
}
