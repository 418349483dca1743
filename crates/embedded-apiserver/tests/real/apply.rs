//! Server-side apply and managedFields: the same writes to the same objects on both servers.

use anyhow::{Context, Result};
use http::Request;
use http_body_util::BodyExt as _;
use kube_client::Client;
use kube_client::client::Body;
use serde_json::{Value, json};

use crate::support::{DEFINITIONS, Servers, ask, eventually};

const APPLY: &str = "application/apply-patch+yaml";
const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";
const JSON: &str = "application/json";
const WIDGETS: &str = "/apis/apply.example.com/v1/namespaces/default/widgets";

/// The writes to one object: method and what follows its name in the path, media type, body.
struct Story {
    collection: &'static str,
    kind: (&'static str, &'static str),
    /// Whether the whole object is compared, and not only who owns what: where the real server has no defaults.
    whole: bool,
    /// Whether the real server refuses the first write.
    refused: bool,
    steps: Vec<(&'static str, &'static str, Value)>,
}

/// What is compared of an answer.
async fn answer(client: &Client, story: &Story, name: &str, step: &(&str, &str, Value)) -> Result<Value> {
    let (request, media_type, body) = step;
    let (method, rest) = request.split_once(' ').context("a method and a path")?;
    let path = match method {
        "POST" => format!("{}{rest}", story.collection),
        _ => format!("{}/{name}{rest}", story.collection),
    };
    let mut body = body.clone();
    if !body.is_string() {
        body["metadata"]["name"] = name.into();
        for (field, value) in [("apiVersion", story.kind.0), ("kind", story.kind.1)] {
            let given = body.get(field).cloned();
            body[field] = given.unwrap_or_else(|| value.into());
        }
    }
    let text = body.as_str().map_or_else(|| body.to_string(), str::to_owned);
    let body = if method == "GET" { Vec::new() } else { text.into_bytes() };
    let request = Request::builder().method(method).uri(&path).header("content-type", *media_type);
    let request = request.header("user-agent", "tester/1.0 (linux)").body(Body::from(body))?;
    let answer = client.send(request).await?;
    let status = answer.status().as_u16();
    let text = answer.into_body().collect().await?.to_bytes();
    let mut object: Value = serde_json::from_slice(&text).unwrap_or_default();
    if status >= 400 {
        if let Some(causes) = object.pointer_mut("/details/causes").and_then(Value::as_array_mut) {
            causes.sort_by_key(|cause| cause["message"].to_string());
            // The real server checks metadata several times, and lists what it finds each time.
            causes.dedup();
        }
        return Ok(json!([status, object]));
    }
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        for own in ["uid", "resourceVersion", "creationTimestamp"] {
            metadata.remove(own);
        }
        if let Some(managers) = metadata.get_mut("managedFields").and_then(Value::as_array_mut) {
            for time in managers.iter_mut().filter_map(|manager| manager.get_mut("time")) {
                *time = "T".into();
            }
            // They are in the order of their times, which are whole seconds: a new one may begin between the same writes.
            managers.sort_by_cached_key(ToString::to_string);
        }
    }
    Ok(if story.whole {
        json!([status, object])
    } else {
        json!([status, object["metadata"]["managedFields"]])
    })
}

#[tokio::test]
async fn objects_are_applied_and_owned_as_on_the_real_server() -> Result<()> {
    let test = "objects_are_applied_and_owned_as_on_the_real_server";
    let Some(servers) = Servers::start(test).await? else { return Ok(()) };
    for client in [&servers.real, &servers.embedded] {
        let request = Request::post(DEFINITIONS).header("content-type", JSON);
        let made = client.send(request.body(Body::from(definition().to_string().into_bytes()))?).await?;
        assert_eq!(made.status(), 201, "{made:?}");
        eventually(async || Ok(ask(client, &format!("GET {WIDGETS}")).await?.status == 200)).await?;
    }
    let (mut count, mut problems) = (0, Vec::new());
    for (number, story) in stories().iter().enumerate() {
        let name = format!("applied-{number}");
        for (place, step) in story.steps.iter().enumerate() {
            count += 1;
            let real = answer(&servers.real, story, &name, step).await?;
            let embedded = answer(&servers.embedded, story, &name, step).await?;
            // What follows would be the same on two servers without the object.
            let made = place > 0 || story.refused || matches!(real[0].as_u64(), Some(200..300));
            if real != embedded || !made {
                problems.push(format!(
                    "{} {number} step {place} {}\n  real     {real}\n  embedded {embedded}",
                    story.kind.1, step.0
                ));
            }
        }
    }
    servers.stop().await?;
    assert!(problems.is_empty(), "{} of {count}:\n{}", problems.len(), problems.join("\n"));
    Ok(())
}

fn definition() -> Value {
    let text = json!({ "type": "string" });
    let item = json!({ "type": "object", "required": ["name"], "properties": { "name": text, "value": { "type": "integer" } } });
    let spec = json!({
        "type": "object",
        "properties": {
            "text": text, "number": { "type": "integer" }, "replicas": { "type": "integer" },
            "map": { "type": "object", "additionalProperties": text },
            "atomic": { "type": "object", "additionalProperties": text, "x-kubernetes-map-type": "atomic" },
            "set": { "type": "array", "items": text, "x-kubernetes-list-type": "set" },
            "list": { "type": "array", "items": text },
            "items": {
                "type": "array", "items": item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
            },
            "free": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
        },
    });
    let status =
        json!({ "type": "object", "properties": { "phase": text, "replicas": { "type": "integer" } } });
    let schema =
        json!({ "openAPIV3Schema": { "type": "object", "properties": { "spec": spec, "status": status } } });
    let scale = json!({ "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas" });
    let version = json!({
        "name": "v1", "served": true, "storage": true, "schema": schema,
        "subresources": { "status": {}, "scale": scale },
    });
    let names =
        json!({ "plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList" });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "widgets.apply.example.com" },
        "spec": { "group": "apply.example.com", "scope": "Namespaced", "names": names, "versions": [version] },
    })
}

fn stories() -> Vec<Story> {
    let story = |collection, kind, steps| Story { collection, kind, whole: true, refused: false, steps };
    let maps = |steps| story("/api/v1/namespaces/default/configmaps", ("v1", "ConfigMap"), steps);
    let widgets = |steps| story(WIDGETS, ("apply.example.com/v1", "Widget"), steps);
    let roles = |steps| {
        let collection = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
        story(collection, ("rbac.authorization.k8s.io/v1", "Role"), steps)
    };
    let deployments = |steps| Story {
        collection: "/apis/apps/v1/namespaces/default/deployments",
        kind: ("apps/v1", "Deployment"),
        whole: false,
        refused: false,
        steps,
    };
    let data = |data: Value| json!({ "data": data });
    let with = |object: &Value, name: &str, value: Value| {
        let mut object = object.clone();
        object[name] = value;
        object
    };
    // It asks to forget all managers.
    let with_managers = |object: Value| with(&object, "metadata", json!({ "managedFields": [] }));
    // What only the server sets.
    let metadata = json!({ "deletionTimestamp": "2020-01-01T00:00:00Z", "selfLink": "/x" });
    let scale = |replicas: u32| json!({ "apiVersion": "autoscaling/v1", "kind": "Scale", "spec": { "replicas": replicas } });
    let template = |image: &str| {
        json!({
            "metadata": { "labels": { "app": "x" } }, "spec": { "containers": [{ "name": "c", "image": image }] },
        })
    };
    let workload = |replicas: u32, image: &str| {
        let selector = json!({ "matchLabels": { "app": "x" } });
        json!({ "spec": { "replicas": replicas, "selector": selector, "template": template(image) } })
    };
    vec![
        maps(vec![
            ("POST ?fieldManager=one", JSON, data(json!({ "a": "1", "b": "2" }))),
            ("PATCH ", MERGE, data(json!({ "c": "3" }))),
            (
                "PATCH ?fieldManager=two",
                "application/json-patch+json",
                json!("[{\"op\":\"replace\",\"path\":\"/data/a\",\"value\":\"9\"}]"),
            ),
            ("PATCH ?fieldManager=two", "application/strategic-merge-patch+json", data(json!({ "b": null }))),
            ("PUT ?fieldManager=three", JSON, data(json!({ "a": "9", "d": "4" }))),
            ("PATCH ", APPLY, data(json!({ "a": "9" }))),
            ("PATCH ?fieldManager=four", APPLY, data(json!({ "a": "8", "e": "5" }))),
            ("PATCH ?fieldManager=four&force=true&dryRun=All", APPLY, data(json!({ "a": "8", "e": "5" }))),
            ("PATCH ?fieldManager=four&force=true", APPLY, data(json!({ "a": "8", "e": "5" }))),
            ("PATCH ?fieldManager=four", APPLY, data(json!({ "a": "8", "e": "5" }))),
            ("PATCH ?fieldManager=five", APPLY, data(json!({ "a": "8" }))),
            ("PATCH ?fieldManager=four", APPLY, data(json!({}))),
            ("PATCH ?fieldManager=four", APPLY, json!({})),
            ("PATCH ?fieldManager=five&force=true", MERGE, data(json!({ "x": "1" }))),
            (
                "PUT ?fieldManager=six",
                JSON,
                json!({ "data": { "z": "1" }, "metadata": { "managedFields": [{}] } }),
            ),
            ("PATCH ?fieldManager=six", MERGE, data(json!({ "y": "1" }))),
            ("PATCH ?fieldManager=six", APPLY, data(json!({ "y": "1" }))),
            ("GET ", JSON, Value::Null),
        ]),
        maps(vec![
            (
                "PATCH ?fieldManager=one",
                APPLY,
                json!(
                    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: applied-1\n  labels: {a: b}\ndata:\n  text: |\n    x\n    y\n"
                ),
            ),
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": { "uid": "u" } })),
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": { "resourceVersion": "1" } })),
            ("PATCH ?fieldManager=one", APPLY, json!({ "kind": "Secret" })),
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": { "managedFields": [] } })),
            ("PATCH ?fieldManager=one", APPLY, json!({ "unknown": 1 })),
            ("PATCH ?fieldManager=one", APPLY, data(json!({ "a": 1 }))),
            ("PATCH ?fieldManager=one", "application/apply-patch+cbor", data(json!({ "a": 1 }))),
        ]),
        Story {
            refused: true,
            ..maps(vec![("PATCH ?fieldManager=one", APPLY, json!({ "metadata": { "uid": "u" } }))])
        },
        widgets(vec![
            (
                "POST ?fieldManager=one",
                JSON,
                json!({ "spec": { "text": "a", "set": ["x"], "items": [{ "name": "n", "value": 1 }], "free": { "deep": { "er": [1] } } } }),
            ),
            (
                "PATCH ?fieldManager=two",
                APPLY,
                json!({ "spec": { "set": ["y"], "items": [{ "name": "m" }], "free": { "deep": { "x": 1 } }, "replicas": 1 } }),
            ),
            (
                "PATCH ?fieldManager=two",
                APPLY,
                json!({ "spec": { "items": [{ "name": "n", "value": 2 }], "atomic": { "a": "b" }, "list": ["e"] } }),
            ),
            (
                "PATCH ?fieldManager=two&force=true",
                APPLY,
                json!({ "spec": { "items": [{ "name": "n", "value": 2 }, { "name": "o" }], "atomic": { "a": "b" }, "map": { "c": "d" }, "list": ["e"] } }),
            ),
            (
                "PATCH ?fieldManager=three",
                APPLY,
                json!({ "spec": { "atomic": { "f": "g" }, "list": ["j"] } }),
            ),
            (
                "PATCH /status?fieldManager=controller",
                MERGE,
                json!({ "status": { "phase": "Ready" }, "spec": { "text": "no" } }),
            ),
            ("PATCH /status?fieldManager=applier", APPLY, json!({ "status": { "phase": "Ready" } })),
            ("PATCH /status?fieldManager=applier", APPLY, json!({ "status": { "phase": "Other" } })),
            (
                "PATCH ?fieldManager=applier",
                APPLY,
                json!({ "spec": { "number": 5 }, "status": { "phase": "Mine" } }),
            ),
            ("PATCH /scale?fieldManager=scaler", MERGE, scale(4)),
            ("PATCH /scale?fieldManager=other", APPLY, scale(5)),
            ("GET ", JSON, Value::Null),
            ("PATCH ?fieldManager=two", APPLY, json!({ "spec": { "unknown": 1 } })),
            ("PATCH ?fieldManager=two", APPLY, json!({ "spec": { "number": "x" } })),
        ]),
        widgets(vec![
            ("PATCH ?fieldManager=one", APPLY, json!({ "spec": { "replicas": 2 } })),
            ("PATCH /scale?fieldManager=scaler", MERGE, json!("{\"spec\":{\"replicas\":4}}")),
            ("GET ", JSON, Value::Null),
            ("PATCH /scale?fieldManager=scaler", MERGE, json!("{\"spec\":{\"replicas\":5}}")),
            ("GET ", JSON, Value::Null),
        ]),
        widgets(vec![
            ("POST ?fieldManager=one", JSON, json!({ "spec": { "replicas": 2 } })),
            ("PATCH /scale?fieldManager=scaler", MERGE, json!("{\"spec\":{\"replicas\":4}}")),
            ("GET ", JSON, Value::Null),
        ]),
        roles(vec![
            (
                "PATCH ?fieldManager=one",
                APPLY,
                json!({ "rules": [{ "apiGroups": [""], "resources": ["pods"], "verbs": ["get"] }] }),
            ),
            (
                "PATCH ?fieldManager=two",
                APPLY,
                json!({ "rules": [{ "apiGroups": [""], "resources": ["pods"], "verbs": ["list"] }] }),
            ),
            (
                "PATCH ?fieldManager=two&force=true",
                APPLY,
                json!({ "rules": [{ "apiGroups": [""], "resources": ["pods"], "verbs": ["list"] }] }),
            ),
            (
                "PUT ?fieldManager=one",
                JSON,
                json!({ "rules": [{ "apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get"] }] }),
            ),
        ]),
        maps(vec![
            ("POST ?fieldManager=one", JSON, data(json!({ "a": "1" }))),
            ("PUT ?fieldManager=two", JSON, with_managers(data(json!({ "a": "2" })))),
            ("PUT ?fieldManager=three", JSON, data(json!({ "a": "3" }))),
            ("PATCH ?fieldManager=four", APPLY, data(json!({ "b": "1" }))),
            ("PATCH ?fieldManager=five", MERGE, with_managers(json!({}))),
            ("PATCH ?fieldManager=five", MERGE, data(json!({ "a": "4" }))),
            ("PATCH ?fieldManager=six", APPLY, data(json!({ "c": "1" }))),
            ("PATCH ?fieldManager=six", STRATEGIC, with_managers(data(json!({ "d": "1" })))),
            ("PATCH ?fieldManager=six", APPLY, data(json!({ "c": "1" }))),
            (
                "PATCH ?fieldManager=seven",
                "application/json-patch+json",
                json!("[{\"op\":\"replace\",\"path\":\"/metadata/managedFields\",\"value\":[]}]"),
            ),
            ("GET ", JSON, Value::Null),
        ]),
        maps(vec![("POST ?fieldManager=one", JSON, with_managers(data(json!({ "a": "1" }))))]),
        widgets(vec![
            ("POST ?fieldManager=one", JSON, with_managers(json!({ "spec": { "text": "a" } }))),
            ("PATCH /status?fieldManager=two", MERGE, with_managers(json!({ "status": { "phase": "a" } }))),
            ("PATCH ?fieldManager=two", MERGE, with_managers(json!({ "spec": { "number": 1 } }))),
            ("PATCH ?fieldManager=three", APPLY, json!({ "spec": { "map": { "a": "b" } } })),
            (
                "PATCH ?fieldManager=three",
                "application/json-patch+json",
                json!("[{\"op\":\"replace\",\"path\":\"/metadata/managedFields\",\"value\":[]}]"),
            ),
            ("GET ", JSON, Value::Null),
        ]),
        widgets(vec![
            ("POST ?fieldManager=one", JSON, json!({ "spec": { "text": "a" } })),
            ("PATCH /status?fieldManager=two", APPLY, json!({ "status": null })),
            ("PATCH /status?fieldManager=two", APPLY, json!({ "status": { "phase": "a" } })),
            ("PATCH /status?fieldManager=two", APPLY, json!({ "status": { "phase": null } })),
            ("PATCH /status?fieldManager=two", APPLY, json!({ "status": null })),
            ("PATCH /status?fieldManager=two", APPLY, json!({ "status": null, "spec": null })),
            ("PATCH ?fieldManager=two", APPLY, json!({ "spec": null })),
            ("PATCH /status?fieldManager=three", MERGE, json!({ "status": null })),
            ("PATCH ?fieldManager=two", APPLY, json!({ "status": null })),
            ("GET ", JSON, Value::Null),
        ]),
        widgets(vec![
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": metadata, "spec": { "text": "a" } })),
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": metadata, "spec": { "text": "b" } })),
            (
                "PATCH /status?fieldManager=one",
                APPLY,
                json!({ "metadata": metadata, "status": { "phase": "b" } }),
            ),
            ("GET ", JSON, Value::Null),
        ]),
        maps(vec![
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": metadata, "data": { "a": "1" } })),
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": metadata, "data": { "a": "2" } })),
            (
                "PATCH ?fieldManager=one",
                APPLY,
                json!({ "metadata": { "deletionTimestamp": "2020-01-01T00:00:00Z" } }),
            ),
            (
                "PATCH ?fieldManager=one",
                APPLY,
                json!({ "metadata": { "deletionTimestamp": null, "selfLink": null } }),
            ),
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": { "selfLink": "/x" } })),
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": { "deletionGracePeriodSeconds": 5 } })),
            (
                "PATCH ?fieldManager=one",
                APPLY,
                json!({ "metadata": { "generation": 7, "creationTimestamp": "2020-01-01T00:00:00Z" } }),
            ),
            ("GET ", JSON, Value::Null),
        ]),
        maps(vec![
            ("POST ?fieldManager=one", JSON, with(&data(json!({ "a": "1" })), "metadata", metadata.clone())),
            (
                "PATCH ?fieldManager=one",
                APPLY,
                json!({ "metadata": { "selfLink": "/x" }, "data": { "a": "1" } }),
            ),
            ("GET ", JSON, Value::Null),
            (
                "PATCH ?fieldManager=one",
                APPLY,
                json!({ "metadata": { "selfLink": "/y" }, "data": { "a": "2" } }),
            ),
            (
                "PATCH ?fieldManager=one",
                APPLY,
                json!({ "metadata": { "deletionTimestamp": "2020-01-01T00:00:00Z" } }),
            ),
            (
                "PATCH ?fieldManager=one",
                APPLY,
                json!({ "metadata": { "deletionTimestamp": null, "selfLink": null } }),
            ),
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": { "deletionGracePeriodSeconds": 5 } })),
            (
                "PUT ?fieldManager=one",
                JSON,
                json!({ "metadata": { "selfLink": "/x" }, "data": { "a": "3" } }),
            ),
            ("GET ", JSON, Value::Null),
        ]),
        maps(vec![
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": { "deletionGracePeriodSeconds": 5 } })),
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": { "labels": { "a": "b" } } })),
            ("GET ", JSON, Value::Null),
        ]),
        maps(vec![
            (
                "PATCH ?fieldManager=one",
                APPLY,
                json!({ "metadata": { "deletionTimestamp": "2020-01-01T00:00:00Z", "deletionGracePeriodSeconds": 5, "finalizers": ["example.com/a"] } }),
            ),
            ("PATCH ?fieldManager=one", MERGE, data(json!({ "a": "1" }))),
            (
                "PATCH ?fieldManager=one",
                MERGE,
                json!({ "metadata": { "finalizers": null, "selfLink": "/x" } }),
            ),
            ("GET ", JSON, Value::Null),
        ]),
        maps(vec![
            (
                "PATCH ?fieldManager=one&dryRun=All",
                APPLY,
                json!({ "metadata": metadata, "data": { "a": "1" } }),
            ),
            ("GET ", JSON, Value::Null),
        ]),
        maps(vec![
            ("PATCH ?fieldManager=one&dryRun=All", APPLY, json!({ "metadata": { "resourceVersion": "1" } })),
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": { "resourceVersion": "1" } })),
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": { "resourceVersion": "1" } })),
        ]),
        maps(vec![
            ("POST ", JSON, data(json!({ "a": "1" }))),
            ("PATCH ?dryRun=All", MERGE, json!({ "metadata": { "selfLink": "/x" }, "data": { "a": "2" } })),
            ("PATCH ?dryRun=All", MERGE, json!({ "metadata": { "selfLink": "/x" } })),
            ("PATCH ", MERGE, json!({ "metadata": { "selfLink": "/x" } })),
            ("PUT ?dryRun=All", JSON, json!({ "metadata": { "selfLink": "/x" }, "data": { "a": "3" } })),
            ("GET ", JSON, Value::Null),
        ]),
        widgets(vec![
            ("POST ", JSON, json!({ "spec": { "text": "a" } })),
            (
                "PATCH ?dryRun=All",
                MERGE,
                json!({ "metadata": { "selfLink": "/x" }, "spec": { "text": "b" } }),
            ),
            (
                "PATCH /status?dryRun=All",
                MERGE,
                json!({ "metadata": { "selfLink": "/x" }, "status": { "phase": "b" } }),
            ),
            ("GET ", JSON, Value::Null),
        ]),
        story(
            "/apis/coordination.k8s.io/v1/namespaces/default/leases",
            ("coordination.k8s.io/v1", "Lease"),
            vec![
                ("PUT ?fieldManager=one", JSON, json!({ "metadata": metadata })),
                (
                    "PUT ?fieldManager=one",
                    JSON,
                    json!({ "metadata": metadata, "spec": { "holderIdentity": "a" } }),
                ),
                ("GET ", JSON, Value::Null),
            ],
        ),
        deployments(vec![
            ("PATCH ?fieldManager=one", APPLY, with(&workload(2, "i"), "metadata", metadata.clone())),
            ("PATCH ?fieldManager=one", APPLY, with(&workload(3, "i"), "metadata", metadata.clone())),
            ("GET ", JSON, Value::Null),
        ]),
        deployments(vec![
            ("PATCH ?fieldManager=one", APPLY, workload(3, "i")),
            ("PATCH /status?fieldManager=two", APPLY, json!({ "status": null })),
            ("PATCH /status?fieldManager=two", APPLY, json!({ "status": { "observedGeneration": 1 } })),
            ("PATCH /status?fieldManager=two", APPLY, json!({ "status": null })),
            (
                "PATCH /status?fieldManager=two",
                APPLY,
                json!({ "metadata": { "selfLink": "/x" }, "status": { "observedGeneration": 2 } }),
            ),
            (
                "PATCH /status?fieldManager=two",
                APPLY,
                json!({ "metadata": metadata, "status": { "observedGeneration": 2 } }),
            ),
            ("GET ", JSON, Value::Null),
        ]),
        deployments(vec![
            ("PATCH ?fieldManager=one", APPLY, workload(2, "i")),
            ("PATCH ?fieldManager=two", APPLY, workload(3, "j")),
            ("PATCH ?fieldManager=two&force=true", APPLY, workload(3, "j")),
            ("PATCH /scale?fieldManager=scaler", MERGE, scale(5)),
            ("GET ", JSON, Value::Null),
            ("PATCH /scale?fieldManager=applier", APPLY, scale(6)),
            ("PATCH /scale?fieldManager=applier&force=true", APPLY, scale(6)),
            ("GET ", JSON, Value::Null),
            ("PATCH ?fieldManager=one", MERGE, json!({ "metadata": { "labels": { "a": "b" } } })),
        ]),
    ]
}
