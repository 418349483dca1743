//! The options of writes that are about managers, and the configuration of an apply patch.

use serde_json::Value;

use crate::request::Query;
use crate::status::{ApiError, Cause};

/// How long the name of a manager may be, in bytes.
pub(super) const LONGEST: usize = 128;

/// Whether a request is an apply patch, another patch, or no patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Apply,
    Patch,
    NoPatch,
}

/// What is wrong with `fieldManager` and `force`, in the order of the real server.
pub(crate) fn problems(query: &Query, form: Form) -> Vec<Cause> {
    let manager = query.text("fieldManager");
    let mut causes = Vec::new();
    if form == Form::Apply && manager.is_empty() {
        causes.push(Cause::required("fieldManager", "is required for apply patch"));
    }
    if form == Form::Patch && query.first("force").is_some() {
        causes.push(Cause::forbidden("force", "may not be specified for non-apply patch"));
    }
    if manager.len() > LONGEST {
        causes.push(Cause {
            reason: "FieldValueTooLong",
            message: format!("Too long: may not be more than {LONGEST} bytes"),
            field: "fieldManager".to_owned(),
        });
    }
    for (position, character) in manager.char_indices().filter(|(_, character)| !is_printable(*character)) {
        let why = format!("invalid character U+{:04X} (at position {position})", u32::from(character));
        causes.push(Cause::invalid("fieldManager", &format!("{manager:?}"), &why));
    }
    causes
}

/// As Go has it: of all spaces only the usual one can be printed.
pub(super) fn is_printable(character: char) -> bool {
    character == ' ' || !(character.is_control() || character.is_whitespace())
}

/// Reads the configuration that an apply patch has: YAML, which includes JSON. Of a key that occurs twice the last one counts.
pub(crate) fn configuration(body: &[u8]) -> Result<Value, ApiError> {
    if let Ok(json) = serde_json::from_slice(body) {
        return object(json);
    }
    let options = serde_saphyr::options! { duplicate_keys: serde_saphyr::DuplicateKeyPolicy::LastWins };
    let yaml = serde_saphyr::from_slice_with_options(body, options);
    object(yaml.map_err(|error| ApiError::bad_request(format!("error decoding YAML: {error}")))?)
}

fn object(mut value: Value) -> Result<Value, ApiError> {
    match value {
        // The real server makes JSON of the YAML, and `1.0` becomes `1`.
        Value::Object(_) => {
            crate::go::tidy_numbers(&mut value);
            Ok(value)
        }
        Value::Null => Ok(Value::Object(serde_json::Map::new())),
        other => {
            let found = crate::go::json_type(&other);
            Err(ApiError::bad_request(format!(
                "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {found} into \
                 Go value of type map[string]interface {{}}"
            )))
        }
    }
}

#[cfg(test)]
mod tests;
