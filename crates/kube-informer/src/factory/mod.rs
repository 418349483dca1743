//! The factory holds the informers of a program, one per kind, and starts, awaits and stops them together.

mod access;
mod builder;
mod discovery;
pub mod generated;
mod lease;
mod registry;
mod request;
mod running;
mod sync;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, Weak};

use futures::future::join_all;
use informer_core::object::decoded::decoder;
use kube_client::Client;
use kube_core::DynamicObject;
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use tokio::runtime::Handle;
use tokio::sync::Notify;

pub use access::Access;
pub use builder::FactoryBuilder;
pub use lease::Lease;

use self::discovery::Discovery;
use self::registry::{Claim, Registry};
use self::request::{Defaults, Named, Request, Slot};
use self::running::{Ended, Turns};
use crate::error::BuildError;
use crate::informer::{InformerBuilder, SharedInformer};
use crate::kind::{IntoKind, Kind, KindInfo};
use crate::source::{Cluster, Sources};
use crate::status::{InformerStatus, Patience};

/// The informers of a program: each kind is watched and cached once, however many parts of the program use it, and with
/// whichever Rust type.
///
/// Cheap to clone. When the last clone is dropped, all informers that the factory runs end at once;
/// [`shutdown`](Self::shutdown) ends them gracefully. A handler that holds a clone keeps the factory alive until a
/// shutdown.
///
/// ```no_run
/// use std::time::Duration;
///
/// use k8s_openapi::api::apps::v1::Deployment;
/// use kube_informer::{Cluster, SharedInformerFactory, handler};
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let factory = SharedInformerFactory::builder(Cluster::find().await?).resync(Duration::from_secs(30)).build()?;
///
/// let deployments = factory.kind::<Deployment>();
/// deployments.informer().add_event_handler(
///     handler()
///         .on_add(|d| println!("add a deployment: {}", d.name()))
///         .on_update(|old, new| println!("update deployment: {} {}", old.name(), new.name()))
///         .on_delete(|d| println!("delete a deployment: {}", d.name())),
/// )?;
///
/// factory.start();
/// factory.wait_for_cache_sync(Duration::from_secs(30)).await?;
/// for d in deployments.lister().namespace("default").list() {
///     println!("{} {:?}", d.name(), d.get()?.status);
/// }
/// factory.shutdown().await;
/// # Ok(())
/// # }
/// ```
///
/// # One informer per kind
///
/// All of these are the same informer: `core().v1().pods()`, `kind::<Pod>()`, `kind_of(pods)`, `kind` with a struct of
/// your own that has only some fields of pods, and `metadata()` of any of them if the factory holds whole pods anyway.
/// For other selectors, another transform or other options of the same kind, make another informer with a name:
/// [`Access::named`].
#[derive(Clone)]
pub struct SharedInformerFactory {
    inner: Arc<Inner>,
}

struct Inner {
    defaults: Defaults,
    /// How to build the informer of each kind: first the kinds that have options on the factory's builder, then the
    /// kinds that the program requested later.
    requests: Mutex<Vec<Request>>,
    names: Mutex<Vec<Weak<Named>>>,
    registry: Mutex<Registry>,
    discovery: Discovery,
    turns: Turns,
    drain: Patience,
}

/// Building a factory.
impl SharedInformerFactory {
    /// Begins a factory for a cluster: the result of [`Cluster::find`], a `kube::Config`, or a `kube::Client`. See
    /// [`HttpSource::new`](crate::source::HttpSource::new) for how a configuration is used, and [`Cluster`] for the
    /// disadvantages of passing a client of your own.
    pub fn builder(cluster: impl Into<Cluster>) -> FactoryBuilder {
        FactoryBuilder::for_cluster(cluster.into())
    }

    /// Begins a factory that reads from something other than an API server, such as a
    /// [`ScriptedSource`](crate::testing::ScriptedSource) for each kind.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use std::time::Duration;
    ///
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_informer::kind::KindInfo;
    /// use kube_informer::testing::ScriptedSource;
    /// use kube_informer::SharedInformerFactory;
    /// use serde_json::json;
    ///
    /// let server = ScriptedSource::of::<ConfigMap>();
    /// server.create(&json!({ "metadata": { "namespace": "default", "name": "settings" } }))?;
    ///
    /// let factory = SharedInformerFactory::with_sources(move |_: &KindInfo| server.clone()).build()?;
    /// let maps = factory.kind::<ConfigMap>().lister();
    /// factory.start();
    /// factory.wait_for_cache_sync(Duration::from_secs(5)).await?;
    /// assert_eq!(maps.namespace("default").get("settings")?.name(), "settings");
    /// factory.shutdown().await;
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_sources(sources: impl Sources) -> FactoryBuilder {
        FactoryBuilder::with_sources(sources)
    }

    fn new(defaults: Defaults, declared: Vec<Request>, turns: Turns, drain: Patience) -> Self {
        let inner = Inner {
            defaults,
            requests: Mutex::new(declared),
            names: Mutex::default(),
            registry: Mutex::default(),
            discovery: Discovery::default(),
            turns,
            drain,
        };
        Self { inner: Arc::new(inner) }
    }
}

/// Access to kinds. The methods of [`groups`](crate::groups), such as `factory.core().v1().pods()`, do the same by
/// name.
impl SharedInformerFactory {
    /// A client of the factory's cluster, to write with, and to read what no informer holds. It shares the connections and
    /// the credentials of the informers, and repeats nothing by itself: what fails is told to the caller. `None` if the
    /// factory has [sources](Self::with_sources) in the place of a cluster.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_informer::{Cluster, SharedInformerFactory};
    ///
    /// let factory = SharedInformerFactory::builder(Cluster::find().await?).build()?;
    /// let client = factory.client().ok_or("there is no cluster")?;
    /// let config_maps: kube_client::Api<ConfigMap> = kube_client::Api::default_namespaced(client);
    /// # Ok(())
    /// # }
    /// ```
    pub fn client(&self) -> Option<Client> {
        self.inner.defaults.sources.client()
    }

    /// Access to the kind of a Rust type.
    pub fn kind<K: Kind<Dynamic = ()> + DeserializeOwned>(&self) -> Access<K> {
        Access::new(self.clone(), K::info(&()), true)
    }

    /// Access to a kind that is only known at run time: an `ApiResource`, a `GroupVersionResource` or a [`KindInfo`].
    /// If the kind is also used with a Rust type, both share one informer.
    pub fn kind_of(&self, kind: impl IntoKind) -> Access<DynamicObject> {
        Access::new(self.clone(), kind.into_kind(), false)
    }
}

/// Starting and stopping.
impl SharedInformerFactory {
    /// Starts the informers that have been registered so far, a few at a time so that their lists do not reach the
    /// server all at once.
    ///
    /// Returns at once. Calling it again does nothing: informers that are registered later start by themselves, on the
    /// tokio runtime of the first call. After a shutdown it does nothing either. Once that runtime has shut down, all
    /// informers have stopped, and informers registered later stop at once.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn start(&self) {
        let spawn = Arc::new(Handle::current());
        self.inner.registry(|registry| registry.start(spawn, &self.inner.turns));
    }

    /// The current status of each informer.
    pub fn status(&self) -> Vec<InformerStatus> {
        let informers = self.inner.registry(|registry| registry.informers_and_twins());
        let status = |(informer, twin): (SharedInformer<()>, Option<SharedInformer<()>>)| {
            let also_held_by = twin.map(|twin| twin.name().to_owned());
            InformerStatus { also_held_by, ..informer.status() }
        };
        informers.into_iter().map(status).collect()
    }

    /// Stops all informers for good and waits until they and their handlers have ended. Handlers are called with their
    /// pending events, for at most ten seconds unless [`drain`](FactoryBuilder::drain) sets another time.
    ///
    /// If the factory was started, this also stops informers that the program runs itself with
    /// [`run`](SharedInformer::run). If the factory was never started, or is only dropped, those informers keep
    /// running.
    ///
    /// It may be called concurrently: every call waits for the end, and the timeout of the first call is used. The
    /// caches can be read afterwards. A handler must not await it.
    pub async fn shutdown(&self) {
        self.shutdown_within(self.inner.drain).await;
    }

    /// Like [`shutdown`](Self::shutdown), with another patience for the handlers.
    pub async fn shutdown_within(&self, patience: impl Into<Patience>) {
        let patience = patience.into();
        let ended = self.inner.registry(|registry| registry.close(patience));
        join_all(ended.into_iter().map(Ended::wait)).await;
    }

    /// Stops one informer and waits until it and its handlers have ended. From now on, requesting its kind from the
    /// factory returns a new informer.
    ///
    /// Returns whether the informer belonged to this factory. A handler must not await it.
    pub async fn stop<K: 'static>(&self, informer: &SharedInformer<K>) -> bool {
        let stopped = self.inner.registry(|registry| registry.stop(&informer.as_kind(), self.inner.drain));
        if let Ok(Some(ended)) = &stopped {
            ended.clone().wait().await;
        }
        stopped.is_ok()
    }
}

impl Inner {
    /// How to build the informer of a kind. Sample objects are checked against the type that was set on the factory's
    /// builder, or else against the type of the first request.
    fn request<K: Kind + DeserializeOwned>(&self, kind: &KindInfo) -> Request {
        let slot = Slot::kind::<K>(kind);
        let known = |slot: &Slot| known(&self.requests.lock(), slot, kind);
        if let Some(request) = known(&slot) {
            return request;
        }
        let whole = if slot.metadata { known(&slot.other_face()) } else { None };
        // A tweak is the user's code, so the lock is not held while it runs; if another thread has stored a request for
        // this kind meanwhile, that one is used.
        let blueprint = match whole {
            Some(whole) => whole.blueprint.metadata(),
            None => self.defaults.blueprint::<K>(kind),
        };
        let request = Request { slot, blueprint, named: None };
        let mut requests = self.requests.lock();
        if let Some(first) = self::known(&requests, &request.slot, kind) {
            return first;
        }
        let unsuitable = requests.extract_if(.., |other| other.slot == request.slot).collect::<Vec<_>>();
        requests.push(request.clone());
        drop(requests);
        drop(unsuitable);
        request
    }

    /// Binds a name to a blueprint, or returns an error if the name is bound to another one.
    fn name<K: Kind + DeserializeOwned>(
        &self,
        name: &str,
        kind: &KindInfo,
        set: impl FnOnce(InformerBuilder<K>) -> InformerBuilder<K>,
    ) -> Result<Arc<Named>, BuildError> {
        let blueprint = self.defaults.blueprint_with(kind, set)?;
        let new = Arc::new(Named { name: name.into(), blueprint });
        let mut names = self.names.lock();
        names.retain(|named| named.strong_count() > 0);
        // Dropped after the lock is released: the last reference to a name may drop a transform, which is the user's
        // code.
        let taken: Vec<_> = names.iter().filter_map(Weak::upgrade).collect();
        let Some(holds) = taken.iter().find(|named| *named.name == *name) else {
            names.push(Arc::downgrade(&new));
            drop(names);
            return Ok(new);
        };
        drop(names);
        let differ_in = holds.blueprint.differences(&new.blueprint);
        if differ_in.is_empty() {
            Ok(holds.clone())
        } else {
            Err(BuildError::name_taken(name, &holds.blueprint, &new.blueprint, differ_in))
        }
    }

    /// The informer for a request: an existing one that fits, or a new one.
    fn obtain(&self, request: &Request, kind: &KindInfo, claim: Claim) -> SharedInformer<()> {
        let known = self.registry(|registry| {
            registry.correct_scope(&request.slot, kind);
            registry.find(request, claim).ok_or_else(|| {
                registry.free_name(&self.defaults.name(&request.name()), &request.blueprint.resource())
            })
        });
        let name = match known {
            Ok(found) => return found,
            Err(name) => name,
        };
        // Building calls the user's code, so the lock is not held; another thread may add the same informer meanwhile.
        let failed = Arc::new(Notify::new());
        let mut blueprint = request.blueprint.clone();
        blueprint.also_on_error({
            let failed = failed.clone();
            move |_| failed.notify_one()
        });
        let informer = SharedInformer::<()>::new(blueprint.build(name));
        self.registry(|registry| {
            registry.correct_scope(&request.slot, kind);
            registry.find(request, claim).unwrap_or_else(|| {
                registry.add(request, informer.clone(), failed, &self.turns, claim);
                informer.clone()
            })
        })
    }

    /// All access to the registry goes through here: informers that have ended are dropped after the lock is released.
    fn registry<R>(&self, work: impl FnOnce(&mut Registry) -> R) -> R {
        let mut registry = self.registry.lock();
        let result = work(&mut registry);
        let leftovers = registry.leftovers();
        drop(registry);
        drop(leftovers);
        result
    }

    /// Has sample objects checked against a type, unless they are checked against one already.
    fn have_type<K: DeserializeOwned + Send + Sync + 'static>(&self, informer: &SharedInformer<()>) {
        if self.registry(|registry| registry.take_type(informer)) {
            informer.engine().ingest.check_type(decoder::<K>());
        }
    }
}

/// The earlier request for the same slot, unless it names namespaces although the kind is now known to be
/// cluster-scoped.
fn known(requests: &[Request], slot: &Slot, kind: &KindInfo) -> Option<Request> {
    let request = requests.iter().find(|request| request.slot == *slot)?;
    request.blueprint.suits(kind).then(|| request.clone())
}

impl fmt::Debug for SharedInformerFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let informers = self.inner.registry(|registry| registry.informers());
        f.debug_struct("SharedInformerFactory").field("informers", &informers).finish_non_exhaustive()
    }
}
