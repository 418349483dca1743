//! One place that holds the informers of a program: each kind once, started, awaited and stopped together.

mod access;
mod builder;
mod discovery;
pub mod generated;
mod lease;
mod recipe;
mod registry;
mod running;
mod sources;
mod sync;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use kube_client::{Client, Config};
use kube_core::{DynamicObject, PartialObjectMeta};
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use tokio::runtime::Handle;
use tokio::sync::Notify;

pub use access::Access;
pub use builder::FactoryBuilder;
pub use discovery::ResourceName;
pub use lease::Lease;
pub use recipe::Selection;
pub use sources::Sources;

use self::discovery::Discovery;
use self::recipe::{Defaults, Recipe};
use self::registry::{Claim, Registry, Slot};
use self::running::{Ended, Turns};
use crate::error::BuildError;
use crate::informer::variant::ResourceId;
use crate::informer::{InformerBuilder, SharedInformer};
use crate::kind::{Kind, KindInfo};
use crate::status::InformerStatus;

/// The informers of a program: each kind is watched and held once, whoever asks for it and as whatever type.
///
/// Cheap to clone. When the last clone is dropped everything ends; [`shutdown`](Self::shutdown) ends it in good order. A
/// handler that holds a clone keeps the factory going until then.
///
/// ```no_run
/// use std::time::Duration;
///
/// use k8s_openapi::api::apps::v1::Deployment;
/// use kube_informer::{SharedInformerFactory, find_cluster, handler};
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let config = find_cluster(None, None).await?.config;
/// let factory = SharedInformerFactory::builder(config).resync(Duration::from_secs(30)).build()?;
///
/// let deployments = factory.access::<Deployment>();
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
/// What is asked for by kind is the same informer every time: `informer::<Pod>()`, `dynamic(pods)`, a slim struct of
/// your own for pods, and `metadata::<Pod>()` where whole pods are held anyway. Another selection, transform or mode of the
/// same kind is another informer with a name: [`informer_named`](Self::informer_named).
#[derive(Clone)]
pub struct SharedInformerFactory {
    inner: Arc<Inner>,
}

struct Inner {
    defaults: Defaults,
    /// How the informers of each kind are made: those that the builder was told of, then those that were asked for.
    recipes: Mutex<Vec<(Slot, Recipe)>>,
    registry: Mutex<Registry>,
    discovery: Discovery,
    turns: Turns,
    drain: Duration,
}

/// Setting up.
impl SharedInformerFactory {
    /// Begins a factory for the server of a configuration. See [`HttpSource::from_config`](crate::HttpSource::from_config).
    pub fn builder(config: Config) -> FactoryBuilder {
        FactoryBuilder::with_config(config)
    }

    /// Begins a factory over a client that exists already. See
    /// [`HttpSource::with_client`](crate::HttpSource::with_client) for what is lost by that.
    pub fn with_client(client: Client) -> FactoryBuilder {
        FactoryBuilder::with_client(client)
    }

    /// Begins a factory over something else than an API server, such as a [`ScriptedSource`](crate::ScriptedSource) for
    /// each kind.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use std::time::Duration;
    ///
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_informer::{KindInfo, ScriptedSource, SharedInformerFactory};
    /// use serde_json::json;
    ///
    /// let server = ScriptedSource::of::<ConfigMap>();
    /// server.create(&json!({ "metadata": { "namespace": "default", "name": "settings" } }))?;
    ///
    /// let factory = SharedInformerFactory::with_sources(move |_: &KindInfo| server.clone()).build()?;
    /// let maps = factory.access::<ConfigMap>().lister();
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

    fn new(defaults: Defaults, recipes: Vec<(Slot, Recipe)>, turns: Turns, drain: Duration) -> Self {
        let (recipes, registry, discovery) = (Mutex::new(recipes), Mutex::default(), Discovery::default());
        Self { inner: Arc::new(Inner { defaults, recipes, registry, discovery, turns, drain }) }
    }
}

/// Asking for informers.
impl SharedInformerFactory {
    /// The informer of a kind. The first call registers it, later calls give the same one.
    ///
    /// It runs once the factory is started; one that is asked for after that runs at once. If it was stopped meanwhile,
    /// a new one takes its place.
    pub fn informer<K: Kind<Dynamic = ()> + DeserializeOwned>(&self) -> SharedInformer<K> {
        self.typed(Claim::Held)
    }

    /// The informer and lister of a kind, neither of which is registered before it is asked for.
    pub fn access<K: Kind<Dynamic = ()> + DeserializeOwned>(&self) -> Access<K> {
        Access::new(self.clone())
    }

    /// The informer of a kind that is only known at run time: an `ApiResource`, a `GroupVersionResource` or a
    /// [`KindInfo`]. It is the same as that of the type, if there is one.
    ///
    /// The server is not asked about it. A kind that it does not serve is picked up when it does; until then the informer
    /// is not synced and its phase is [`Gone`](crate::Phase::Gone).
    pub fn dynamic(&self, kind: impl Into<KindInfo>) -> SharedInformer<DynamicObject> {
        self.untyped::<DynamicObject>(&kind.into(), Claim::Held)
    }

    /// The metadata of a kind's objects.
    ///
    /// If the factory holds, or has been asked before its start for, whole objects of this kind, it is that informer seen
    /// as metadata: one watch and one copy are enough, unless the kind has a transform of its own, which may have changed
    /// the metadata. Otherwise the server is asked for metadata only, which takes a
    /// fraction of the traffic and memory.
    pub fn metadata<K>(&self) -> SharedInformer<PartialObjectMeta<K>>
    where
        K: 'static,
        PartialObjectMeta<K>: Kind<Dynamic = ()>,
    {
        self.metadata_of(PartialObjectMeta::<K>::info(&())).as_kind()
    }

    /// The same for a kind that is only known at run time.
    pub fn metadata_of(&self, kind: impl Into<KindInfo>) -> SharedInformer<PartialObjectMeta<DynamicObject>> {
        self.untyped::<PartialObjectMeta<DynamicObject>>(&kind.into(), Claim::Held)
    }

    /// Another informer of a kind, such as with another selector, under a name of its own.
    ///
    /// It begins with what the factory was told for all kinds; what it was told for this kind does not count. The same
    /// name gives the same informer; with other settings it is an error. An informer that has exactly these settings
    /// already, under another name or none, is shared, unless it looks at certain namespaces: those can be
    /// [added](SharedInformer::add_namespace) and removed, which is nothing that another name should notice.
    ///
    /// Of those who share an informer the first has set [`on_error`](InformerBuilder::on_error); that of the others is
    /// not called.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # fn ask(factory: &kube_informer::SharedInformerFactory) -> Result<(), kube_informer::error::BuildError> {
    /// let web = factory.informer_named::<Pod>("web-pods", |pods| pods.labels("app=web"))?;
    /// let slim = factory.informer_named::<Pod>("slim-pods", |pods| pods.drop_field("spec").drop_field("status"))?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn informer_named<K: Kind<Dynamic = ()> + DeserializeOwned>(
        &self,
        name: &str,
        set: impl FnOnce(InformerBuilder<K>) -> InformerBuilder<K>,
    ) -> Result<SharedInformer<K>, BuildError> {
        self.named(name, &K::info(&()), set)
    }

    /// The same for a kind that is only known at run time.
    pub fn dynamic_named(
        &self,
        name: &str,
        kind: impl Into<KindInfo>,
        set: impl FnOnce(InformerBuilder<DynamicObject>) -> InformerBuilder<DynamicObject>,
    ) -> Result<SharedInformer<DynamicObject>, BuildError> {
        self.named(name, &kind.into(), set)
    }

    /// The informer of a kind for as long as the lease lives.
    ///
    /// When the last lease goes, so does the informer, unless somebody has asked for it with
    /// [`informer`](Self::informer). Handlers and listers do not count.
    pub fn lease<K: Kind<Dynamic = ()> + DeserializeOwned>(&self) -> Lease<K> {
        Lease::new(self.typed(Claim::Leased), &self.inner)
    }

    /// The same for a kind that is only known at run time.
    pub fn dynamic_lease(&self, kind: impl Into<KindInfo>) -> Lease<DynamicObject> {
        Lease::new(self.untyped(&kind.into(), Claim::Leased), &self.inner)
    }

    fn typed<K: Kind<Dynamic = ()> + DeserializeOwned>(&self, claim: Claim) -> SharedInformer<K> {
        let informer = self.untyped::<K>(&K::info(&()), claim);
        if !K::metadata_only() {
            self.inner.has_type::<K>(&informer.as_kind());
        }
        informer
    }

    fn untyped<K: Kind + DeserializeOwned>(&self, kind: &KindInfo, claim: Claim) -> SharedInformer<K> {
        let slot = Slot::Kind { resource: ResourceId::of(kind), metadata: K::metadata_only() };
        let found = self.inner.registry(|registry| {
            registry.correct_scope(&slot, kind);
            registry.find(&slot, None, claim)
        });
        if let Some(found) = found {
            return found.as_kind();
        }
        let recipe = self.inner.recipe::<K>(&slot, kind);
        self.inner.obtain(slot, &recipe, &recipe.kind.resource(), claim).as_kind()
    }

    fn named<K: Kind + DeserializeOwned>(
        &self,
        name: &str,
        kind: &KindInfo,
        set: impl FnOnce(InformerBuilder<K>) -> InformerBuilder<K>,
    ) -> Result<SharedInformer<K>, BuildError> {
        let recipe = self.inner.defaults.recipe_with(kind, set)?;
        let slot = Slot::Named(name.into());
        let informer = self.inner.obtain(slot.clone(), &recipe, name, Claim::Held);
        let holds = self.inner.registry(|registry| registry.variant(&slot).cloned());
        match holds.filter(|holds| *holds != recipe.variant) {
            None => Ok(informer.as_kind()),
            Some(holds) => {
                let differ_in = holds.differences(&recipe.variant);
                Err(BuildError::name_taken(name, holds, recipe.variant, differ_in))
            }
        }
    }
}

/// Starting and stopping.
impl SharedInformerFactory {
    /// Starts the informers that were asked for, a few at a time so that their lists do not hit the server at once.
    ///
    /// Returns at once. May be called again, which does nothing: informers that are asked for later start by themselves, on
    /// the runtime of the first call. After a shutdown it does nothing either. Once that runtime is gone, all informers
    /// have stopped and so do those that are asked for later.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn start(&self) {
        let spawn = Arc::new(Handle::current());
        self.inner.registry(|registry| registry.start(spawn, &self.inner.turns));
    }

    /// How each informer is doing at this moment.
    pub fn status(&self) -> Vec<InformerStatus> {
        let informers = self.inner.registry(|registry| registry.informers());
        informers.iter().map(SharedInformer::status).collect()
    }

    /// Stops all informers for good and waits until they and their handlers have ended. Handlers hear what is known, for
    /// ten seconds unless [set otherwise](FactoryBuilder::drain).
    ///
    /// Once the factory was started that includes informers that somebody [runs](SharedInformer::run) himself; otherwise,
    /// or if the factory is only dropped, those go on.
    ///
    /// Any number may ask for it, and all of them wait; the timeout of the first counts. The caches can be read
    /// afterwards. A handler must not await it.
    pub async fn shutdown(&self) {
        self.shutdown_within(self.inner.drain).await;
    }

    /// The same with another timeout for the handlers.
    pub async fn shutdown_within(&self, timeout: Duration) {
        let ended = self.inner.registry(|registry| registry.close(timeout));
        join_all(ended.into_iter().map(Ended::wait)).await;
    }

    /// Stops one informer and waits until it and its handlers have ended. Who asks for its kind from now on gets a new one.
    ///
    /// Says whether it was one of this factory's. A handler must not await it.
    pub async fn stop<K: 'static>(&self, informer: &SharedInformer<K>) -> bool {
        let stopped = self.inner.registry(|registry| registry.stop(&informer.as_kind(), self.inner.drain));
        if let Ok(Some(ended)) = &stopped {
            ended.clone().wait().await;
        }
        stopped.is_ok()
    }
}

impl Inner {
    /// How the informer of a kind is made. The first who asks decides the type that samples are checked against, where the
    /// builder was not told.
    fn recipe<K: Kind + DeserializeOwned>(&self, slot: &Slot, kind: &KindInfo) -> Recipe {
        let known = |slot: &Slot| known_recipe(&self.recipes.lock(), slot, kind);
        if let Some(recipe) = known(slot) {
            return recipe;
        }
        let whole = match slot {
            Slot::Kind { resource, metadata: true } => {
                known(&Slot::Kind { resource: resource.clone(), metadata: false })
            }
            _ => None,
        };
        // User code, so without the lock; somebody else may be quicker, and then his counts.
        let recipe = whole.map_or_else(|| self.defaults.recipe::<K>(kind), |whole| whole.metadata());
        let mut recipes = self.recipes.lock();
        if let Some(first) = known_recipe(&recipes, slot, kind) {
            return first;
        }
        recipes.retain(|(other, _)| other != slot);
        recipes.push((slot.clone(), recipe.clone()));
        recipe
    }

    /// The informer of a slot, made if there is none that serves.
    fn obtain(&self, slot: Slot, recipe: &Recipe, name: &str, claim: Claim) -> SharedInformer<()> {
        let known = self.registry(|registry| {
            registry.correct_scope(&slot, &recipe.kind);
            registry
                .find(&slot, Some(&recipe.variant), claim)
                .ok_or_else(|| registry.free_name(&self.defaults.name(name), &recipe.variant.resource))
        });
        let name = match known {
            Ok(found) => return found,
            Err(name) => name,
        };
        // User code, so without the lock; somebody else may be quicker.
        let failed = Arc::new(Notify::new());
        let informer = recipe.make(name, failed.clone());
        self.registry(|registry| {
            registry.correct_scope(&slot, &recipe.kind);
            registry.find(&slot, Some(&recipe.variant), claim).unwrap_or_else(|| {
                registry.add(slot, recipe, informer.clone(), failed, &self.turns, claim);
                informer
            })
        })
    }

    /// The one way to the registry: what is over is let go after the lock.
    fn registry<R>(&self, work: impl FnOnce(&mut Registry) -> R) -> R {
        let mut registry = self.registry.lock();
        let result = work(&mut registry);
        let leftovers = registry.leftovers();
        drop(registry);
        drop(leftovers);
        result
    }

    /// Has samples checked against a type, unless they are already.
    fn has_type<K: DeserializeOwned + Send + Sync + 'static>(&self, informer: &SharedInformer<()>) {
        if self.registry(|registry| registry.take_type(informer)) {
            recipe::check_type::<K>(informer);
        }
    }
}

/// The recipe of a slot, unless it was made for namespaces by somebody who did not know that the kind has none.
fn known_recipe(recipes: &[(Slot, Recipe)], slot: &Slot, kind: &KindInfo) -> Option<Recipe> {
    let (_, recipe) = recipes.iter().find(|(other, _)| other == slot)?;
    recipe.variant.suits(kind).then(|| recipe.clone())
}

impl fmt::Debug for SharedInformerFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let informers = self.inner.registry(|registry| registry.informers());
        f.debug_struct("SharedInformerFactory").field("informers", &informers).finish_non_exhaustive()
    }
}
