//! Custom resources: what their schemas make of what is written.

use super::status_part::Part;
use super::{Object, metadata};
use crate::go;
use crate::kinds::{Checked, Findings, Resource};
use crate::status::ApiError;

/// Removes unknown fields and sets defaults. Returns what is wrong with the fields, for `fieldValidation`; the error is a value
/// that is no metadata of an embedded resource.
pub(super) fn admit(resource: &Resource, object: &mut Object) -> Result<Vec<String>, String> {
    let Some(schemas) = &resource.schemas else { return Ok(Vec::new()) };
    let unknown = schemas.admit(&resource.version, object)?;
    Ok(unknown.into_iter().map(|path| format!("unknown field \"{path}\"")).collect())
}

/// Sets defaults in an object that was merged by an apply patch. They belong to nobody.
pub(super) fn set_defaults(resource: &Resource, object: &mut Object) {
    if let Some(schemas) = &resource.schemas {
        schemas.set_defaults(&resource.version, object);
    }
}

/// Adds what the schema finds to what is `found` wrong with an object, and warns of what is as wrong as before.
pub(super) fn validate(
    warn: &dyn Fn(&str),
    resource: &Resource,
    part: Part,
    old: Option<&Object>,
    object: &Object,
    found: Result<(), ApiError>,
) -> Result<(), ApiError> {
    let Some(schemas) = &resource.schemas else { return found };
    let checked = if part == Part::Status { Checked::Status } else { Checked::All };
    let causes = match found {
        Ok(()) => Vec::new(),
        Err(error) if error.reason == "Invalid" => {
            error.details.map(|details| details.causes).unwrap_or_default()
        }
        Err(error) => return Err(error),
    };
    let Findings { causes, warnings } = schemas.validate(resource, checked, object, old, causes);
    warnings.iter().for_each(|warning| warn(warning));
    if causes.is_empty() {
        return Ok(());
    }
    Err(ApiError::invalid(&resource.group, &resource.kind, metadata::text(object, "name"), causes))
}

/// Makes an object what is stored: in the version that is stored, with numbers as Go writes them.
pub(super) fn complete(resource: &Resource, object: &mut Object) {
    let Some(schemas) = &resource.schemas else { return };
    schemas.convert(object, &schemas.storage, &schemas.storage);
    object.values_mut().for_each(go::tidy_numbers);
}
