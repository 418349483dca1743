//! What the parts of one informer share: its store, its lifecycle, and the way to reach its process loop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::Instant;

use crate::delta::fifo::{Bounds, DeltaFifo};
use crate::handler::HandlerStatus;
use crate::handler::builder::HandlerOptions;
use crate::handler::listener::{Ending, Listener};
use crate::handler::mailbox::Mailbox;
use crate::informer::process_loop::{Command, Inbox, ProcessLoop};
use crate::informer::processor::{JoinedListener, Runner};
use crate::informer::scopes::{ScopeSlot, Scopes, Slots};
use crate::informer::waiters::Waiters;
use crate::kind::KindInfo;
use crate::metrics::Metrics;
use crate::object::ingest::Ingest;
use crate::reflector::shared_probe::SharedProbe;
use crate::report::{Failure, Reporter};
use crate::scope::Scope;
use crate::settings::Settings;
use crate::source::ListWatch;
use crate::status::Phase;
use crate::store::indexer::Indexer;
use crate::store::writer::Writer;

/// One informer, without the type of its objects.
pub(crate) struct Engine {
    pub(crate) kind: KindInfo,
    pub(crate) name: Arc<str>,
    pub(crate) source: Arc<dyn ListWatch>,
    pub(crate) shared_probe: Arc<SharedProbe>,
    pub(crate) selectors: Selectors,
    pub(crate) metadata_only: AtomicBool,
    pub(crate) scopes: Scopes,
    pub(crate) settings: Settings,
    pub(crate) default_resync: Duration,
    pub(crate) reporter: Arc<Reporter>,
    pub(crate) metrics: Metrics,
    pub(crate) ingest: Arc<Ingest>,
    pub(crate) indexer: Arc<Indexer>,
    pub(crate) queue: Arc<DeltaFifo>,
    pub(crate) state: watch::Sender<InformerState>,
    pub(crate) stop: watch::Sender<Option<Stop>>,
    /// Callers of `wait_for` and `wait_gone`.
    pub(crate) waiters: Waiters,
    /// Where the reflectors get their chance from; tests seed it.
    pub(crate) random: Mutex<fastrand::Rng>,
    lifecycle: Mutex<Lifecycle>,
    handlers_named: AtomicU64,
    /// All handlers and streams, for the status.
    listeners: Mutex<Vec<Weak<Listener>>>,
    /// Rung by a handler or stream that has heard its last.
    pub(crate) leaving: Arc<Notify>,
}

/// Label and field selector of an informer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Selectors {
    pub(crate) labels: Option<String>,
    pub(crate) fields: Option<String>,
}

impl Selectors {
    /// Whether all objects of a scope are looked at.
    pub(crate) fn is_empty(&self) -> bool {
        [&self.labels, &self.fields].iter().all(|selector| selector.as_deref().is_none_or(str::is_empty))
    }
}

/// How far an informer has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct InformerState {
    pub(crate) started: bool,
    pub(crate) stopped: bool,
    /// Its handlers have finished as well, and its future is over.
    pub(crate) ended: bool,
    /// Every scope that is looked at has been listed and is in the store.
    pub(crate) synced: bool,
}

/// How an informer is to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// What handlers have not heard is discarded.
    Now,
    /// Handlers hear what is in the queue and in their mailboxes, for so long.
    Drain(Duration),
}

enum Lifecycle {
    /// Not started: commands are carried out on the spot.
    Idle(Box<ProcessLoop>),
    Running(mpsc::UnboundedSender<Command>),
    Stopped,
}

/// The informer has stopped; it does not start again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the informer of {kind} has stopped already; build another one")]
pub struct Stopped {
    kind: KindInfo,
}

/// The informer was started before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the informer of {kind} was started before; it runs only once")]
pub struct AlreadyStarted {
    kind: KindInfo,
}

/// Why [`SharedInformer::run`](crate::SharedInformer::run) did not run until it was told to stop.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// It was started before.
    #[error(transparent)]
    AlreadyStarted(#[from] AlreadyStarted),
    /// A part of the informer itself panicked, and it has stopped: what the error callback heard as
    /// [`Cause::Broken`](crate::Cause::Broken). To go on, build another one.
    #[error(transparent)]
    Broken(Failure),
}

/// All that makes an engine, but for what it makes itself.
pub(crate) struct EngineParts {
    pub(crate) kind: KindInfo,
    pub(crate) name: Arc<str>,
    pub(crate) source: Arc<dyn ListWatch>,
    pub(crate) shared_probe: Arc<SharedProbe>,
    pub(crate) selectors: Selectors,
    pub(crate) metadata_only: bool,
    pub(crate) scopes: Vec<Scope>,
    pub(crate) settings: Settings,
    pub(crate) default_resync: Duration,
    pub(crate) reporter: Arc<Reporter>,
    pub(crate) metrics: Metrics,
    pub(crate) ingest: Arc<Ingest>,
}

impl Engine {
    pub(crate) fn new(parts: EngineParts) -> Arc<Self> {
        let EngineParts {
            kind,
            name,
            source,
            shared_probe,
            selectors,
            metadata_only,
            scopes,
            settings,
            default_resync,
            reporter,
            metrics,
            ingest,
        } = parts;
        let mut store = Writer::new();
        let scopes = Scopes::new(scopes, &metrics, &settings);
        for slot in scopes.now().iter() {
            store.add_scope(slot.id, slot.scope.clone());
        }
        let indexer = store.indexer().clone();
        let bounds = Bounds { bytes: settings.queue_bytes, entries: settings.queue_entries };
        let queue = DeltaFifo::new(bounds).with_gauge(metrics.queued());
        Arc::new(Self {
            kind,
            name,
            source,
            shared_probe,
            selectors,
            metadata_only: AtomicBool::new(metadata_only),
            scopes,
            settings,
            default_resync,
            reporter,
            metrics,
            ingest,
            indexer,
            queue: Arc::new(queue),
            state: watch::Sender::default(),
            stop: watch::Sender::default(),
            waiters: Waiters::default(),
            random: Mutex::new(fastrand::Rng::new()),
            lifecycle: Mutex::new(Lifecycle::Idle(Box::new(ProcessLoop::new(store)))),
            handlers_named: AtomicU64::new(0),
            listeners: Mutex::default(),
            leaving: Arc::default(),
        })
    }

    pub(crate) fn stopped(&self) -> Stopped {
        Stopped { kind: self.kind.clone() }
    }

    /// A mailbox with the handler's options filled in.
    pub(crate) fn listener(&self, options: &HandlerOptions) -> Arc<Listener> {
        let number = self.handlers_named.fetch_add(1, Ordering::Relaxed);
        let name = options.name.clone().unwrap_or_else(|| format!("{}-{number}", self.name).into());
        let minimum = self.settings.minimum_resync;
        let resync = match options.resync.unwrap_or(self.default_resync) {
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
        let listener =
            Listener::new(name, resync, self.settings.slow_call, mailbox, self.reporter.clone(), shared);
        let mut listeners = self.listeners.lock();
        if listeners.len() == listeners.capacity() {
            // Before the informer is started nothing else removes those that have left.
            listeners.retain(|listener| listener.strong_count() > 0);
        }
        listeners.push(Arc::downgrade(&listener));
        listener
    }

    /// Removes the handlers and streams that are gone.
    pub(crate) fn forget_listeners(&self) {
        let mut listeners = self.listeners.lock();
        listeners.retain(|listener| listener.strong_count() > 0);
        let room = listeners.len() * 2;
        listeners.shrink_to(room);
    }

    /// How many handlers and streams take memory, those that have left included.
    #[cfg(test)]
    pub(crate) fn listeners_held(&self) -> usize {
        self.listeners.lock().len()
    }

    /// Handlers and streams that have not heard their last.
    pub(crate) fn handlers(&self) -> Vec<HandlerStatus> {
        let listeners = self.listeners.lock().clone();
        listeners.iter().filter_map(|listener| HandlerStatus::of(&*listener.upgrade()?)).collect()
    }

    /// Adds a handler between two commits, so that it misses nothing and hears nothing twice.
    pub(crate) fn join(&self, listener: Arc<Listener>, runner: Option<Runner>) -> Result<(), Stopped> {
        self.command(Command::Join { listener, runner })
    }

    /// Has something done by the process loop, between two commits.
    pub(crate) fn command(&self, command: Command) -> Result<(), Stopped> {
        // What comes back is the user's, and is dropped after the lock.
        let given = self.give(&mut self.lifecycle.lock(), command);
        given.map(drop).map_err(|_refused| self.stopped())
    }

    /// Gives back the handlers that have left meanwhile, or the command if it is refused.
    fn give(&self, lifecycle: &mut Lifecycle, command: Command) -> Result<Vec<JoinedListener>, Command> {
        match lifecycle {
            Lifecycle::Idle(process_loop) => {
                // Nothing is in the store yet, so nothing takes long enough to pause.
                let done = process_loop.command(command, self).now_or_never();
                debug_assert!(done.is_some(), "a command paused before the informer started");
                Ok(process_loop.take_left())
            }
            Lifecycle::Running(commands) => {
                if let Command::Join { listener, runner: Some(_) } = &command {
                    listener.start();
                }
                commands.send(command).map(|()| Vec::new()).map_err(|refused| refused.0)
            }
            Lifecycle::Stopped => Err(command),
        }
    }

    /// Looks at one more scope, or gives the slot that it has already. The lock makes it one step: scopes change in the order
    /// in which the process loop hears of it, and a start sees either all of a change or nothing.
    pub(crate) fn add_scope(&self, scope: Scope) -> Result<Arc<ScopeSlot>, Stopped> {
        // Made before the lock is taken, because it registers metrics, and the recorder is not ours.
        let slot = self.scopes.new_slot(scope, &self.metrics, &self.settings);
        let mut lifecycle = self.lifecycle.lock();
        if let Some(there) = self.scopes.find(&slot.scope) {
            return if matches!(*lifecycle, Lifecycle::Stopped) { Err(self.stopped()) } else { Ok(there) };
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
        Ok(slot)
    }

    /// Stops to look at a scope; `None` if it is not looked at.
    pub(crate) fn remove_scope(&self, scope: &Scope) -> Result<Option<Arc<ScopeSlot>>, Stopped> {
        let mut lifecycle = self.lifecycle.lock();
        if matches!(*lifecycle, Lifecycle::Stopped) {
            return Err(self.stopped());
        }
        let Some(slot) = self.scopes.take(scope) else { return Ok(None) };
        if self.give(&mut lifecycle, Command::RemoveScope(slot.clone())).is_err() {
            self.scopes.put(&slot);
            return Err(self.stopped());
        }
        Ok(Some(slot))
    }

    /// Takes the process loop out to be run, with the scopes that it knows; an informer runs once.
    pub(crate) fn start(&self) -> Result<(Box<ProcessLoop>, Inbox, Slots), AlreadyStarted> {
        let mut lifecycle = self.lifecycle.lock();
        if !matches!(&*lifecycle, Lifecycle::Idle(_)) {
            return Err(AlreadyStarted { kind: self.kind.clone() });
        }
        let (sender, receiver) = mpsc::unbounded_channel();
        let before = std::mem::replace(&mut *lifecycle, Lifecycle::Running(sender));
        let scopes = self.scopes.now();
        drop(lifecycle);
        self.state.send_modify(|state| state.started = true);
        match before {
            Lifecycle::Idle(process_loop) => Ok((process_loop, Inbox::new(receiver), scopes)),
            Lifecycle::Running(_) | Lifecycle::Stopped => Err(AlreadyStarted { kind: self.kind.clone() }),
        }
    }

    /// From here on no handler can be added.
    pub(crate) fn end(&self) {
        let before = std::mem::replace(&mut *self.lifecycle.lock(), Lifecycle::Stopped);
        // Commands that were on their way go with it, and what they hold is not ours.
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
    }

    /// Ends an informer that was never started, and all waits for it; does nothing to one that was started.
    pub(crate) fn abandon(&self) {
        let mut lifecycle = self.lifecycle.lock();
        let Lifecycle::Idle(process_loop) = &*lifecycle else { return };
        process_loop.end_listeners(Ending::Closed);
        let before = std::mem::replace(&mut *lifecycle, Lifecycle::Stopped);
        // With the lock held: a `start` that comes now has to find everything stopped.
        self.tell_stopped();
        self.state.send_modify(|state| state.ended = true);
        drop(lifecycle);
        // Handlers go with it, and what they hold is not ours.
        drop(before);
    }

    /// Has whole objects sent instead of their metadata. Only before the informer is started.
    pub(crate) fn take_whole_objects(&self) {
        self.metadata_only.store(false, Ordering::Relaxed);
        self.ingest.take_whole_objects();
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.state.borrow().stopped
    }
}

/// A job for the writer of the store.
pub(crate) type StoreJob = Box<dyn for<'a> FnOnce(&'a mut Writer, &'a Engine) -> BoxFuture<'a, ()> + Send>;

/// Ends the listeners of an informer that is gone before it was started.
impl Drop for Engine {
    fn drop(&mut self) {
        if let Lifecycle::Idle(process_loop) = &*self.lifecycle.lock() {
            process_loop.end_listeners(Ending::Closed);
        }
    }
}
