//! The finalizers that a delete adds and removes.

use serde_json::{Value, json};

use super::{collecting, create, delete, settle};
use crate::testing::{CONFIGMAPS, Server};

const JOBS: &str = "/apis/batch/v1/namespaces/default/jobs";

/// Deletes a ConfigMap that has these finalizers and one that keeps it; returns those that it has then.
async fn after(server: &Server, name: &str, before: &[&str], options: &Value) -> Value {
    let mut finalizers = before.to_vec();
    finalizers.insert(0, "example.com/hold");
    let map = json!({ "metadata": { "name": name, "finalizers": finalizers } });
    server.post(CONFIGMAPS, &map).await.of(201);
    let path = format!("{CONFIGMAPS}/{name}");
    let answer = server.send("DELETE", &path, "application/json", &options.to_string()).await.of(200);
    let kept = answer["metadata"]["finalizers"].as_array().unwrap().clone();
    assert_eq!(kept[0], "example.com/hold");
    kept[1..].to_vec().into()
}

#[tokio::test(start_paused = true)]
async fn what_is_said_overrides_what_the_object_has() {
    let server = collecting();
    let foreground = "foregroundDeletion";
    let orphan = "orphan";
    let cases: [(&[&str], Value, Value); 11] = [
        (&[], json!({}), json!([])),
        (&[foreground], json!({}), json!([foreground])),
        (&[orphan], json!({}), json!([orphan])),
        (&[], json!({ "propagationPolicy": "Foreground" }), json!([foreground])),
        (&[], json!({ "propagationPolicy": "Orphan" }), json!([orphan])),
        (&[orphan], json!({ "propagationPolicy": "Foreground" }), json!([foreground])),
        (&[foreground], json!({ "propagationPolicy": "Orphan" }), json!([orphan])),
        (&[foreground], json!({ "propagationPolicy": "Background" }), json!([])),
        (&[], json!({ "orphanDependents": true }), json!([orphan])),
        (&[orphan], json!({ "orphanDependents": false }), json!([])),
        (&[foreground], json!({ "orphanDependents": false }), json!([])),
    ];
    for (number, (before, options, expected)) in cases.into_iter().enumerate() {
        let found = after(&server, &format!("m{number}"), before, &options).await;
        assert_eq!(found, expected, "{before:?} {options}");
    }
    let answer = server.configmap("query").await;
    let path = format!("{CONFIGMAPS}/query?orphanDependents=true");
    let marked = server.delete(&path).await.of(200);
    assert_eq!(
        (&marked["metadata"]["finalizers"], &marked["metadata"]["uid"]),
        (&json!([orphan]), &answer["metadata"]["uid"])
    );
}

#[tokio::test(start_paused = true)]
async fn pods_of_jobs_are_orphaned_unless_something_else_is_said() {
    let server = collecting();
    let job = json!({
        "metadata": { "name": "j" },
        "spec": { "template": { "spec": { "restartPolicy": "Never", "containers": [{ "name": "c", "image": "i" }] } } },
    });
    for (options, finalizers, warns) in [
        (json!({}), json!(["orphan"]), true),
        (json!({ "propagationPolicy": "Background" }), Value::Null, false),
    ] {
        server.post(JOBS, &job).await.of(201);
        let path = format!("{JOBS}/j");
        let answer = server.send("DELETE", &path, "application/json", &options.to_string()).await;
        assert_eq!(answer.of(200)["metadata"]["finalizers"], finalizers);
        assert_eq!(answer.headers.contains_key("warning"), warns);
        settle().await;
        server.get(&path).await.refused(404, "NotFound");
    }
}

#[tokio::test(start_paused = true)]
async fn a_second_delete_may_change_the_policy() {
    let server = collecting();
    let mut map = super::map("child", &[super::blocked(&create(&server, "a", &[]).await)]);
    map["metadata"]["finalizers"] = json!(["example.com/hold"]);
    server.post(CONFIGMAPS, &map).await.of(201);
    let path = format!("{CONFIGMAPS}/a");
    delete(&server, &path, "Foreground").await;
    settle().await;
    server.get(&path).await.of(200);
    assert_eq!(delete(&server, &path, "Background").await["status"], "Success");
    server.get(&path).await.refused(404, "NotFound");
}

#[tokio::test(start_paused = true)]
async fn without_a_collector_nothing_is_added_that_nobody_would_remove() {
    let server = Server::new();
    for policy in ["Foreground", "Orphan", "Background"] {
        server.configmap("a").await;
        assert_eq!(delete(&server, &format!("{CONFIGMAPS}/a"), policy).await["status"], "Success");
    }
}
