//! Requests, and answers that can be compared.

use anyhow::Result;
use http::Request;
use http_body_util::BodyExt as _;
use kube_client::Client;
use kube_client::client::Body;
use serde_json::{Value, json};

use crate::support::cached;
use crate::support::compare::hide_times;

pub(super) const JSON: &str = "application/json";
pub(super) const JSON_PATCH: &str = "application/json-patch+json";
pub(super) const MERGE: &str = "application/merge-patch+json";
pub(super) const STRATEGIC: &str = "application/strategic-merge-patch+json";
pub(super) const APPLY: &str = "application/apply-patch+yaml";

/// A request about one object.
#[derive(Clone, Debug)]
pub(super) struct Write {
    pub(super) method: &'static str,
    pub(super) media_type: &'static str,
    /// With the question mark.
    pub(super) query: String,
    pub(super) body: Value,
}

impl Write {
    pub(super) fn get() -> Self {
        Self { method: "GET", media_type: JSON, query: String::new(), body: Value::Null }
    }

    pub(super) fn post(query: &str, body: Value) -> Self {
        Self { method: "POST", media_type: JSON, query: query.to_owned(), body }
    }

    pub(super) fn patch(media_type: &'static str, query: String, body: Value) -> Self {
        Self { method: "PATCH", media_type, query, body }
    }
}

/// What is compared: status, warnings and the body.
pub(super) async fn answer(client: &Client, collection: &str, name: &str, write: &Write) -> Result<Value> {
    let path = if write.method == "POST" { String::new() } else { format!("/{name}") };
    let mut body = write.body.clone();
    // Apply patches and new objects are the same but for the name.
    if body.get("apiVersion").is_some() {
        body["metadata"]["name"] = name.into();
    }
    let text = if write.method == "GET" { Vec::new() } else { body.to_string().into_bytes() };
    let request = Request::builder().method(write.method).uri(format!("{collection}{path}{}", write.query));
    let request = request.header("content-type", write.media_type).header("user-agent", "tester/1.0");
    let answer = client.send(request.body(Body::from(text))?).await?;
    let status = answer.status().as_u16();
    let warnings = answer.headers().get_all("warning").iter();
    let warnings: Vec<String> =
        warnings.map(|warning| String::from_utf8_lossy(warning.as_bytes()).into_owned()).collect();
    let text = answer.into_body().collect().await?.to_bytes();
    let mut body: Value = serde_json::from_slice(&text)
        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&text).into_owned()));
    cached(client, &format!("{collection}/{name}"), &body).await?;
    normal(&mut body);
    Ok(json!({ "status": status, "warnings": warnings, "body": body }))
}

/// Takes out what cannot be the same, and sorts what has no order.
fn normal(body: &mut Value) {
    if let Some(metadata) = body.get_mut("metadata").and_then(Value::as_object_mut) {
        for own in ["uid", "resourceVersion", "creationTimestamp"] {
            metadata.remove(own);
        }
        if let Some(managers) = metadata.get_mut("managedFields").and_then(Value::as_array_mut) {
            for manager in managers.iter_mut().filter_map(Value::as_object_mut) {
                manager.remove("time");
            }
            managers.sort_by_cached_key(ToString::to_string);
        }
    }
    let mut is_patch = false;
    let causes = body.pointer_mut("/details/causes").and_then(Value::as_array_mut);
    let several = causes.map(|causes| {
        for cause in causes.iter_mut() {
            if let Some(Value::String(message)) = cause.get_mut("message") {
                hide_times(message);
                // It shows the whole object.
                if let Some((_, problem)) = message.split_once("}\": ") {
                    *message = problem.to_owned();
                    is_patch = true;
                }
            }
        }
        // The real server walks through maps in any order, and finds some things several times.
        causes.sort_by_cached_key(ToString::to_string);
        causes.dedup();
        causes.len() > 1
    });
    if several == Some(true) || is_patch {
        body["message"] = Value::Null;
    }
    if let Some(Value::String(message)) = body.get_mut("message") {
        hide_times(message);
        // It walks through maps in any order here too.
        if let Some((before, errors)) = message.split_once("errors:\n") {
            let mut errors: Vec<&str> = errors.lines().collect();
            errors.sort_unstable();
            *message = format!("{before}{}", errors.join("\n"));
        }
        // Of several unknown fields the real server names any.
        if let (Some(start), true) =
            (message.find("): "), message.ends_with(": field not declared in schema"))
        {
            message.truncate(start);
        }
    }
}
