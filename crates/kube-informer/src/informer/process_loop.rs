//! The loop that keeps the cache: takes deltas from the queue, applies them to the store and delivers the changes to
//! the handlers. client-go calls it `processLoop`.
//!
//! Everything that changes the store or the set of handlers happens in this one task, one thing after the other: that is
//! why a handler can join between two commits without missing a change or getting one twice, and why nothing here needs
//! a lock over the store and the handlers together.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use informer_core::delta::Delta;
use informer_core::store::apply::plan_inputs;
use informer_core::store::index::IndexFailure;
use informer_core::store::pace::free;
use informer_core::store::plan::Plan;
use informer_core::store::writer::{Applied, Writer};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::handler::listener::{Ending, Listener};
use crate::informer::engine::{Engine, StoreJob};
use crate::informer::processor::{JoinedListener, Processor, Runner};
use crate::informer::reflectors::Reflectors;
use crate::informer::scopes::ScopeSlot;
use crate::informer::tasks::{Spawn, Task};
use crate::report::Cause;

/// How many deltas are applied at a time.
const BATCH: usize = 1_000;

/// Work that the loop does between two commits.
pub(crate) enum Command {
    /// A handler joins. A stream has no runner: the user polls it.
    Join {
        listener: Arc<Listener>,
        runner: Option<Runner>,
        /// Whether nothing newer is applied before this handler has been called with everything.
        exclusive: bool,
    },
    /// A scope is watched from here on.
    AddScope(Arc<ScopeSlot>),
    /// A scope is no longer watched: its objects leave the store.
    RemoveScope(Arc<ScopeSlot>),
    /// Work on the store, such as adding an index.
    Store(StoreJob),
    /// Work in a task of its own beside the loop, which ends with the informer.
    Beside(BoxFuture<'static, ()>),
}

/// Commands on their way to the loop.
pub(crate) struct Inbox(mpsc::UnboundedReceiver<Command>);

impl Inbox {
    pub(crate) fn new(commands: mpsc::UnboundedReceiver<Command>) -> Self {
        Self(commands)
    }
}

/// Commands that came too late: their handlers will never be called, and are marked finished so that waiting for them ends.
impl Drop for Inbox {
    fn drop(&mut self) {
        self.0.close();
        while let Ok(command) = self.0.try_recv() {
            if let Command::Join { listener, .. } = command {
                listener.finish();
            }
        }
    }
}

/// The loop and all that it alone may change: the store's writer and the handlers.
pub(crate) struct ProcessLoop {
    store: Writer,
    processor: Processor,
    /// `None` before the start.
    reflectors: Option<Arc<Reflectors>>,
    /// `None` before the start.
    spawn: Option<Arc<dyn Spawn>>,
    /// Tasks beside the loop; held so that they end with the informer.
    beside: Vec<Task>,
}

impl ProcessLoop {
    pub(crate) fn new(store: Writer) -> Self {
        Self { store, processor: Processor::default(), reflectors: None, spawn: None, beside: Vec::new() }
    }

    /// Handlers that have ended since the last call. The caller drops them without a lock, because they own values of
    /// the user.
    pub(crate) fn take_left(&mut self) -> Vec<JoinedListener> {
        self.processor.take_left()
    }

    /// Ends all handlers.
    pub(crate) fn end_listeners(&self, ending: Ending) {
        self.processor.end_listeners(ending);
    }

    /// Starts the handlers that joined before.
    pub(crate) fn start(&mut self, spawn: Arc<dyn Spawn>, reflectors: Arc<Reflectors>) {
        self.processor.start(spawn.clone());
        self.spawn = Some(spawn);
        self.reflectors = Some(reflectors);
    }

    /// Works until the queue is closed and empty.
    pub(crate) async fn work(&mut self, engine: &Engine, commands: &mut Inbox) {
        if engine.scopes.now().is_empty() {
            // No list will ever come, so nothing else would make the informer synced.
            self.committed(Applied::default(), Instant::now(), engine).await;
        }
        loop {
            let due = self.processor.next_resync();
            let resync = async {
                match due {
                    Some(due) => tokio::time::sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            let most = self.batch();
            // Deltas come last: a busy kind always has some, and would keep commands and resyncs waiting for ever.
            tokio::select! {
                biased;
                Some(command) = commands.0.recv() => self.command(command, engine).await,
                () = engine.leaving.notified() => self.let_go(engine).await,
                () = resync => self.processor.resync(&self.store.indexer().list()).await,
                batch = engine.queue.pop_batch(most) => {
                    let Some(batch) = batch else { return };
                    self.apply(batch, engine).await;
                    continue;
                }
            }
            // Commands may never end either, so after each everything else has its turn. The command may have been the one that
            // made the informer exclusive.
            let batch = engine.queue.pop_now(self.batch());
            if !batch.is_empty() {
                self.apply(batch, engine).await;
            }
            if engine.leaving.notified().now_or_never().is_some() {
                self.let_go(engine).await;
            }
            if self.processor.next_resync().is_some_and(|due| due <= Instant::now()) {
                self.processor.resync(&self.store.indexer().list()).await;
            }
            if engine.queue.is_over() {
                return self.last_commands(engine, commands).await;
            }
        }
    }

    /// Carries out the commands that were sent before the end of the queue was seen.
    async fn last_commands(&mut self, engine: &Engine, commands: &mut Inbox) {
        for _ in 0..commands.0.len() {
            if let Ok(command) = commands.0.try_recv() {
                self.command(command, engine).await;
            }
        }
    }

    /// How many deltas a commit may hold. The handler of an exclusive informer is promised the cache as of its event.
    fn batch(&self) -> usize {
        if self.processor.is_exclusive() { 1 } else { BATCH }
    }

    pub(crate) async fn command(&mut self, command: Command, engine: &Engine) {
        match command {
            Command::Join { listener, runner, exclusive } => {
                self.join(listener, runner, exclusive, engine);
                self.processor.exclusive_delivered().await;
            }
            Command::AddScope(slot) => {
                self.store.add_scope(slot.id, slot.scope.clone());
                if let Some(reflectors) = &self.reflectors {
                    // Only after the start: before it the informer is not synced anyway, and this code runs with a lock
                    // held, under which the user's metrics recorder must not be called.
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

    fn join(&mut self, listener: Arc<Listener>, runner: Option<Runner>, exclusive: bool, engine: &Engine) {
        // The snapshot is of the last commit, and the next one is made only after this: together they are all there is.
        listener.welcome(self.store.indexer().list());
        if engine.state.borrow().synced {
            listener.upstream_synced();
        }
        self.processor.add(listener, runner, exclusive);
    }

    async fn apply(&mut self, batch: Vec<Delta>, engine: &Engine) {
        if self.processor.is_exclusive() {
            for step in plan_inputs(batch) {
                let plan = self.store.plan(step).await;
                self.apply_plan(plan, engine).await;
            }
            return;
        }
        let started = Instant::now();
        let applied = self.store.apply(batch).await;
        self.committed(applied, started, engine).await;
    }

    /// Makes one commit, or, if a handler is to find in the cache exactly what it is called with, one for each change.
    async fn apply_plan(&mut self, plan: Plan, engine: &Engine) {
        if !self.processor.is_exclusive() {
            return self.apply_whole(plan, engine).await;
        }
        for plan in plan.one_by_one() {
            self.apply_whole(plan, engine).await;
        }
    }

    async fn apply_whole(&mut self, plan: Plan, engine: &Engine) {
        let started = Instant::now();
        let applied = self.store.apply_plan(plan).await;
        self.committed(applied, started, engine).await;
    }

    /// The scope's reflector ends first. What the queue still holds from it is ignored later: the store no longer knows
    /// the scope, and if the same namespace is added again it gets another number.
    async fn remove_scope(&mut self, slot: &ScopeSlot, engine: &Engine) {
        if let Some(reflectors) = &self.reflectors {
            reflectors.end(slot.id).await;
        }
        let plan = self.store.plan_removal(slot.id).await;
        self.apply_plan(plan, engine).await;
        engine.scopes.left(slot);
    }

    /// After a commit: first the handlers, then the callers that wait for objects, then the metrics.
    ///
    /// The store already shows the changes, so a handler that looks into the cache finds the object it is called with, or a newer one. The state
    /// `synced` comes after the handlers' snapshot is in their mailboxes, so that a handler counts as synced only once it
    /// has been called for all those objects.
    async fn committed(&mut self, applied: Applied, started: Instant, engine: &Engine) {
        let Applied { changes, first_sync, .. } = &applied;
        if first_sync.is_empty() {
            self.processor.distribute(changes).await;
        } else {
            // A list that fills a scope for the first time: one shared snapshot instead of an entry for each object.
            let indexer = self.store.indexer();
            let filled = first_sync.iter().map(|scope| indexer.scope_snapshot(*scope)).collect();
            self.processor.distribute_initial(filled).await;
        }
        engine.waiters.committed(&applied);
        if engine.committed(applied.counts, started.elapsed()) {
            // An informer that watches no namespace is synced without any list having been read.
            if engine.any_synced() {
                engine.ingest.first_list_done();
            }
            self.processor.upstream_synced().await;
        }
        report_index_failures(engine, applied.failures);
        free(applied.changes).await;
    }

    /// Drops handlers and streams that have ended: at once, since on a quiet kind the next commit may be days away.
    async fn let_go(&mut self, engine: &Engine) {
        free(self.processor.let_go()).await;
        engine.forget_listeners();
    }

    /// Waits until the calls in progress have returned, or with `Draining` until everything has been delivered.
    pub(crate) async fn finish(self, ending: Ending, deadline: Instant) {
        self.processor.finish(ending, deadline).await;
    }
}

/// Reports the errors of index functions. Runs user code, so never with a lock held.
pub(crate) fn report_index_failures(engine: &Engine, failures: Vec<IndexFailure>) {
    for IndexFailure { index, key, message } in failures {
        engine.reporter.report(None, Cause::Index { index, key, message });
    }
}
