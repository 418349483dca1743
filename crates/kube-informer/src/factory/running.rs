//! An informer that a factory runs: its turn to start, its stop, its end.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::FutureExt;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};

use crate::informer::SharedInformer;
use crate::informer::engine::Engine;
use crate::informer::tasks::{Spawn, Task};
use crate::status::Patience;

/// Limits how many informers read their first lists at the same time.
#[derive(Clone)]
pub(super) struct Turns {
    seats: Arc<Semaphore>,
    all: u32,
    /// How long a first list may hold its seat: a long list should not delay the others for ever.
    patience: Patience,
}

impl Turns {
    pub(super) fn new(at_once: usize, patience: Patience) -> Self {
        let all = u32::try_from(at_once).unwrap_or(u32::MAX).clamp(1, 1 << 20);
        Self { seats: Arc::new(Semaphore::new(all as usize)), all, patience }
    }

    /// Waits for a seat for each list of an informer, or for all seats if it has more lists than there are seats.
    async fn take(&self, lists: usize) -> Option<OwnedSemaphorePermit> {
        let lists = u32::try_from(lists).unwrap_or(u32::MAX).clamp(1, self.all);
        self.seats.clone().acquire_many_owned(lists).await.ok()
    }
}

/// The task of one informer. Dropping it ends the informer.
pub(super) struct Running {
    stop: watch::Sender<Option<Patience>>,
    ended: Ended,
    over_at_once: bool,
    _task: Task,
}

/// Resolves when the task of an informer has ended. Any number of callers can wait on clones of it.
#[derive(Clone)]
pub(super) struct Ended(watch::Receiver<()>);

impl Ended {
    pub(super) async fn wait(mut self) {
        // Nothing is ever sent: the sender is dropped when the task ends.
        while self.0.changed().await.is_ok() {}
    }

    pub(super) fn is_over(&self) -> bool {
        self.0.has_changed().is_err()
    }
}

impl Running {
    pub(super) fn start(
        spawn: &Arc<dyn Spawn>,
        informer: SharedInformer<()>,
        failed: Arc<Notify>,
        turns: Turns,
    ) -> Self {
        let (stop, stop_asked) = watch::channel(None);
        let (end, ended) = watch::channel(());
        let started = Arc::new(AtomicBool::new(false));
        // Dropped in this order, even if the task is dropped before it is first polled.
        let at_end = (Abandoned { engine: informer.engine().clone(), started: started.clone() }, end);
        let work = async move {
            let _at_end = at_end;
            run(&informer, &failed, turns, stop_asked).await;
        };
        let task = Task::start(spawn, work.boxed());
        let over_at_once = started.swap(true, Ordering::AcqRel);
        Self { stop, ended: Ended(ended), over_at_once, _task: task }
    }

    /// Whether the task ended before `start` returned, such as on a runtime that has shut down. Then the caller has to
    /// abandon the informer, at a moment when no lock is held, because that drops the handlers.
    pub(super) fn over_at_once(&self) -> bool {
        self.over_at_once
    }

    /// Stops the informer. As long as the patience lasts, handlers are still called with their pending events.
    pub(super) fn stop(&self, patience: Patience) {
        self.stop.send_if_modified(|stop| {
            let first = stop.is_none();
            stop.get_or_insert(patience);
            first
        });
    }

    pub(super) fn ended(&self) -> Ended {
        self.ended.clone()
    }
}

/// Ends an informer whose turn never came.
struct Abandoned {
    engine: Arc<Engine>,
    /// Set by whichever comes first, the start or the end of the task; the second of them does the cleanup.
    started: Arc<AtomicBool>,
}

impl Drop for Abandoned {
    fn drop(&mut self) {
        if self.started.swap(true, Ordering::AcqRel) {
            self.engine.abandon();
        }
    }
}

async fn run(
    informer: &SharedInformer<()>,
    failed: &Notify,
    turns: Turns,
    mut stop: watch::Receiver<Option<Patience>>,
) {
    let seats = tokio::select! {
        biased;
        _ = stop.wait_for(Option::is_some) => return,
        seats = turns.take(informer.status().scopes.len()) => seats,
    };
    let listing = async {
        tokio::select! {
            _ = informer.wait_synced(turns.patience) => {}
            () = failed.notified() => {}
        }
        drop(seats);
        pending::<()>().await;
    };
    let stopping = async {
        let patience = stop.wait_for(Option::is_some).await.ok().and_then(|patience| *patience);
        informer.shutdown(patience.unwrap_or(Duration::ZERO.into())).await;
    };
    let running = async {
        if informer.run(pending()).await.is_err() {
            // The program runs this informer itself; the factory only stops it.
            informer.engine().state.subscribe().wait_for(|state| state.ended).await.ok();
        }
    };
    // The informer comes first, so that it has started before the other branches read its status.
    tokio::select! {
        biased;
        () = running => {}
        () = listing => {}
        () = stopping => {}
    }
}
