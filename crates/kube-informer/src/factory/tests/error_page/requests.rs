//! Requests that fail.

use std::time::Duration;

use futures::future::BoxFuture;
use kube_core::{ApiResource, DynamicObject, GroupVersionKind};
use serde_json::{Value, json};

use super::{Case, SOON, WAITED, first_failure, http, pods, server};
use crate::factory::tests::support::rest;
use crate::informer::SharedInformer;
use crate::options::Options;
use crate::source::StreamingList;
use crate::source::{ByteStream, Fault, ListWatch, Request, ScriptedSource, SourceError};
use crate::status::Phase;

const SERVER: &str = "no answer from https://127.0.0.1:6443";

pub(super) async fn texts() -> Vec<String> {
    let mut texts = Vec::new();
    for (resource, error) in refusals() {
        texts.extend(refused(&resource, Fault::error(error)).await);
    }
    texts.extend(refused(&pods(), Fault::reply(["<html>Welcome</html>"])).await);
    texts.extend(lists().await);
    texts.extend(watches().await);
    let panics = SharedInformer::<DynamicObject>::builder_with(Panics, &pods()).namespace("default");
    texts.push(first_failure(panics).await);
    texts
}

/// A source with a defect.
struct Panics;

impl ListWatch for Panics {
    fn open(&self, _: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        std::panic::resume_unwind(Box::new("no token"))
    }
}

fn refusals() -> Vec<(ApiResource, SourceError)> {
    let forbidden = "pods is forbidden: User \"unprivileged\" cannot list resource \"pods\" in API group \"\" in the \
                     namespace \"default\"";
    let widgets = GroupVersionKind::gvk("example.com", "v1", "Widget");
    let mut refusals = vec![
        (pods(), http(403, forbidden)),
        (ApiResource::from_gvk_with_plural(&widgets, "widgets"), http(404, "404 page not found")),
        (pods(), http(401, "Unauthorized")),
        (pods(), http(404, "<html>Welcome</html>")),
        (pods(), http(429, "Too many requests, please try again later.")),
    ];
    let refused = "tcp connect error: Connection refused (os error 111)";
    for (proxy, said) in [
        ("", "invalid peer certificate: UnknownIssuer".to_owned()),
        ("", refused.to_owned()),
        ("http", format!("tunnel error: failed to create underlying connection: {refused}")),
        ("socks5", "SOCKS error: failed to create underlying connection".to_owned()),
        ("http", "tunnel error: unsuccessful".to_owned()),
        ("socks5", "SOCKS error: connection not allowed".to_owned()),
        ("http", "tunnel error: proxy authorization required".to_owned()),
        ("socks5", "SOCKS error: server does not support user/pass authentication".to_owned()),
    ] {
        let through = if proxy.is_empty() {
            String::new()
        } else {
            format!(" through the proxy {proxy}://127.0.0.1:3128")
        };
        let text = format!("{SERVER}{through}: cannot connect: {said}");
        refusals.push((pods(), SourceError::transport(text)));
    }
    refusals
}

/// What the error callback hears of the first request, and what the one is told who waits for the sync.
async fn refused(resource: &ApiResource, fault: Fault) -> [String; 2] {
    let server = server(resource);
    // The streamed list, and the LIST that takes its place.
    server.inject(fault.first(2));
    let mut case = Case::new(resource, &server, |builder| builder);
    case.start();
    let failure = case.failure().await;
    let not_synced = case.informer.wait_synced(WAITED).await.unwrap_err().to_string();
    // Only the source of an API server knows that it is unreachable.
    [failure, not_synced.replace("is backing off: no answer", "is unreachable: no answer")]
}

/// Lists that come to nothing.
async fn lists() -> Vec<String> {
    let page = |version: &str, token: &str| {
        let metadata = json!({ "resourceVersion": version, "continue": token });
        json!({ "kind": "PodList", "apiVersion": "v1", "metadata": metadata, "items": [] }).to_string()
    };
    let metadata =
        json!({ "namespace": "default", "name": "web", "annotations": { "a": "a".repeat(2_000) } });
    let large = json!({ "metadata": metadata });
    let compressed = "the answer is compressed (\"gzip\") although it was asked for as it is: a proxy, or a client stack \
                      that overwrites Accept-Encoding";
    let beside = json!({ "kind": "PodList", "more": "a".repeat(2_000) }).to_string();
    let plain = || Options::default().tuning(|tuning| tuning.streaming_list(StreamingList::Never));
    vec![
        listed(plain(), |server| server.inject(Fault::reply([r#"{"kind":"Pod"}"#]).on_list().once())).await,
        listed(plain(), |server| {
            server.inject(Fault::reply([r#"{"kind":"PodList","items":[]}"#]).on_list().once())
        })
        .await,
        listed(plain(), |server| {
            server.inject(Fault::reply([page("9", "next")]).on_list().once());
            server.inject(Fault::reply([page("10", "")]).on_list().once());
        })
        .await,
        listed(plain(), |server| {
            server.inject(Fault::reply([page("9", "next")]).on_list().once());
            server.inject(Fault::reply([page("9", "next")]).on_list().once());
        })
        .await,
        listed(plain().tuning(|tuning| tuning.document_limit(1_000)), |server| drop(server.put_json(large)))
            .await,
        listed(plain().tuning(|tuning| tuning.document_limit(1_000)), |server| {
            server.inject(Fault::reply([beside]).on_list().once())
        })
        .await,
        listed(plain(), |server| {
            server.inject(Fault::error(SourceError::transport(compressed)).on_list().once());
        })
        .await,
        listed(plain(), |server| server.inject(Fault::stall().on_list().once())).await,
        listed(plain().tuning(|tuning| tuning.list_silence(SOON)), |server| {
            server.inject(Fault::stall().on_list().once())
        })
        .await,
        listed(Options::default(), |server| server.inject(Fault::reply([added()]).on_watch().once())).await,
        listed(Options::default(), |server| server.inject(Fault::reply([""; 0]).on_watch().once())).await,
        listed(Options::default(), |server| {
            server.inject(Fault::reply([mark_without_version()]).on_watch().once())
        })
        .await,
        listed(Options::default(), |server| server.inject(Fault::drop_end_bookmark())).await,
    ]
}

/// What the error callback hears first.
async fn listed<T>(settings: Options, act: impl FnOnce(&ScriptedSource) -> T) -> String {
    let server = server(&pods());
    act(&server);
    let mut case = Case::new(&pods(), &server, |builder| builder.options(|_| settings).namespace("default"));
    case.start();
    case.failure().await
}

/// Watches that end badly.
async fn watches() -> Vec<String> {
    let acts: [fn(&ScriptedSource); 5] = [
        |server| {
            server.inject(Fault::error(http(500, "etcdserver: leader changed")).on_watch().once());
            server.close_watches();
        },
        |server| {
            server.inject(Fault::reply([""; 0]).on_watch().once());
            server.close_watches();
        },
        |server| {
            server.inject(Fault::error(SourceError::transport("connection reset by peer")).on_watch().once());
            server.close_watches();
        },
        |server| server.close_watches_mid_event(),
        |server| server.send_raw("{\"type\":\"ERROR\",\"object\":{}}\n"),
    ];
    let mut texts = vec![not_allowed().await, silent().await, rewound().await];
    for act in acts {
        let mut case = Case::synced().await;
        act(&case.server);
        texts.push(case.failure().await);
    }
    texts
}

/// An account that may list and not watch.
async fn not_allowed() -> String {
    let forbidden = "pods is forbidden: User \"unprivileged\" cannot watch resource \"pods\" in API group \"\" in the \
                     namespace \"default\"";
    let server = server(&pods());
    for _ in 0..100 {
        server.inject(Fault::error(http(403, forbidden)).on_watch().once());
    }
    let settings = Options::default().tuning(|tuning| tuning.streaming_list(StreamingList::Never));
    let mut case = Case::new(&pods(), &server, |builder| builder.options(|_| settings).namespace("default"));
    case.start();
    let text = case.failure().await;
    while case.informer.status().phase != Phase::Polling {
        rest().await;
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    text
}

/// A connection that dies after a bookmark, from which on one is due every minute.
async fn silent() -> String {
    let mut case = Case::synced().await;
    case.server.bookmark();
    rest().await;
    case.server.stall_watches();
    case.failure().await
}

async fn rewound() -> String {
    let mut case = Case::synced().await;
    let backup = case.server.version();
    case.server.advance(10);
    case.server.bookmark();
    rest().await;
    case.server.rewind(&backup);
    let _cut = case.failure().await;
    case.failure().await
}

fn added() -> String {
    let metadata = json!({ "namespace": "default", "name": "web", "uid": "u", "resourceVersion": "2" });
    let object: Value = json!({ "kind": "Pod", "apiVersion": "v1", "metadata": metadata });
    format!("{}\n", json!({ "type": "ADDED", "object": object }))
}

/// The end of a streamed list, at a version that a watch cannot begin at.
fn mark_without_version() -> String {
    let annotations = json!({ "k8s.io/initial-events-end": "true" });
    let metadata = json!({ "resourceVersion": "0", "annotations": annotations });
    let object = json!({ "kind": "Pod", "apiVersion": "v1", "metadata": metadata });
    format!("{}\n", json!({ "type": "BOOKMARK", "object": object }))
}
