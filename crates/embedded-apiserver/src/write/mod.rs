//! Create, update, patch and delete.
//!
//! Objects of built-in kinds are read by their types and defaulted; those of custom kinds are read, defaulted and validated by
//! their schemas. The server sets its own fields of metadata, writes spec and status separately, and checks names and labels.
//! The only admission is that of namespaces, and what it adds to pods.

mod binding;
mod builtin;
mod collection;
mod create;
mod custom;
mod definitions;
mod delete;
mod fields;
mod input;
mod managers;
mod merge;
mod metadata;
mod namespaces;
mod operations;
mod patch;
mod propagation;
mod reviews;
mod scale;
mod status_part;
mod strategic;
mod update;
mod validate;
mod warnings;

use http::{Response, StatusCode};
use serde_json::{Map, Value};

use crate::api::Api;
use crate::body::Body;
use crate::read::document;
use crate::request::{Query, Request, Target, Verb};
use crate::status::{ApiError, Cause, Details};

pub(crate) use propagation::{FOREGROUND, ORPHAN};
pub(crate) use validate::ANNOTATIONS_LIMIT;

/// An object as JSON.
pub(crate) type Object = Map<String, Value>;

impl Api {
    /// Answers a request for a subresource.
    pub(crate) async fn subresource(
        &self,
        target: &Target,
        request: &Request,
    ) -> Result<Response<Body>, ApiError> {
        let name = target.subresource.as_deref().unwrap_or_default();
        let resource = &target.resource;
        match (name, target.verb) {
            ("status" | "approval", Verb::Get) => self.get(target, request).await,
            ("status" | "finalize" | "approval", Verb::Update) => self.update(target, request),
            ("status" | "approval", Verb::Patch) => self.patch(target, request),
            ("scale", Verb::Get) => self.get_scale(target, request).await,
            ("scale", Verb::Update | Verb::Patch) => self.set_scale(target, request),
            ("binding", Verb::Create) if &*resource.plural == "pods" => self.bind(target, request),
            ("eviction", Verb::Create) if &*resource.plural == "pods" => self.evict(target, request),
            _ if resource.subresource(name).is_none() => Err(ApiError::no_such_resource()),
            _ => Err(ApiError::not_implemented(format!(
                "{} of {}/{name} is not supported by this server",
                target.verb,
                resource.qualified()
            ))),
        }
    }
}

/// Whether the request is a dry run. `options` is the kind of the options, for messages.
fn dry_run(query: &Query, options: &str) -> Result<bool, ApiError> {
    let values: Vec<&str> = query.all("dryRun").collect();
    match dry_run_problem(&values) {
        None => Ok(!values.is_empty()),
        Some(cause) => Err(ApiError::invalid("meta.k8s.io", options, "", vec![cause])),
    }
}

/// What is wrong with these values of `dryRun`.
fn dry_run_problem(values: &[&str]) -> Option<Cause> {
    if values.iter().all(|value| *value == "All") {
        return None;
    }
    let values: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
    Some(Cause {
        reason: "FieldValueNotSupported",
        message: format!("Unsupported value: [{}]: supported values: \"All\"", values.join(",")),
        field: "dryRun".to_owned(),
    })
}

/// The answer to a POST that creates no object, such as a binding: a Status with code 201.
fn created_status() -> Response<Body> {
    let text = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}"#;
    document(StatusCode::CREATED, text.into())
}

/// The answer to a delete whose object is gone.
fn deleted_status(details: &Details) -> Response<Body> {
    document(StatusCode::OK, crate::status::success(details).into_bytes())
}

#[cfg(test)]
mod tests;
