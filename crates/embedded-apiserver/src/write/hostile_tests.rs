//! Requests that no sane client sends: each is refused, and the server goes on.

use serde_json::{Value, json};

use crate::testing::{CONFIGMAPS, Server};

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
    let message = answer.refused(413, "RequestEntityTooLarge");
    assert!(message.starts_with("the accumulated size of the copies of a JSON patch is"), "{message}");
    assert_eq!(server.get(&path).await.of(200), before);
}

#[tokio::test(start_paused = true)]
async fn what_could_not_be_read_again_is_not_written() {
    let server = Server::new();
    let before = server.configmap("a").await;
    let path = format!("{CONFIGMAPS}/a");
    let mut operations = vec![json!({ "op": "add", "path": "/a", "value": {} })];
    for depth in 1..200 {
        let at = "/a".repeat(depth + 1);
        operations.push(json!({ "op": "add", "path": at, "value": {} }));
    }
    let fitting = json_patch(&server, &path, &operations[..99].into()).await.of(200);
    assert_ne!(fitting, before);
    json_patch(&server, &path, &operations.clone().into()).await.refused(422, "Invalid");
    let doubling: Vec<Value> = (0..8)
        .map(|power: u32| json!({ "op": "copy", "from": "/a", "path": "/a".repeat(2_usize.pow(power) + 99) }))
        .collect();
    json_patch(&server, &path, &doubling.into()).await.refused(422, "Invalid");
    assert_eq!(server.get(&path).await.of(200), fitting);
}

#[tokio::test(start_paused = true)]
async fn an_object_cannot_become_too_large_by_and_by() {
    let server = Server::new();
    server.configmap("a").await;
    let path = format!("{CONFIGMAPS}/a");
    let half = "x".repeat(2 << 20);
    let first = server.merge(&path, &json!({ "data": { "a": half } })).await.of(200);
    let answer = server.merge(&path, &json!({ "data": { "b": half } })).await;
    assert_eq!(answer.refused(500, ""), "etcdserver: request is too large");
    assert_eq!(server.get(&path).await.of(200), first);
}
