//! PATCH: changes a part of an object, and is applied again if the object is changed meanwhile.

use http::{Response, StatusCode};
use serde_json::Value;

use super::fields::{self, FieldValidation};
use super::status_part::Part;
use super::update::check_name;
use super::{Object, create, dry_run, input, merge, operations, strategic};
use crate::api::Api;
use crate::body::Body;
use crate::go;
use crate::kinds::Resource;
use crate::read::object_answer;
use crate::request::{Accept, Request, Target, Verb};
use crate::schema::{self, Struct};
use crate::status::{ApiError, Cause, Details};

/// How many operations a JSON patch may have.
const MAX_OPERATIONS: usize = 10_000;

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
        let form = Accept::negotiate(&request.headers, Verb::Patch)?;
        let patch = Patch::of(request, resource)?;
        let dry_run = dry_run(&request.query, "PatchOptions")?;
        let validation = FieldValidation::of(&request.query, "PatchOptions")?;
        let part = Part::of(target.subresource.as_deref());
        let stored = self.change(target, part, dry_run, &|stored| {
            let mut object = stored.to_object()?;
            object.insert("kind".to_owned(), (&*resource.kind).into());
            object.insert("apiVersion".to_owned(), resource.api_version().into());
            let patched = patch.apply(&request.body, object, schema::of(resource))?;
            if patch != Patch::Strategic {
                input::check_kind(&self.registry, resource, &patched).map_err(invalid_patch)?;
            }
            let mut patched = fields::patched(resource, request, validation, patch, patched)?;
            patched.remove("kind");
            patched.remove("apiVersion");
            if !resource.custom && schema::of(resource).is_none() {
                input::remove_nulls(&mut patched);
            }
            create::place(target, &mut patched)?;
            check_name(target, &patched)?;
            Ok(patched)
        })?;
        Ok(object_answer(StatusCode::OK, &stored, resource, form))
    }
}

impl Patch {
    /// The kind of patch that a request has, by its media type.
    pub(super) fn of(request: &Request, resource: &Resource) -> Result<Self, ApiError> {
        match request.media_type() {
            "application/json-patch+json" => Ok(Self::Json),
            "application/merge-patch+json" => Ok(Self::Merge),
            "application/strategic-merge-patch+json" if !resource.custom => Ok(Self::Strategic),
            "application/apply-patch+yaml" => Err(ApiError::not_implemented(
                "server-side apply is not supported by this server yet; use a merge patch, a JSON patch or an update",
            )),
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
        let prefix = if self == Self::Strategic { "" } else { "error decoding patch: " };
        let bad = |why: String| ApiError::bad_request(format!("{prefix}{why}"));
        let patch: Value =
            serde_json::from_slice(patch).map_err(|error| bad(go::json_problem(patch, &error)))?;
        let wrong = |wanted: &str| {
            bad(format!("json: cannot unmarshal {} into Go value of type {wanted}", go::json_type(&patch)))
        };
        match self {
            Self::Json => {
                let operations = patch.as_array().ok_or_else(|| wrong("[]handlers.jsonPatchOp"))?;
                if operations.len() > MAX_OPERATIONS {
                    let message = "the allowed maximum operations in a JSON patch is";
                    let message = format!("{message} {MAX_OPERATIONS}, got {}", operations.len());
                    return Err(ApiError::new(413, "RequestEntityTooLarge", message));
                }
                let operations: json_patch::Patch =
                    serde_json::from_value(patch).map_err(|_| ApiError::rejected())?;
                match operations::apply(&operations, Value::Object(object))? {
                    Value::Object(patched) => Ok(patched),
                    _ => Err(ApiError::rejected()),
                }
            }
            Self::Merge => {
                if !patch.is_object() {
                    return Err(wrong("map[string]interface {}"));
                }
                let mut patched = Value::Object(object);
                merge::apply(&mut patched, patch);
                match patched {
                    Value::Object(patched) => Ok(patched),
                    _ => Err(ApiError::rejected()),
                }
            }
            Self::Strategic => match patch {
                Value::Object(patch) => strategic::merge(of, object, patch),
                Value::Null => Ok(object),
                _ => Err(wrong("map[string]interface {}")),
            },
        }
    }
}

/// The error for a patch that makes an object invalid.
fn invalid_patch(error: ApiError) -> ApiError {
    let cause = Cause { reason: "FieldValueInvalid", message: error.message, field: "patch".to_owned() };
    ApiError::invalid("", "", "", vec![cause])
}
