//! Everything that changes objects.
//!
//! Objects are taken as they are sent: what belongs to the server in metadata is set, status is kept apart, names and
//! labels are checked. There is no defaulting of specs, no schema, no admission but that of namespaces, and no
//! managedFields.

mod binding;
mod collection;
mod create;
mod definitions;
mod delete;
mod input;
mod metadata;
mod namespaces;
mod operations;
mod patch;
mod scale;
mod status_part;
mod strategic;
mod update;
mod validate;

use http::{HeaderMap, Response, StatusCode};
use serde_json::{Map, Value};

use crate::api::{Api, Asked};
use crate::body::Body;
use crate::read::document;
use crate::request::{Query, Verb};
use crate::status::{ApiError, Cause, Details};

/// An object as JSON.
pub(crate) type Object = Map<String, Value>;

impl Api {
    /// What is asked of a part of an object, or of something that can be done to it.
    pub(crate) async fn subresource(&self, asked: &Asked, body: Body) -> Result<Response<Body>, ApiError> {
        let name = asked.target.subresource.as_deref().unwrap_or_default();
        let resource = &asked.target.resource;
        match (name, asked.target.verb) {
            ("status", Verb::Get) => self.get(asked).await,
            ("status" | "finalize" | "approval", Verb::Update) => self.update(asked, body).await,
            ("status" | "approval", Verb::Patch) => self.patch(asked, body).await,
            ("approval", Verb::Get) => self.get(asked).await,
            ("scale", Verb::Get) => self.get_scale(asked).await,
            ("scale", Verb::Update | Verb::Patch) => self.set_scale(asked, body).await,
            ("binding", Verb::Create) if &*resource.plural == "pods" => self.bind(asked, body).await,
            ("eviction", Verb::Create) if &*resource.plural == "pods" => self.evict(asked, body).await,
            _ if resource.subresource(name).is_none() => Err(ApiError::no_such_resource()),
            _ => Err(ApiError::not_implemented(format!(
                "{} of {}/{name} is not supported by this server",
                asked.target.verb,
                resource.qualified()
            ))),
        }
    }
}

/// Whether the write is to be tried only. `options` is the kind of the options in messages.
fn dry_run(query: &Query, options: &str) -> Result<bool, ApiError> {
    let values: Vec<&str> = query.all("dryRun").filter(|value| !value.is_empty()).collect();
    if values.iter().all(|value| *value == "All") {
        return Ok(!values.is_empty());
    }
    let values: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
    let cause = Cause {
        reason: "FieldValueNotSupported",
        message: format!("Unsupported value: [{}]: supported values: \"All\"", values.join(",")),
        field: "dryRun".to_owned(),
    };
    Err(ApiError::invalid("meta.k8s.io", options, "", vec![cause]))
}

/// The answer to what makes no object: a Status that says 201.
fn created_status() -> Response<Body> {
    let text = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}"#;
    document(StatusCode::CREATED, text.into())
}

/// The answer to the deletion of an object that is gone.
fn deleted_status(details: &Details) -> Response<Body> {
    document(StatusCode::OK, crate::status::success(details).into_bytes())
}

/// The type of the body without its parameters; JSON if there is none.
fn media_type(headers: &HeaderMap) -> &str {
    let value =
        headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match value.split(';').next().unwrap_or_default().trim() {
        "" => "application/json",
        media_type => media_type,
    }
}

#[cfg(test)]
mod tests;
