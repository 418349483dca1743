//! What the parts of one informer share: its store, its lifecycle, and the way to reach its process loop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use informer_core::mailbox::Mailbox;
use informer_core::object::ingest::Ingest;
use informer_core::scope::Scope;
use informer_core::store::indexer::Indexer;
use informer_core::store::writer::Writer;
use parking_lot::Mutex;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::Instant;

use crate::error::InformerError;
use crate::fifo::{Bounds, DeltaFifo};
use crate::handler::builder::HandlerOptions;
use crate::handler::listener::{Ending, Listener};
use crate::informer::blueprint::Blueprint;
use crate::informer::process_loop::{Command, Inbox, ProcessLoop};
use crate::informer::processor::{JoinedListener, Runner};
use crate::informer::scopes::{Scopes, Slots};
use crate::informer::waiters::Waiters;
use crate::kind::KindInfo;
use crate::metrics::Metrics;
use crate::options::Options;
use crate::reflector::shared_probe::{SharedProbe, SharedProbes};
use crate::report::Reporter;
use crate::source::ListWatch;
use crate::status::{HandlerStatus, Patience, Phase};

/// One informer, without the type of its objects.
pub(crate) struct Engine {
    pub(crate) kind: KindInfo,
    pub(crate) name: Arc<str>,
    pub(crate) source: Arc<dyn ListWatch>,
    /// Shared with the other informers of this resource in the same factory.
    pub(crate) shared_probe: Arc<SharedProbe>,
    /// Those of all resources of its factory.
    pub(crate) probes: Arc<SharedProbes>,
    pub(crate) options: Options,
    pub(crate) scopes: Scopes,
    pub(crate) reporter: Arc<Reporter>,
    pub(crate) metrics: Metrics,
    pub(crate) ingest: Arc<Ingest>,
    pub(crate) indexer: Arc<Indexer>,
    pub(crate) queue: Arc<DeltaFifo>,
    pub(crate) state: watch::Sender<InformerState>,
    /// Whether it has stopped, for those who wait for nothing else: every commit notifies `state`.
    pub(crate) over: watch::Sender<bool>,
    pub(crate) stop: watch::Sender<Option<Stop>>,
    /// Callers of `wait_for` and `wait_gone`.
    pub(crate) waiters: Waiters,
    /// The random numbers of the reflectors; tests seed it.
    pub(crate) random: Mutex<fastrand::Rng>,
    lifecycle: Mutex<Lifecycle>,
    handlers_named: AtomicU64,
    /// Whether an exclusive informer already has the handler that it calls itself.
    taken: AtomicBool,
    /// All handlers and streams, for the status.
    listeners: Mutex<Vec<Weak<Listener>>>,
    /// Notified by a handler or stream that has ended.
    pub(crate) leaving: Arc<Notify>,
}

/// How far an informer has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct InformerState {
    pub(crate) started: bool,
    pub(crate) stopped: bool,
    /// Its handlers have finished as well, and its future is over.
    pub(crate) ended: bool,
    /// Every watched scope has been listed and is in the store.
    pub(crate) synced: bool,
}

/// How an informer is to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Pending events of handlers are discarded.
    Now,
    /// Handlers are still called with the events in the queue and in their mailboxes, for at most this long.
    Drain(Patience),
}

enum Lifecycle {
    /// Not started: commands are carried out on the spot.
    Idle(Box<ProcessLoop>),
    Running(mpsc::UnboundedSender<Command>),
    Stopped,
}

impl Engine {
    pub(crate) fn new(
        blueprint: &Blueprint,
        name: Arc<str>,
        reporter: Arc<Reporter>,
        metrics: Metrics,
        ingest: Arc<Ingest>,
    ) -> Arc<Self> {
        let options = blueprint.options.clone();
        let mut store = Writer::new();
        let scopes = match options.namespaces.named() {
            None => vec![Scope::All],
            Some(namespaces) => namespaces.iter().map(String::as_str).map(Scope::namespace).collect(),
        };
        let scopes = Scopes::new(scopes, &metrics, &options.tuning);
        for slot in scopes.now().iter() {
            store.add_scope(slot.id, slot.scope.clone());
        }
        let indexer = store.indexer().clone();
        let bounds = Bounds { bytes: options.tuning.queue_bytes, entries: options.tuning.queue_entries };
        let queue = DeltaFifo::new(bounds).with_gauge(metrics.queued());
        Arc::new(Self {
            kind: blueprint.kind.clone(),
            name,
            source: blueprint.sources.source(&blueprint.kind),
            shared_probe: blueprint.probes.of(&blueprint.kind),
            probes: blueprint.probes.clone(),
            options,
            scopes,
            reporter,
            metrics,
            ingest,
            indexer,
            queue: Arc::new(queue),
            state: watch::Sender::default(),
            over: watch::Sender::default(),
            stop: watch::Sender::default(),
            waiters: Waiters::default(),
            random: Mutex::new(fastrand::Rng::new()),
            lifecycle: Mutex::new(Lifecycle::Idle(Box::new(ProcessLoop::new(store)))),
            handlers_named: AtomicU64::new(0),
            taken: AtomicBool::new(false),
            listeners: Mutex::default(),
            leaving: Arc::default(),
        })
    }

    pub(crate) fn stopped(&self) -> InformerError {
        InformerError::stopped(&self.kind)
    }

    /// A mailbox with the handler's options filled in.
    pub(crate) fn listener(&self, options: &HandlerOptions) -> Arc<Listener> {
        let number = self.handlers_named.fetch_add(1, Ordering::Relaxed);
        let name = options.name.clone().unwrap_or_else(|| format!("{}-{number}", self.name).into());
        let minimum = self.options.tuning.minimum_resync;
        let resync = match options.resync.unwrap_or(self.options.resync) {
            Duration::ZERO => Duration::ZERO,
            period if period < minimum => {
                tracing::warn!(handler = %name, ?period, ?minimum, "a resync period is too short and counts as the minimum");
                minimum
            }
            period => period,
        };
        let mailbox = Mailbox::new(options.every_event).keeping(options.keep);
        let metrics = self.metrics.handler(options.name.as_deref());
        let shared = (metrics, self.leaving.clone());
        let listener = Listener::new(
            name,
            resync,
            self.options.tuning.slow_call,
            (mailbox, options.whole_state),
            self.reporter.clone(),
            shared,
        );
        let mut listeners = self.listeners.lock();
        if listeners.len() == listeners.capacity() {
            // Before the informer is started nothing else removes the handlers that have ended.
            listeners.retain(|listener| listener.strong_count() > 0);
        }
        listeners.push(Arc::downgrade(&listener));
        listener
    }

    /// Removes the handlers and streams that have been dropped.
    pub(crate) fn forget_listeners(&self) {
        let mut listeners = self.listeners.lock();
        listeners.retain(|listener| listener.strong_count() > 0);
        let room = listeners.len() * 2;
        listeners.shrink_to(room);
    }

    /// How many handlers and streams take memory, including those that have ended.
    #[cfg(test)]
    pub(crate) fn listeners_held(&self) -> usize {
        self.listeners.lock().len()
    }

    /// The status of each handler and stream that has not ended.
    pub(crate) fn handlers(&self) -> Vec<HandlerStatus> {
        let listeners = self.listeners.lock().clone();
        let there = listeners.iter().filter_map(Weak::upgrade).filter(|listener| !listener.is_finished());
        there.map(|listener| HandlerStatus::of(&listener)).collect()
    }

    /// Whether the next handler is the first of an exclusive informer.
    pub(crate) fn next_is_exclusive(&self) -> bool {
        self.options.exclusive && !self.taken.swap(true, Ordering::Relaxed)
    }

    /// Adds a handler between two commits, so that it misses no change and gets none twice.
    pub(crate) fn join(
        &self,
        listener: Arc<Listener>,
        runner: Option<Runner>,
        exclusive: bool,
    ) -> Result<(), InformerError> {
        listener.promise(self.indexer.len());
        self.command(Command::Join { listener, runner, exclusive })
    }

    /// Sends a command to the process loop, which runs it between two commits.
    pub(crate) fn command(&self, command: Command) -> Result<(), InformerError> {
        // Returned handlers and commands contain the user's code, and are dropped after the lock is released.
        let given = self.give(&mut self.lifecycle.lock(), command);
        given.map(drop).map_err(|_refused| self.stopped())
    }

    /// Returns the handlers that have ended meanwhile, or the command if it is refused.
    fn give(&self, lifecycle: &mut Lifecycle, command: Command) -> Result<Vec<JoinedListener>, Command> {
        match lifecycle {
            Lifecycle::Idle(process_loop) => {
                // Nothing is in the store yet, so nothing takes long enough to pause.
                let done = process_loop.command(command, self).now_or_never();
                debug_assert!(done.is_some(), "a command paused before the informer started");
                Ok(process_loop.take_left())
            }
            Lifecycle::Running(commands) => {
                if let Command::Join { listener, runner: Some(_), .. } = &command {
                    listener.start();
                }
                commands.send(command).map(|()| Vec::new()).map_err(|refused| refused.0)
            }
            Lifecycle::Stopped => Err(command),
        }
    }

    /// Adds a scope, unless it is watched already. The lock makes this one step: scopes change in the order in which
    /// the process loop gets the commands, and a start sees either all of a change or nothing of it.
    pub(crate) fn add_scope(&self, scope: Scope) -> Result<(), InformerError> {
        // Made before the lock is taken, because it registers metrics, which calls the program's recorder.
        let slot = self.scopes.new_slot(scope, &self.metrics, &self.options.tuning);
        let mut lifecycle = self.lifecycle.lock();
        if self.scopes.find(&slot.scope).is_some() {
            return if matches!(*lifecycle, Lifecycle::Stopped) { Err(self.stopped()) } else { Ok(()) };
        }
        self.scopes.put(&slot);
        // Before the scope can be seen: a caller that adds it again, or a handler that joins, must find the informer not
        // synced.
        let mut was_synced = false;
        self.state.send_modify(|state| was_synced = std::mem::replace(&mut state.synced, false));
        if self.give(&mut lifecycle, Command::AddScope(slot.clone())).is_err() {
            self.scopes.take(&slot.scope);
            self.state.send_modify(|state| state.synced = was_synced);
            return Err(self.stopped());
        }
        Ok(())
    }

    /// Removes a scope; false if it is not watched.
    pub(crate) fn remove_scope(&self, scope: &Scope) -> Result<bool, InformerError> {
        let mut lifecycle = self.lifecycle.lock();
        if matches!(*lifecycle, Lifecycle::Stopped) {
            return Err(self.stopped());
        }
        let Some(slot) = self.scopes.take(scope) else { return Ok(false) };
        // Before the command is sent, because the writer may carry it out at once.
        self.scopes.leaves(&slot);
        if self.give(&mut lifecycle, Command::RemoveScope(slot.clone())).is_err() {
            self.scopes.stays(&slot);
            return Err(self.stopped());
        }
        Ok(true)
    }

    /// Takes the process loop out to be run, with the scopes that it knows; an informer runs once.
    pub(crate) fn start(&self) -> Result<(Box<ProcessLoop>, Inbox, Slots), InformerError> {
        let mut lifecycle = self.lifecycle.lock();
        if !matches!(&*lifecycle, Lifecycle::Idle(_)) {
            return Err(InformerError::already_started(&self.kind));
        }
        let (sender, receiver) = mpsc::unbounded_channel();
        let before = std::mem::replace(&mut *lifecycle, Lifecycle::Running(sender));
        let scopes = self.scopes.now();
        drop(lifecycle);
        self.state.send_modify(|state| state.started = true);
        match before {
            Lifecycle::Idle(process_loop) => Ok((process_loop, Inbox::new(receiver), scopes)),
            Lifecycle::Running(_) | Lifecycle::Stopped => Err(InformerError::already_started(&self.kind)),
        }
    }

    /// From here on no handler can be added.
    pub(crate) fn end(&self) {
        let before = std::mem::replace(&mut *self.lifecycle.lock(), Lifecycle::Stopped);
        self.ingest.origin().ended.store(true, Ordering::Relaxed);
        // Drops the commands that have not been carried out, and with them values of the user, so no lock may be held.
        drop(before);
        self.tell_stopped();
    }

    fn tell_stopped(&self) {
        self.queue.close();
        for slot in self.scopes.now().iter() {
            slot.status.enter(Phase::Stopped, Instant::now());
        }
        self.state.send_modify(|state| state.stopped = true);
        self.waiters.wake_all();
        self.over.send_replace(true);
    }

    /// Ends an informer that was never started, and all waits for it; does nothing if the informer was started.
    pub(crate) fn abandon(&self) {
        let mut lifecycle = self.lifecycle.lock();
        let Lifecycle::Idle(process_loop) = &*lifecycle else { return };
        process_loop.end_listeners(Ending::Closed);
        let before = std::mem::replace(&mut *lifecycle, Lifecycle::Stopped);
        // With the lock held: a concurrent `start` has to find everything stopped.
        self.tell_stopped();
        self.state.send_modify(|state| state.ended = true);
        drop(lifecycle);
        // Drops the handlers, and with them values of the user, so no lock may be held.
        drop(before);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.state.borrow().stopped
    }
}

/// A job for the writer of the store.
pub(crate) type StoreJob = Box<dyn for<'a> FnOnce(&'a mut Writer, &'a Engine) -> BoxFuture<'a, ()> + Send>;

/// Ends the listeners of an informer that is dropped before it was started.
impl Drop for Engine {
    fn drop(&mut self) {
        if let Lifecycle::Idle(process_loop) = &*self.lifecycle.lock() {
            process_loop.end_listeners(Ending::Closed);
        }
    }
}
