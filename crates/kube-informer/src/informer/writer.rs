//! The one writer of an informer: applies deltas, lets handlers join, resyncs, one thing at a time.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::delta::Delta;
use crate::handler::listener::{Ending, Listener};
use crate::handler::mailbox::SweepKind;
use crate::handler::runner::{Callee, call_now};
use crate::informer::engine::{Engine, StoreJob};
use crate::informer::reflectors::Reflectors;
use crate::informer::scopes::ScopeSlot;
use crate::informer::tasks::{Spawn, Task};
use crate::report::Cause;
use crate::scope::ScopeId;
use crate::store::change::Change;
use crate::store::index::IndexFailure;
use crate::store::pace::{Pace, free};
use crate::store::writer::Applied;

/// How many deltas are applied at a time.
const BATCH: usize = 1_000;

/// What the writer does between commits.
pub(crate) enum Command {
    /// A handler joins; without a runner somebody else takes from its mailbox.
    Join { listener: Arc<Listener>, runner: Option<Runner> },
    /// A handler that is called by the writer itself, right after each commit.
    Attach { listener: Arc<Listener>, callee: Box<dyn Callee> },
    /// A scope is looked at from here on.
    AddScope(Arc<ScopeSlot>),
    /// A scope is no longer looked at: its objects are gone.
    RemoveScope(Arc<ScopeSlot>),
    /// Something to be done with the store, such as adding an index.
    Store(StoreJob),
    /// Something to be done beside the writer, for as long as the informer runs.
    Beside(BoxFuture<'static, ()>),
}

/// Commands on their way to the writer.
pub(crate) struct Inbox(mpsc::UnboundedReceiver<Command>);

impl Inbox {
    pub(crate) fn new(commands: mpsc::UnboundedReceiver<Command>) -> Self {
        Self(commands)
    }
}

/// Tells those who came too late that nobody will ever call them.
impl Drop for Inbox {
    fn drop(&mut self) {
        self.0.close();
        while let Ok(command) = self.0.try_recv() {
            if let Command::Join { listener, .. } | Command::Attach { listener, .. } = command {
                listener.finish();
            }
        }
    }
}

/// The future that runs a handler, and where.
pub(crate) struct Runner {
    pub(crate) future: BoxFuture<'static, ()>,
    pub(crate) blocking: bool,
}

/// A handler as the writer knows it.
pub(crate) struct Seat {
    listener: Arc<Listener>,
    next_resync: Option<Instant>,
    /// Held so that the handler ends with the informer.
    task: Option<Task>,
    /// Waits for the informer to start.
    runner: Option<Runner>,
    /// Called by the writer itself.
    callee: Option<Box<dyn Callee>>,
}

pub(crate) struct Writer {
    store: crate::store::writer::Writer,
    seats: Vec<Seat>,
    spawn: Option<Arc<dyn Spawn>>,
    reflectors: Option<Arc<Reflectors>>,
    /// What is done beside it; held so that it ends with the informer.
    beside: Vec<Task>,
    /// Those that have left. What they hold is the user's, so it must not be dropped with a lock held.
    left: Vec<Seat>,
}

impl Writer {
    pub(crate) fn new(store: crate::store::writer::Writer) -> Self {
        Self { store, seats: Vec::new(), spawn: None, reflectors: None, beside: Vec::new(), left: Vec::new() }
    }

    /// Those that have left, to be dropped without a lock.
    pub(crate) fn take_left(&mut self) -> Vec<Seat> {
        std::mem::take(&mut self.left)
    }

    /// Starts the handlers that joined before.
    pub(crate) fn start(&mut self, spawn: Arc<dyn Spawn>, reflectors: Arc<Reflectors>) {
        self.spawn = Some(spawn);
        self.reflectors = Some(reflectors);
        let now = Instant::now();
        for place in 0..self.seats.len() {
            let seat = &mut self.seats[place];
            seat.next_resync = next_resync(&seat.listener, now);
            if let Some(runner) = seat.runner.take() {
                let task = self.run(place, runner);
                self.seats[place].task = task;
            }
        }
    }

    /// Works until the queue is closed and empty.
    pub(crate) async fn work(&mut self, engine: &Engine, commands: &mut Inbox) {
        if engine.scopes.now().is_empty() {
            // There is nothing to wait for.
            self.committed(Applied::default(), Instant::now(), engine).await;
        }
        loop {
            let due = self.seats.iter().filter_map(|seat| seat.next_resync).min();
            let resync = async {
                match due {
                    Some(due) => tokio::time::sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                Some(command) = commands.0.recv() => self.command(command, engine).await,
                () = engine.leaving.notified() => self.let_go(engine).await,
                () = resync => self.resync().await,
                batch = engine.queue.pop_batch(BATCH) => match batch {
                    Some(batch) => self.apply(batch, engine).await,
                    None => return,
                },
            }
        }
    }

    pub(crate) async fn command(&mut self, command: Command, engine: &Engine) {
        match command {
            Command::Join { listener, runner } => self.join(listener, runner, None, engine),
            Command::Attach { listener, callee } => self.join(listener, None, Some(callee), engine),
            Command::AddScope(slot) => {
                self.store.add_scope(slot.id, slot.scope.clone());
                if let Some(reflectors) = &self.reflectors {
                    // Before the start it is not synced anyway, and the recorder must not be called with a lock held.
                    engine.metrics.synced(false);
                    reflectors.start(engine, &slot);
                }
            }
            Command::RemoveScope(slot) => self.remove_scope(&slot, engine).await,
            Command::Store(job) => job(&mut self.store, engine).await,
            Command::Beside(future) => {
                self.beside.retain(|task| !task.is_over());
                self.beside.extend(self.spawn.as_ref().map(|spawn| Task::start(spawn, future)));
            }
        }
    }

    fn join(
        &mut self,
        listener: Arc<Listener>,
        runner: Option<Runner>,
        callee: Option<Box<dyn Callee>>,
        engine: &Engine,
    ) {
        let snapshot = self.store.indexer().list();
        if !snapshot.is_empty() {
            listener.welcome(snapshot);
        }
        if engine.state.borrow().synced {
            listener.upstream_synced();
        }
        let next_resync = self.spawn.as_ref().and_then(|_| next_resync(&listener, Instant::now()));
        if self.seats.len() == self.seats.capacity() {
            // Before the start nobody else lets go of those that have left.
            self.left.extend(self.seats.extract_if(.., |seat| seat.is_left()));
        }
        let place = self.seats.len();
        self.seats.push(Seat { listener, next_resync, task: None, runner: None, callee });
        match runner {
            Some(runner) if self.spawn.is_some() => self.seats[place].task = self.run(place, runner),
            runner => self.seats[place].runner = runner,
        }
    }

    fn run(&self, place: usize, runner: Runner) -> Option<Task> {
        let listener = &self.seats[place].listener;
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

    async fn apply(&mut self, batch: Vec<Delta>, engine: &Engine) {
        let started = Instant::now();
        let applied = self.store.apply(batch).await;
        self.committed(applied, started, engine).await;
    }

    /// Its reflector ends first. What is in the queue from it is ignored later: the store no longer knows the scope, and one
    /// of the same namespace that is added later has another number.
    async fn remove_scope(&mut self, slot: &ScopeSlot, engine: &Engine) {
        if let Some(reflectors) = &self.reflectors {
            reflectors.end(slot.id).await;
        }
        let started = Instant::now();
        let applied = self.store.remove_scope(slot.id).await;
        self.committed(applied, started, engine).await;
        engine.scopes.left(slot);
    }

    /// After a commit: tells the handlers, those who wait, and the metrics.
    async fn committed(&mut self, applied: Applied, started: Instant, engine: &Engine) {
        self.fan_out(&applied.changes, &applied.first_sync).await;
        engine.waiters.committed(&applied);
        if engine.committed(applied.counts, started.elapsed()) {
            // An informer that looks at nothing is synced without any list.
            if engine.any_synced() {
                engine.ingest.first_list_done();
            }
            for seat in &mut self.seats {
                seat.listener.upstream_synced();
                seat.call_attached().await;
            }
        }
        report_index_failures(engine, applied.failures);
        free(applied.changes).await;
    }

    /// Lets go of handlers and streams that have heard their last: at once, since on a quiet kind the next commit may be
    /// days away.
    async fn let_go(&mut self, engine: &Engine) {
        let mut left = self.take_left();
        left.extend(self.seats.extract_if(.., |seat| seat.is_left()));
        self.seats.shrink_to(self.seats.len() * 2);
        free(left).await;
        engine.forget_listeners();
    }

    /// Tells every handler of a commit. A scope that filled for the first time is told as one snapshot.
    async fn fan_out(&mut self, changes: &[Change], first_sync: &[ScopeId]) {
        let mut pace = Pace::default();
        if first_sync.is_empty() {
            for chunk in changes.chunks(256) {
                for seat in &mut self.seats {
                    seat.listener.changes(chunk);
                }
                pace.work(chunk.len() * self.seats.len()).await;
            }
        }
        for &scope in first_sync {
            let snapshot = self.store.indexer().scope_snapshot(scope);
            for seat in &mut self.seats {
                seat.listener.sweep(snapshot.clone(), SweepKind::Initial);
            }
        }
        for seat in &mut self.seats {
            seat.call_attached().await;
        }
    }

    /// Tells handlers whose time has come of every object again.
    async fn resync(&mut self) {
        let now = Instant::now();
        let snapshot = self.store.indexer().list();
        for seat in &mut self.seats {
            if seat.next_resync.is_some_and(|due| due <= now) {
                seat.listener.sweep(snapshot.clone(), SweepKind::Resync);
                seat.next_resync = next_resync(&seat.listener, now);
                seat.call_attached().await;
            }
        }
    }

    pub(crate) fn end_listeners(&self, ending: Ending) {
        for seat in &self.seats {
            seat.listener.end(ending);
        }
    }

    /// Waits until the calls in progress have returned, or with `Draining` until everything has been heard.
    pub(crate) async fn finish(mut self, ending: Ending, deadline: Instant) {
        self.end_listeners(ending);
        // Whoever reads from a stream reads when he likes; what is in it stays there for him.
        self.seats.retain(|seat| seat.task.is_some());
        for seat in &mut self.seats {
            if let Some(task) = &mut seat.task
                && tokio::time::timeout_at(deadline, task.ended()).await.is_err()
            {
                tracing::warn!(handler = %seat.listener.name, left = seat.listener.backlog(), "a handler did not finish in time");
                seat.listener.end(Ending::Closed);
            }
        }
    }
}

impl Seat {
    /// Whether it has heard its last.
    fn is_left(&self) -> bool {
        self.listener.is_leaving() && (self.task.is_none() || self.listener.is_finished())
    }

    /// Calls a handler that the writer calls itself, with all that is in its mailbox.
    async fn call_attached(&mut self) {
        if let Some(callee) = &mut self.callee {
            call_now(&self.listener, &mut **callee).await;
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.end_listeners(Ending::Closed);
    }
}

/// The user's code is guarded where it is called; should the rest of a handler's task panic, the handler has ended and it
/// is at least said why.
fn reporting(listener: Arc<Listener>, runner: BoxFuture<'static, ()>) -> BoxFuture<'static, ()> {
    let reporting = async move {
        if let Err(panic) = AssertUnwindSafe(runner).catch_unwind().await {
            let message = listener.reporter.panic_text(&*panic);
            listener.reporter.report(None, Cause::Handler { handler: listener.name.clone(), message });
        }
    };
    reporting.boxed()
}

/// `None` for never, which is also when the clock does not go so far.
fn next_resync(listener: &Listener, now: Instant) -> Option<Instant> {
    now.checked_add(listener.resync).filter(|_| !listener.resync.is_zero())
}

/// Reports what index functions said. Runs user code, so never with a lock held.
pub(crate) fn report_index_failures(engine: &Engine, failures: Vec<IndexFailure>) {
    for IndexFailure { index, key, message } in failures {
        engine.reporter.report(None, Cause::Index { index, key, message });
    }
}
