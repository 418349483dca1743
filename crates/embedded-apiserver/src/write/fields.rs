//! `fieldValidation`: what becomes of a write with unknown or duplicated fields.

use serde_json::Value;

use super::Object;
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

/// How an object came about, for the messages about it.
#[derive(Clone, Copy)]
pub(super) enum Patched<'a> {
    /// By a JSON patch or a merge patch. The messages show the whole object.
    AsText,
    /// By this strategic merge patch.
    By(&'a Object),
}

/// Reads an object that a patch has made. `wrong` is what is wrong with the patch itself.
pub(super) fn patched(
    resource: &Resource,
    request: &Request,
    validation: FieldValidation,
    object: Object,
    patched: Patched<'_>,
    mut wrong: Vec<String>,
) -> Result<Object, ApiError> {
    let invalid = |shown: &str, why: &str| {
        let cause = Cause::invalid("patch", &format!("{shown:?}"), why);
        Err(ApiError::invalid("", "", "", vec![cause]))
    };
    let (flavour, shown) = match patched {
        Patched::AsText => (Flavour::Text, None),
        Patched::By(patch) => (Flavour::Tree, Some(go::printed_map(patch))),
    };
    let object = Value::Object(object);
    let shown = || shown.clone().unwrap_or_else(|| object.to_string());
    let decoded = match schema::of(resource) {
        Some(of) => schema::decode(of, flavour, &object).unwrap_or_default(),
        None => {
            schema::Decoded { object: object.as_object().cloned().unwrap_or_default(), ..Default::default() }
        }
    };
    if let Some(problem) = &decoded.problem {
        return invalid(&shown(), problem);
    }
    wrong.extend(decoded.strict);
    match validation.judge(&wrong, request) {
        Ok(()) => Ok(decoded.object),
        Err(why) => invalid(&shown(), &why),
    }
}
