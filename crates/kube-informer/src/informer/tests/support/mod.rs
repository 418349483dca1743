//! A running informer on a scripted server.

mod aids;
mod listener;
mod meter;
pub(crate) mod seeded;
mod witnesses;

use std::sync::Arc;
use std::time::Duration;

use informer_wire::ResourceVersion;
use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;
use tokio::sync::{Semaphore, oneshot};

pub(super) use self::aids::*;
pub(super) use self::listener::Listener;
pub(super) use self::meter::Meter;
pub(super) use self::witnesses::Witnesses;
use crate::error::{BuildError, InformerError};
use crate::handler::{Event, Handler, Registration, async_handler, handler};
use crate::informer::{InformerBuilder, SharedInformer};
use crate::report::Failure;
use crate::source::ScriptedSource;

/// Long enough under a paused clock for anything that happens at all.
pub(crate) const SOON: Duration = Duration::from_secs(3_600);

/// A ConfigMap: `map("ns/name", "text")`.
pub(crate) fn map(key: &str, text: &str) -> ConfigMap {
    let (namespace, name) = key.split_once('/').unwrap();
    let mut map = ConfigMap::default();
    map.metadata.namespace = Some(namespace.into());
    map.metadata.name = Some(name.into());
    map.data = Some([("text".to_owned(), text.to_owned())].into());
    map
}

/// A server with objects, and an informer of it that has not been started.
pub(crate) struct Rig {
    pub(crate) server: ScriptedSource,
    pub(crate) informer: SharedInformer<ConfigMap>,
    pub(crate) failures: Arc<Mutex<Vec<Failure>>>,
}

impl Rig {
    pub(crate) fn new(keys: &[&str]) -> Self {
        Self::with(keys, |builder| builder)
    }

    pub(crate) fn with(
        keys: &[&str],
        set: impl FnOnce(InformerBuilder<ConfigMap>) -> InformerBuilder<ConfigMap>,
    ) -> Self {
        let server = ScriptedSource::of::<ConfigMap>();
        for key in keys {
            server.create(&map(key, "")).unwrap();
        }
        let failures = Arc::new(Mutex::new(Vec::new()));
        let heard = failures.clone();
        let builder = SharedInformer::<ConfigMap>::builder(server.clone())
            .on_error(move |failure| heard.lock().push(failure.clone()));
        Self { server, informer: set(builder).build().unwrap(), failures }
    }

    /// Starts the informer on tokio; it runs until it is stopped.
    pub(crate) fn start(&self) -> tokio::task::JoinHandle<()> {
        let informer = self.informer.clone();
        tokio::spawn(async move { informer.run(std::future::pending()).await.unwrap() })
    }

    /// Starts it; gives what its run came to.
    pub(crate) fn start_to_end(&self) -> tokio::task::JoinHandle<Result<(), InformerError>> {
        let informer = self.informer.clone();
        tokio::spawn(async move { informer.run(std::future::pending()).await })
    }

    /// Starts it and waits until the cache has filled.
    pub(crate) async fn started(self) -> Self {
        self.start();
        self.synced().await;
        self
    }

    /// Starts it; it runs until the sender is used or dropped.
    pub(crate) fn start_until(&self) -> (oneshot::Sender<()>, tokio::task::JoinHandle<()>) {
        let (stop, stopped) = oneshot::channel::<()>();
        let informer = self.informer.clone();
        let shutdown = async { stopped.await.unwrap_or_default() };
        (stop, tokio::spawn(async move { informer.run(shutdown).await.unwrap() }))
    }

    pub(crate) async fn synced(&self) {
        self.informer.wait_synced(SOON).await.unwrap();
    }

    pub(crate) fn add(&self, handler: impl Into<Handler<ConfigMap>>) -> Registration {
        self.informer.add_event_handler(handler).unwrap()
    }

    pub(crate) fn listen(&self) -> (Listener, Registration) {
        self.listen_with(|handler| handler)
    }

    /// A handler that hears everything, with options.
    pub(crate) fn listen_with(
        &self,
        set: impl FnOnce(Handler<ConfigMap>) -> Handler<ConfigMap>,
    ) -> (Listener, Registration) {
        let listener = Listener::default();
        let hears = listener.clone();
        let registration = self.add(set(handler().on_event(move |event| hears.hear(event))));
        (listener, registration)
    }

    /// A handler whose calls hear and then wait until they are let go, one permit each.
    pub(crate) fn listen_stuck(&self) -> (Listener, Registration, Arc<Semaphore>) {
        let listener = Listener::default();
        let permits = Arc::new(Semaphore::new(0));
        let (hears, gate) = (listener.clone(), permits.clone());
        let registration = self.add(async_handler(move |event| {
            hears.hear(&event);
            let gate = gate.clone();
            async move { gate.acquire().await.unwrap().forget() }
        }));
        (listener, registration, permits)
    }

    /// Reads everything from the server again and waits until that is done.
    pub(crate) async fn relist(&self) {
        self.informer.refresh();
        self.settle().await;
    }

    /// Waits until the cache has everything that the server has.
    pub(crate) async fn settle(&self) {
        let version = self.server.version();
        self.server.bookmark();
        let mut state = self.informer.engine().state.subscribe();
        let caught_up = async {
            while self.informer.last_sync_resource_version() != version {
                state.changed().await.unwrap();
            }
        };
        tokio::time::timeout(SOON, caught_up).await.expect("the cache catches up");
        rest().await;
    }

    pub(crate) fn put(&self, key: &str, text: &str) -> ResourceVersion {
        self.server.put_json(serde_json::to_value(map(key, text)).unwrap()).unwrap()
    }

    pub(crate) fn delete(&self, key: &str) {
        self.server.delete(key).unwrap();
    }

    /// What went wrong so far, in words.
    pub(crate) fn failures(&self) -> Vec<String> {
        self.failures.lock().iter().map(ToString::to_string).collect()
    }

    /// Keys, versions and texts in the cache.
    pub(crate) fn cached(&self) -> Vec<(String, String, String)> {
        cached(&self.informer)
    }
}

/// Waits until nobody has anything to do: handlers run in tasks of their own, and a paused clock moves on only then.
pub(crate) async fn rest() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

/// Unwinds without the hook that prints.
pub(crate) fn quiet_panic(text: &'static str) {
    std::panic::resume_unwind(Box::new(text));
}

/// Keys, versions and texts in the cache of an informer, sorted.
pub(crate) fn cached(informer: &SharedInformer<ConfigMap>) -> Vec<(String, String, String)> {
    let row = |object: crate::Object<ConfigMap>| {
        let text = object.get().unwrap().data.as_ref().and_then(|data| data.get("text").cloned());
        (object.key().to_string(), object.resource_version().to_string(), text.unwrap_or_default())
    };
    let mut rows: Vec<_> = informer.lister().list().into_iter().map(row).collect();
    rows.sort();
    rows
}

/// The same of the server, limited to namespaces.
pub(crate) fn served(server: &ScriptedSource, namespaces: Option<&[&str]>) -> Vec<(String, String, String)> {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let mut rows: Vec<_> = (server.objects().iter())
        .filter(|object| {
            let namespace = text(&object["metadata"]["namespace"]);
            namespaces.is_none_or(|namespaces| namespaces.contains(&namespace.as_str()))
        })
        .map(|object| {
            let metadata = &object["metadata"];
            let key = format!("{}/{}", text(&metadata["namespace"]), text(&metadata["name"]));
            (key, text(&metadata["resourceVersion"]), text(&object["data"]["text"]))
        })
        .collect();
    rows.sort();
    rows
}

/// An exclusive informer, and the function that it calls.
pub(crate) trait BuildExclusive {
    fn build_exclusive(
        self,
        function: impl FnMut(&Event<ConfigMap>) + Send + 'static,
    ) -> Result<SharedInformer<ConfigMap>, BuildError>;
}

impl BuildExclusive for InformerBuilder<ConfigMap> {
    fn build_exclusive(
        self,
        function: impl FnMut(&Event<ConfigMap>) + Send + 'static,
    ) -> Result<SharedInformer<ConfigMap>, BuildError> {
        let informer = self.exclusive().build()?;
        informer.add_event_handler(handler().on_event(function)).expect("it is the first");
        Ok(informer)
    }
}
