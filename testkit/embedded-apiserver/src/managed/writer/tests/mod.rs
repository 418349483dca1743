mod offline;
mod support;

use std::sync::Arc;

use http::Request;
use http_body_util::BodyExt as _;
use kube_client::client::Body;
use kube_client::config::{KubeConfigOptions, Kubeconfig};
use kube_client::{Client, Config};
use serde_json::{Value, json};

use super::super::kind::ignored;
use super::*;
use crate::kinds::{Registry, Resource, crd};
use crate::openapi;
use support::{kinds, scale, stories};

const APPLY: &str = "application/apply-patch+yaml";
const MERGE: &str = "application/merge-patch+json";
const JSON: &str = "application/json";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// A write: method and what follows the name of the object in its path, media type, body.
type Step = (&'static str, &'static str, Value);

/// An object and the writes to it, in order.
struct Story {
    collection: String,
    steps: Vec<Step>,
}

fn apply(part: &'static str, body: Value) -> Step {
    (part, APPLY, body)
}

/// Who owns what after each write to the real server is what we say it is, given the object before and after.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a real kube-apiserver: `cargo xtask e2e` runs it"]
async fn managers_are_those_of_the_real_server() {
    let start = || test_cluster::Cluster::start(test_cluster::Options::default());
    let cluster = tokio::task::spawn_blocking(start).await.unwrap().unwrap();
    let kubeconfig = Kubeconfig::from_yaml(&cluster.kubeconfig_yaml()).unwrap();
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();
    config.proxy_url = None;
    let client = Client::try_from(config).unwrap();
    let registry = Registry::new();
    let mut definition = stories::definition();
    send(&client, "POST", DEFINITIONS, JSON, &definition).await;
    crd::accept(&registry, &mut definition, "").unwrap();
    registry.install_crd(&definition).unwrap();
    let mut count = 0;
    let mut problems = Vec::new();
    for (number, story) in stories::all().into_iter().chain(kinds::all()).enumerate() {
        let name = format!("story-{number}");
        let resource = resource(&registry, &story.collection);
        let kind = kind(&registry, &resource);
        for (step, write) in story.steps.iter().enumerate() {
            count += 1;
            let checked = check(&client, &story, &resource, &kind, &name, write).await;
            if let Err(problem) = checked {
                problems.push(format!("{} {name} step {step} {}: {problem}", resource.kind, write.0));
            }
        }
    }
    problems.extend(scale::problems(&client).await);
    tokio::task::spawn_blocking(move || drop(cluster)).await.unwrap();
    assert!(problems.is_empty(), "{} of {count}:\n{}", problems.len(), problems.join("\n"));
}

/// The resource that has this path.
fn resource(registry: &Registry, collection: &str) -> Arc<Resource> {
    let parts: Vec<&str> = collection.trim_start_matches('/').split('/').collect();
    let (group, version) = if parts[0] == "api" { ("", parts[1]) } else { (parts[1], parts[2]) };
    registry.find(group, version, parts[parts.len() - 1]).unwrap()
}

fn kind(registry: &Registry, resource: &Resource) -> Kind {
    if !resource.custom {
        return Kind::builtin(&resource.group, &resource.kind);
    }
    let schema = registry.schema(resource).map(|own| openapi::object_schema(resource, own));
    Kind::custom(&resource.group, &resource.kind, [(resource.api_version(), schema)])
}

/// Sends a write to the real server and compares what comes out with what the writer says.
async fn check(
    client: &Client,
    story: &Story,
    resource: &Resource,
    kind: &Kind,
    name: &str,
    (request, media_type, body): &Step,
) -> Result<(), String> {
    let (method, rest) = request.split_once(' ').unwrap();
    let path = format!("{}/{name}", story.collection);
    let (status, before) = send(client, "GET", &path, JSON, &Value::Null).await;
    let before = (status == 200).then_some(before);
    let (subresource, query) = rest.trim_start_matches('/').split_once('?').unwrap();
    let mut body = body.clone();
    let api_version = resource.api_version();
    body["metadata"]["name"] = name.into();
    body["apiVersion"] = body.get("apiVersion").cloned().unwrap_or_else(|| (&*api_version).into());
    body["kind"] = body.get("kind").cloned().unwrap_or_else(|| (&*resource.kind).into());
    let url = match method {
        "POST" => format!("{}?{query}", story.collection),
        _ => format!("{path}{rest}"),
    };
    let (status, after) = send(client, method, &url, media_type, &body).await;
    let parameters: HashMap<&str, &str> = query.split('&').filter_map(|pair| pair.split_once('=')).collect();
    let entries = after["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    let now = entries.iter().filter_map(|entry| entry["time"].as_str()).max().unwrap_or_default();
    let has_status = resource.subresource("status").is_some();
    let is_custom = resource.custom;
    let ignored = Set::of_fields(ignored(&resource.plural, has_status, is_custom, subresource));
    let writer = Writer {
        kind,
        api_version: &api_version,
        subresource,
        ignored: &ignored,
        manager: parameters["fieldManager"],
        now,
    };
    if *media_type == APPLY {
        let ours = writer.applied(before.as_ref(), &body, parameters.contains_key("force"));
        return match (status, ours) {
            (200 | 201, Ok(ours)) => {
                same("managers", &managers(&ours), &managers(&after))?;
                if is_custom || &*resource.kind == "ConfigMap" {
                    same("object", &content(&ours, subresource), &content(&after, subresource))
                } else {
                    Ok(())
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
    if before.is_none() {
        kinds::remove_late_fields(resource, &mut ours);
    }
    if let Some(given) = body["metadata"].get("managedFields") {
        ours["metadata"]["managedFields"] = given.clone();
    }
    writer.updated(before.as_ref(), &mut ours);
    same("managers", &managers(&ours), &managers(&after))
}

fn same(what: &str, ours: &Value, theirs: &Value) -> Result<(), String> {
    if ours == theirs { Ok(()) } else { Err(format!("{what}\n  real {theirs}\n  ours {ours}")) }
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
