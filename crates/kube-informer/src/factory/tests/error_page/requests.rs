//! Requests that fail.

use kube_core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};

use super::{Case, WAITED, http, pods, server};
use crate::settings::{Settings, StreamingList};
use crate::source::{ScriptedSource, SourceError, VerbMatch};

const SERVER: &str = "no answer from https://127.0.0.1:6443";

pub(super) async fn texts() -> Vec<String> {
    let mut texts = Vec::new();
    for (resource, error) in refusals() {
        texts.extend(refused(&resource, |server| server.fail_next(VerbMatch::Any, error)).await);
    }
    let greeting = |server: &ScriptedSource| server.reply_next(VerbMatch::Any, ["<html>Welcome</html>"]);
    texts.extend(refused(&pods(), greeting).await);
    texts.extend(lists().await);
    texts.extend(watches().await);
    texts
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
        let text = format!("{SERVER}{through}: client error (Connect): {said}");
        refusals.push((pods(), SourceError::Transport(text)));
    }
    refusals
}

/// What the error callback hears of the first request, and what the one is told who waits for the sync.
async fn refused(resource: &ApiResource, act: impl FnOnce(&ScriptedSource)) -> [String; 2] {
    let server = server(resource);
    act(&server);
    let mut case = Case::new(resource, &server, |builder| builder);
    case.start();
    let failure = case.failure().await;
    [failure, case.informer.wait_synced(WAITED).await.unwrap_err().to_string()]
}

/// Lists that come to nothing.
async fn lists() -> Vec<String> {
    let page = |version: &str, token: &str| {
        let metadata = json!({ "resourceVersion": version, "continue": token });
        json!({ "kind": "PodList", "apiVersion": "v1", "metadata": metadata, "items": [] }).to_string()
    };
    let large = json!({ "metadata": { "namespace": "default", "name": "web", "annotations": { "a": "a".repeat(2_000) } } });
    let acts: [(StreamingList, Box<dyn FnOnce(&ScriptedSource)>); 5] = [
        (StreamingList::Never, Box::new(|server| server.reply_next(VerbMatch::List, [r#"{"kind":"Pod"}"#]))),
        (
            StreamingList::Never,
            Box::new(move |server| {
                server.reply_next(VerbMatch::List, [page("9", "next")]);
                server.reply_next(VerbMatch::List, [page("10", "")]);
            }),
        ),
        (StreamingList::Never, Box::new(move |server| _ = server.put_json(large).unwrap())),
        (StreamingList::Auto, Box::new(|server| server.reply_next(VerbMatch::Watch, [added()]))),
        (StreamingList::Auto, Box::new(|server| server.stall())),
    ];
    let mut texts = Vec::new();
    for (streaming, act) in acts {
        let server = server(&pods());
        act(&server);
        let settings = Settings::default().streaming_list(streaming).document_limit(1_000);
        let mut case = Case::new(&pods(), &server, |builder| builder.settings(settings));
        case.start();
        texts.push(case.failure().await);
    }
    texts
}

/// Watches that end badly.
async fn watches() -> Vec<String> {
    let acts: [fn(&ScriptedSource); 5] = [
        |server| {
            server.fail_next(VerbMatch::Watch, http(500, "etcdserver: leader changed"));
            server.end_watches();
        },
        |server| {
            server.reply_next(VerbMatch::Watch, [""; 0]);
            server.end_watches();
        },
        |server| {
            server.fail_next(VerbMatch::Watch, SourceError::Transport("connection reset by peer".into()));
            server.end_watches();
        },
        |server| server.cut_mid_frame(),
        |server| server.stall(),
    ];
    let mut texts = Vec::new();
    for act in acts {
        let mut case = Case::synced().await;
        act(&case.server);
        texts.push(case.failure().await);
    }
    texts
}

fn added() -> String {
    let metadata = json!({ "namespace": "default", "name": "web", "uid": "u", "resourceVersion": "2" });
    let object: Value = json!({ "kind": "Pod", "apiVersion": "v1", "metadata": metadata });
    format!("{}\n", json!({ "type": "ADDED", "object": object }))
}
