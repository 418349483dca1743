//! Hostile requests: each is refused, and the server keeps working.

use std::time::Duration;

use futures::FutureExt as _;
use serde_json::{Value, json};

use crate::options::ApiOptions;
use crate::storage::Slowness;
use crate::testing::{CONFIGMAPS, PODS, Server, rv};

const NAMESPACES: &str = "/api/v1/namespaces";
const JSON_PATCH: &str = "application/json-patch+json";

async fn json_patch(server: &Server, path: &str, operations: &Value) -> crate::testing::Answer {
    server.send("PATCH", path, JSON_PATCH, &operations.to_string()).await
}

#[tokio::test(start_paused = true)]
async fn an_operation_that_fails_after_others_changes_nothing() {
    let server = Server::new();
    let before = server.configmap("a").await;
    let path = format!("{CONFIGMAPS}/a");
    let operations = json!([
        { "op": "add", "path": "/data", "value": {} },
        { "op": "move", "from": "/data", "path": "/x/y" },
    ]);
    json_patch(&server, &path, &operations).await.refused(422, "Invalid");
    assert_eq!(server.get(&path).await.of(200), before);
}

#[tokio::test(start_paused = true)]
async fn copies_cannot_grow_without_bounds() {
    let server = Server::new();
    let before = server.configmap("a").await;
    let path = format!("{CONFIGMAPS}/a");
    let mut operations = vec![json!({ "op": "add", "path": "/data", "value": { "a": "x".repeat(1024) } })];
    for at in 0..60 {
        operations.push(json!({ "op": "copy", "from": "/data", "path": format!("/data/c{at}") }));
    }
    let answer = json_patch(&server, &path, &operations.into()).await;
    answer.refused(422, "Invalid");
    assert_eq!(server.get(&path).await.of(200), before);
}

#[tokio::test(start_paused = true)]
async fn what_could_not_be_read_again_is_not_written() {
    let server = Server::new();
    // A kind that takes any JSON.
    let revisions = "/apis/apps/v1/namespaces/default/controllerrevisions";
    let before = server.post(revisions, &json!({ "metadata": { "name": "a" }, "revision": 1 })).await.of(201);
    let path = format!("{revisions}/a");
    let mut operations = vec![json!({ "op": "add", "path": "/data", "value": {} })];
    for depth in 1..200 {
        let at = format!("/data{}", "/a".repeat(depth));
        operations.push(json!({ "op": "add", "path": at, "value": {} }));
    }
    let fitting = json_patch(&server, &path, &operations[..99].into()).await.of(200);
    assert_ne!(fitting, before);
    json_patch(&server, &path, &operations.clone().into()).await.refused(422, "Invalid");
    let doubling: Vec<Value> = (0..8)
        .map(|power: u32| {
            let at = format!("/data{}", "/a".repeat(2_usize.pow(power) + 98));
            json!({ "op": "copy", "from": "/data", "path": at })
        })
        .collect();
    json_patch(&server, &path, &doubling.into()).await.refused(422, "Invalid");
    assert_eq!(server.get(&path).await.of(200), fitting);
}

#[tokio::test(start_paused = true)]
async fn an_object_is_not_too_deep_for_its_managers() {
    let server = Server::new();
    let definition = json!({
        "metadata": { "name": "deep.example.com" },
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": { "plural": "deep", "kind": "Deep" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": {
                "type": "object", "x-kubernetes-preserve-unknown-fields": true,
            } } }],
        },
    });
    server.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition).await.of(201);
    let collection = "/apis/example.com/v1/namespaces/default/deep";
    let mut stored = 0;
    let mut refused = 0;
    for depth in 105..127 {
        let name = format!("d{depth}");
        let data = format!("{}{{}}{}", "{\"a\":".repeat(depth - 2), "}".repeat(depth - 2));
        let body = format!(
            r#"{{"apiVersion":"example.com/v1","kind":"Deep","metadata":{{"name":"{name}"}},"data":{data}}}"#
        );
        let answer = server.send("POST", collection, "application/json", &body).await;
        if answer.status == 201 {
            stored += 1;
            server.get(&format!("{collection}/{name}")).await.of(200);
            let patch = json!({ "metadata": { "labels": { "a": "b" } } });
            server.merge(&format!("{collection}/{name}"), &patch).await.of(200);
            server.delete(&format!("{collection}/{name}")).await.of(200);
        } else {
            refused += 1;
            answer.refused(400, "BadRequest");
        }
    }
    assert!(stored > 5 && refused > 5, "{stored} and {refused}");
    server.get(collection).await.of(200);
}

#[tokio::test(start_paused = true)]
async fn an_object_cannot_become_too_large_by_and_by() {
    let server = Server::new();
    server.post(PODS, &json!({ "metadata": { "name": "a" }, "spec": {} })).await.of(201);
    let path = format!("{PODS}/a");
    let half = "x".repeat(2 << 20);
    let first = server.merge(&path, &json!({ "spec": { "hostname": half } })).await.of(200);
    let answer = server.merge(&path, &json!({ "spec": { "subdomain": half } })).await;
    assert_eq!(answer.refused(500, ""), "etcdserver: request is too large");
    assert_eq!(server.get(&path).await.of(200), first);
}

#[tokio::test(start_paused = true)]
async fn a_spec_that_is_no_object_is_refused() {
    let server = Server::new();
    for (path, kind) in [(NAMESPACES, "Namespace"), (PODS, "Pod")] {
        let message = server.post(path, &json!({ "metadata": { "name": "x" }, "spec": "text" })).await;
        let expected = format!(
            "{kind} in version \"v1\" cannot be handled as a {kind}: json: cannot unmarshal string into Go struct field \
             {kind}.spec of type v1.{kind}Spec"
        );
        assert_eq!(message.refused(400, "BadRequest"), expected);
    }
    server.post(PODS, &json!({ "metadata": { "name": "p" }, "spec": null })).await.of(201);
    server.merge(&format!("{PODS}/p"), &json!({ "spec": [] })).await.refused(422, "Invalid");
    server.merge(&format!("{PODS}/p/status"), &json!({ "status": 1 })).await.refused(422, "Invalid");
}

#[tokio::test(start_paused = true)]
async fn an_eviction_that_is_tried_only_or_ill_said_evicts_nothing() {
    let server = Server::new();
    let before = server.post(PODS, &json!({ "metadata": { "name": "p" } })).await.of(201);
    let path = format!("{PODS}/p/eviction");
    let eviction = |options: Value| json!({ "metadata": { "name": "p" }, "deleteOptions": options });
    server.post(&format!("{path}?dryRun=All"), &eviction(Value::Null)).await.of(201);
    server.post(&path, &eviction(json!({ "dryRun": ["All"] }))).await.of(201);
    server.post(&format!("{path}?dryRun=Some"), &eviction(json!({}))).await.refused(422, "Invalid");
    server.post(&path, &eviction(json!({ "propagationPolicy": "Nope" }))).await.refused(422, "Invalid");
    let twice = server.post(&format!("{path}?dryRun=All"), &eviction(json!({ "dryRun": ["None"] }))).await;
    assert!(twice.refused(500, "").contains("[All] and [None]"));
    for body in [
        eviction(json!({ "dryRun": "All" })),
        eviction(json!({ "preconditions": { "uid": 5 } })),
        eviction(json!({ "gracePeriodSeconds": "0" })),
        eviction(json!("x")),
        json!({ "metadata": { "name": 5 } }),
    ] {
        let message = server.post(&path, &body).await.refused(400, "BadRequest");
        let start = "Eviction in version \"v1\" cannot be handled as a Eviction: json: cannot unmarshal";
        assert!(message.starts_with(start), "{body}: {message}");
    }
    for body in [json!({}), json!({ "metadata": { "name": "q" } })] {
        let message = server.post(&path, &body).await.refused(400, "BadRequest");
        assert_eq!(message, "name in URL does not match name in Eviction object");
    }
    assert_eq!(server.get(&format!("{PODS}/p")).await.of(200), before);
    server.post(&path, &eviction(Value::Null)).await.of(201);
    assert_eq!(server.get(&format!("{PODS}/p")).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn a_generation_is_counted_by_the_server_and_does_not_overflow() {
    let server = Server::new();
    // A kind without generations keeps what a client sends, as in the real server.
    for (collection, created, marked) in [(PODS, 1, 2), (CONFIGMAPS, i64::MAX, i64::MAX)] {
        let metadata = json!({ "name": "a", "generation": i64::MAX, "finalizers": ["example.com/x"] });
        let object = server.post(collection, &json!({ "metadata": metadata })).await.of(201);
        assert_eq!(object["metadata"]["generation"], created);
        let object = server.delete(&format!("{collection}/a")).await.of(200);
        assert_eq!(object["metadata"]["generation"], marked);
        assert!(object["metadata"]["deletionTimestamp"].is_string());
    }
}

#[tokio::test(start_paused = true)]
async fn settings_may_be_as_large_or_small_as_they_can() {
    let options = ApiOptions {
        bookmark_interval: Duration::MAX,
        last_bookmark: Duration::MAX,
        watch_timeout: Duration::MAX..Duration::MAX,
        slowness: Slowness { buffer: usize::MAX, patience: Duration::MAX },
        ..ApiOptions::default()
    };
    let server = Server::with(options);
    let query = format!("?watch=1&allowWatchBookmarks=true&resourceVersion={}", server.api().version());
    let mut watch = server.watch(&format!("{CONFIGMAPS}{query}")).await;
    assert_eq!(watch.next().now_or_never(), None);
    server.configmap("a").await;
    assert_eq!(watch.take(1).await, ["ADDED a"]);
    server.configmap("b").await;
    assert_eq!(watch.take(1).await, ["ADDED b"]);

    let server = Server::with(ApiOptions { bookmark_interval: Duration::ZERO, ..ApiOptions::default() });
    let created = server.configmap("a").await;
    let query = format!("?watch=1&allowWatchBookmarks=true&resourceVersion={}", rv(&created));
    let mut watch = server.watch(&format!("{CONFIGMAPS}{query}")).await;
    server.configmap("b").await;
    server.configmap("c").await;
    assert_eq!(watch.take(2).await, ["ADDED b", "ADDED c"]);
    assert_eq!(watch.take(1).await, ["BOOKMARK"]);
}
