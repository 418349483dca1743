//! `fieldValidation`: what becomes of a write with unknown or duplicated fields.

use serde_json::Value;

use super::patch::Patch;
use super::{Object, custom};
use crate::defaults;
use crate::go;
use crate::kinds::Resource;
use crate::request::{Query, Request};
use crate::schema::{self, Flavour};
use crate::status::{ApiError, Cause};

/// What becomes of a write with unknown or duplicated fields. Unknown fields are dropped in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldValidation {
    Ignore,
    /// The answer has a `Warning` for each of them.
    Warn,
    /// It is refused.
    Strict,
}

impl FieldValidation {
    /// `options` is the kind of the options, for messages.
    pub(super) fn of(query: &Query, options: &str) -> Result<Self, ApiError> {
        match query.text("fieldValidation") {
            "" | "Warn" => Ok(Self::Warn),
            "Ignore" => Ok(Self::Ignore),
            "Strict" => Ok(Self::Strict),
            other => {
                let supported = ["", "Ignore", "Strict", "Warn"];
                let cause = Cause::unsupported("fieldValidation", other, &supported);
                Err(ApiError::invalid("meta.k8s.io", options, "", vec![cause]))
            }
        }
    }

    /// Warns of what is wrong; the error is the reason to refuse the write.
    pub(super) fn judge(self, wrong: &[String], request: &Request) -> Result<(), String> {
        match self {
            _ if wrong.is_empty() => {}
            Self::Ignore => {}
            Self::Warn => wrong.iter().for_each(|wrong| request.warn(wrong)),
            Self::Strict => return Err(format!("strict decoding error: {}", wrong.join(", "))),
        }
        Ok(())
    }
}

/// Reads the metadata of an object of which nothing else is known. Returns what is wrong with its fields; the error is a value
/// of a wrong type.
pub(super) fn read_metadata(object: &mut Object) -> Result<Vec<String>, String> {
    let Some(of) = schema::object_meta() else { return Ok(Vec::new()) };
    let decoded = match object.get("metadata") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(metadata) if metadata.is_object() => {
            schema::decode(of, Flavour::Text, metadata).unwrap_or_default()
        }
        Some(other) => {
            let found = go::json_type(other);
            return Err(format!("json: cannot unmarshal {found} into Go value of type {}", of.go_name));
        }
    };
    if let Some(problem) = decoded.problem {
        return Err(problem);
    }
    object.insert("metadata".to_owned(), Value::Object(decoded.object));
    Ok(decoded.strict.iter().map(|strict| strict.replacen("field \"", "field \"metadata.", 1)).collect())
}

/// Reads an object that a patch has made.
pub(super) fn patched(
    resource: &Resource,
    request: &Request,
    validation: FieldValidation,
    patch: Patch,
    object: Object,
) -> Result<Object, ApiError> {
    let flavour = if patch == Patch::Strategic { Flavour::Tree } else { Flavour::Text };
    let read = match schema::of(resource) {
        Some(of) => {
            let decoded = schema::decode(of, flavour, &Value::Object(object.clone())).unwrap_or_default();
            match decoded.problem {
                Some(problem) => Err(problem),
                None => {
                    let mut object = decoded.object;
                    defaults::set(resource, &mut object);
                    Ok((object, decoded.strict))
                }
            }
        }
        None => {
            let mut read = object.clone();
            let strict = read_metadata(&mut read);
            let strict = strict.and_then(|mut strict| {
                strict.extend(custom::admit(resource, &mut read)?);
                Ok(strict)
            });
            strict.map(|strict| (read, strict))
        }
    };
    let refused = match read {
        Err(problem) => problem,
        Ok((read, strict)) => {
            let mut wrong = match validation {
                FieldValidation::Ignore => Vec::new(),
                FieldValidation::Warn | FieldValidation::Strict => patch.problems(&request.body),
            };
            wrong.extend(strict);
            match validation.judge(&wrong, request) {
                Ok(()) => return Ok(read),
                Err(why) => why,
            }
        }
    };
    Err(refused_patch(request, patch, object, &refused))
}

/// A patch that makes an object of which nothing can be made.
pub(super) fn refused_patch(request: &Request, patch: Patch, object: Object, why: &str) -> ApiError {
    // Of a strategic patch the message shows the patch, of others the whole object.
    let shown = match serde_json::from_slice(&request.body) {
        Ok(Value::Object(body)) if patch == Patch::Strategic => go::printed_map(&body),
        _ => Value::Object(object).to_string(),
    };
    let cause = Cause::invalid("patch", &format!("{shown:?}"), why);
    ApiError::invalid("", "", "", vec![cause])
}
