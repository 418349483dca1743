//! The work queue: what is to be reconciled, and when.
//!
//! - An item is in the queue at most once and never with two workers. Added again while a worker has it, it runs once more.
//! - What a worker drops without a word has failed, and comes back after a while. Nothing is lost.
//! - **Order.** What is due comes in the order of `time it became due − priority × quantum`. With priorities from −8 to 7 and a
//!   quantum of a second nobody is overtaken by what became due more than 15 s later, so nobody starves. What is not due yet is
//!   not in that order.
//! - **Adding** what waits already keeps the earlier place. A higher priority raises it, a lower one does nothing. The
//!   priority stays until the item is done and nothing more is to be done for it.
//! - **Retries** back off ([`RateLimit`]). What is added while it waits out a backoff runs at once; if it fails again, it waits
//!   as long as it would have, and not twice as long: triggers do not make backoffs grow.
//! - **[`min_interval`](QueueOptions::min_interval)** holds between two starts of an item, whatever the reason.
//!
//! ```
//! use informer_controller::queue::{QueueOptions, WorkQueue};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let queue = WorkQueue::new("pods", QueueOptions::default());
//! queue.add("default/web-1");
//! queue.add("default/web-1"); // it is there already
//! queue.shut_down();
//!
//! let mut seen = Vec::new();
//! while let Some(work) = queue.next().await {
//!     seen.push(*work.item());
//!     work.done();
//! }
//! assert_eq!(seen, ["default/web-1"]);
//! # }
//! ```

mod core;
mod entries;
mod limit;
mod meter;
mod ready;
mod status;
mod table;
mod totals;
mod work;

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

pub use informer_wire::QueueStatus;
use kube_informer::status::Patience;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout_at};

use self::core::{Adding, Core, Next, Rules};
pub use self::limit::RateLimit;
use self::meter::{Meter, Samples};
use self::ready::Moment;
use self::totals::Totals;
pub use self::work::Work;

/// How often those metrics are brought up to date that change while nothing happens. As in client-go.
const REFRESHED: Duration = Duration::from_millis(500);

/// What can be set of a queue.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct QueueOptions {
    /// How much waiting one step of priority is worth.
    pub quantum: Duration,
    /// The least time between two starts of the same item.
    pub min_interval: Duration,
    /// How long an item waits after a failure.
    pub rate_limit: RateLimit,
}

impl Default for QueueOptions {
    fn default() -> Self {
        Self {
            quantum: Duration::from_secs(1),
            min_interval: Duration::ZERO,
            rate_limit: RateLimit::default(),
        }
    }
}

impl QueueOptions {
    /// Sets the least time between two starts of the same item, whatever triggers them. The default is none.
    #[must_use]
    pub fn min_interval(mut self, interval: Duration) -> Self {
        self.min_interval = interval;
        self
    }

    /// Sets how long an item waits after a failure. The default is 5 ms, doubled with every failure up to 1000 s.
    #[must_use]
    pub fn rate_limit(mut self, limit: RateLimit) -> Self {
        self.rate_limit = limit;
        self
    }
}

/// A queue of items, such as keys of objects. Clones are the same queue.
pub struct WorkQueue<T>(Arc<Shared<T>>);

struct Shared<T> {
    name: String,
    state: Mutex<State<T>>,
    /// From when times are counted.
    begin: Instant,
    /// One for each worker that waits.
    wake: Notify,
    /// How many do. Most of the time nobody does, and then nobody has to be woken.
    waiting: AtomicUsize,
    /// Whenever a worker is done after the queue was shut down.
    settled: Notify,
    meter: Meter,
    /// Whether there is nothing to measure, so that nobody has to look every half second.
    is_idle: AtomicBool,
    stirred: Notify,
}

struct State<T> {
    core: Core<T>,
    samples: Samples,
    totals: Totals,
}

impl<T> Shared<T> {
    /// Read before the queue is locked, so that nobody waits for the clock. It may be earlier than what another thread has used
    /// already.
    fn now(&self) -> Moment {
        nanos(self.begin.elapsed())
    }

    fn wake_one(&self) {
        // A worker says that it waits before it looks at the queue, and that was changed before this.
        if self.waiting.load(Ordering::SeqCst) > 0 {
            self.wake.notify_one();
        }
    }

    /// What the status and the metrics say of retries is the same.
    fn count_retry(&self, state: &mut State<T>) {
        state.totals.retries += 1;
        self.meter.retry();
    }

    /// There is something to measure again.
    fn stir(&self) {
        if self.is_idle.load(Ordering::SeqCst) && self.is_idle.swap(false, Ordering::SeqCst) {
            self.stirred.notify_one();
        }
    }
}

impl<T: Clone + Eq + Hash> WorkQueue<T> {
    /// An empty queue. The name is for metrics and the [status](Self::status).
    pub fn new(name: &str, options: QueueOptions) -> Self {
        let rules = Rules {
            quantum: nanos(options.quantum),
            min_interval: nanos(options.min_interval),
            limit: options.rate_limit,
        };
        Self(Arc::new(Shared {
            name: name.to_owned(),
            state: Mutex::new(State {
                core: Core::new(rules, fastrand::u64(..)),
                samples: Samples::default(),
                totals: Totals::default(),
            }),
            begin: Instant::now(),
            wake: Notify::new(),
            waiting: AtomicUsize::new(0),
            settled: Notify::new(),
            meter: Meter::new(name),
            is_idle: AtomicBool::new(false),
            stirred: Notify::new(),
        }))
    }

    /// Adds an item that is due now, unless it is there already.
    pub fn add(&self, item: T) {
        self.adding(item, Adding::default(), false);
    }

    /// The same with a priority from −8 to 7; what is beyond counts as these.
    pub fn add_with_priority(&self, item: T, priority: i8) {
        self.adding(item, Adding { priority: Some(priority), ..Adding::default() }, false);
    }

    /// Adds an item that is due after this time. If it is there already, the earlier time counts.
    pub fn add_after(&self, item: T, time: Duration) {
        self.adding(item, Adding { after: nanos(time), ..Adding::default() }, true);
    }

    /// Makes an item due after this time, also if it was to be due sooner.
    pub fn postpone(&self, item: T, time: Duration) {
        self.adding(item, Adding { after: nanos(time), even_later: true, ..Adding::default() }, false);
    }

    /// As a retry counts what is added for a later time, as in client-go.
    fn adding(&self, item: T, adding: Adding, is_retry: bool) {
        let now = self.0.now();
        let mut state = self.0.state.lock();
        if is_retry {
            self.0.count_retry(&mut state);
        }
        let is_news = state.core.add(now, item, adding);
        self.0.meter.depth(state.core.counts().ready);
        drop(state);
        if is_news {
            self.0.meter.added();
        }
        self.0.stir();
        self.0.wake_one();
    }

    /// Takes an item out of the queue, also what is to come after some time, and forgets its failures. Says whether there was
    /// anything to take out.
    ///
    /// A worker that has it keeps it. What was added meanwhile is taken back, but what the worker says still holds: after
    /// [`Work::failed`] or [`Work::done_for`] it comes again.
    pub fn cancel(&self, item: &T) -> bool {
        let now = self.0.now();
        let mut state = self.0.state.lock();
        let cancelled = state.core.cancel(now, item);
        self.0.meter.depth(state.core.counts().ready);
        cancelled
    }

    /// Waits for the next item. `None` when the queue was [shut down](Self::shut_down) and is empty.
    ///
    /// Can be dropped at any time: nothing is lost.
    pub async fn next(&self) -> Option<Work<T>> {
        loop {
            // While there is work, nobody has to be woken.
            if let Taken::Work(work) = self.take() {
                return Some(work);
            }
            // Registered before the queue is looked at again, so that nothing that is added in between goes unnoticed.
            let waiting = Waiting::new(&self.0);
            let mut woken = std::pin::pin!(self.0.wake.notified());
            woken.as_mut().enable();
            let until = match self.take() {
                Taken::Work(work) => return Some(work),
                Taken::Closed => return None,
                Taken::Nothing(until) => until,
            };
            match until {
                Some(until) => drop(timeout_at(until, woken).await),
                None => woken.await,
            }
            waiting.end();
        }
    }

    fn take(&self) -> Taken<T> {
        let shared = &self.0;
        let now = shared.now();
        let mut state = shared.state.lock();
        match state.core.next(now) {
            Next::Work { slot, item, failures, waited } => {
                let ready = state.core.counts().ready;
                shared.meter.depth(ready);
                let samples = state.samples.waited(now, waited);
                drop(state);
                shared.meter.record(samples);
                shared.stir();
                if ready > 0 {
                    shared.wake_one();
                }
                Taken::Work(Work { queue: shared.clone(), slot, item, failures, is_settled: false })
            }
            Next::Nothing(until) => {
                let after = |until: Moment| Duration::from_nanos(u64::try_from(until).unwrap_or_default());
                Taken::Nothing(until.and_then(|until| shared.begin.checked_add(after(until))))
            }
            Next::Closed => Taken::Closed,
        }
    }

    /// How many items are due and wait for a worker.
    pub fn len(&self) -> usize {
        self.0.state.lock().core.counts().ready
    }

    /// Whether nothing is due.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes nothing any more. What is due is still handed out, what was to be due later is forgotten, and what fails from
    /// now on does not come back. [`next`](Self::next) then returns `None`.
    pub fn shut_down(&self) {
        let now = self.0.now();
        // In steps, between which others get the lock.
        while self.0.state.lock().core.ripen(now) {}
        let mut state = self.0.state.lock();
        state.core.close();
        self.0.meter.depth(state.core.counts().ready);
        drop(state);
        while self.0.state.lock().core.forget_some() {}
        self.0.wake.notify_waiters();
        self.0.settled.notify_waiters();
    }

    /// Shuts the queue down and waits until all that was due has been handed out and workers are done with it. Says
    /// whether that was so in time.
    pub async fn drain(&self, patience: impl Into<Patience>) -> bool {
        self.shut_down();
        let settled = async {
            loop {
                let mut settled = std::pin::pin!(self.0.settled.notified());
                settled.as_mut().enable();
                let counts = self.0.state.lock().core.counts();
                if counts.ready + counts.working == 0 {
                    return;
                }
                settled.await;
            }
        };
        patience.into().wait(settled).await.is_ok()
    }

    /// Calls [`refresh_metrics`](Self::refresh_metrics) twice a second while there is anything in the queue. It has no end; a
    /// [`Controller`](crate::Controller) does this for its queue.
    pub async fn keep_metrics(&self) {
        loop {
            if self.measure() {
                self.0.stirred.notified().await;
            }
            sleep(REFRESHED).await;
        }
    }

    /// Brings those metrics up to date that change while nothing happens: how long workers have been at it, and how long the
    /// oldest item has been waiting. Also passes on how long items waited and took: while there is more to do, that is recorded
    /// for many at a time.
    pub fn refresh_metrics(&self) {
        self.measure();
    }

    /// Says whether there is nothing to measure until something is added.
    fn measure(&self) -> bool {
        let now = self.0.now();
        let mut state = self.0.state.lock();
        let oldest = state.core.oldest().map_or(0, |(_, at)| now - at);
        self.0.meter.refresh(state.core.started().map(|started| now - started), oldest);
        let (samples, counts) = (state.samples.take(), state.core.counts());
        let is_idle = counts.ready + counts.working == 0;
        // With the lock, so that whoever adds something afterwards knows.
        self.0.is_idle.store(is_idle, Ordering::SeqCst);
        drop(state);
        self.0.meter.record(Some(samples));
        is_idle
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        self.meter.record(Some(self.state.get_mut().samples.take()));
    }
}

impl<T> Clone for WorkQueue<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> fmt::Debug for WorkQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkQueue").finish_non_exhaustive()
    }
}

enum Taken<T: Clone + Eq + Hash> {
    Work(Work<T>),
    Nothing(Option<Instant>),
    Closed,
}

/// A worker that waits. It may be the only one who knows when the next item is due: if it goes away, another has to look.
struct Waiting<'a, T> {
    queue: &'a Shared<T>,
    was_given_up: bool,
}

impl<'a, T> Waiting<'a, T> {
    fn new(queue: &'a Shared<T>) -> Self {
        queue.waiting.fetch_add(1, Ordering::SeqCst);
        Self { queue, was_given_up: true }
    }

    fn end(mut self) {
        self.was_given_up = false;
    }
}

impl<T> Drop for Waiting<'_, T> {
    fn drop(&mut self) {
        self.queue.waiting.fetch_sub(1, Ordering::SeqCst);
        if self.was_given_up {
            self.queue.wake_one();
        }
    }
}

fn nanos(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
