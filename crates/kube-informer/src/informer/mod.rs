//! The informer: one watch, one cache, any number of handlers and readers.

pub(crate) mod blueprint;
mod builder;
mod client;
pub(crate) mod engine;
mod full_state;
mod index;
mod index_early;
mod index_key;
mod index_lister;
mod lookups;
mod namespaces;
pub(crate) mod process_loop;
mod processor;
mod progress;
mod reflectors;
mod run;
mod scopes;
mod state;
pub(crate) mod tasks;
mod wait;
pub(crate) mod waiters;

#[cfg(test)]
mod tests;

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

use futures::FutureExt;
use informer_core::object::ingest::IngestError;
use informer_core::object::record::Record;
use serde::de::DeserializeOwned;

pub(crate) use crate::reflector::shared_probe::SharedProbes;
pub use builder::InformerBuilder;
pub use index::{Index, IndexValues};
pub use index_key::IndexKey;

use self::blueprint::{Blueprint, OnlySource};
use self::engine::{Engine, Stop};
use self::processor::Runner;
use self::tasks::OnTokio;
use crate::error::{InformerError, ObjectError};
use crate::handler::builder::HandlerOptions;
use crate::handler::{EventStream, Handler, Registration, runner};
use crate::kind::{Kind, KindInfo};
use crate::lister::Lister;
use crate::object::Object;
use crate::source::ListWatch;
use crate::status::Patience;

/// One watch and one cache of a kind, shared by any number of handlers and readers. Cheap to clone.
///
/// ```
/// use std::time::Duration;
///
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_informer::testing::ScriptedSource;
/// use kube_informer::{SharedInformer, handler};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = ScriptedSource::of::<ConfigMap>();
/// let mut settings = ConfigMap::default();
/// settings.metadata.namespace = Some("default".into());
/// settings.metadata.name = Some("settings".into());
/// server.create(&settings)?;
///
/// let informer = SharedInformer::<ConfigMap>::builder(server).build()?;
/// let seen = informer.add_event_handler(handler().on_add(|map| println!("added {}", map.name())))?;
///
/// let running = tokio::spawn({
///     let informer = informer.clone();
///     async move { informer.run(std::future::pending()).await }
/// });
/// seen.wait_synced(Duration::from_secs(10)).await?;
/// assert_eq!(informer.lister().namespace("default").get("settings")?.name(), "settings");
/// running.abort();
/// # Ok(())
/// # }
/// ```
pub struct SharedInformer<K> {
    engine: Arc<Engine>,
    of: PhantomData<fn() -> K>,
}

impl<K: Kind<Dynamic = ()> + DeserializeOwned> SharedInformer<K> {
    /// Begins an informer that gets its objects from a source.
    pub fn builder(source: impl ListWatch) -> InformerBuilder<K> {
        Self::builder_with(source, &())
    }
}

impl<K: Kind + DeserializeOwned> SharedInformer<K> {
    /// Like [`builder`](Self::builder), for a kind that is only known at run time, such as `DynamicObject` with an
    /// `ApiResource`.
    pub fn builder_with(source: impl ListWatch, dynamic: &K::Dynamic) -> InformerBuilder<K> {
        let source = Arc::new(OnlySource(Arc::new(source)));
        InformerBuilder::new(Blueprint::new::<K>(K::info(dynamic), source))
    }
}

impl<K: 'static> SharedInformer<K> {
    pub(crate) fn new(engine: Arc<Engine>) -> Self {
        Self { engine, of: PhantomData }
    }

    pub(crate) fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// The kind of the informer's objects.
    pub fn kind(&self) -> &KindInfo {
        &self.engine.kind
    }

    /// Its name in metrics and logs.
    pub fn name(&self) -> &str {
        &self.engine.name
    }

    /// The same informer with another Rust type for its objects: a struct with only some of the fields,
    /// `DynamicObject`, `PartialObjectMeta`.
    ///
    /// The cache, the watch and the handlers are the same; only what `get()` decodes into differs.
    pub fn as_kind<V: 'static>(&self) -> SharedInformer<V> {
        SharedInformer::new(self.engine.clone())
    }

    /// Whether both are the same informer: one cache and one watch, whatever the Rust types of the objects.
    pub fn same_informer<V>(&self, other: &SharedInformer<V>) -> bool {
        Arc::ptr_eq(&self.engine, &other.engine)
    }

    /// Whether both are known to get their objects from the same cluster: they are of one factory, or their sources share
    /// connections. Of others it is not known, also where both lead to one server.
    pub fn same_cluster<V>(&self, other: &SharedInformer<V>) -> bool {
        let (ours, theirs) = (&self.engine, &other.engine);
        let share = match (ours.source.server(), theirs.source.server()) {
            (Some(ours), Some(theirs)) => ours.shares_connections(theirs),
            _ => false,
        };
        share || Arc::ptr_eq(&ours.probes, &theirs.probes)
    }

    /// Runs the informer until `shutdown` resolves. An informer runs once.
    ///
    /// Construction spawns nothing; this future spawns tasks on the tokio runtime it is polled on and owns them: they
    /// end when it returns or is dropped. When `shutdown` resolves, the informer ends the requests first, then the
    /// cache's writer, then the handlers: calls in progress are awaited (for
    /// [`Tuning::stop_patience`](crate::source::Tuning::stop_patience)), pending events are discarded. Use
    /// [`shutdown`](Self::shutdown) to have them delivered.
    ///
    /// If the informer itself panics, it reports [`Cause::Broken`](crate::status::Cause::Broken) to the error callback
    /// and in its [status](Self::status), stops in the same way, and this call returns an error. So the result of this
    /// call distinguishes a normal stop from a panic.
    pub async fn run(&self, shutdown: impl Future<Output = ()>) -> Result<(), InformerError> {
        run::run(self.engine.clone(), Arc::new(OnTokio), shutdown).await
    }

    /// Stops a running informer: pending events are still delivered to the handlers, for as long as the patience lasts.
    ///
    /// Returns when the informer has stopped and its handlers have finished, so a handler must not await it. Pending
    /// events of a stream can still be read from the stream afterwards.
    pub async fn shutdown(&self, patience: impl Into<Patience>) {
        if !self.engine.state.borrow().started {
            return;
        }
        let patience = patience.into();
        self.engine.stop.send_if_modified(|stop| {
            let first = stop.is_none();
            stop.get_or_insert(Stop::Drain(patience));
            first
        });
        self.engine.state.subscribe().wait_for(|state| state.ended).await.ok();
    }

    /// Adds a handler, at any time before the informer has stopped.
    ///
    /// The handler is first called with every object in the cache, then with every change: it misses nothing and gets
    /// nothing twice.
    pub fn add_event_handler(&self, handler: impl Into<Handler<K>>) -> Result<Registration, InformerError> {
        let (callee, mut options) = handler.into().into_parts();
        let exclusive = self.engine.next_is_exclusive();
        if exclusive {
            // Emptied after each commit, its mailbox has nothing to bound, and within a commit nothing is to be merged.
            options.every_event = Some(usize::MAX);
        }
        let listener = self.engine.listener(&options);
        let future = runner::run(listener.clone(), callee).boxed();
        let runner = Runner { future, blocking: options.blocking };
        self.engine.join(listener.clone(), Some(runner), exclusive)?;
        Ok(Registration::new(listener))
    }

    /// The events as a stream, starting with an add for each object in the cache. It ends when it is dropped or the
    /// informer stops.
    pub fn stream(&self) -> Result<EventStream<K>, InformerError> {
        let listener = self.engine.listener(&HandlerOptions::default());
        self.engine.join(listener.clone(), None, false)?;
        Ok(EventStream::new(listener))
    }

    /// An object made from JSON as this informer makes those of its cache: without the fields that it drops, transformed, and
    /// only its metadata if it holds no more. The cache does not change.
    ///
    /// For an object that a program has just written or read by itself, to be treated like one from the cache. An object that
    /// the transform refuses is an error.
    pub fn object_from_json(&self, json: &[u8]) -> Result<Object<K>, ObjectError> {
        let ingest = &self.engine.ingest;
        self.made(ingest.scan(json).and_then(|scanned| ingest.record_apart(scanned)))
    }

    /// The same with all that the server sent except managedFields, and without the transform: what [`selects`](Self::selects)
    /// can judge as the server does, whatever the informer drops.
    pub fn object_as_sent(&self, json: &[u8]) -> Result<Object<K>, ObjectError> {
        let ingest = &self.engine.ingest;
        self.made(ingest.scan(json).and_then(|scanned| ingest.record_as_sent(scanned)))
    }

    fn made(&self, record: Result<Arc<Record>, IngestError>) -> Result<Object<K>, ObjectError> {
        match record {
            Ok(record) => Ok(Object::from_record(record)),
            Err(IngestError::NotJson(message) | IngestError::LeftOut { message, .. }) => {
                Err(ObjectError::invalid(&self.engine.kind, message))
            }
        }
    }

    /// Whether this informer looks at such an object: by its namespace and its selectors. `None` where a field selector is
    /// about more than the name and the namespace, which only the server can tell.
    ///
    /// The server judges by the labels that it has. Where the informer drops or changes labels, ask about an object
    /// [as it was sent](Self::object_as_sent).
    pub fn selects(&self, object: &Object<K>) -> Option<bool> {
        if self.engine.scopes.of_key(object.key()).is_none() {
            return Some(false);
        }
        self.engine.options.select(object.key(), object.labels())
    }

    /// A lister that reads the cache.
    pub fn lister(&self) -> Lister<K> {
        Lister::new(self.engine.indexer.clone(), self.engine.ingest.origin().clone())
    }

    /// Reads everything from the server again and compares it with the cache object by object.
    ///
    /// Use it if you suspect that the cache differs from the server. The cache stays readable meanwhile.
    pub fn refresh(&self) {
        for slot in self.engine.scopes.now().iter() {
            slot.refresh.notify_one();
        }
    }
}

impl<K> Clone for SharedInformer<K> {
    fn clone(&self) -> Self {
        Self { engine: self.engine.clone(), of: PhantomData }
    }
}

impl<K> fmt::Debug for SharedInformer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedInformer")
            .field("name", &self.engine.name)
            .field("kind", &self.engine.kind)
            .field("objects", &self.engine.indexer.len())
            .finish_non_exhaustive()
    }
}
