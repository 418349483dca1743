//! Server-side apply and managedFields: the same writes to the same objects on both servers.

mod owners;
mod server_fields;

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
    steps: Steps,
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
type Steps = Vec<(&'static str, &'static str, Value)>;

fn stories() -> Vec<Story> {
    [owners::stories(), server_fields::stories()].into_iter().flatten().collect()
}

fn story(collection: &'static str, kind: (&'static str, &'static str), steps: Steps) -> Story {
    Story { collection, kind, whole: true, refused: false, steps }
}

fn maps(steps: Steps) -> Story {
    story("/api/v1/namespaces/default/configmaps", ("v1", "ConfigMap"), steps)
}

fn widgets(steps: Steps) -> Story {
    story(WIDGETS, ("apply.example.com/v1", "Widget"), steps)
}

fn roles(steps: Steps) -> Story {
    let collection = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
    story(collection, ("rbac.authorization.k8s.io/v1", "Role"), steps)
}

fn deployments(steps: Steps) -> Story {
    let collection = "/apis/apps/v1/namespaces/default/deployments";
    Story { whole: false, ..story(collection, ("apps/v1", "Deployment"), steps) }
}

fn data(data: Value) -> Value {
    Value::Object([("data".to_owned(), data)].into_iter().collect())
}

fn with(object: &Value, name: &str, value: Value) -> Value {
    let mut object = object.clone();
    object[name] = value;
    object
}

/// It asks to forget all managers.
fn with_managers(mut object: Value) -> Value {
    object["metadata"] = json!({ "managedFields": [] });
    object
}

/// What only the server sets.
fn set_by_servers() -> Value {
    json!({ "deletionTimestamp": "2020-01-01T00:00:00Z", "selfLink": "/x" })
}

fn scale(replicas: u32) -> Value {
    json!({ "apiVersion": "autoscaling/v1", "kind": "Scale", "spec": { "replicas": replicas } })
}

fn workload(replicas: u32, image: &str) -> Value {
    let template = json!({
        "metadata": { "labels": { "app": "x" } }, "spec": { "containers": [{ "name": "c", "image": image }] },
    });
    let selector = json!({ "matchLabels": { "app": "x" } });
    json!({ "spec": { "replicas": replicas, "selector": selector, "template": template } })
}
