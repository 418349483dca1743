//! Workers: one key after the other.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use kube_client::Client;
use kube_informer::status::Patience;
use kube_informer::{ObjectKey, SharedInformer};
use parking_lot::Mutex;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::meter::{Meter, Outcome};
use super::source::{Deleted, Owned};
use super::{Ctx, Next, Reconcile, ReconcileError};
use crate::election::Leadership;
use crate::queue::{Work, WorkQueue};
use crate::recorder::EventRecorder;
use crate::writes::Tracker;

/// What all workers of a controller share.
pub(super) struct Shared<K> {
    pub(super) name: Arc<str>,
    pub(super) informer: SharedInformer<K>,
    /// All that it gets keys from or only reads.
    pub(super) informers: Vec<SharedInformer<()>>,
    pub(super) owned: Vec<Box<dyn Owned>>,
    pub(super) deleted: Arc<Deleted<K>>,
    pub(super) queue: WorkQueue<ObjectKey>,
    pub(super) reconcile: Arc<Reconcile<K>>,
    pub(super) timeout: Option<Duration>,
    pub(super) client: Option<Client>,
    pub(super) leadership: Option<Leadership>,
    pub(super) tracker: Tracker,
    pub(super) patience: Patience,
    pub(super) recorder: Option<EventRecorder>,
    /// What waits for the caches to see own writes. None at the end: what has not begun is not begun any more.
    pub(super) aside: Mutex<Option<JoinSet<()>>>,
    pub(super) meter: Meter,
}

/// How a run ended.
enum Ended {
    Well(Next),
    Failed(ReconcileError),
    Panicked(String),
    TimedOut(Duration),
}

impl<K: Send + Sync + 'static> Shared<K> {
    /// Starts so many workers, and the task that keeps the metrics of their queue.
    pub(super) fn start(self: &Arc<Self>, workers: usize) -> JoinSet<()> {
        let mut tasks = JoinSet::new();
        for _ in 0..workers {
            tasks.spawn(self.clone().work());
        }
        let queue = self.queue.clone();
        tasks.spawn(async move { queue.keep_metrics().await });
        tasks
    }

    /// Works until the queue has been shut down and is empty.
    pub(super) async fn work(self: Arc<Self>) {
        while let Some(work) = self.queue.next().await {
            // Errors are the user's, and may panic when they are printed. What is dropped then has failed.
            if let Err(panic) = AssertUnwindSafe(self.one(work)).catch_unwind().await {
                let (controller, message) = (&*self.name, message(&*panic));
                tracing::error!(controller, message, "a worker panicked; what it had is tried again");
            }
        }
    }

    async fn one(self: &Arc<Self>, work: Work<ObjectKey>) {
        if self.leadership.as_ref().is_some_and(|leadership| leadership.is_ending() || !leadership.is_valid())
        {
            // The next leader looks at everything.
            return work.done();
        }
        let key = work.item().clone();
        let is_enough = self.tracker.take_stale(&key);
        let run = self.tracker.run(&key).with(self.client.clone(), self.leadership.clone());
        if run.is_stale() && !is_enough {
            return self.park(work);
        }
        // In this order: an object that is deleted in between is seen twice, and never not at all.
        let cached = self.informer.lister().by_key(&key).ok();
        let object = run.objects(&self.informer).get(&key);
        // One that an earlier run has deleted, which a stale one knows before the cache does, is in the cache still.
        let last = self.deleted.get(&key).or(cached);
        // One that was deleted in between is reconciled once more, and then it is gone.
        let last = last.filter(|last| object.as_ref().is_none_or(|object| object.uid() != last.uid()));
        let ctx = Ctx {
            key: key.clone(),
            object,
            last: last.clone(),
            failures: work.failures(),
            run,
            shared: self.clone(),
        };
        let begin = Instant::now();
        let running = self.meter.running();
        let ended = self.call(ctx).await;
        drop(running);
        self.meter.ended(outcome(&ended), begin.elapsed());

        let (name, attempt) = (&*self.name, work.failures() + 1);
        let is_over = match &ended {
            Ended::Well(_) => true,
            Ended::Failed(error) if error.is_terminal() => {
                tracing::error!(controller = name, %key, %error, "cannot be reconciled; it is not tried again until something happens to it");
                true
            }
            Ended::Failed(error) => {
                tracing::warn!(controller = name, %key, %error, attempt, "cannot be reconciled; it is tried again");
                false
            }
            Ended::Panicked(message) => {
                tracing::error!(controller = name, %key, message, attempt, "reconciling panicked; it is tried again");
                false
            }
            Ended::TimedOut(after) => {
                tracing::warn!(controller = name, %key, ?after, attempt, "reconciling took too long; it is tried again");
                false
            }
        };
        self.miss_writes(&key);
        if let Some(last) = last.filter(|_| is_over) {
            self.deleted.settle(&last);
        }
        match ended {
            Ended::Well(Next::After(time)) => work.done_for(time),
            Ended::Well(Next::Done) => work.done(),
            _ if is_over => work.give_up(),
            _ => work.failed(),
        }
    }

    /// Puts a key aside until the caches have seen what was written for it. What happens to it meanwhile is not lost: it is
    /// still with a worker as far as the queue is concerned.
    fn park(self: &Arc<Self>, work: Work<ObjectKey>) {
        let shared = self.clone();
        work.set_aside();
        self.aside(async move {
            let begin = Instant::now();
            let parked = shared.meter.parked();
            let is_stale = !shared.tracker.settled(work.item(), shared.patience).await;
            if is_stale {
                shared.tracker.give_up(work.item());
            }
            drop(parked);
            shared.meter.settled(begin.elapsed(), is_stale);
            work.put_back();
        });
    }

    /// What was written for a key may be undone by others before the cache has seen any of it, or with a server that goes back in
    /// time, so that no event ever tells. If it is not there once the cache has passed it, the key is reconciled again.
    fn miss_writes(self: &Arc<Self>, key: &ObjectKey) {
        let Some(missing) = self.tracker.missing(key) else { return };
        let (shared, key) = (self.clone(), key.clone());
        self.aside(async move {
            if missing.await {
                shared.queue.add(key);
            }
        });
    }

    /// Waits for something without a worker, and not beyond the end of the controller.
    fn aside(&self, wait: impl Future<Output = ()> + Send + 'static) {
        let mut aside = self.aside.lock();
        let Some(waiting) = aside.as_mut() else { return };
        while waiting.try_join_next().is_some() {}
        waiting.spawn(wait);
    }

    async fn call(&self, ctx: Ctx<K>) -> Ended {
        // The function may panic before it has given a future, and that one when it is dropped because it takes too long.
        let run = async { (self.reconcile)(ctx).await };
        let limited = async {
            match self.timeout {
                Some(limit) => timeout(limit, run).await.map_err(|_| limit),
                None => Ok(run.await),
            }
        };
        match AssertUnwindSafe(limited).catch_unwind().await {
            Ok(Ok(Ok(next))) => Ended::Well(next),
            Ok(Ok(Err(error))) => Ended::Failed(error),
            Ok(Err(limit)) => Ended::TimedOut(limit),
            Err(panic) => Ended::Panicked(message(&*panic)),
        }
    }
}

fn outcome(ended: &Ended) -> Outcome {
    match ended {
        Ended::Well(Next::Done) => Outcome::Success,
        Ended::Well(Next::After(_)) => Outcome::RequeueAfter,
        Ended::Failed(error) if error.is_terminal() => Outcome::Terminal,
        Ended::Failed(_) => Outcome::Error,
        Ended::Panicked(_) => Outcome::Panic,
        Ended::TimedOut(_) => Outcome::Timeout,
    }
}

pub(super) fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}
