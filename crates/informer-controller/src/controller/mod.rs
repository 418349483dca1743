//! Controllers: what events make of keys, and workers of keys.

mod ctx;
mod end;
mod error;
mod finalizer;
mod meter;
mod name;
mod source;
mod worker;

use std::fmt;
use std::future::Future;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all, select_all};
use kube_client::Client;
use kube_informer::status::Patience;
use kube_informer::{Object, ObjectKey, SharedInformer};
use parking_lot::Mutex;
use tokio::task::JoinSet;
use tokio::time::Instant;

pub use self::ctx::{Ctx, Next};
use self::end::{Aside, End, Registered};
pub use self::error::{ControllerError, ReconcileError};
use self::finalizer::Finalizer;
use self::meter::Meter;
use self::name::Name;
use self::source::{Keys, Main, Other, Owned, Owners, Read, Watched};
use crate::election::Leadership;
use crate::queue::{QueueOptions, QueueStatus, RateLimit, WorkQueue};
use crate::recorder::EventRecorder;
use crate::writes::{Echoes, Tracker};

/// How many workers there are if nothing else is said.
const WORKERS: usize = 8;
/// How long what was begun may take when the controller ends. With the next one it is well within what an election waits for.
const DRAIN: Duration = Duration::from_secs(20);
/// How long an object waits for its own writes to come to the caches.
const OWN_WRITES: Duration = Duration::from_secs(30);
/// How often it is said that an informer has not synced yet.
const PATIENCE: Duration = Duration::from_secs(30);

/// Calls a function for every object of a kind that something happened to.
///
/// ```
/// # use std::time::Duration;
/// # use embedded_apiserver::EmbeddedApiserver;
/// use informer_controller::{Controller, Ctx, Next, ReconcileError};
/// use k8s_openapi::api::apps::v1::ReplicaSet;
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::SharedInformerFactory;
///
/// async fn reconcile(ctx: Ctx<ReplicaSet>) -> Result<Next, ReconcileError> {
///     let Some(set) = ctx.object() else { return Ok(Next::Done) };
///     let wanted = set.get()?.spec.replicas.unwrap_or(1);
///     println!("{}: {} of {wanted} pods", ctx.key(), ctx.owned::<Pod>().len());
///     Ok(Next::Done)
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (server, shutdown) = (EmbeddedApiserver::new(), async {});
/// let factory = SharedInformerFactory::builder(server.client()).build()?;
/// let controller = Controller::new("replicaset", factory.apps().v1().replica_sets().informer())
///     .owns(factory.core().v1().pods().informer())
///     .reconcile(reconcile);
/// factory.start();
/// controller.run(shutdown).await?;
/// # Ok(())
/// # }
/// ```
///
/// - It begins when all of its informers **and their handlers** have been told of everything.
/// - A key has one worker at a time, and what happens meanwhile leads to one more run. See [`queue`](crate::queue) for order,
///   priorities and retries. What was there at the start, and resyncs, come behind what happens.
/// - `Err` means again after a wait that doubles with every failure in a row, except for
///   [`ReconcileError::terminal`]. A panic, and a run that takes longer than the [`timeout`](Self::timeout), are failures.
/// - A deleted object is reconciled once more: [`Ctx::object`] is `None` then, and [`Ctx::last`] its last state. What was deleted
///   while the controller did not run is not: see [`finalizer`](Self::finalizer).
/// - An object is not reconciled before the caches have seen what its last run [wrote](crate::writes), and not because of what its own
///   runs wrote. A run that is to go on after its write says [`Next::After`].
/// - When `shutdown` is ready, what is due is still reconciled, for at most [`drain`](Self::drain), except what waits for
///   its own writes.
///
/// Several controllers can share the informers of one factory.
#[must_use = "nothing happens until it runs"]
pub struct Controller<K> {
    name: Arc<str>,
    informer: SharedInformer<K>,
    owners: Arc<Owners<K>>,
    watched: Vec<Box<dyn Watched>>,
    owned: Vec<Box<dyn Owned>>,
    only_if: Option<Arc<Filter<K>>>,
    queue: QueueOptions,
    workers: usize,
    timeout: Option<Duration>,
    drain: Patience,
    client: Option<Client>,
    leadership: Option<Leadership>,
    patience: Patience,
    recorder: Option<EventRecorder>,
    finalizer: Option<Finalizer<K>>,
    reconcile: Option<Arc<Reconcile<K>>>,
    /// The queue, once it runs.
    running: Arc<OnceLock<WorkQueue<ObjectKey>>>,
}

type Filter<K> = dyn Fn(&Object<K>, &Object<K>) -> bool + Send + Sync;
type Reconcile<K> = dyn Fn(Ctx<K>) -> BoxFuture<'static, Result<Next, ReconcileError>> + Send + Sync;

impl<K: Send + Sync + 'static> Controller<K> {
    /// A controller for the objects of an informer. The name is for metrics and logs. Of several that run in one process under one
    /// name, the second is told so, and is called `name#2` in metrics.
    pub fn new(name: impl Into<Arc<str>>, informer: SharedInformer<K>) -> Self {
        Self {
            name: name.into(),
            owners: Arc::new(Owners::new(informer.clone())),
            informer,
            watched: Vec::new(),
            owned: Vec::new(),
            only_if: None,
            queue: QueueOptions::default(),
            workers: WORKERS,
            timeout: None,
            drain: DRAIN.into(),
            client: None,
            leadership: None,
            patience: OWN_WRITES.into(),
            recorder: None,
            finalizer: None,
            reconcile: None,
            running: Arc::default(),
        }
    }

    /// Also reconciles an object when something happens to one that it is the controller of: the owner with `controller: true`,
    /// by group and kind whatever the version, and by its uid. Where an owner changes, the old and the new one are reconciled.
    ///
    /// [`Ctx::owned`] finds the objects of an owner through an index, which is made for it.
    pub fn owns<C: Send + Sync + 'static>(mut self, children: SharedInformer<C>) -> Self {
        self.owned.push(source::owned(&children));
        let owners = self.owners.clone();
        self.watched.push(Box::new(Other::new(
            children,
            move |child: &Object<C>, keys: &mut Vec<ObjectKey>| {
                keys.extend(owners.controller_of(child));
            },
        )));
        self
    }

    /// Also reconciles what a function says when something happens to an object of another informer. It is called for the
    /// old and the new state.
    pub fn watches<O: Send + Sync + 'static>(
        mut self,
        others: SharedInformer<O>,
        keys_of: impl Fn(&Object<O>, &mut Vec<ObjectKey>) + Send + Sync + 'static,
    ) -> Self {
        self.watched.push(Box::new(Other::new(others, keys_of)));
        self
    }

    /// Waits for another informer as for its own, and reconciles nothing for it: for one that the function only reads from, or
    /// writes to. If it has the same resource as another one of the controller, each knows what is [written](crate::writes)
    /// through the other one.
    pub fn reads<O: Send + Sync + 'static>(mut self, others: SharedInformer<O>) -> Self {
        self.watched.push(Box::new(Read(others)));
        self
    }

    /// Reconciles after an update only if this is so of the old and the new state. Objects that are new or deleted are
    /// always reconciled, and what others trigger too.
    pub fn only_if(
        mut self,
        changed: impl Fn(&Object<K>, &Object<K>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.only_if = Some(Arc::new(changed));
        self
    }

    /// How many objects are reconciled at the same time. The default is 8.
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = workers.max(1);
        self
    }

    /// The least time between two runs of the same object, whatever triggers them. The default is none.
    pub fn min_interval(mut self, interval: Duration) -> Self {
        self.queue.min_interval = interval;
        self
    }

    /// How long an object waits after a failure.
    pub fn rate_limit(mut self, limit: RateLimit) -> Self {
        self.queue.rate_limit = limit;
        self
    }

    /// How long one run may take; then it is dropped and counts as failed. The default is as long as it takes.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// How long what is due and what is running may take at the end. The default is 20 s.
    pub fn drain(mut self, patience: impl Into<Patience>) -> Self {
        self.drain = patience.into();
        self
    }

    /// What [`Ctx::objects`] writes with, instead of the connections of each informer: for other rights than theirs, or for
    /// informers that have no API server. All informers are of one cluster then.
    pub fn client(mut self, client: Client) -> Self {
        self.client = Some(client);
        self
    }

    /// How long an object waits for the caches to see what was [written](crate::writes) for it. Then it is reconciled anyway.
    /// The default is 30 s.
    pub fn patience(mut self, patience: impl Into<Patience>) -> Self {
        self.patience = patience.into();
        self
    }

    /// What [`Ctx::event`] tells. What was told is written before [`run`](Self::run) ends, if the server takes it within 5 s.
    pub fn recorder(mut self, recorder: EventRecorder) -> Self {
        self.recorder = Some(recorder);
        self
    }

    /// Holds every object by this finalizer, `example.com/cleanup`, from before it is first reconciled. When its deletion is asked
    /// for, `cleanup` is called instead of the other function, again and again until it says [`Next::Done`]; then the object is
    /// let go.
    ///
    /// An object that is being deleted and not held by this finalizer is not reconciled until it is gone.
    pub fn finalizer<F, R>(mut self, name: impl Into<Arc<str>>, cleanup: F) -> Self
    where
        F: Fn(Ctx<K>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Next, ReconcileError>> + Send + 'static,
    {
        let cleanup: Arc<Reconcile<K>> = Arc::new(move |ctx| cleanup(ctx).boxed());
        self.finalizer = Some(Finalizer { name: name.into(), cleanup });
        self
    }

    /// A function that says how the queue of this controller is, to be called while the controller runs; `None` before.
    ///
    /// With it the page of `informer-endpoint` shows the controller:
    ///
    /// ```
    /// use informer_endpoint::Endpoint;
    /// # use informer_controller::{Controller, Next};
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use kube_informer::testing::ScriptedSource;
    /// # use kube_informer::SharedInformer;
    /// # let informer = SharedInformer::<ConfigMap>::builder(ScriptedSource::of::<ConfigMap>()).build()?;
    /// # let statuses = { let informer = informer.clone(); move || vec![informer.status()] };
    /// let controller = Controller::new("replicaset", informer).reconcile(|_| async { Ok(Next::Done) });
    /// let endpoint = Endpoint::new(statuses).queues(controller.queue_status());
    /// # Ok::<(), kube_informer::error::BuildError>(())
    /// ```
    ///
    /// Of two controllers it is `move || [first(), second()].into_iter().flatten()`.
    pub fn queue_status(&self) -> impl Fn() -> Option<QueueStatus> + Clone + Send + Sync + 'static + use<K> {
        let running = self.running.clone();
        move || running.get().map(WorkQueue::status)
    }

    /// The function that is called.
    pub fn reconcile<F, R>(mut self, function: F) -> Self
    where
        F: Fn(Ctx<K>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Next, ReconcileError>> + Send + 'static,
    {
        self.reconcile = Some(Arc::new(move |ctx| function(ctx).boxed()));
        self
    }

    /// Reconciles as the leader, until the leadership is over or is to end: what [`Election::run`](crate::Election::run) is given.
    ///
    /// It begins when the caches have everything that was written before the Lease was won: those of its own objects, and of what it
    /// [owns](Self::owns), [watches](Self::watches) and [reads](Self::reads). When the leadership is over, what runs is dropped where
    /// it is, nothing more is reconciled, and [`Ctx::objects`] writes nothing. When it is only to end, what runs is finished and
    /// what waits is left to the next leader.
    pub async fn run_as(mut self, leadership: Leadership) -> Result<(), ControllerError> {
        let ended = leadership.ended();
        self.leadership = Some(leadership);
        self.run(ended).await
    }

    /// Reconciles until `shutdown` is ready. An error says that it did not begin, or did not end in time. When it returns, nothing that
    /// was given to it is called any more, except a function that blocks its thread for longer than [`drain`](Self::drain): what that
    /// one is about to write is refused.
    ///
    /// What others wrote before it began, also an earlier run of the same program, it knows as far as the caches do; only
    /// [`run_as`](Self::run_as) waits for that.
    pub async fn run(mut self, shutdown: impl Future<Output = ()>) -> Result<(), ControllerError> {
        let reconcile = self.function()?;
        let name = Name::take(&self.name);
        let queue = WorkQueue::new(&name.label(), self.queue.clone());
        // It runs once, so nothing is there yet.
        self.running.set(queue.clone()).ok();
        let deleted = self.owners.deleted.clone();
        let main = Main::new(self.informer.clone(), self.only_if.take(), deleted.clone());
        self.watched.insert(0, Box::new(main));
        let informers: Vec<_> = self.watched.iter().map(|watched| watched.informer()).collect();
        let echoes = Echoes::new({
            let queue = queue.clone();
            move |key| queue.add_with_priority(key, source::NEWS)
        });
        let mut registered = Registered { handlers: Vec::new(), echoes: echoes.clone() };
        let into = Keys {
            controller: self.name.clone(),
            queue: queue.clone(),
            behind: Arc::default(),
            echoes: echoes.clone(),
            events: source::EVENTS,
        };
        let mut shutdown = std::pin::pin!(shutdown);
        let begin = async {
            for watched in &self.watched {
                registered.handlers.extend(watched.register(&into)?);
            }
            self.synced(&informers, &registered).await?;
            self.caught_up(&informers).await;
            Ok::<_, ControllerError>(true)
        };
        let has_begun = tokio::select! {
            has_begun = begin => has_begun,
            () = &mut shutdown => Ok(false),
        };
        if !matches!(has_begun, Ok(true)) {
            registered.end(self.drain).await;
            return has_begun.map(drop);
        }

        let meter = Meter::new(&name.label(), self.workers);
        let tracker = Tracker::with(echoes, meter.hidden());
        source::know(&tracker, &informers, &self.owned, self.client.as_ref());
        let shared = Arc::new(worker::Shared {
            name: self.name.clone(),
            informer: self.informer.clone(),
            informers: informers.clone(),
            owned: self.owned,
            deleted,
            queue: queue.clone(),
            reconcile,
            timeout: self.timeout,
            client: self.client,
            leadership: self.leadership,
            tracker,
            patience: self.patience,
            recorder: self.recorder,
            aside: Mutex::new(Some(JoinSet::new())),
            meter,
        });
        // Also if this future is dropped: what waits aside holds what holds it.
        let _aside = Aside(&shared);
        let mut workers = shared.start(self.workers);
        let stopped = select_all(informers.iter().map(|informer| source::stopped(informer).boxed()));
        let stopped = tokio::select! {
            biased;
            () = shutdown => None,
            (informer, ..) = stopped => {
                tracing::warn!(controller = &*self.name, informer, "ends: an informer that it needs has stopped");
                Some(informer)
            }
            () = into.behind.watch(&registered.handlers, &self.informer, &into) => None,
        };
        let begin = Instant::now();
        let end = shared.drain(&mut workers, &registered, self.drain).await;
        match (end, stopped) {
            (End::TooLate, _) => {
                let time = self.drain.limit().unwrap_or_else(|| begin.elapsed());
                Err(ControllerError::NotDrained { name: self.name, time })
            }
            (End::Drained, Some(informer)) => Err(ControllerError::Stopped { name: self.name, informer }),
            // That the leadership is lost, the election says.
            (End::LeadershipLost, _) | (End::Drained, None) => Ok(()),
        }
    }

    /// What is called, with what the finalizer adds to it.
    fn function(&mut self) -> Result<Arc<Reconcile<K>>, ControllerError> {
        let Some(reconcile) = self.reconcile.take() else {
            return Err(ControllerError::NoFunction { name: self.name.clone() });
        };
        let Some(finalizer) = self.finalizer.take() else { return Ok(reconcile) };
        if self.client.is_none() && self.informer.client().is_none() {
            return Err(ControllerError::NoClient { name: self.name.clone() });
        }
        self.only_if = self.only_if.take().map(Finalizer::filter);
        Ok(finalizer.wrap(reconcile))
    }

    /// Waits until the caches of a leader have what its predecessor wrote.
    async fn caught_up(&self, informers: &[SharedInformer<()>]) {
        let Some(leadership) = &self.leadership else { return };
        let client = self.client.as_ref().unwrap_or(leadership.client());
        join_all(informers.iter().map(|informer| source::caught_up(informer, client))).await;
    }

    /// Waits until all informers have synced, all handlers have been told of everything and all indexes are made, and says what it
    /// waits for.
    async fn synced(
        &self,
        informers: &[SharedInformer<()>],
        registered: &Registered,
    ) -> Result<(), ControllerError> {
        let stopped = |informer: String| ControllerError::Stopped { name: self.name.clone(), informer };
        for informer in informers {
            while let Err(error) = informer.wait_synced(PATIENCE).await {
                if informer.is_stopped() {
                    return Err(stopped(informer.name().to_owned()));
                }
                tracing::warn!(controller = &*self.name, %error, "waits for an informer; has its factory been started?");
            }
        }
        for registration in &registered.handlers {
            while let Err(error) = registration.wait_synced(PATIENCE).await {
                if let Some(informer) = informers.iter().find(|informer| informer.is_stopped()) {
                    return Err(stopped(informer.name().to_owned()));
                }
                tracing::warn!(controller = &*self.name, %error, "waits for its handler to be told of everything");
            }
        }
        for owned in &self.owned {
            while let Err(error) = owned.wait_ready(PATIENCE.into()).await {
                if !error.is_timeout() {
                    return Err(error.into());
                }
                tracing::warn!(controller = &*self.name, %error, "waits for the index by owner");
            }
        }
        Ok(())
    }
}

impl<K> fmt::Debug for Controller<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Controller").field("name", &self.name).finish_non_exhaustive()
    }
}
