//! What several of these tests need beside the rig.

use std::future::Future;

use futures::FutureExt;
use futures::future::BoxFuture;
use informer_core::store::index_error::IndexError;
use informer_wire::ObjectKey;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{SOON, rest};
use crate::error::InformerError;
use crate::informer::SharedInformer;
use crate::kind::Kind as _;
use crate::options::Options;
use crate::report::Failure;
use crate::source::StreamingList;
use crate::source::{ByteStream, ListWatch, Request, ScriptedSource, SourceError, Status};
use crate::status::{Phase, RelistReason};

/// An error answer of the server.
pub(crate) fn http(code: u16, reason: &str) -> SourceError {
    let message = format!("the server says {reason}");
    SourceError::answered(Status { code, reason: reason.into(), message, ..Status::default() })
}

/// A key: `key("ns/name")`.
pub(crate) fn key(text: &str) -> ObjectKey {
    text.parse().unwrap()
}

/// A server that lets nobody see one namespace.
pub(crate) struct Denies {
    pub(crate) server: ScriptedSource,
    pub(crate) namespace: &'static str,
}

impl ListWatch for Denies {
    fn open(&self, request: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        if request.scope.as_namespace() == Some(self.namespace) {
            return async { Err(http(403, "Forbidden")) }.boxed();
        }
        self.server.open(request)
    }
}

/// Runs an informer of any kind until the test ends.
pub(crate) fn start<K: 'static>(informer: &SharedInformer<K>) {
    let informer = informer.clone();
    tokio::spawn(async move { informer.run(std::future::pending()).await });
}

/// Runs it and waits until its cache has filled.
pub(crate) async fn started<K: 'static>(informer: SharedInformer<K>) -> SharedInformer<K> {
    start(&informer);
    informer.wait_synced(SOON).await.unwrap();
    informer
}

/// What an informer of ConfigMaps says of an index.
pub(crate) fn index_error(error: IndexError) -> InformerError {
    InformerError::index(&ConfigMap::info(&()), error)
}

pub(crate) async fn soon<T>(what: impl Future<Output = T>) -> T {
    timeout(SOON, what).await.expect("it happens within an hour")
}

/// Waits until one scope of an informer is in a phase.
pub(crate) async fn phase_of<K: 'static>(informer: &SharedInformer<K>, scope: usize, phase: Phase) {
    let status = informer.engine().scopes.now()[scope].status.clone();
    soon(async {
        while status.phase() != phase {
            rest().await;
        }
    })
    .await;
}

pub(crate) async fn phase<K: 'static>(informer: &SharedInformer<K>, phase: Phase) {
    phase_of(informer, 0, phase).await;
}

/// How often the first scope was read as a whole, by reason; reasons that did not occur are left out.
pub(crate) fn relists<K: 'static>(informer: &SharedInformer<K>) -> Vec<(RelistReason, u64)> {
    let status = informer.status();
    let counts = RelistReason::ALL.iter().map(|reason| (*reason, status.scopes[0].relists(*reason)));
    counts.filter(|(_, count)| *count > 0).collect()
}

pub(crate) fn texts(failures: &[Failure]) -> Vec<String> {
    failures.iter().map(ToString::to_string).collect()
}

/// A list of ConfigMaps at a version, as the body of an answer.
pub(crate) fn list_body(version: &str, items: &[Value]) -> String {
    json!({ "kind": "ConfigMapList", "apiVersion": "v1", "metadata": { "resourceVersion": version }, "items": items })
        .to_string()
}

/// One event of a watch, as a line of its body.
pub(crate) fn event_line(event_type: &str, object: &Value) -> String {
    format!("{}\n", json!({ "type": event_type, "object": object }))
}

/// A ConfigMap as the server writes it.
pub(crate) fn wire_map(name: &str, version: &str) -> Value {
    json!({ "metadata": { "namespace": "a", "name": name, "uid": format!("uid-{name}"), "resourceVersion": version } })
}

pub(crate) fn lists_only() -> Options {
    Options::default().tuning(|tuning| tuning.streaming_list(StreamingList::Never))
}
