//! Cases that run on both servers, step by step, and have to come out the same.
//!
//! **Same** means: status, reason, the causes with their fields, messages, the headers `Warning` and `Retry-After`, and
//! the object. These are set aside, because they cannot be the same or are not there yet:
//!
//! - uids, times, resourceVersions, the random ends of generated names;
//! - the order of `managedFields`, and the object that the message about a patch quotes;
//! - how often a cause is repeated: the real server checks the metadata of an update two to four times, depending on the
//!   kind, and lists what it finds each time;
//! - addresses and ports of services, and the taint of new nodes;
//! - the text of `continue` tokens.
//!
//! A message may differ if the case's table of differences has a pattern for it.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use http::Request;
use http_body_util::BodyExt as _;
use kube_client::Client;
use kube_client::client::Body;
use serde_json::{Value, json};

use super::admission::without_admission;
use super::{DEFINITIONS, Servers, ask, ask_with, cached, eventually};

/// Short names of collections. `{ns}` is a namespace of the case's own.
const COLLECTIONS: &[(&str, &str)] = &[
    ("maps", "/api/v1/namespaces/{ns}/configmaps"),
    ("secrets", "/api/v1/namespaces/{ns}/secrets"),
    ("pods", "/api/v1/namespaces/{ns}/pods"),
    ("services", "/api/v1/namespaces/{ns}/services"),
    ("accounts", "/api/v1/namespaces/{ns}/serviceaccounts"),
    ("events", "/api/v1/namespaces/{ns}/events"),
    ("newevents", "/apis/events.k8s.io/v1/namespaces/{ns}/events"),
    ("namespaces", "/api/v1/namespaces"),
    ("nodes", "/api/v1/nodes"),
    ("deployments", "/apis/apps/v1/namespaces/{ns}/deployments"),
    ("replicasets", "/apis/apps/v1/namespaces/{ns}/replicasets"),
    ("statefulsets", "/apis/apps/v1/namespaces/{ns}/statefulsets"),
    ("daemonsets", "/apis/apps/v1/namespaces/{ns}/daemonsets"),
    ("jobs", "/apis/batch/v1/namespaces/{ns}/jobs"),
    ("leases", "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases"),
    ("roles", "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles"),
    ("widgets", "/apis/compare.example.com/v1/namespaces/{ns}/widgets"),
    ("definitions", DEFINITIONS),
];

/// Requests that are sent one after the other. Each is a method and a path, `POST maps` or `DELETE maps/x`; `JSON`,
/// `MERGE`, `STRATEGIC` and `APPLY` are PATCH with that type of patch, and `TEXT` is one with none. A body that is a string is sent as it is, and without one
/// for null. `{uid}` and `{version}` stand for those of the last object that was answered.
pub(crate) struct Case {
    name: String,
    steps: Vec<(String, Value)>,
    /// What is compared besides the status and the reason, if it is not the whole answer: a JSON pointer.
    only: Option<&'static str>,
    /// What the real server has to answer to the first request.
    first: First,
}

#[derive(Clone, Copy)]
enum First {
    Succeeds,
    IsRefused,
    IsRefusedOrNot,
}

impl Case {
    pub(crate) fn new(name: String, steps: Vec<(String, Value)>) -> Self {
        assert!(!steps.is_empty(), "{name} has no steps");
        Self { name, steps, only: None, first: First::Succeeds }
    }

    /// Expects that the real server refuses the first request, which otherwise has to succeed: two servers that lack the
    /// object of the case would agree on everything that follows.
    pub(crate) fn refused(self) -> Self {
        Self { first: First::IsRefused, ..self }
    }

    /// The same for a case that is about what becomes of its first request.
    pub(crate) fn refused_or_not(self) -> Self {
        Self { first: First::IsRefusedOrNot, ..self }
    }

    /// What is wrong with the answer of the real server to the first request. The only request of a case may be refused, but
    /// not because there is no such thing.
    fn unexpected(&self, first: &Value) -> Option<String> {
        let expected = match (self.first, first["status"].as_u64().unwrap_or_default()) {
            (First::IsRefusedOrNot, _) => true,
            (First::IsRefused, status) => status >= 300,
            (First::Succeeds, 404) => false,
            (First::Succeeds, status) => status < 300 || self.steps.len() == 1,
        };
        let (request, body) = &self.steps[0];
        let what = || format!("{}: {request} {}\n  real     {}", self.name, short(body), short(first));
        (!expected).then(what)
    }

    /// Compares only the status, the reason and what is there in the answers.
    pub(crate) fn only(self, pointer: &'static str) -> Self {
        Self { only: Some(pointer), ..self }
    }
}

pub(crate) fn case<const N: usize>(name: impl Into<String>, steps: [(&str, Value); N]) -> Case {
    let steps = steps.into_iter().map(|(request, body)| (request.to_owned(), body)).collect();
    Case::new(name.into(), steps)
}

/// An object with that name.
pub(crate) fn named(name: &str, fields: &Value) -> Value {
    let mut object = json!({ "metadata": { "name": name } });
    for (name, value) in fields.as_object().expect("an object") {
        object[name] = value.clone();
    }
    object
}

/// Messages that differ: what the case's name or the real message contains, and why.
pub(crate) type Differences = &'static [(&'static str, &'static str)];

/// Runs the cases on both servers, and fails with all differences.
pub(crate) async fn compare(servers: &Servers, cases: Vec<Case>, differences: Differences) -> Result<()> {
    let mut problems = String::new();
    let mut used = vec![false; differences.len()];
    let count = cases.len();
    assert!(count > 0, "there are no cases");
    for (number, case) in cases.iter().enumerate() {
        let real = run(&servers.real, case, number).await?;
        let embedded = run(&servers.embedded, case, number).await?;
        if let Some(problem) = case.unexpected(&real[0]) {
            writeln!(problems, "{problem}")?;
        }
        for (step, (mut real, mut embedded)) in case.steps.iter().zip(real.into_iter().zip(embedded)) {
            [&mut real, &mut embedded].into_iter().for_each(without_admission);
            if let Some(pointer) = case.only {
                for answer in [&mut real, &mut embedded] {
                    let reason =
                        (answer["body"]["kind"] == "Status").then(|| answer["body"]["reason"].take());
                    *answer = json!({
                        "status": answer["status"], "reason": reason, "body": answer.pointer(pointer),
                    });
                }
            }
            let known = |(index, (pattern, _)): (usize, &(&str, &str))| {
                let message = real["body"]["message"].as_str().unwrap_or_default();
                (case.name.contains(pattern) || message.contains(pattern)).then_some(index)
            };
            let known = differences.iter().enumerate().find_map(known);
            let same = match known {
                Some(index) if real != embedded => {
                    used[index] = true;
                    without_messages(&real) == without_messages(&embedded)
                }
                _ => real == embedded,
            };
            if !same {
                let (request, body) = step;
                let (body, real, embedded) = (short(body), short(&real), short(&embedded));
                writeln!(
                    problems,
                    "{}: {request} {body}\n  real     {real}\n  embedded {embedded}",
                    case.name
                )?;
            }
        }
    }
    for ((pattern, _), _) in differences.iter().zip(used).filter(|(_, used)| !used) {
        writeln!(problems, "messages with {pattern:?} no longer differ")?;
    }
    assert!(problems.is_empty(), "of {count} cases:\n{problems}");
    Ok(())
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(1000).collect()
}

/// Serves a custom resource in which everything is allowed.
pub(crate) async fn serve_widgets(servers: &Servers) -> Result<()> {
    let open = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "widgets.compare.example.com" },
        "spec": {
            "group": "compare.example.com", "scope": "Namespaced", "names": { "plural": "widgets", "kind": "Widget" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": open } }],
        },
    });
    for client in [&servers.real, &servers.embedded] {
        let made = ask_with(client, &format!("POST {DEFINITIONS}"), &definition).await?;
        assert_eq!(made.status, 201, "{made:?}");
        eventually(async || Ok(ask(client, "GET /apis/compare.example.com/v1/widgets").await?.status == 200))
            .await?;
    }
    Ok(())
}

/// What a case has seen of a server, to be set aside.
#[derive(Default)]
struct Seen {
    uids: Vec<String>,
    versions: Vec<String>,
}

async fn run(client: &Client, case: &Case, number: usize) -> Result<Vec<Value>> {
    let namespace = format!("case-{number}");
    let made = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": namespace } });
    let made = ask_with(client, "POST /api/v1/namespaces", &made).await?;
    assert_eq!(made.status, 201, "{made:?}");
    let mut seen = Seen::default();
    let mut answers = Vec::new();
    for (request, body) in &case.steps {
        let fill_in = |text: &str| {
            let text = text.replace("{ns}", &namespace);
            let text = text.replace("{uid}", seen.uids.last().map_or("no-uid", |uid| uid));
            text.replace("{version}", seen.versions.last().map_or("0", |version| version))
        };
        let (method, path) = request.split_once(' ').context("a method and a path")?;
        let answer = send(client, method, &fill_in(&long(path)), body, &fill_in).await;
        let mut answer = answer.with_context(|| format!("{}: {request}", case.name))?;
        seen.set_aside(&mut answer, body);
        answers.push(answer);
    }
    Ok(answers)
}

fn long(path: &str) -> String {
    let end = path.find(['/', '?']).unwrap_or(path.len());
    let found = COLLECTIONS.iter().find(|(short, _)| *short == &path[..end]);
    found.map_or_else(|| path.to_owned(), |(_, long)| format!("{long}{}", &path[end..]))
}

async fn send(
    client: &Client,
    method: &str,
    path: &str,
    body: &Value,
    fill_in: &impl Fn(&str) -> String,
) -> Result<Value> {
    let (method, content_type) = match method {
        "JSON" => ("PATCH", "application/json-patch+json"),
        "MERGE" => ("PATCH", "application/merge-patch+json"),
        "STRATEGIC" => ("PATCH", "application/strategic-merge-patch+json"),
        "APPLY" => ("PATCH", "application/apply-patch+yaml"),
        "TEXT" => ("PATCH", "text/plain"),
        method => (method, "application/json"),
    };
    let body = match body {
        Value::Null => String::new(),
        Value::String(text) => fill_in(text),
        other => fill_in(&other.to_string()),
    };
    let request = Request::builder().method(method).uri(path).header("content-type", content_type);
    let answer = client.send(request.body(Body::from(body.into_bytes()))?).await?;
    let status = answer.status().as_u16();
    let header = |name: &str| {
        let all = answer.headers().get_all(name).iter();
        all.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect::<Vec<_>>()
    };
    let (warnings, retry_after) = (header("warning"), header("retry-after"));
    let text = answer.into_body().collect().await?.to_bytes();
    let body: Value = serde_json::from_slice(&text)
        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&text).into_owned()));
    if matches!(method, "PATCH" | "PUT" | "DELETE") {
        cached(client, path, &body).await?;
    }
    Ok(json!({ "status": status, "warning": warnings, "retry-after": retry_after, "body": body }))
}

impl Seen {
    /// Replaces what cannot be the same on two servers, and remembers it for messages.
    fn set_aside(&mut self, answer: &mut Value, request: &Value) {
        hide_generated_name(answer, request);
        self.learn(&answer["body"]);
        for item in answer["body"]["items"].as_array().into_iter().flatten() {
            self.learn(item);
        }
        self.replace(answer);
    }

    fn learn(&mut self, object: &Value) {
        let text = |name: &str| object["metadata"][name].as_str().map(str::to_owned);
        if let Some(uid) = text("uid") {
            self.uids.push(uid);
        }
        if let Some(version) = text("resourceVersion") {
            self.versions.push(version);
        }
    }

    fn replace(&self, value: &mut Value) {
        match value {
            Value::Object(members) => {
                if let Some(Value::Array(managers)) = members.get_mut("managedFields") {
                    managers.iter_mut().for_each(|manager| self.replace(manager));
                    // They are in the order of their times, which are whole seconds.
                    managers.sort_by_cached_key(ToString::to_string);
                }
                if let Some(Value::Array(causes)) = members.get_mut("causes") {
                    let mut seen = Vec::new();
                    causes.retain(|cause| {
                        !seen.contains(cause) && {
                            seen.push(cause.clone());
                            true
                        }
                    });
                }
                if members.get("continue").is_some_and(|token| token != "") {
                    members.insert("continue".to_owned(), "TOKEN".into());
                }
                if members.contains_key("resourceVersion") {
                    members.insert("resourceVersion".to_owned(), "VERSION".into());
                }
                members.values_mut().for_each(|value| self.replace(value));
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.replace(item)),
            Value::String(text) => {
                for (index, uid) in self.uids.iter().enumerate() {
                    let first = self.uids.iter().position(|other| other == uid).unwrap_or(index);
                    *text = text.replace(uid, &format!("UID-{first}"));
                }
                for version in &self.versions {
                    for (before, after) in [("(", ")"), ("\"", "\""), (": ", ",")] {
                        let shown = format!("{before}{version}{after}");
                        *text = text.replace(&shown, &format!("{before}VERSION{after}"));
                    }
                }
                hide_times(text);
                hide_document(text);
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Replaces the name that the server has given to an object, or to one that it has refused.
fn hide_generated_name(answer: &mut Value, request: &Value) {
    let metadata = &request["metadata"];
    let is_given = metadata["name"].as_str().is_some_and(|name| !name.is_empty());
    let body = &answer["body"];
    let name = if body["kind"] == "Status" { &body["details"]["name"] } else { &body["metadata"]["name"] };
    if metadata["generateName"].is_string()
        && !is_given
        && let Some(name) = name.as_str().filter(|name| name.len() > 5)
    {
        let hidden = format!("{}RANDOM", &name[..name.len() - 5]);
        let text = answer.to_string().replace(name, &hidden);
        *answer = serde_json::from_str(&text).unwrap_or_default();
    }
}

/// Replaces the object in `patch: Invalid value: "{…}": why`: it has managedFields in the real server.
fn hide_document(text: &mut String) {
    if let (Some(start), Some(end)) = (text.find("Invalid value: \"{"), text.rfind("}\": ")) {
        text.replace_range(start..end + 2, "Invalid value: OBJECT");
    }
    if let Some(start) = text.find("Object 'Kind' is missing in '") {
        text.truncate(start + 28);
    }
}

/// Replaces times such as `2026-01-01T00:00:00Z`.
pub(crate) fn hide_times(text: &mut String) {
    let is_time = |at: &[u8]| {
        at.len() >= 20
            && at[..10]
                .iter()
                .enumerate()
                .all(|(i, byte)| if i == 4 || i == 7 { *byte == b'-' } else { byte.is_ascii_digit() })
            && at[10] == b'T'
    };
    while let Some(start) = (0..text.len()).find(|start| is_time(&text.as_bytes()[*start..])) {
        let Some(length) = text[start..].find('Z') else { return };
        text.replace_range(start..=start + length, "TIME");
    }
}

fn without_messages(answer: &Value) -> Value {
    let mut answer = answer.clone();
    let body = &mut answer["body"];
    if let Some(body) = body.as_object_mut() {
        body.remove("message");
    }
    for cause in body.pointer_mut("/details/causes").and_then(Value::as_array_mut).into_iter().flatten() {
        cause["message"] = Value::Null;
    }
    answer
}
