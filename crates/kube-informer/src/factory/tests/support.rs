//! Servers of all kinds, and a factory over them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::factory::{FactoryBuilder, SharedInformerFactory, Sources};
use crate::kind::{Kind, KindInfo};
use crate::source::{ListWatch, ScriptedSource, SourceError, Status};

/// Long enough under a paused clock for anything that happens at all.
pub(super) const SOON: Duration = Duration::from_secs(3_600);

/// A scripted server for every kind that is asked for, and documents of discovery.
#[derive(Clone, Default)]
pub(super) struct Servers {
    kinds: Arc<Mutex<BTreeMap<String, ScriptedSource>>>,
    pub(super) documents: Arc<Mutex<BTreeMap<String, Value>>>,
    /// The documents that were asked for.
    pub(super) asked: Arc<Mutex<Vec<String>>>,
    /// A document that is never answered.
    pub(super) hangs: Arc<Mutex<Option<String>>>,
}

impl Servers {
    /// The server of a type.
    pub(super) fn of<K: Kind<Dynamic = ()>>(&self) -> ScriptedSource {
        self.of_kind(&K::info(&()))
    }

    pub(super) fn of_kind(&self, kind: &KindInfo) -> ScriptedSource {
        let mut kinds = self.kinds.lock();
        kinds.entry(kind.url_path(None)).or_insert_with(|| ScriptedSource::new(kind.clone())).clone()
    }

    /// The server of a type with objects `namespace/name`, or `name`.
    pub(super) fn with<K: Kind<Dynamic = ()>>(&self, keys: &[&str]) -> ScriptedSource {
        let server = self.of::<K>();
        for key in keys {
            let metadata = match key.split_once('/') {
                Some((namespace, name)) => json!({ "namespace": namespace, "name": name }),
                None => json!({ "name": key }),
            };
            server.create(&json!({ "metadata": metadata })).unwrap();
        }
        server
    }

    pub(super) fn builder(&self) -> FactoryBuilder {
        SharedInformerFactory::with_sources(self.clone())
    }

    pub(super) fn factory(&self) -> SharedInformerFactory {
        self.builder().build().unwrap()
    }

    /// How many requests there were, of all kinds.
    pub(super) fn requests(&self) -> usize {
        self.kinds.lock().values().map(|server| server.requests().len()).sum()
    }
}

impl Sources for Servers {
    fn source(&self, kind: &KindInfo) -> Arc<dyn ListWatch> {
        Arc::new(self.of_kind(kind))
    }

    fn document(&self, path: &str) -> BoxFuture<'static, Result<Bytes, SourceError>> {
        self.asked.lock().push(path.to_owned());
        if self.hangs.lock().as_deref() == Some(path) {
            return std::future::pending().boxed();
        }
        let document = self.documents.lock().get(path).map(|document| document.to_string().into());
        let missing = Status { code: 503, message: format!("{path} is away"), ..Status::default() };
        async move { document.ok_or(SourceError::answered(missing)) }.boxed()
    }
}

/// Waits until nobody has anything to do: a paused clock moves on only then.
pub(super) async fn rest() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

/// Starts a factory and waits until everything is synced.
pub(super) async fn started(factory: &SharedInformerFactory) {
    factory.start();
    factory.wait_for_cache_sync(SOON).await.unwrap();
}
