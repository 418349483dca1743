//! What the parts of one informer share: its store, its lifecycle, and the way to reach its writer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::Instant;

use crate::delta::fifo::{Bounds, DeltaFifo};
use crate::handler::builder::Options;
use crate::handler::post::{Ending, Post};
use crate::kind::KindInfo;
use crate::metrics::Metrics;
use crate::object::ingest::Ingest;
use crate::report::Reporter;
use crate::scope::Scope;
use crate::settings::Settings;
use crate::shared::writer::{Command, Inbox, Runner, Writer};
use crate::source::ListWatch;
use crate::status::{Phase, StatusCell};
use crate::store::indexer::Indexer;

/// The shortest resync period; shorter ones count as this.
const MINIMUM_RESYNC: Duration = Duration::from_secs(1);

/// One informer, without the type of its objects.
pub(crate) struct Core {
    pub(crate) kind: KindInfo,
    pub(crate) name: Arc<str>,
    pub(crate) source: Arc<dyn ListWatch>,
    pub(crate) selectors: Selectors,
    pub(crate) metadata_only: AtomicBool,
    pub(crate) scopes: Vec<ScopeSlot>,
    pub(crate) settings: Settings,
    pub(crate) default_resync: Duration,
    pub(crate) reporter: Arc<Reporter>,
    pub(crate) metrics: Metrics,
    pub(crate) ingest: Arc<Ingest>,
    pub(crate) indexer: Arc<Indexer>,
    pub(crate) queue: Arc<DeltaFifo>,
    pub(crate) state: watch::Sender<State>,
    pub(crate) stop: watch::Sender<Option<Stop>>,
    /// Where the reflectors get their chance from; tests seed it.
    pub(crate) random: Mutex<fastrand::Rng>,
    lifecycle: Mutex<Lifecycle>,
    handlers_named: AtomicU64,
}

/// Label and field selector of an informer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Selectors {
    pub(crate) labels: Option<String>,
    pub(crate) fields: Option<String>,
}

/// One part of the cluster that the informer looks at.
pub(crate) struct ScopeSlot {
    pub(crate) scope: Scope,
    pub(crate) status: Arc<StatusCell>,
    /// Rung when the scope is to be listed again.
    pub(crate) refresh: Arc<Notify>,
}

/// How far an informer has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) started: bool,
    pub(crate) stopped: bool,
    /// Its handlers have finished as well, and its future is over.
    pub(crate) ended: bool,
    /// Every scope has been listed once and is in the store.
    pub(crate) synced: bool,
    /// Goes up with every commit.
    pub(crate) commits: u64,
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
    Idle(Box<Writer>),
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

/// All that makes a core, but for what it makes itself.
pub(crate) struct CoreParts {
    pub(crate) kind: KindInfo,
    pub(crate) name: Arc<str>,
    pub(crate) source: Arc<dyn ListWatch>,
    pub(crate) selectors: Selectors,
    pub(crate) metadata_only: bool,
    pub(crate) scopes: Vec<Scope>,
    pub(crate) settings: Settings,
    pub(crate) default_resync: Duration,
    pub(crate) reporter: Arc<Reporter>,
    pub(crate) metrics: Metrics,
    pub(crate) ingest: Arc<Ingest>,
}

impl Core {
    pub(crate) fn new(parts: CoreParts) -> Arc<Self> {
        let CoreParts {
            kind,
            name,
            source,
            selectors,
            metadata_only,
            scopes,
            settings,
            default_resync,
            reporter,
            metrics,
            ingest,
        } = parts;
        let store = crate::store::writer::Writer::new(scopes.clone());
        let indexer = store.indexer().clone();
        let queue = DeltaFifo::new(Bounds { bytes: settings.queue_bytes, entries: settings.queue_entries });
        let slots = scopes
            .into_iter()
            .map(|scope| {
                let status = Arc::new(StatusCell::new(scope.clone(), Instant::now()).with_metrics(&metrics));
                ScopeSlot { scope, status, refresh: Arc::default() }
            })
            .collect();
        Arc::new(Self {
            kind,
            name,
            source,
            selectors,
            metadata_only: AtomicBool::new(metadata_only),
            scopes: slots,
            settings,
            default_resync,
            reporter,
            metrics,
            ingest,
            indexer,
            queue: Arc::new(queue),
            state: watch::Sender::default(),
            stop: watch::Sender::default(),
            random: Mutex::new(fastrand::Rng::new()),
            lifecycle: Mutex::new(Lifecycle::Idle(Box::new(Writer::new(store)))),
            handlers_named: AtomicU64::new(0),
        })
    }

    fn stopped(&self) -> Stopped {
        Stopped { kind: self.kind.clone() }
    }

    /// A mailbox with the handler's options filled in.
    pub(crate) fn post(&self, options: &Options) -> Arc<Post> {
        let number = self.handlers_named.fetch_add(1, Ordering::Relaxed);
        let name = options.name.clone().unwrap_or_else(|| format!("{}-{number}", self.name).into());
        let resync = match options.resync.unwrap_or(self.default_resync) {
            Duration::ZERO => Duration::ZERO,
            period if period < MINIMUM_RESYNC => {
                tracing::warn!(handler = %name, ?period, "resync periods under a second count as a second");
                MINIMUM_RESYNC
            }
            period => period,
        };
        Post::new(name, resync, options.every_event, self.reporter.clone(), &self.metrics)
    }

    /// Adds a handler between two commits, so that it misses nothing and hears nothing twice.
    pub(crate) fn join(&self, post: Arc<Post>, runner: Option<Runner>) -> Result<(), Stopped> {
        self.command(Command::Join { post, runner })
    }

    /// Has something done by the one writer, between two commits.
    pub(crate) fn command(&self, command: Command) -> Result<(), Stopped> {
        match &mut *self.lifecycle.lock() {
            Lifecycle::Idle(writer) => {
                // Nothing is in the store yet, so nothing takes long enough to pause.
                let done = writer.command(command, self).now_or_never();
                debug_assert!(done.is_some(), "a command paused before the informer started");
                Ok(())
            }
            Lifecycle::Running(commands) => {
                if let Command::Join { post, runner: Some(_) } = &command {
                    post.start();
                }
                commands.send(command).map_err(|_| self.stopped())
            }
            Lifecycle::Stopped => Err(self.stopped()),
        }
    }

    /// Takes the writer out to be run; an informer runs once.
    pub(crate) fn start(&self) -> Result<(Box<Writer>, Inbox), AlreadyStarted> {
        let mut lifecycle = self.lifecycle.lock();
        if !matches!(&*lifecycle, Lifecycle::Idle(_)) {
            return Err(AlreadyStarted { kind: self.kind.clone() });
        }
        let (sender, receiver) = mpsc::unbounded_channel();
        let before = std::mem::replace(&mut *lifecycle, Lifecycle::Running(sender));
        drop(lifecycle);
        self.state.send_modify(|state| state.started = true);
        match before {
            Lifecycle::Idle(writer) => Ok((writer, Inbox::new(receiver))),
            Lifecycle::Running(_) | Lifecycle::Stopped => Err(AlreadyStarted { kind: self.kind.clone() }),
        }
    }

    /// From here on no handler can be added.
    pub(crate) fn end(&self) {
        *self.lifecycle.lock() = Lifecycle::Stopped;
        self.tell_stopped();
    }

    fn tell_stopped(&self) {
        self.queue.close();
        for slot in &self.scopes {
            slot.status.enter(Phase::Stopped, Instant::now());
        }
        self.state.send_modify(|state| state.stopped = true);
    }

    /// Ends an informer that was never started, and lets nobody wait for it; does nothing to one that was.
    pub(crate) fn abandon(&self) {
        let mut lifecycle = self.lifecycle.lock();
        let Lifecycle::Idle(writer) = &*lifecycle else { return };
        writer.end_posts(Ending::Closed);
        let before = std::mem::replace(&mut *lifecycle, Lifecycle::Stopped);
        // While nobody can find out that it does not start any more: who does is told that it has stopped.
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
pub(crate) type StoreJob =
    Box<dyn for<'a> FnOnce(&'a mut crate::store::writer::Writer, &'a Core) -> BoxFuture<'a, ()> + Send>;

/// Ends the posts of an informer that is gone before it was started.
impl Drop for Core {
    fn drop(&mut self) {
        if let Lifecycle::Idle(writer) = &*self.lifecycle.lock() {
            writer.end_posts(Ending::Closed);
        }
    }
}
