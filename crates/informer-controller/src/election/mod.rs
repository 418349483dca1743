//! Elections: of several replicas of a program one works, and when it ends or fails another one takes over.
//!
//! They agree through a Lease, as programs on client-go do, and can be mixed with these. What is done differently:
//!
//! - **A leadership is valid for the renew deadline (10 s) from when its last renewal was *sent***, on a clock that counts the time
//!   that the machine was suspended. The others wait for the lease duration (15 s) from when they last *saw* a renewal. Nobody reads
//!   the times in the Lease, so wrong dates do no harm; clocks may differ in speed by as much as these two differ.
//! - **Every tracked write asks** whether the leadership is valid before it is sent, and is not waited for once it is over.
//! - **Stop, drain, release**, in this order: the Lease is released after the work has ended and said so. What does not end in time
//!   is dropped, and the Lease expires.
//! - **The Lease is watched**, so a released one is taken over in milliseconds. Without the right to watch it is asked for every four
//!   seconds.
//! - **A new leader reconciles nothing until its caches have caught up** with the server as of after the Lease was won: what its
//!   predecessor wrote is as binding as its own.
//!
//! Whoever deletes the Lease ends the leadership; who has seen its holder waits as long as if it were there.
//!
//! # What this leaves open
//!
//! A write asks whether the leadership is valid before it is given to the client, and with
//! [`SharedInformerFactory::client`](kube_informer::SharedInformerFactory::client) once more right before the connection writes it
//! ([`SendIf`](kube_informer::source::SendIf)). A process that is stopped just then (SIGSTOP, a paused virtual machine) still sends
//! it when it goes on, and a network can keep a request for as long as it likes. No check on the side of the client closes that.
//! [`Leadership::confirm`] before an act that cannot be undone leaves the whole renew deadline for that act, so only a pause longer
//! than that does harm. What closes it is fencing at the target: Kubernetes does it for updates with a `resourceVersion` and
//! deletes with a uid, and a store of your own can refuse what comes with a lower [`Leadership::term`] than it has seen.
//!
//! A leader that ended in order leaves nothing behind that could come late: it has had the answers to all that it sent. Of one that
//! was killed or cut off from the server there is at most what it had given to its kernel before. Over a network that works that
//! arrives in milliseconds, long before anybody else may lead. A network that comes back after the lease duration can still
//! deliver it, as the kernel goes on trying for minutes; that is the case of the network that keeps a request, and fencing at the
//! target closes it.
//!
//! [Events](crate::recorder) are not fenced: they tell what a leader has done, and are written also after it has ended.

mod clock;
mod core;
mod error;
mod keeper;
mod leadership;
mod lease;
mod meter;
mod status;
mod timing;

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use futures::stream::{BoxStream, StreamExt as _};
use k8s_openapi::api::coordination::v1::Lease as LeaseObject;
use kube_client::Client;
use kube_informer::{Event as Change, SharedInformerFactory};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

pub use self::clock::{BootClock, Clock, TokioClock};
use self::core::{Core, Event, Record};
pub use self::error::{ElectionError, NotLeaderError};
use self::keeper::Keeper;
pub use self::leadership::Leadership;
use self::leadership::{Closing, Command, Shared, State};
use self::lease::Lease;
use self::meter::Meter;
use self::status::Running;
pub use self::status::{ElectionStatus, Led};
use self::timing::Timing;

/// How long the work may take to end. Controllers have a shorter time of their own.
const DRAIN: Duration = Duration::from_secs(60);

/// An election, on a Lease.
///
/// ```
/// # use embedded_apiserver::EmbeddedApiserver;
/// use informer_controller::{Controller, Ctx, Election, Next, ReconcileError};
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_informer::SharedInformerFactory;
///
/// async fn reconcile(ctx: Ctx<ConfigMap>) -> Result<Next, ReconcileError> {
///     println!("{}", ctx.key());
///     Ok(Next::Done)
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (server, shutdown) = (EmbeddedApiserver::new(), async {});
/// let factory = SharedInformerFactory::builder(server.client()).build()?;
/// let client = factory.client().ok_or("there is no cluster")?;
/// let controller = Controller::new("maps", factory.core().v1().config_maps().informer())
///     .reconcile(reconcile);
/// factory.start(); // On every replica: the one that takes over has its caches already.
/// Election::new(client, "kube-system", "maps")
///     .run(shutdown, |leadership| controller.run_as(leadership))
///     .await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing happens until it runs"]
pub struct Election {
    client: Client,
    namespace: String,
    name: String,
    identity: String,
    timing: Timing,
    drain: Duration,
    clock: Arc<dyn Clock>,
    running: Running,
}

impl Election {
    /// An election on the Lease of this name, which is created if there is none.
    pub fn new(client: Client, namespace: impl Into<String>, name: impl Into<String>) -> Self {
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let host = host.trim();
        Self {
            client,
            namespace: namespace.into(),
            name: name.into(),
            identity: if host.is_empty() { "replica".to_owned() } else { host.to_owned() },
            timing: Timing::default(),
            drain: DRAIN,
            clock: Arc::new(BootClock),
            running: Running::default(),
        }
    }

    /// What this replica is called in the Lease, followed by something random: no two processes must have the same identity, not
    /// even one after the other. The default is the name of the host, which is that of the pod.
    pub fn identity(mut self, identity: impl Into<String>) -> Self {
        self.identity = identity.into();
        self
    }

    /// How long others wait after the last renewal that they saw. The default is 15 s.
    pub fn lease_duration(mut self, duration: Duration) -> Self {
        self.timing.lease_duration = duration;
        self
    }

    /// How long a leadership is valid after its last renewal was sent. The default is 10 s.
    pub fn renew_deadline(mut self, deadline: Duration) -> Self {
        self.timing.renew_deadline = deadline;
        self
    }

    /// How often the Lease is renewed. The default is 2 s.
    pub fn retry_period(mut self, period: Duration) -> Self {
        self.timing.retry_period = period;
        self
    }

    /// How long the work may take to end after it was told to. The default is 60 s.
    ///
    /// There is always a limit, and no [`Patience`](kube_informer::status::Patience): the Lease is renewed until the work has
    /// ended, so that nobody else begins meanwhile. Work that hangs would keep all others from leading for ever.
    pub fn drain(mut self, time: Duration) -> Self {
        self.drain = time;
        self
    }

    /// The clock. On tokio's paused time take [`TokioClock`].
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// A function that says how this election is, also while it [runs](Self::run).
    pub fn status(&self) -> impl Fn() -> ElectionStatus + Clone + Send + Sync + 'static + use<> {
        let running = self.running.clone();
        move || running.status()
    }

    /// Waits for the leadership, works, and gives it back: once. `None` if `shutdown` was ready before the Lease was won; then the
    /// work is never begun.
    ///
    /// When `shutdown` is ready, [`Leadership::ended`] is, and the Lease is renewed until the work has ended. Then it is released;
    /// [`Led`] says whether that was so. It is not if the work failed, did not end in time, or the leadership was lost. After an error a program had better end, as
    /// one on client-go would: something of its work may still be under way.
    pub async fn run<F, W, T, E>(
        self,
        shutdown: impl Future<Output = ()>,
        work: F,
    ) -> Result<Option<Led<T>>, ElectionError>
    where
        F: FnOnce(Leadership) -> W,
        W: Future<Output = Result<T, E>>,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        self.timing.check()?;
        let drain = self.drain;
        let (shared, mut keeper) = self.start()?;
        // Whoever drops this future, or panics in it, leads no more.
        let _closing = Closing(shared.clone());
        let mut shutdown = pin!(shutdown);
        let begun = shared.until(|state| state.term.is_some() || state.is_over);
        tokio::select! {
            biased;
            () = &mut shutdown => {
                shared.commands.send(Command::GiveUp).ok();
                keeper.join_next().await;
                return Ok(None);
            }
            () = begun => {}
        }
        let lease = shared.lease.clone();
        let state = *shared.state.borrow();
        let term = state.term.unwrap_or_default();
        if state.is_over {
            return Err(ElectionError::Lost { lease, term });
        }

        let leadership = Leadership { term, shared: shared.clone() };
        let lost = leadership.lost();
        let mut work = pin!(work(leadership));
        let result = tokio::select! {
            biased;
            result = &mut work => Some(result),
            () = lost => None,
            () = shutdown => None,
        };
        let result = match result {
            Some(result) => result,
            None => {
                shared.state.send_modify(|state| state.is_stopping = true);
                match timeout(drain, work).await {
                    Ok(result) => result,
                    Err(_) => return Err(ElectionError::NotDrained { lease, time: drain }),
                }
            }
        };
        if shared.is_over() {
            return Err(ElectionError::Lost { lease, term });
        }
        // Only the result of work that has ended well leads to the release.
        match result {
            Ok(result) => {
                shared.commands.send(Command::GiveUp).ok();
                keeper.join_next().await;
                let is_released = shared.state.borrow().is_released;
                if !is_released {
                    tracing::warn!(lease, "the Lease was not released; others wait until it expires");
                }
                Ok(Some(Led { result, is_released }))
            }
            Err(error) => Err(ElectionError::Failed { lease, error: error.into() }),
        }
    }

    /// Starts what asks for the Lease and keeps it. It has a task of its own, so that work that blocks does not keep it from
    /// renewing.
    fn start(self) -> Result<(Arc<Shared>, JoinSet<()>), ElectionError> {
        let (commands, receiver) = mpsc::unbounded_channel();
        let identity = format!("{}_{:016x}", self.identity, fastrand::u64(..));
        let factory = SharedInformerFactory::builder(self.client.clone())
            .namespace(&*self.namespace)
            .fields(format!("metadata.name={}", self.name))
            .build()?;
        let core = Core::new(identity.clone(), self.timing, fastrand::u64(..), self.clock.now());
        let trouble = Arc::default();
        let lease = Lease {
            trouble: Arc::clone(&trouble),
            client: self.client.clone(),
            namespace: self.namespace,
            name: self.name,
            identity,
            timing: self.timing,
        };
        let shared = Arc::new(Shared {
            meter: Meter::new(&lease.name),
            lease: lease.full_name(),
            client: self.client,
            clock: self.clock,
            state: watch::Sender::new(State::default()),
            commands,
            sent: AtomicU64::new(0),
            trouble,
        });
        self.running.begun(&shared);
        let seen = seen(&factory);
        let keeper = Keeper { core, lease, shared: shared.clone(), commands: receiver, seen };
        let mut task = JoinSet::new();
        task.spawn(async move {
            factory.start();
            keeper.keep().await;
            factory.shutdown().await;
        });
        Ok((shared, task))
    }
}

/// What the watch shows of the Lease.
fn seen(factory: &SharedInformerFactory) -> BoxStream<'static, Event> {
    // Whoever cannot watch still asks from time to time.
    let Ok(changes) = factory.kind::<LeaseObject>().informer().stream() else {
        return futures::stream::pending().boxed();
    };
    let seen = changes.filter_map(|change| async move {
        match change {
            Change::Added { object, .. } | Change::Updated { new: object, .. } => {
                let lease = serde_json::from_slice(&object.raw_json()).ok()?;
                Some(Event::Watched(Some(Record::of(lease))))
            }
            Change::Deleted { .. } => Some(Event::Watched(None)),
            _ => None,
        }
    });
    seen.chain(futures::stream::pending()).boxed()
}

impl fmt::Debug for Election {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Election")
            .field("lease", &format_args!("{}/{}", self.namespace, self.name))
            .field("timing", &self.timing)
            .finish_non_exhaustive()
    }
}
