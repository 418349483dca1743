//! Server-side apply and managedFields, over HTTP. `tests/real` compares much more of it with a real server.

use serde_json::{Value, json};

use crate::options::ApiOptions;
use crate::testing::{Answer, CONFIGMAPS, DEFINITIONS, Server, rv};

const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";

async fn apply(server: &Server, path: &str, manager: &str, object: &Value) -> Answer {
    let separator = if path.contains('?') { '&' } else { '?' };
    let path = format!("{path}{separator}fieldManager={manager}");
    server.send("PATCH", &path, "application/apply-patch+yaml", &object.to_string()).await
}

fn map(data: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "x" }, "data": data })
}

fn deployment(replicas: Option<u32>) -> Value {
    let container = json!({ "name": "c", "image": "i:1" });
    let template = json!({ "metadata": { "labels": { "a": "b" } }, "spec": { "containers": [container] } });
    let mut spec = json!({ "selector": { "matchLabels": { "a": "b" } }, "template": template });
    if let Some(replicas) = replicas {
        spec["replicas"] = replicas.into();
    }
    json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "x" }, "spec": spec })
}

/// The managers of an object: name, operation, subresource if any, and the fields.
fn managers(object: &Value) -> Vec<(String, Value)> {
    let entries = object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    let told = |entry: Value| {
        let text = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        let name = [text("manager"), text("operation"), text("subresource")].join(" ");
        (name.trim_end().to_owned(), entry["fieldsV1"].clone())
    };
    entries.into_iter().map(told).collect()
}

#[tokio::test(start_paused = true)]
async fn who_applies_owns_what_is_applied_and_removes_what_is_not_any_more() {
    let server = Server::new();
    let path = format!("{CONFIGMAPS}/x");
    let made = apply(&server, &path, "one", &map(&json!({ "a": "1", "b": "1" }))).await.of(201);
    let fields = json!({ "f:data": { "f:a": {}, "f:b": {} } });
    assert_eq!(managers(&made), [("one Apply".to_owned(), fields)]);
    let same = apply(&server, &path, "one", &map(&json!({ "a": "1", "b": "1" }))).await.of(200);
    assert_eq!(rv(&same), rv(&made), "nothing has changed");
    let less = apply(&server, &path, "one", &map(&json!({ "a": "2" }))).await.of(200);
    assert_eq!(less["data"], json!({ "a": "2" }));
    let both = apply(&server, &path, "two", &map(&json!({ "a": "2" }))).await.of(200);
    assert_eq!(managers(&both).len(), 2);
    let nothing = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "x" } });
    let shared = apply(&server, &path, "one", &nothing).await.of(200);
    assert_eq!(shared["data"], json!({ "a": "2" }), "the other one still wants it");
    assert_eq!(managers(&shared).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_conflict_names_the_other_manager_and_can_be_won_by_force() {
    let server = Server::new();
    let path = format!("{CONFIGMAPS}/x");
    server.post(&format!("{CONFIGMAPS}?fieldManager=creator"), &map(&json!({ "a": "1" }))).await.of(201);
    let answer = apply(&server, &path, "one", &map(&json!({ "a": "2" }))).await;
    assert_eq!(
        answer.refused(409, "Conflict"),
        "Apply failed with 1 conflict: conflict with \"creator\" using v1: .data.a"
    );
    let cause = &answer.json()["details"]["causes"][0];
    assert_eq!((&cause["reason"], &cause["field"]), (&json!("FieldManagerConflict"), &json!(".data.a")));
    let forced =
        apply(&server, &format!("{path}?force=true"), "one", &map(&json!({ "a": "2" }))).await.of(200);
    assert_eq!(forced["data"]["a"], "2");
    let names: Vec<String> = managers(&forced).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["one Apply", "creator Update"], "it still owns the map");
    apply(&server, &path, "", &map(&json!({}))).await.refused(422, "Invalid");
}

#[tokio::test(start_paused = true)]
async fn defaults_belong_to_those_who_post_and_to_nobody_who_applies() {
    let server = Server::new();
    let path = format!("{DEPLOYMENTS}/x");
    let applied = apply(&server, &path, "one", &deployment(None)).await.of(201);
    assert_eq!(applied["spec"]["replicas"], 1);
    let [(_, fields)] = managers(&applied).try_into().unwrap();
    assert_eq!((fields["f:spec"].get("f:replicas"), fields["f:spec"].get("f:strategy")), (None, None));
    server.delete(&path).await.of(200);
    let posted = server.post(&format!("{DEPLOYMENTS}?fieldManager=poster"), &deployment(None)).await.of(201);
    let [(_, fields)] = managers(&posted).try_into().unwrap();
    assert_eq!(fields["f:spec"]["f:replicas"], json!({}));
    assert_eq!(fields["f:spec"]["f:strategy"]["f:rollingUpdate"]["f:maxSurge"], json!({}));
}

#[tokio::test(start_paused = true)]
async fn status_and_scale_are_owned_apart() {
    let server = Server::new();
    let path = format!("{DEPLOYMENTS}/x");
    apply(&server, &path, "one", &deployment(Some(1))).await.of(201);
    let mut status = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "x" } });
    status["status"] = json!({ "replicas": 1 });
    let changed = apply(&server, &format!("{path}/status"), "reporter", &status).await.of(200);
    assert_eq!(changed["status"]["replicas"], 1);
    let reporter = ("reporter Apply status".to_owned(), json!({ "f:status": { "f:replicas": {} } }));
    assert!(managers(&changed).contains(&reporter), "{changed}");
    let scale = json!({ "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": { "name": "x" }, "spec": { "replicas": 3 } });
    let taken = apply(&server, &format!("{path}/scale"), "scaler", &scale).await.refused(409, "Conflict");
    assert!(taken.ends_with("conflict with \"one\": .spec.replicas"), "{taken}");
    apply(&server, &format!("{path}/scale?force=true"), "scaler", &scale).await.of(200);
    let scaled = server.get(&path).await.of(200);
    assert_eq!(scaled["spec"]["replicas"], 3);
    let scaler = ("scaler Apply scale".to_owned(), json!({ "f:spec": { "f:replicas": {} } }));
    assert!(managers(&scaled).contains(&scaler), "{scaled}");
    let again = apply(&server, &path, "one", &deployment(None)).await.of(200);
    assert_eq!(again["spec"]["replicas"], 3, "who leaves it out leaves it to the scaler");
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_says_what_would_be() {
    let server = Server::new();
    let path = format!("{CONFIGMAPS}/x");
    let tried =
        apply(&server, &format!("{path}?dryRun=All"), "one", &map(&json!({ "a": "1" }))).await.of(201);
    assert_eq!(managers(&tried).len(), 1);
    server.get(&path).await.refused(404, "NotFound");
    let made = apply(&server, &path, "one", &map(&json!({ "a": "1" }))).await.of(201);
    let tried =
        apply(&server, &format!("{path}?dryRun=All"), "one", &map(&json!({ "b": "1" }))).await.of(200);
    assert_eq!(tried["data"], json!({ "b": "1" }));
    assert_eq!(server.get(&path).await.of(200), made);
}

#[tokio::test(start_paused = true)]
async fn managers_can_be_switched_off() {
    let server = Server::with(ApiOptions { managed_fields: false, ..ApiOptions::default() });
    let made = server.post(CONFIGMAPS, &map(&json!({}))).await.of(201);
    assert_eq!(made["metadata"].get("managedFields"), None);
    let message = apply(&server, &format!("{CONFIGMAPS}/x"), "one", &map(&json!({})))
        .await
        .refused(501, "NotImplemented");
    assert!(message.contains("managedFields"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn an_empty_list_of_managers_forgets_them() {
    let server = Server::new();
    let path = format!("{CONFIGMAPS}/x");
    let json_patch = r#"[{"op":"replace","path":"/metadata/managedFields","value":[]}]"#;
    for (media_type, body) in [
        ("application/merge-patch+json", r#"{"metadata":{"managedFields":[]}}"#),
        ("application/strategic-merge-patch+json", r#"{"metadata":{"managedFields":[]}}"#),
        ("application/json-patch+json", json_patch),
    ] {
        let made = apply(&server, &path, "one", &map(&json!({ "a": "1" }))).await.of(201);
        assert_eq!(managers(&made).len(), 1);
        let answer = server.send("PATCH", &path, media_type, body).await.of(200);
        assert_eq!((managers(&answer), &answer["data"]), (Vec::new(), &made["data"]), "{media_type}");
        server.delete(&path).await.of(200);
    }
    // In a template it means nothing, and a status has no say in it.
    let mut with_template = deployment(Some(1));
    with_template["spec"]["template"]["metadata"]["managedFields"] = json!([]);
    let made = server.post(DEPLOYMENTS, &with_template).await.of(201);
    assert_eq!(made["spec"]["template"]["metadata"].get("managedFields"), None);
    let status = json!({ "metadata": { "managedFields": [] }, "status": { "replicas": 1 } });
    let answer = server.merge(&format!("{DEPLOYMENTS}/x/status"), &status).await.of(200);
    assert_eq!(managers(&answer).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_update_that_creates_keeps_what_a_post_may_not_set() {
    let server = Server::new();
    let path = format!("{CONFIGMAPS}/x");
    let at = "2020-01-01T00:00:00Z";
    let with = |metadata: Value| {
        let mut object = map(&json!({ "a": "1" }));
        object["metadata"] = metadata;
        object
    };
    let doomed = with(json!({ "name": "x", "deletionTimestamp": at, "selfLink": "/x" }));
    let posted = server.post(CONFIGMAPS, &doomed).await.of(201);
    assert_eq!(posted["metadata"].get("deletionTimestamp"), None);
    let message = apply(&server, &path, "one", &doomed).await.of(422);
    assert_eq!(message["details"]["causes"][0]["field"], "metadata.deletionTimestamp");
    server.delete(&path).await.of(200);

    let tried = apply(&server, &format!("{path}?dryRun=All"), "one", &doomed).await.of(201);
    assert_eq!(
        (&tried["metadata"]["deletionTimestamp"], &tried["metadata"]["selfLink"]),
        (&json!(at), &json!("/x"))
    );
    let applied = apply(&server, &path, "one", &doomed).await.of(201);
    assert_eq!(applied["metadata"]["deletionTimestamp"], at);
    assert_eq!(applied["metadata"].get("selfLink"), None, "it is not stored");
    // Nothing holds it, so that the next write removes it, even one that changes nothing.
    let ended = apply(&server, &path, "one", &doomed).await.of(200);
    assert_eq!(
        (&ended["metadata"]["deletionTimestamp"], &ended["metadata"]["selfLink"]),
        (&json!(at), &json!("/x"))
    );
    server.get(&path).await.refused(404, "NotFound");

    let versioned = with(json!({ "name": "x", "resourceVersion": "1" }));
    apply(&server, &path, "one", &versioned).await.of(201);
    apply(&server, &path, "one", &versioned).await.refused(409, "Conflict");
}

#[tokio::test(start_paused = true)]
async fn a_status_that_nobody_has_written_can_be_applied_as_null() {
    let server = Server::new();
    let schema = json!({ "type": "object", "properties": {
        "status": { "type": "object", "properties": { "phase": { "type": "string" } } },
    } });
    let definition = json!({ "metadata": { "name": "things.example.com" }, "spec": {
        "group": "example.com", "scope": "Namespaced", "names": { "plural": "things", "kind": "Thing" },
        "versions": [{ "name": "v1", "served": true, "storage": true, "subresources": { "status": {} },
            "schema": { "openAPIV3Schema": schema } }],
    } });
    server.post(DEFINITIONS, &definition).await.of(201);
    let things = "/apis/example.com/v1/namespaces/default/things";
    let mut thing = json!({ "apiVersion": "example.com/v1", "kind": "Thing", "metadata": { "name": "x" } });
    server.post(things, &thing).await.of(201);
    let path = format!("{things}/x/status");
    thing["status"] = Value::Null;
    let applied = apply(&server, &path, "one", &thing).await.of(200);
    assert_eq!(applied.get("status"), None);
    let owned = ("one Apply status".to_owned(), json!({ "f:status": {} }));
    assert!(managers(&applied).contains(&owned), "{applied}");
    thing["status"] = json!({ "phase": 5 });
    apply(&server, &path, "one", &thing).await.refused(500, "");
}

#[tokio::test(start_paused = true)]
async fn finalizers_without_a_domain_are_warned_of_when_they_are_applied() {
    let server = Server::new();
    let names = json!({ "plural": "things", "kind": "Thing" });
    let schema = json!({ "type": "object" });
    let definition = json!({ "metadata": { "name": "things.example.com" }, "spec": {
        "group": "example.com", "scope": "Namespaced", "names": names,
        "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }],
    } });
    server.post(DEFINITIONS, &definition).await.of(201);
    let metadata = json!({ "name": "x", "finalizers": ["nodomain"] });
    let thing = json!({ "apiVersion": "example.com/v1", "kind": "Thing", "metadata": metadata });
    for (status, warns) in [(201, true), (200, false)] {
        let answer = apply(&server, "/apis/example.com/v1/namespaces/default/things/x", "one", &thing).await;
        answer.of(status);
        assert_eq!(answer.headers.contains_key("warning"), warns, "{status}");
    }
}
