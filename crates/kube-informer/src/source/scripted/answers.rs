//! The bytes of the scripted server's answers, in the form real servers send them.

use bytes::Bytes;
use informer_wire::Status;
use serde_json::{Value, json};

use super::model::{Change, Model, Objects};
use super::select::Select;
use crate::source::request::{ListParams, VersionMatch};

pub(super) fn failure(code: u16, reason: &str, message: String) -> Status {
    Status { code, reason: reason.to_owned(), message, ..Status::default() }
}

/// An error of this code, with the reason that the real server gives with it.
pub(super) fn status(code: u16) -> Status {
    let (reason, message) = match code {
        400 => ("BadRequest", "the server rejected our request for an unknown reason"),
        401 => ("Unauthorized", "Unauthorized"),
        403 => ("Forbidden", "forbidden"),
        404 => ("NotFound", "the server could not find the requested resource"),
        405 => ("MethodNotAllowed", "the server does not allow this method on the requested resource"),
        409 => ("Conflict", "the server reported a conflict"),
        410 => ("Expired", "The resourceVersion for the provided list is too old."),
        422 => ("Invalid", "the server rejected our request due to an error in our request"),
        429 => ("TooManyRequests", "storage is (re)initializing"),
        500 => ("InternalError", "Internal error occurred: etcdserver: request timed out"),
        503 => ("ServiceUnavailable", "the server is currently unable to handle the request"),
        504 => ("Timeout", "Timeout: request did not complete within the allotted timeout"),
        _ => ("", "the server did not return more information"),
    };
    failure(code, reason, message.to_owned())
}

/// A version ahead of the server.
pub(super) fn too_large(asked: u64, current: u64) -> Status {
    Status {
        retry_after: Some(std::time::Duration::from_secs(1)),
        causes: vec!["ResourceVersionTooLarge".to_owned(), "Too large resource version".to_owned()],
        ..failure(504, "Timeout", format!("Timeout: Too large resource version: {asked}, current: {current}"))
    }
}

pub(super) fn too_old(asked: u64, oldest: u64) -> Status {
    failure(410, "Expired", format!("too old resource version: {asked} ({oldest})"))
}

/// A version as a request names it.
pub(super) fn parse_version(text: &str) -> Result<u64, Status> {
    if text.is_empty() {
        return Ok(0);
    }
    text.parse().map_err(|_| {
        failure(
            400,
            "BadRequest",
            format!("invalid resource version: Invalid value: {text:?}: invalid syntax"),
        )
    })
}

/// The body of a list, or the error a server answers with.
pub(super) fn list(model: &Model, select: &Select, params: &ListParams) -> Result<Bytes, Status> {
    let asked = parse_version(&params.resource_version)?;
    let page = match params.continue_token.as_deref().filter(|token| !token.is_empty()) {
        Some(token) => {
            let (version, start) = token
                .split_once(':')
                .and_then(|(version, start)| Some((version.parse().ok()?, start.to_owned())))
                .ok_or_else(|| failure(400, "BadRequest", "continue key is not valid".to_owned()))?;
            Page { version, after: Some(start), limit: params.limit }
        }
        None => {
            if asked > model.version {
                return Err(too_large(asked, model.version));
            }
            let exact = match params.version_match {
                Some(VersionMatch::Exact) => true,
                Some(VersionMatch::NotOlderThan) => false,
                None => params.limit.is_some() && asked > 0,
            };
            // A server with a cache ignores the limit where any version will do.
            let limit = params.limit.filter(|_| params.resource_version != "0");
            Page { version: if exact && asked > 0 { asked } else { model.version }, after: None, limit }
        }
    };
    let objects = model.at(page.version).ok_or_else(|| {
        let message = if page.after.is_some() {
            "The provided continue parameter is too old to display a consistent list result."
        } else {
            "The resourceVersion for the provided list is too old."
        };
        failure(410, "Expired", message.to_owned())
    })?;
    Ok(page.write(model, select, &objects))
}

struct Page {
    version: u64,
    /// The last key of the page before.
    after: Option<String>,
    limit: Option<u32>,
}

impl Page {
    fn write(&self, model: &Model, select: &Select, objects: &Objects) -> Bytes {
        let rest: Vec<_> = objects
            .iter()
            .filter(|(key, _)| self.after.as_ref().is_none_or(|after| *key > after))
            .filter(|(_, object)| select.matches(object))
            .collect();
        let limit = self.limit.filter(|limit| *limit > 0).map_or(usize::MAX, |limit| limit as usize);
        let shown = rest.get(..limit).unwrap_or(&rest);
        let mut metadata = json!({ "resourceVersion": self.version.to_string() });
        if let (Some((last, _)), true) = (shown.last(), shown.len() < rest.len()) {
            metadata["continue"] = json!(format!("{}:{last}", self.version));
            if select.is_everything() {
                metadata["remainingItemCount"] = json!(rest.len() - shown.len());
            }
        }
        let built_in = is_built_in(model.kind.group());
        let items: Vec<String> = shown
            .iter()
            .map(|(_, object)| {
                let mut item = project(object, select);
                if built_in && !select.metadata_only {
                    // List items of built-in kinds come without kind and apiVersion.
                    remove(&mut item, &["kind", "apiVersion"]);
                }
                item.to_string()
            })
            .collect();
        let (kind, version) = if select.metadata_only {
            ("PartialObjectMetadata", "meta.k8s.io/v1".to_owned())
        } else {
            (model.kind.kind(), model.kind.api_version())
        };
        let items = items.join(",");
        let body = if built_in || select.metadata_only {
            format!(
                r#"{{"kind":"{kind}List","apiVersion":"{version}","metadata":{metadata},"items":[{items}]}}"#
            )
        } else {
            // Lists of custom resources come with their keys sorted, metadata after the items.
            format!(
                r#"{{"apiVersion":"{version}","items":[{items}],"kind":"{kind}List","metadata":{metadata}}}"#
            )
        };
        Bytes::from(body + "\n")
    }
}

/// The event a watch gets for a change: none if the object matches neither before nor after.
pub(super) fn change_event(change: &Change, select: &Select) -> Option<Bytes> {
    let matching =
        |object: &Option<_>| object.clone().filter(|object: &std::sync::Arc<Value>| select.matches(object));
    match (matching(&change.before), matching(&change.after)) {
        (None, None) => None,
        (None, Some(after)) => Some(event("ADDED", &project(&after, select))),
        (Some(_), Some(after)) => Some(event("MODIFIED", &project(&after, select))),
        (Some(before), None) => {
            // The state before, with the version of the change that took the object away.
            let mut last = project(&before, select);
            last["metadata"]["resourceVersion"] = json!(change.version.to_string());
            Some(event("DELETED", &last))
        }
    }
}

pub(super) fn added_event(object: &Value, select: &Select) -> Bytes {
    event("ADDED", &project(object, select))
}

/// A bookmark as servers send it: an object of the kind with next to nothing in it.
pub(super) fn bookmark_event(model: &Model, initial_events_end: bool) -> Bytes {
    let mut object = json!({
        "kind": model.kind.kind(),
        "apiVersion": model.kind.api_version(),
        "metadata": { "resourceVersion": model.version.to_string(), "creationTimestamp": null },
    });
    if initial_events_end {
        object["metadata"]["annotations"] = json!({ "k8s.io/initial-events-end": "true" });
    }
    event("BOOKMARK", &object)
}

pub(super) fn error_event(failure: &Status) -> Bytes {
    let mut status = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": failure.message, "reason": failure.reason, "code": failure.code,
    });
    if let Some(wait) = failure.retry_after {
        status["details"]["retryAfterSeconds"] = json!(wait.as_secs());
    }
    if !failure.causes.is_empty() {
        let causes =
            failure.causes.chunks(2).map(|pair| json!({ "reason": pair.first(), "message": pair.get(1) }));
        status["details"]["causes"] = causes.collect();
    }
    event("ERROR", &status)
}

fn event(event_type: &str, object: &Value) -> Bytes {
    Bytes::from(format!("{{\"type\":\"{event_type}\",\"object\":{object}}}\n"))
}

/// The object, or only its metadata where the request asks for that.
fn project(object: &Value, select: &Select) -> Value {
    if select.metadata_only {
        json!({ "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": object["metadata"] })
    } else {
        object.clone()
    }
}

fn remove(object: &mut Value, fields: &[&str]) {
    if let Some(object) = object.as_object_mut() {
        for field in fields {
            object.remove(*field);
        }
    }
}

/// Groups without a dot are Kubernetes' own, and those of this list. Custom resources may be in other `k8s.io` groups.
fn is_built_in(group: &str) -> bool {
    const GROUPS: [&str; 16] = [
        "admissionregistration",
        "apiextensions",
        "apiregistration",
        "authentication",
        "authorization",
        "certificates",
        "coordination",
        "discovery",
        "events",
        "flowcontrol.apiserver",
        "networking",
        "node",
        "rbac.authorization",
        "resource",
        "scheduling",
        "storage",
    ];
    !group.contains('.') || group.strip_suffix(".k8s.io").is_some_and(|group| GROUPS.contains(&group))
}
