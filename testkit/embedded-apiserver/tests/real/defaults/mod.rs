//! Defaults of built-in kinds, and who owns them: every kind that can be created, as little of it as is allowed and as much as
//! makes sense, on both servers. The objects are compared as a whole, with their `managedFields`.

use anyhow::{Context, Result};
use http::Request;
use http_body_util::BodyExt as _;
use kube_client::Client;
use kube_client::client::Body;
use serde_json::{Value, json};

use crate::support::Servers;
use crate::support::admission::without_admission;

mod kinds;

/// What is done to an object, in this order. The body is that of the object, with the label of a step in it.
const STEPS: [(&str, &str); 6] = [
    ("POST", "application/json"),
    ("PUT", "application/json"),
    ("PATCH", "application/merge-patch+json"),
    ("PATCH", "application/strategic-merge-patch+json"),
    ("PATCH", "application/apply-patch+yaml"),
    ("GET", ""),
];

/// The answers to all steps, without what cannot be the same on two servers.
async fn answers(client: &Client, path: &str, object: &Value) -> Result<Vec<Value>> {
    let name = object["metadata"]["name"].as_str().context("a name")?;
    let (mut told, mut uid) = (Vec::new(), String::new());
    for (number, (method, media_type)) in STEPS.into_iter().enumerate() {
        // A Job cannot be replaced by one without the selector that it was given.
        if method == "PUT" && object["kind"] == "Job" {
            continue;
        }
        let mut body = object.clone();
        if media_type.starts_with("application/merge") || media_type.starts_with("application/strategic") {
            body = json!({ "metadata": { "annotations": { "step": number.to_string() } } });
        }
        let query = if media_type.contains("apply") { "?fieldManager=applier&force=true" } else { "" };
        let uri = if method == "POST" { path.to_owned() } else { format!("{path}/{name}{query}") };
        let request = Request::builder().method(method).uri(uri).header("content-type", media_type);
        let body = if method == "GET" { Vec::new() } else { body.to_string().into_bytes() };
        let request = request.header("user-agent", "tester/1.0 (linux)").body(Body::from(body))?;
        let answer = client.send(request).await?;
        let status = answer.status().as_u16();
        let text = answer.into_body().collect().await?.to_bytes();
        let mut object: Value = serde_json::from_slice(&text).context("no JSON")?;
        if let Some(own) = object["metadata"]["uid"].as_str() {
            uid = own.to_owned();
        }
        set_aside(&mut object, &uid);
        without_admission(&mut object);
        without_finalizers_of_volumes(&mut object);
        told.push(json!({ "step": format!("{method} {media_type}"), "status": status, "body": object }));
    }
    Ok(told)
}

fn set_aside(value: &mut Value, uid: &str) {
    match value {
        Value::Object(members) => {
            for own in ["resourceVersion", "time", "creationTimestamp", "lastPhaseTransitionTime"] {
                if members.contains_key(own) {
                    members.insert(own.to_owned(), "ASIDE".into());
                }
            }
            members.values_mut().for_each(|value| set_aside(value, uid));
            if let Some(Value::Array(managers)) = members.get_mut("managedFields") {
                // They are in the order of their times, which are whole seconds.
                managers.sort_by_cached_key(ToString::to_string);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| set_aside(item, uid)),
        Value::String(text) if !uid.is_empty() => *text = text.replace(uid, "UID"),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Only the real server adds them, because only there a controller takes them away again.
fn without_finalizers_of_volumes(object: &mut Value) {
    let is_volume = matches!(object["kind"].as_str(), Some("PersistentVolume" | "PersistentVolumeClaim"));
    if let Some(metadata) = object["metadata"].as_object_mut().filter(|_| is_volume) {
        metadata.remove("finalizers");
    }
}

/// What differs, path by path.
fn differences(real: &Value, embedded: &Value, path: &str, found: &mut Vec<String>) {
    match (real, embedded) {
        (Value::Object(real), Value::Object(embedded)) => {
            let mut names: Vec<&String> = real.keys().chain(embedded.keys()).collect();
            names.sort();
            names.dedup();
            for name in names {
                let absent = Value::String("(absent)".to_owned());
                let of = |object: &serde_json::Map<String, Value>| {
                    object.get(name).cloned().unwrap_or_else(|| absent.clone())
                };
                differences(&of(real), &of(embedded), &format!("{path}.{name}"), found);
            }
        }
        (Value::Array(real), Value::Array(embedded)) if real.len() == embedded.len() => {
            for (number, (real, embedded)) in real.iter().zip(embedded).enumerate() {
                differences(real, embedded, &format!("{path}[{number}]"), found);
            }
        }
        _ if real == embedded => {}
        _ => found.push(format!("  {path}: real {real}, embedded {embedded}")),
    }
}

#[tokio::test]
async fn objects_have_the_defaults_and_owners_of_the_real_server() -> Result<()> {
    let test = "objects_have_the_defaults_and_owners_of_the_real_server";
    let Some(servers) = Servers::start(test).await? else { return Ok(()) };
    let only = std::env::var("KUBE_INFORMER_KIND").unwrap_or_default();
    let (mut count, mut problems) = (0, Vec::new());
    for (number, (path, object)) in kinds::all().into_iter().enumerate() {
        let kind = object["kind"].as_str().unwrap_or_default().to_owned();
        if !only.is_empty() && kind != only {
            continue;
        }
        let (real, embedded) = tokio::try_join!(
            answers(&servers.real, path, &object),
            answers(&servers.embedded, path, &object)
        )?;
        assert!(real[0]["status"] == 201, "{kind} {number} is no good example: {}", real[0]);
        for (real, embedded) in real.iter().zip(&embedded) {
            count += 1;
            let mut found = Vec::new();
            differences(real, embedded, "", &mut found);
            if !found.is_empty() {
                problems.push(format!("{kind} {number} {}\n{}", real["step"], found.join("\n")));
            }
        }
    }
    servers.stop().await?;
    assert!(problems.is_empty(), "{} of {count}:\n{}", problems.len(), problems.join("\n"));
    Ok(())
}

/// Images, with tags and digests and without, and texts that are no names of images.
const IMAGES: [&str; 29] = [
    "nginx",
    "nginx:latest",
    "nginx:1.27",
    "nginx:",
    "nginx:LATEST",
    "team/app",
    "team/App",
    "Team/app",
    "registry.example.com/team/app",
    "Registry.Example.com/team/app",
    "registry.example.com:5000/team/app",
    "registry.example.com:5000/team/app:2",
    "HOST:5000/app",
    "HOST/app",
    "localhost/app",
    "[::1]:5000/app",
    "a//b",
    "-a",
    "a-",
    "a..b",
    "a__b",
    "a___b",
    "a--b",
    "app@sha256:00",
    "app:latest@sha256:00",
    "app@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "app:latest@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "No Image",
];

#[tokio::test]
async fn images_are_pulled_as_on_the_real_server() -> Result<()> {
    let test = "images_are_pulled_as_on_the_real_server";
    let Some(servers) = Servers::start(test).await? else { return Ok(()) };
    let policy = async |client: &Client, image: &str| -> Result<Value> {
        let spec = json!({ "containers": [{ "name": "c", "image": image }] });
        let pod = json!({ "metadata": { "name": "p" }, "spec": spec }).to_string().into_bytes();
        let request = Request::post("/api/v1/namespaces/default/pods?dryRun=All");
        let request = request.header("content-type", "application/json").body(pod)?;
        Ok(client.request::<Value>(request).await?["spec"]["containers"][0]["imagePullPolicy"].take())
    };
    let mut problems = Vec::new();
    for image in IMAGES {
        let (real, embedded) =
            tokio::try_join!(policy(&servers.real, image), policy(&servers.embedded, image))?;
        assert!(real.is_string(), "{image}");
        if real != embedded {
            problems.push(format!("{image}: real {real}, embedded {embedded}"));
        }
    }
    servers.stop().await?;
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    Ok(())
}
