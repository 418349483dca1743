//! Create, update, patch and delete.
//!
//! Objects of built-in kinds are read by their types and defaulted; those of custom kinds are read, defaulted and validated by
//! their schemas. The server sets its own fields of metadata, writes spec and status separately, and checks names and labels.
//! The only admission is that of namespaces, and what it adds to pods.
//!
//! All that create or change an object take the same steps in the same order, in `steps.rs`. A request has its own part in those
//! with a file of its own; a dash is a step that it leaves out.
//!
//! | | step | POST `create.rs` | PUT `update.rs` | PATCH `patch.rs` | apply `managers.rs` | `scale` by PUT, PATCH, apply `scale.rs` |
//! |---|---|---|---|---|---|---|
//! | | *[the head](steps::Head::read), once* | | | | | |
//! | 1 | are managers switched on? | – | – | – | yes | apply |
//! | 2 | `Accept`: the form of the answer | yes | yes | yes | yes | – |
//! | 3 | `Content-Type`: the kind of patch | – | – | yes | – | PATCH |
//! | 4 | `fieldManager`, `force` | yes | yes | yes | yes | yes |
//! | 5 | `dryRun` | yes | yes | yes | yes | yes |
//! | 6 | `Content-Type`: JSON | yes | yes | – | – | PUT |
//! | 7 | `fieldValidation` | yes | yes | yes | yes | – |
//! | 8 | the body is read | object | object | – | configuration | – |
//! | 9 | namespace and name as in the path | – (15) | yes | – (12) | – (12) | – |
//! | 10 | an owner is there once | yes | yes | – (12) | – (12) | – |
//! | | *[again](crate::api::Api::carry_out) until no other write comes in between* | | | | | |
//! | 11 | the object that is wanted, with that which is there | object | object, of the same uid | patched and read | merged | number set, owners known |
//! | 12 | an owner is there once, namespace and name | – | – | yes | yes | name of the Scale |
//! | 13 | it is not there: create it? | always | some kinds | 404 | yes, if it has no uid | 404 |
//! | | *[it is new](crate::api::Api::add)* | | | | | |
//! | 14 | no version | compared (19) | removed | | removed | |
//! | 15 | namespace; own fields of the server; name | yes | yes | | yes | |
//! | 16 | [completed](builtin::prepare_create) by its kind; owners of fields (some kinds the other way round) | yes | yes | | owners known | |
//! | | *[it is changed](crate::api::Api::succeed)* | | | | | |
//! | 17 | owners of fields; version; the [part](status_part::combine) that is written; [what stays](metadata::inherit); [completed](builtin::prepare_update) by its kind | | yes | yes | owners known | owners known |
//! | | *[both](crate::api::Api::settle)* | | | | | |
//! | 18 | [valid](validate), also for its [schema](custom::validate) | yes | yes | yes | yes | yes |
//! | 19 | new: namespace's finalizer, no version, not there. Changed: generation | yes | yes | yes | yes | yes |
//! | 20 | a definition is accepted; as it is stored; size | yes | yes | yes | yes | yes |
//! | 21 | [stored](crate::api::Api::store), or removed with its last finalizer; not in a dry run, and not if it is as before | yes | yes | yes | yes | yes |
//! | 22 | what follows: a definition is served, a namespace goes | yes | yes | yes | yes | yes |
//! | | *[the answer](crate::api::Api::answer_write)* | | | | | |
//! | 23 | warnings of finalizers; the object, or its Scale | 201 | 200, 201 | 200 | 200, 201 | 200 |
//!
//! A binding, the mark of an eviction and the first namespaces are writes without a head that belong to nobody: 11 to 22.

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
mod steps;
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
