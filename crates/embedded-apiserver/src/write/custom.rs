//! Custom resources: what their schemas make of what is written.

use serde_json::Value;

use super::status_part::Part;
use super::{Object, metadata};
use crate::kinds::{Checked, Resource};
use crate::status::ApiError;

/// Removes unknown fields and sets defaults. Returns what is wrong with the fields, for `fieldValidation`; the error is a value
/// that is no metadata of an embedded resource.
pub(super) fn admit(resource: &Resource, object: &mut Object) -> Result<Vec<String>, String> {
    let Some(schemas) = &resource.schemas else { return Ok(Vec::new()) };
    let unknown = schemas.admit(&resource.version, object)?;
    Ok(unknown.into_iter().map(|path| format!("unknown field \"{path}\"")).collect())
}

/// Adds what the schema finds to what is `found` wrong with an object.
pub(super) fn validate(
    resource: &Resource,
    part: Part,
    old: Option<&Object>,
    object: &Object,
    found: Result<(), ApiError>,
) -> Result<(), ApiError> {
    let Some(schemas) = &resource.schemas else { return found };
    let checked = if part == Part::Status { Checked::Status } else { Checked::All };
    let more = schemas.validate(resource, checked, object, old);
    if more.is_empty() {
        return found;
    }
    let mut causes = match found {
        Ok(()) => Vec::new(),
        Err(error) if error.reason == "Invalid" => {
            error.details.map(|details| details.causes).unwrap_or_default()
        }
        Err(error) => return Err(error),
    };
    causes.extend(more);
    Err(ApiError::invalid(&resource.group, &resource.kind, metadata::text(object, "name"), causes))
}

/// Makes an object what is stored: in the version that is stored, with numbers as Go writes them.
pub(super) fn complete(resource: &Resource, object: &mut Object) {
    let Some(schemas) = &resource.schemas else { return };
    schemas.convert(object, &schemas.storage, &schemas.storage);
    object.values_mut().for_each(tidy_numbers);
}

/// Go writes a float that is an integer without a point.
fn tidy_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(float) = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0) {
                #[expect(clippy::cast_possible_truncation, reason = "it has no fraction and is in range")]
                if float.abs() < 9e18 {
                    *number = (float as i64).into();
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(tidy_numbers),
        Value::Object(members) => members.values_mut().for_each(tidy_numbers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}
