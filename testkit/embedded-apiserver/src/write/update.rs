//! PUT, and the checks of an object that changes.

use http::Response;

use super::delete::is_namespace;
use super::status_part::Part;
use super::steps::{Asked, Head, Old, Write};
use super::{Object, create, input, metadata, warnings};
use crate::api::Api;
use crate::body::Body;
use crate::kinds::Resource;
use crate::request::{Request, Target};
use crate::status::{ApiError, Cause};
use crate::storage::Stored;

impl Api {
    pub(crate) fn update(&self, target: &Target, request: &Request) -> Result<Response<Body>, ApiError> {
        let head = Head::read(self, target, request)?;
        let mut object = input::object(&self.registry, &target.resource, request, head.validation)?;
        create::place(target, &mut object)?;
        check_name(target, &object)?;
        warnings::remove_duplicate_owners(request, &mut object, false);
        let write = |asked| self.answer_write(&head, &Write::of(&head, target, request, asked));
        let create = || Ok(object.clone());
        let change = |old: &Old| {
            check_uid(&target.resource, &old.current, &object)?;
            Ok(object.clone())
        };
        let is_main = Part::of(target.subresource.as_deref()) == Part::Main;
        if is_main && target.resource.create_on_update {
            return write(Asked::NewOrChanged(&create, &change));
        }
        write(Asked::Changed(&change))
    }
}

/// Checks that an object has the name that the path says.
pub(super) fn check_name(target: &Target, object: &Object) -> Result<(), ApiError> {
    let name = target.name.as_deref().unwrap_or_default();
    match metadata::text(object, "name") {
        "" => Err(ApiError::bad_request(format!(
            "the name of the object ({name} based on URL) was undeterminable: name must be provided"
        ))),
        given if given != name => Err(ApiError::bad_request(format!(
            "the name of the object ({given}) does not match the name on the URL ({name})"
        ))),
        _ => Ok(()),
    }
}

/// Checks that the object of a PUT has the uid of the stored one, if it has any. A patch that changes the uid is refused as
/// one that changes what is immutable.
pub(super) fn check_uid(resource: &Resource, current: &Stored, new: &Object) -> Result<(), ApiError> {
    match metadata::text(new, "uid") {
        uid if uid.is_empty() || uid == &*current.content.uid => Ok(()),
        uid => {
            let of_object = &current.content.uid;
            let key = format!("/registry/{}/{}", resource.plural, current.content.key);
            let why = format!(
                "StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: \
                 Precondition failed: UID in precondition: {uid}, UID in object meta: {of_object}"
            );
            Err(ApiError::conflict(resource, current.content.name(), &why))
        }
    }
}

/// Checks that the new object has the version of the stored one. Most kinds may leave it out.
pub(super) fn check_version(resource: &Resource, current: &Stored, new: &Object) -> Result<(), ApiError> {
    let name = current.content.name();
    match metadata::text(new, "resourceVersion") {
        "" | "0" if resource.unconditional_update => Ok(()),
        "" | "0" => {
            let cause = Cause::invalid("metadata.resourceVersion", "0", "must be specified for an update");
            Err(ApiError::invalid(&resource.group, &resource.plural, name, vec![cause]))
        }
        version => match version.parse::<u64>() {
            Ok(version) if version == current.version => Ok(()),
            Ok(_) => Err(ApiError::modified(resource, name)),
            Err(_) => {
                Err(ApiError::internal(format!("strconv.ParseUint: parsing {version:?}: invalid syntax")))
            }
        },
    }
}

/// Whether an object that is being deleted has no finalizers and no grace period left, so that it can be removed.
pub(super) fn is_released(resource: &Resource, object: &Object) -> bool {
    if !metadata::is_terminating(object) || !metadata::finalizers(object).is_empty() {
        return false;
    }
    if is_namespace(resource) {
        let finalizers = object.get("spec").and_then(|spec| spec.get("finalizers"));
        return finalizers.and_then(serde_json::Value::as_array).is_none_or(Vec::is_empty);
    }
    metadata::number(object, "deletionGracePeriodSeconds").is_none_or(|seconds| seconds == 0)
}
