//! The handlers of an informer and how a commit reaches them. client-go calls it `sharedProcessor`.
//!
//! Owned by the process loop alone, so there is no lock: handlers are added, given their changes and removed one after the other. Each
//! handler has a mailbox of its own, and putting something there never waits for the handler's code, so a slow handler
//! delays neither the cache nor the other handlers. The handler of an exclusive informer is the exception, by its purpose: the
//! loop goes on when that handler has been called with everything.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use informer_core::mailbox::SweepKind;
use informer_core::store::change::Change;
use informer_core::store::pace::Pace;
use informer_core::store::snapshot::Snapshot;
use tokio::time::Instant;

use crate::handler::listener::{Ending, Listener};
use crate::informer::tasks::{Spawn, Task};
use crate::report::Cause;

/// How many changes go into one mailbox before the next handler's turn. A mailbox is locked for each of these chunks.
const CHUNK: usize = 256;

/// The future that runs a handler, and where.
pub(crate) struct Runner {
    pub(crate) future: BoxFuture<'static, ()>,
    pub(crate) blocking: bool,
}

/// A handler or stream that has joined the informer.
pub(crate) struct JoinedListener {
    listener: Arc<Listener>,
    next_resync: Option<Instant>,
    /// Held so that the handler ends with the informer.
    task: Option<Task>,
    /// Waits for the informer to start.
    runner: Option<Runner>,
    /// Whether the process loop goes on only when this handler has been called with everything.
    exclusive: bool,
}

/// All handlers of an informer.
#[derive(Default)]
pub(crate) struct Processor {
    listeners: Vec<JoinedListener>,
    /// `None` before the start.
    spawn: Option<Arc<dyn Spawn>>,
    /// Handlers that have ended. They own values of the user, so they must not be dropped where a lock may be held.
    left: Vec<JoinedListener>,
}

impl Processor {
    /// Starts the handlers that were added before.
    pub(crate) fn start(&mut self, spawn: Arc<dyn Spawn>) {
        self.spawn = Some(spawn);
        let now = Instant::now();
        for at in 0..self.listeners.len() {
            let joined = &mut self.listeners[at];
            joined.next_resync = next_resync(&joined.listener, now);
            if let Some(runner) = joined.runner.take() {
                let task = self.run(at, runner);
                self.listeners[at].task = task;
            }
        }
    }

    /// Adds a handler, which gets the changes of every commit from here on.
    pub(crate) fn add(&mut self, listener: Arc<Listener>, runner: Option<Runner>, exclusive: bool) {
        let next_resync = self.spawn.as_ref().and_then(|_| next_resync(&listener, Instant::now()));
        if self.listeners.len() == self.listeners.capacity() {
            // Before the start nothing else removes handlers that have ended, and they must not pile up.
            self.left.extend(self.listeners.extract_if(.., |joined| joined.has_left()));
        }
        let at = self.listeners.len();
        self.listeners.push(JoinedListener { listener, next_resync, task: None, runner: None, exclusive });
        match runner {
            Some(runner) if self.spawn.is_some() => self.listeners[at].task = self.run(at, runner),
            runner => self.listeners[at].runner = runner,
        }
    }

    fn run(&self, at: usize, runner: Runner) -> Option<Task> {
        let listener = &self.listeners[at].listener;
        if listener.is_closed() {
            listener.finish();
            return None;
        }
        listener.start();
        let spawn = self.spawn.as_ref()?;
        let future = reporting(listener.clone(), runner.future);
        if !runner.blocking {
            return Some(Task::start(spawn, future));
        }
        match Task::start_thread(&listener.name, future) {
            Ok(task) => Some(task),
            Err(error) => {
                let message = format!("its thread cannot be started: {error}");
                listener.reporter.report(None, Cause::Handler { handler: listener.name.clone(), message });
                listener.finish();
                None
            }
        }
    }

    /// Gives every handler the changes of a commit, in order.
    pub(crate) async fn distribute(&mut self, changes: &[Change]) {
        let mut pace = Pace::default();
        for chunk in changes.chunks(CHUNK) {
            for joined in &self.listeners {
                joined.listener.changes(chunk);
            }
            pace.work(chunk.len() * self.listeners.len()).await;
        }
        self.exclusive_delivered().await;
    }

    /// Gives every handler the content of scopes that were filled for the first time: a shared snapshot of each.
    pub(crate) async fn distribute_initial(&mut self, filled: Vec<Snapshot>) {
        for snapshot in filled {
            for joined in &self.listeners {
                joined.listener.sweep(snapshot.clone(), SweepKind::Initial);
            }
        }
        self.exclusive_delivered().await;
    }

    /// All scopes have been filled: every handler can become synced.
    pub(crate) async fn upstream_synced(&mut self) {
        for joined in &mut self.listeners {
            joined.listener.upstream_synced();
        }
        self.exclusive_delivered().await;
    }

    /// Whether the process loop goes on only when a handler has been called with everything.
    pub(crate) fn is_exclusive(&self) -> bool {
        self.spawn.is_some() && self.listeners.iter().any(|joined| joined.exclusive && !joined.has_left())
    }

    /// When the next resync of a handler is due.
    pub(crate) fn next_resync(&self) -> Option<Instant> {
        self.listeners.iter().filter_map(|joined| joined.next_resync).min()
    }

    /// Delivers every object again to the handlers whose resync is due.
    pub(crate) async fn resync(&mut self, snapshot: &Snapshot) {
        let now = Instant::now();
        for joined in &mut self.listeners {
            if joined.next_resync.is_some_and(|due| due <= now) {
                joined.listener.sweep(snapshot.clone(), SweepKind::Resync);
                joined.next_resync = next_resync(&joined.listener, now);
            }
        }
        self.exclusive_delivered().await;
    }

    /// Waits until the handler of an exclusive informer has been called with everything. Before the start no handler is
    /// called, so there is nothing to wait for.
    pub(crate) async fn exclusive_delivered(&mut self) {
        if self.spawn.is_some() {
            for joined in self.listeners.iter_mut().filter(|joined| joined.exclusive) {
                joined.listener.delivered().await;
            }
        }
    }

    /// Handlers that have ended since the last call.
    pub(crate) fn take_left(&mut self) -> Vec<JoinedListener> {
        std::mem::take(&mut self.left)
    }

    /// Removes the handlers that have ended, and returns them to be dropped.
    pub(crate) fn let_go(&mut self) -> Vec<JoinedListener> {
        let mut left = self.take_left();
        left.extend(self.listeners.extract_if(.., |joined| joined.has_left()));
        self.listeners.shrink_to(self.listeners.len() * 2);
        left
    }

    pub(crate) fn end_listeners(&self, ending: Ending) {
        for joined in &self.listeners {
            joined.listener.end(ending);
        }
    }

    /// Waits until the calls in progress have returned, or with `Draining` until everything has been delivered.
    pub(crate) async fn finish(mut self, ending: Ending, deadline: Instant) {
        self.end_listeners(ending);
        // Streams have no task. They are read whenever the user likes, and what is in them stays until then.
        self.listeners.retain(|joined| joined.task.is_some());
        for joined in &mut self.listeners {
            if let Some(task) = &mut joined.task
                && tokio::time::timeout_at(deadline, task.ended()).await.is_err()
            {
                tracing::warn!(handler = %joined.listener.name, left = joined.listener.backlog(), "a handler did not finish in time");
                joined.listener.end(Ending::Closed);
            }
        }
    }
}

impl Drop for Processor {
    fn drop(&mut self) {
        self.end_listeners(Ending::Closed);
    }
}

impl JoinedListener {
    /// Whether its last call has returned and nothing more will be delivered.
    fn has_left(&self) -> bool {
        self.listener.is_leaving() && (self.task.is_none() || self.listener.is_finished())
    }
}

/// Panics of the user's code are caught where it is called. If other code of a handler's task panics, the handler ends,
/// and this reports why.
fn reporting(listener: Arc<Listener>, runner: BoxFuture<'static, ()>) -> BoxFuture<'static, ()> {
    let reporting = async move {
        if let Err(panic) = AssertUnwindSafe(runner).catch_unwind().await {
            let message = listener.reporter.panic_text(&*panic);
            listener.reporter.report(None, Cause::Handler { handler: listener.name.clone(), message });
        }
    };
    reporting.boxed()
}

/// `None` for never, which is also what a time beyond the end of the clock means.
fn next_resync(listener: &Listener, now: Instant) -> Option<Instant> {
    now.checked_add(listener.resync).filter(|_| !listener.resync.is_zero())
}
