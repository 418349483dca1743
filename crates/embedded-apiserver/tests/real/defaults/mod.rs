//! Defaults of built-in kinds, and who owns them: every kind that can be created, as little of it as is allowed and as much as
//! makes sense, on both servers. The objects are compared as a whole, with their `managedFields`.

use anyhow::{Context, Result};
use http::Request;
use http_body_util::BodyExt as _;
use kube_client::Client;
use kube_client::client::Body;
use serde_json::{Value, json};

use crate::support::Servers;

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
        remove_admitted(&mut object);
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
        }
        Value::Array(items) => items.iter_mut().for_each(|item| set_aside(item, uid)),
        Value::String(text) if !uid.is_empty() => *text = text.replace(uid, "UID"),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What only the real server has: what admission adds and controllers take away again, and the addresses of Services.
fn remove_admitted(object: &mut Value) {
    let kind = object["kind"].as_str().unwrap_or_default().to_owned();
    if let ("PersistentVolume" | "PersistentVolumeClaim", Some(metadata)) =
        (&*kind, object["metadata"].as_object_mut())
    {
        metadata.remove("finalizers");
    }
    if let ("Service", Some(spec)) = (&*kind, object["spec"].as_object_mut()) {
        for allocated in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
            spec.remove(allocated);
        }
        for port in spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
            port.as_object_mut().map(|port| port.remove("nodePort"));
        }
    }
    if let ("Node", Some(spec)) = (&*kind, object["spec"].as_object_mut()) {
        if let Some(Value::Array(taints)) = spec.get_mut("taints") {
            taints.retain(|taint| taint["key"] != "node.kubernetes.io/not-ready");
        }
        if spec.get("taints") == Some(&json!([])) {
            spec.remove("taints");
        }
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
