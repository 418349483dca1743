use http::Request;
use http_body_util::BodyExt as _;
use kube_client::client::Body;
use kube_client::config::{KubeConfigOptions, Kubeconfig};
use kube_client::{Client, Config};
use serde_json::{Value, json};

use super::super::kind::ignored;
use super::*;
use crate::kinds::Registry;
use crate::openapi;

const APPLY: &str = "application/apply-patch+yaml";
const MERGE: &str = "application/merge-patch+json";
const JSON: &str = "application/json";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// A write: method and what follows the name of the object in its path, media type, body.
type Step = (&'static str, &'static str, Value);

/// An object and the writes to it, in order.
struct Story {
    collection: &'static str,
    api_version: &'static str,
    kind: &'static str,
    steps: Vec<Step>,
}

fn apply(part: &'static str, body: Value) -> Step {
    (part, APPLY, body)
}

/// Who owns what after each write to the real server is what we say it is, given the object before and after.
#[tokio::test(flavor = "multi_thread")]
async fn managers_are_those_of_the_real_server() {
    let test = "managers_are_those_of_the_real_server";
    if let Err(why) = test_cluster::available() {
        return test_cluster::print_skip(test, &why);
    }
    let start = || test_cluster::Cluster::start(test_cluster::Options::default());
    let cluster = tokio::task::spawn_blocking(start).await.unwrap().unwrap();
    let kubeconfig = Kubeconfig::from_yaml(&cluster.kubeconfig_yaml()).unwrap();
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();
    config.proxy_url = None;
    let client = Client::try_from(config).unwrap();
    let registry = Registry::new();
    send(&client, "POST", DEFINITIONS, JSON, &definition()).await;
    let mut accepted = definition();
    crate::kinds::crd::accept(&registry, &mut accepted, "").unwrap();
    registry.install_crd(&accepted).unwrap();
    let mut problems = Vec::new();
    let mut count = 0;
    for (number, story) in stories().into_iter().enumerate() {
        let group = story.api_version.rsplit_once('/').map_or("", |(group, _)| group);
        let kind = match story.kind {
            "Widget" => {
                let versions = registry.all().into_iter().filter(|resource| &*resource.kind == "Widget");
                let versions = versions.map(|resource| {
                    let own = registry.schema(&resource).unwrap();
                    (resource.api_version(), Some(openapi::object_schema(&resource, own)))
                });
                Kind::custom(group, story.kind, versions)
            }
            _ => Kind::builtin(group, story.kind),
        };
        let name = format!("story-{number}");
        for (step, (request, media_type, body)) in story.steps.iter().enumerate() {
            count += 1;
            if let Err(problem) = check(&client, &story, &kind, &name, request, media_type, body).await {
                problems.push(format!("{} {name} step {step} {request}: {problem}", story.kind));
            }
        }
    }
    tokio::task::spawn_blocking(move || drop(cluster)).await.unwrap();
    assert!(problems.is_empty(), "{} of {count}:\n{}", problems.len(), problems.join("\n"));
}

/// Sends a write to the real server and compares what comes out with what the writer says.
async fn check(
    client: &Client,
    story: &Story,
    kind: &Kind,
    name: &str,
    request: &str,
    media_type: &str,
    body: &Value,
) -> Result<(), String> {
    let (method, rest) = request.split_once(' ').unwrap();
    let path = format!("{}/{name}", story.collection);
    let (status, before) = send(client, "GET", &path, JSON, &Value::Null).await;
    let before = (status == 200).then_some(before);
    let (subresource, query) = rest.trim_start_matches('/').split_once('?').unwrap();
    let mut body = body.clone();
    body["metadata"]["name"] = name.into();
    body["apiVersion"] = body.get("apiVersion").cloned().unwrap_or_else(|| story.api_version.into());
    body["kind"] = body.get("kind").cloned().unwrap_or_else(|| story.kind.into());
    let url = match method {
        "POST" => format!("{}?{query}", story.collection),
        _ => format!("{path}{rest}"),
    };
    let (status, after) = send(client, method, &url, media_type, &body).await;
    let parameters: std::collections::HashMap<&str, &str> =
        query.split('&').filter_map(|pair| pair.split_once('=')).collect();
    let entries = after["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    let now = entries.iter().filter_map(|entry| entry["time"].as_str()).max().unwrap_or_default();
    let is_custom = story.kind == "Widget";
    let plural = story.collection.rsplit('/').next().unwrap();
    let ignored = Set::of_fields(ignored(plural, plural != "configmaps", is_custom, subresource));
    let writer = Writer {
        kind,
        api_version: story.api_version,
        subresource,
        ignored: &ignored,
        manager: parameters["fieldManager"],
        now,
    };
    if media_type == APPLY {
        let ours = writer.applied(before.as_ref(), &body, parameters.contains_key("force"));
        return match (status, ours) {
            (200 | 201, Ok(ours)) => {
                same("managers", &managers(&ours), &managers(&after))?;
                match is_custom || story.kind == "ConfigMap" {
                    true => same("object", &content(&ours, subresource), &content(&after, subresource)),
                    false => Ok(()),
                }
            }
            (_, Ok(_)) => Err(format!("refused there: {after}")),
            (_, Err(error)) => {
                let details = error.details.clone().unwrap_or_default();
                let ours = json!([error.code, error.message, details.causes]);
                let mut causes = after["details"]["causes"].as_array().cloned().unwrap_or_default();
                // There they are in any order.
                causes.sort_by_key(|cause| cause["message"].to_string());
                same("error", &ours, &json!([status, after["message"], causes]))
            }
        };
    }
    if !matches!(status, 200 | 201) {
        return Err(format!("refused there: {after}"));
    }
    let mut ours = entries::without(&after);
    if let Some(spec) = ours.get_mut("spec").and_then(Value::as_object_mut).filter(|_| before.is_none()) {
        // Services get these when they are stored, after it is known who owns what.
        spec.retain(|name, _| {
            !matches!(&**name, "clusterIP" | "clusterIPs" | "ipFamilies" | "ipFamilyPolicy")
        });
    }
    if let Some(given) = body["metadata"].get("managedFields") {
        ours["metadata"]["managedFields"] = given.clone();
    }
    writer.updated(before.as_ref(), &mut ours);
    same("managers", &managers(&ours), &managers(&after))
}

fn same(what: &str, ours: &Value, theirs: &Value) -> Result<(), String> {
    match ours == theirs {
        true => Ok(()),
        false => Err(format!("{what}\n  real {theirs}\n  ours {ours}")),
    }
}

/// The managers, with nothing of their times but whether they have one.
fn managers(object: &Value) -> Value {
    let mut managers = object["metadata"]["managedFields"].clone();
    for manager in managers.as_array_mut().into_iter().flatten() {
        if let Some(time) = manager.get_mut("time") {
            *time = "T".into();
        }
    }
    managers
}

/// The object, as far as it does not depend on what comes after the merge: defaults, and the status that is kept.
fn content(object: &Value, subresource: &str) -> Value {
    let mut object = entries::without(object);
    if subresource.is_empty() {
        object["status"] = Value::Null;
    }
    for item in object.pointer_mut("/spec/items").and_then(Value::as_array_mut).into_iter().flatten() {
        let protocol = item.get("protocol").cloned();
        item["protocol"] = protocol.unwrap_or_else(|| "TCP".into());
    }
    let metadata = object["metadata"].as_object_mut().unwrap();
    for own in ["uid", "resourceVersion", "creationTimestamp", "generation", "namespace"] {
        metadata.remove(own);
    }
    object
}

async fn send(client: &Client, method: &str, path: &str, media_type: &str, body: &Value) -> (u16, Value) {
    let body = if method == "GET" { Vec::new() } else { body.to_string().into_bytes() };
    loop {
        let request = Request::builder().method(method).uri(path).header("content-type", media_type);
        let answer = client.send(request.body(Body::from(body.clone())).unwrap()).await.unwrap();
        let status = answer.status().as_u16();
        let text = answer.into_body().collect().await.unwrap().to_bytes();
        let answer = serde_json::from_slice(&text).unwrap_or(Value::Null);
        // A definition is not served at once.
        if status == 404 && answer.is_null() {
            tokio::task::yield_now().await;
            continue;
        }
        return (status, answer);
    }
}

fn definition() -> Value {
    let text = json!({ "type": "string" });
    let item = json!({
        "type": "object", "required": ["name"],
        "properties": { "name": text, "protocol": { "type": "string", "default": "TCP" }, "value": { "type": "integer" } },
    });
    let spec = json!({
        "type": "object",
        "properties": {
            "text": text,
            "number": { "type": "integer" },
            "struct": { "type": "object", "properties": { "a": text, "b": text } },
            "map": { "type": "object", "additionalProperties": text },
            "atomicMap": { "type": "object", "additionalProperties": text, "x-kubernetes-map-type": "atomic" },
            "set": { "type": "array", "items": text, "x-kubernetes-list-type": "set" },
            "list": { "type": "array", "items": text },
            "items": {
                "type": "array", "items": item, "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name", "protocol"],
            },
            "either": { "x-kubernetes-int-or-string": true },
            "free": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
        },
    });
    let status = json!({ "type": "object", "properties": { "phase": text, "set": { "type": "array", "items": text, "x-kubernetes-list-type": "set" } } });
    let schema =
        json!({ "openAPIV3Schema": { "type": "object", "properties": { "spec": spec, "status": status } } });
    let version = json!({
        "name": "v1", "served": true, "storage": true, "schema": schema, "subresources": { "status": {} },
    });
    let names =
        json!({ "plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList" });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "widgets.example.com" },
        "spec": { "group": "example.com", "scope": "Namespaced", "names": names, "versions": [version] },
    })
}

fn stories() -> Vec<Story> {
    let last = |value: &str| {
        let config =
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": {}, "data": { "a": value } });
        json!({ "kubectl.kubernetes.io/last-applied-configuration": config.to_string() })
    };
    let configmap = |steps| Story {
        collection: "/api/v1/namespaces/default/configmaps",
        api_version: "v1",
        kind: "ConfigMap",
        steps,
    };
    let widget = |steps| Story {
        collection: "/apis/example.com/v1/namespaces/default/widgets",
        api_version: "example.com/v1",
        kind: "Widget",
        steps,
    };
    let deployment = |steps| Story {
        collection: "/apis/apps/v1/namespaces/default/deployments",
        api_version: "apps/v1",
        kind: "Deployment",
        steps,
    };
    let service = |steps| Story {
        collection: "/api/v1/namespaces/default/services",
        api_version: "v1",
        kind: "Service",
        steps,
    };
    let pods = |containers: Value| {
        json!({ "spec": {
            "selector": { "matchLabels": { "app": "x" } },
            "template": { "metadata": { "labels": { "app": "x" } }, "spec": { "containers": containers } },
        } })
    };
    let data = |data: Value| json!({ "data": data });
    let many = (0..12).map(|number| {
        let by: &'static str = format!("PATCH ?fieldManager=m{number:02}").leak();
        (by, MERGE, json!({ "data": { format!("k{number}"): "v" } }))
    });
    vec![
        configmap(vec![
            (
                "POST ?fieldManager=one",
                JSON,
                json!({ "data": { "a": "1", "b": "2" }, "metadata": { "labels": { "x": "y" } } }),
            ),
            ("PATCH ?fieldManager=two", MERGE, data(json!({ "b": "3", "c": "4" }))),
            ("PATCH ?fieldManager=two", MERGE, data(json!({ "b": "3" }))),
            ("PUT ?fieldManager=three", JSON, data(json!({ "a": "1", "c": "4" }))),
            apply("PATCH ?fieldManager=four", data(json!({ "a": "2", "c": "5", "d": "6" }))),
            apply("PATCH ?fieldManager=four&force=true", data(json!({ "a": "2", "c": "5", "d": "6" }))),
            apply("PATCH ?fieldManager=five", data(json!({ "a": "2" }))),
            apply("PATCH ?fieldManager=four", data(json!({ "d": "6" }))),
            apply("PATCH ?fieldManager=five", json!({})),
            apply("PATCH ?fieldManager=four", data(json!({ "d": "6" }))),
            ("PATCH ?fieldManager=six", MERGE, json!({ "metadata": { "managedFields": [] } })),
            ("PATCH ?fieldManager=six", MERGE, data(json!({ "d": "7" }))),
            apply("PATCH ?fieldManager=four", data(json!({ "d": "6" }))),
            apply("PATCH ?fieldManager=four", data(json!({ "d": "7", "e": "1" }))),
        ]),
        configmap(vec![
            apply(
                "PATCH ?fieldManager=one",
                json!({ "data": { "a": "1" }, "metadata": { "finalizers": ["example.com/x"], "annotations": { "n": "m" } } }),
            ),
            apply(
                "PATCH ?fieldManager=two",
                json!({ "data": { "a": "1", "b": "2" }, "metadata": { "finalizers": ["example.com/y"] } }),
            ),
            apply(
                "PATCH ?fieldManager=one",
                json!({ "data": { "b": "9", "c": "9" }, "metadata": { "finalizers": [], "labels": {} } }),
            ),
            apply("PATCH ?fieldManager=one&force=true", json!({ "data": { "b": "9", "c": "9" } })),
            apply("PATCH ?fieldManager=one", json!({ "kind": "Other" })),
            apply("PATCH ?fieldManager=one", json!({ "apiVersion": "v2" })),
            apply("PATCH ?fieldManager=one", json!({ "metadata": { "managedFields": [] } })),
            apply("PATCH ?fieldManager=one", data(json!({ "a": 1 }))),
            apply("PATCH ?fieldManager=one", json!({ "data": [1] })),
            apply("PATCH ?fieldManager=one", json!({ "dat": {} })),
            apply("PATCH ?fieldManager=one", json!({ "immutable": "yes" })),
            apply(
                "PATCH ?fieldManager=one",
                json!({ "metadata": { "finalizers": ["example.com/x", "example.com/x"] } }),
            ),
            apply(
                "PATCH ?fieldManager=one",
                json!({ "metadata": { "ownerReferences": [{ "kind": "x" }], "labels": 5 } }),
            ),
            (
                "PUT ?fieldManager=three",
                JSON,
                json!({ "data": { "z": "1" }, "metadata": { "managedFields": [{}] } }),
            ),
            apply("PATCH ?fieldManager=one", data(json!({ "z": "1" }))),
        ]),
        configmap(
            std::iter::once(("POST ?fieldManager=zero", JSON, data(json!({ "z": "1" }))))
                .chain(many)
                .collect(),
        ),
        configmap(vec![
            (
                "POST ?fieldManager=kubectl-client-side-apply",
                JSON,
                json!({ "data": { "a": "1" }, "metadata": { "annotations": last("1") } }),
            ),
            apply("PATCH ?fieldManager=other", data(json!({ "a": "2" }))),
            apply("PATCH ?fieldManager=kubectl", data(json!({ "a": "2" }))),
            apply("PATCH ?fieldManager=kubectl", data(json!({ "a": "3", "b": "4" }))),
        ]),
        widget(vec![
            (
                "POST ?fieldManager=one",
                JSON,
                json!({ "spec": { "text": "a", "struct": { "a": "1" }, "set": ["x"], "items": [{ "name": "n", "value": 1 }], "free": { "deep": { "er": [1] } } } }),
            ),
            apply(
                "PATCH ?fieldManager=two",
                json!({ "spec": { "set": ["y"], "items": [{ "name": "m" }, { "name": "n", "protocol": "UDP", "value": 2 }], "free": { "deep": { "x": 1 } }, "either": 1 } }),
            ),
            apply(
                "PATCH ?fieldManager=two",
                json!({ "spec": { "set": ["y", "x"], "items": [{ "name": "n", "value": 3 }], "atomicMap": { "a": "b" }, "map": {}, "list": [] } }),
            ),
            apply(
                "PATCH ?fieldManager=two&force=true",
                json!({ "spec": { "set": ["y", "x"], "items": [{ "name": "n", "value": 3 }], "atomicMap": { "a": "b" }, "map": { "c": "d" }, "list": ["e"] } }),
            ),
            apply(
                "PATCH ?fieldManager=three",
                json!({ "spec": { "atomicMap": { "f": "g" }, "map": { "h": "i" }, "list": ["j"] } }),
            ),
            apply("PATCH ?fieldManager=two", json!({ "spec": { "text": "a" } })),
            (
                "PATCH /status?fieldManager=controller",
                MERGE,
                json!({ "status": { "phase": "Ready", "set": ["a"] }, "spec": { "text": "no" } }),
            ),
            apply(
                "PATCH /status?fieldManager=applier",
                json!({ "status": { "phase": "Ready", "set": ["b"] } }),
            ),
            apply("PATCH /status?fieldManager=applier", json!({ "status": { "phase": "Other" } })),
            apply(
                "PATCH ?fieldManager=applier",
                json!({ "spec": { "number": 5 }, "status": { "phase": "Mine" } }),
            ),
            ("PATCH ?fieldManager=one", MERGE, json!({ "spec": { "free": null, "struct": null } })),
            apply("PATCH ?fieldManager=two", json!({ "spec": { "unknown": 1 } })),
            apply("PATCH ?fieldManager=two", json!({ "spec": { "number": "x" } })),
        ]),
        deployment(vec![
            (
                "POST ?fieldManager=one",
                JSON,
                pods(
                    json!([{ "name": "c", "image": "i", "ports": [{ "containerPort": 80 }], "env": [{ "name": "A", "value": "1" }] }]),
                ),
            ),
            apply(
                "PATCH ?fieldManager=two",
                pods(
                    json!([{ "name": "d", "image": "j" }, { "name": "c", "ports": [{ "containerPort": 443, "protocol": "TCP" }, { "containerPort": 80, "name": "http" }] }]),
                ),
            ),
            apply(
                "PATCH ?fieldManager=two",
                pods(
                    json!([{ "name": "c", "image": "k", "env": [{ "name": "A", "value": "2" }, { "name": "B" }] }]),
                ),
            ),
            apply(
                "PATCH ?fieldManager=two&force=true",
                json!({ "spec": { "replicas": 3, "strategy": { "rollingUpdate": { "maxSurge": 2 } } } }),
            ),
            (
                "PATCH /status?fieldManager=controller",
                MERGE,
                json!({ "status": { "replicas": 2, "conditions": [{ "type": "Available", "status": "True" }] } }),
            ),
            apply(
                "PATCH /status?fieldManager=controller",
                json!({ "status": { "conditions": [{ "type": "Available", "status": "False" }] } }),
            ),
            (
                "PATCH ?fieldManager=one",
                MERGE,
                json!({ "spec": { "replicas": 5 }, "metadata": { "labels": { "a": "b" } } }),
            ),
        ]),
        deployment(vec![
            apply(
                "PATCH ?fieldManager=one",
                pods(json!([{ "name": "c", "image": "i", "resources": { "limits": { "cpu": "1" } } }])),
            ),
            apply(
                "PATCH ?fieldManager=one",
                pods(json!([{ "name": "c", "image": "i", "resources": { "limits": { "cpu": "1000m" } } }])),
            ),
        ]),
        service(vec![
            (
                "POST ?fieldManager=one",
                JSON,
                json!({ "spec": { "ports": [{ "port": 80 }], "selector": { "a": "b" } } }),
            ),
            apply(
                "PATCH ?fieldManager=two",
                json!({ "spec": { "ports": [{ "port": 443, "name": "s" }, { "port": 80, "name": "h", "targetPort": "web" }], "selector": { "a": "b" } } }),
            ),
            apply(
                "PATCH ?fieldManager=two&force=true",
                json!({ "spec": { "ports": [{ "port": 443, "name": "s" }, { "port": 80, "name": "h" }] } }),
            ),
        ]),
    ]
}
