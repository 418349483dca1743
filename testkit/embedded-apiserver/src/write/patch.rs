//! PATCH: changes a part of an object, and is applied again if the object is changed meanwhile.

use http::Response;
use serde_json::Value;

use super::operations::Operations;
use super::steps::{Asked, Head, Method, Old, Write};
use super::update::check_name;
use super::{Object, fields, input, merge, strategic};
use crate::api::Api;
use crate::body::Body;
use crate::go;
use crate::kinds::Resource;
use crate::request::{Request, Target};
use crate::schema::{self, Struct};
use crate::status::{ApiError, Cause, Details};
use crate::storage::write_json;

/// The kinds of patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patch {
    Json,
    Merge,
    Strategic,
}

impl Api {
    pub(crate) fn patch(&self, target: &Target, request: &Request) -> Result<Response<Body>, ApiError> {
        let resource = &target.resource;
        let head = Head::read(self, target, request)?;
        let Method::Patch(patch) = head.method else { return self.apply_patch(target, request, &head) };
        let change = |old: &Old| {
            let mut object = resource.served(old.object.clone());
            object.insert("kind".to_owned(), (&*resource.kind).into());
            object.insert("apiVersion".to_owned(), resource.api_version().into());
            let patched = patch.apply(&request.body, object, schema::of(resource))?;
            if patch != Patch::Strategic {
                check_kind(target, &patched)?;
                input::check_kind(&self.registry, resource, &patched).map_err(|error| {
                    // As for a PUT, without the words that say which object.
                    let why = error.message.split_once(" cannot be handled as a ").map(|(_, why)| why);
                    let why =
                        why.and_then(|why| why.split_once(": ")).map_or(&*error.message, |(_, why)| why);
                    invalid_patch(&Value::Object(patched.clone()), why)
                })?;
            }
            let mut patched = fields::patched(resource, request, head.validation, patch, patched)?;
            patched.remove("kind");
            patched.remove("apiVersion");
            if schema::of(resource).is_none() {
                input::tidy(resource, &mut patched);
            }
            Ok(resource.stored(patched))
        };
        self.answer_write(&head, &Write::of(&head, target, request, Asked::Changed(&change)))
    }
}

impl Patch {
    /// The kind of patch that a request has, by its media type.
    pub(super) fn of(request: &Request, resource: &Resource) -> Result<Self, ApiError> {
        match request.media_type() {
            "application/json-patch+json" => Ok(Self::Json),
            "application/merge-patch+json" => Ok(Self::Merge),
            "application/strategic-merge-patch+json" if !resource.custom => Ok(Self::Strategic),
            _ if resource.custom => Err(ApiError::unsupported_media_type(&[
                "application/json-patch+json",
                "application/merge-patch+json",
                "application/apply-patch+yaml",
            ])),
            _ => Err(ApiError::new(415, "UnsupportedMediaType", "415: Unsupported Media Type")
                .with_details(Details::default())),
        }
    }

    /// The duplicated fields of a patch, and those that operations of a JSON patch do not have.
    pub(super) fn problems(self, patch: &[u8]) -> Vec<String> {
        match self {
            Self::Merge | Self::Strategic => schema::duplicates(patch),
            Self::Json => {
                let problems = schema::operations(patch);
                problems.into_iter().map(|problem| format!("json patch {problem}")).collect()
            }
        }
    }

    /// Applies a patch to an object of that type.
    pub(super) fn apply(self, patch: &[u8], object: Object, of: Option<&Struct>) -> Result<Object, ApiError> {
        let patched = match self {
            Self::Json => Operations::read(patch)?.apply(Value::Object(object))?,
            Self::Merge => {
                let patch = Value::Object(read(patch, "error decoding patch: ")?);
                let mut patched = Value::Object(object);
                merge::apply(&mut patched, patch);
                patched
            }
            Self::Strategic if patch.trim_ascii() == b"null" => Value::Object(object),
            Self::Strategic => Value::Object(strategic::merge(of, object, read(patch, "")?)?),
        };
        match patched {
            Value::Object(patched) => Ok(patched),
            other => {
                let form = input::TYPE_AND_VERSION;
                let why = format!("cannot unmarshal {} into Go value of type {form}", go::json_type(&other));
                let why = format!("couldn't get version/kind; json parse error: json: {why}");
                Err(invalid_patch(&other, &why))
            }
        }
    }
}

/// A patch cannot change kind and version of a custom resource. For built-in kinds the message is that of a PUT.
fn check_kind(target: &Target, patched: &Object) -> Result<(), ApiError> {
    let text = |name: &str| patched.get(name).and_then(Value::as_str).unwrap_or_default();
    let resource = &target.resource;
    let kind = text("kind");
    let version = text("apiVersion");
    let expected = resource.api_version();
    if !resource.custom {
        if version.is_empty() {
            // The real server does not know how to read it then, and finds no name.
            return check_name(target, &Object::new());
        }
        return Ok(());
    }
    if kind.is_empty() {
        let shown = Value::Object(patched.clone());
        return Err(invalid_patch(&shown, &format!("Object 'Kind' is missing in '{shown}'")));
    }
    if version.is_empty() {
        let why = "Object 'apiVersion' is missing in 'object has no apiVersion field'";
        return Err(ApiError::internal_error(why));
    }
    let name = super::metadata::text(patched, "name");
    let fields = [("kind", kind, &*resource.kind), ("apiVersion", version, &expected)];
    let wrong = fields.into_iter().filter(|(_, given, wanted)| given != wanted);
    let cause = |(field, given, wanted): (&str, &str, &str)| {
        Cause::invalid(field, &format!("{given:?}"), &format!("must be {wanted}"))
    };
    let causes: Vec<Cause> = wrong.map(cause).collect();
    let group = version.split_once('/').map_or("", |(group, _)| group);
    if causes.is_empty() { Ok(()) } else { Err(ApiError::invalid(group, kind, name, causes)) }
}

/// Reads a patch that is an object.
fn read(patch: &[u8], prefix: &str) -> Result<Object, ApiError> {
    let bad = |why: String| ApiError::bad_request(format!("{prefix}{why}"));
    match serde_json::from_slice(patch) {
        Ok(Value::Object(patch)) => Ok(patch),
        Ok(Value::Null) if !prefix.is_empty() => Err(ApiError::bad_request("Invalid JSON Patch")),
        Ok(other) => {
            let found = go::json_type(&other);
            Err(bad(format!(
                "json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"
            )))
        }
        Err(error) => Err(bad(go::json_problem(patch, &error))),
    }
}

/// The error for a patch that makes an object invalid.
fn invalid_patch(patched: &Value, why: &str) -> ApiError {
    let mut text = Vec::new();
    write_json(&mut text, patched);
    let shown = format!("{:?}", String::from_utf8_lossy(&text));
    ApiError::invalid("", "", "", vec![Cause::invalid("patch", &shown, why)])
}
