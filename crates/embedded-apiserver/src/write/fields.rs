//! `fieldValidation`: what becomes of a write with unknown or duplicated fields.

use serde_json::Value;

use super::Object;
use super::input::check_metadata;
use super::patch::{Patch, invalid_patch};
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

/// Reads an object that a patch has made.
pub(super) fn patched(
    resource: &Resource,
    request: &Request,
    validation: FieldValidation,
    patch: Patch,
    object: Object,
) -> Result<Object, ApiError> {
    let Some(of) = schema::of(resource) else {
        check_metadata(resource, &object).map_err(invalid_patch)?;
        return Ok(object);
    };
    let flavour = if patch == Patch::Strategic { Flavour::Tree } else { Flavour::Text };
    let object = Value::Object(object);
    let mut decoded = schema::decode(of, flavour, &object).unwrap_or_default();
    let mut wrong =
        if validation == FieldValidation::Ignore { Vec::new() } else { patch.problems(&request.body) };
    wrong.append(&mut decoded.strict);
    let refused = match decoded.problem {
        Some(problem) => problem,
        None => match validation.judge(&wrong, request) {
            Ok(()) => return Ok(decoded.object),
            Err(why) => why,
        },
    };
    // Of a strategic patch the message shows the patch, of others the whole object.
    let shown = match serde_json::from_slice(&request.body) {
        Ok(Value::Object(patch)) if flavour == Flavour::Tree => go::printed_map(&patch),
        _ => object.to_string(),
    };
    let cause = Cause::invalid("patch", &format!("{shown:?}"), &refused);
    Err(ApiError::invalid("", "", "", vec![cause]))
}
