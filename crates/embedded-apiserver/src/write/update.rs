//! PUT, and the part of the work that it shares with PATCH.

use std::cell::RefCell;
use std::sync::Arc;

use http::{Response, StatusCode};

use super::delete::is_namespace;
use super::managers::{self, Creator};
use super::status_part::{self, Part};
use super::{Object, builtin, create, custom, dry_run, input, metadata, validate, warnings};
use crate::api::Api;
use crate::body::Body;
use crate::kinds::Resource;
use crate::managed::keep_times;
use crate::read::object_answer;
use crate::request::{Accept, Request, Target, Verb};
use crate::status::{ApiError, Cause};
use crate::storage::{Content, Expected, Stored};

/// Computes the new object from the stored one, with its managers.
pub(super) type Change<'a> = &'a dyn Fn(&Stored) -> Result<Object, ApiError>;

impl Api {
    pub(crate) fn update(&self, target: &Target, request: &Request) -> Result<Response<Body>, ApiError> {
        let form = Accept::negotiate(&request.headers, Verb::Update)?;
        managers::check_manager(request, "UpdateOptions")?;
        let dry_run = dry_run(&request.query, "UpdateOptions")?;
        input::expect_json(request)?;
        let mut object = input::object(&self.registry, &target.resource, request, "UpdateOptions")?;
        create::place(target, &mut object)?;
        check_name(target, &object)?;
        let part = Part::of(target.subresource.as_deref());
        if part == Part::Main && target.resource.create_on_update && self.current(target).is_err() {
            metadata::metadata_mut(&mut object).remove("resourceVersion");
            let creator = Creator::Named(managers::manager_of(request));
            let stored = self.create_object(target, object, &creator, dry_run)?;
            return Ok(object_answer(StatusCode::CREATED, &stored, &target.resource, form));
        }
        warnings::remove_duplicate_owners(request, &mut object, false);
        let before = RefCell::new(Object::new());
        let stored = self.change(target, request, part, dry_run, &|stored| {
            check_uid(&target.resource, stored, &object)?;
            let (old, mut new) = (stored.to_object()?, object.clone());
            let subresource = target.subresource.as_deref().unwrap_or_default();
            self.track(&target.resource, subresource, &managers::manager_of(request), Some(&old), &mut new);
            before.replace(old);
            Ok(new)
        })?;
        warnings::finalizers(request, &target.resource, Some(&before.borrow()), &object);
        Ok(object_answer(StatusCode::OK, &stored, &target.resource, form))
    }

    /// Changes a stored object and returns the new one. If another write comes in between, `change` is called again with
    /// the object of that write.
    pub(super) fn change(
        &self,
        target: &Target,
        request: &Request,
        part: Part,
        dry_run: bool,
        change: Change<'_>,
    ) -> Result<Stored, ApiError> {
        let resource = &target.resource;
        let id = resource.storage_id();
        let name = target.name.as_deref().unwrap_or_default();
        let _alone = self.definition_lock(resource);
        loop {
            let stored = self.stored(target)?;
            let current = stored.seen_as(resource).into_owned();
            let old = current.to_object()?;
            let new = change(&current)?;
            check_version(resource, &current, &new)?;
            let managed = managers::managers(&new);
            let mut new = status_part::combine(resource, part, &old, new);
            metadata::inherit(&old, &mut new);
            managers::set_managers(&mut new, managed);
            builtin::prepare_update(resource, part, &old, &mut new);
            let found = validate::update(resource, &old, &new);
            custom::validate(&|warning| request.warn(warning), resource, part, Some(&old), &new, found)?;
            if part == Part::Main {
                metadata::count_generation(resource, &old, &mut new);
                self.accept_definition(resource, Some(&old), &mut new)?;
            }
            custom::complete(resource, &mut new);
            keep_times(&old, &mut new);
            let link = metadata::metadata_mut(&mut new).remove(metadata::SELF_LINK);
            let content = Content::written_as(resource, &current.content.key, &new);
            validate::storable(&new, &content)?;
            let goes = is_released(resource, &new);
            let unstored = |content| {
                let content = match link {
                    None => content,
                    Some(link) => {
                        metadata::metadata_mut(&mut new).insert(metadata::SELF_LINK.to_owned(), link);
                        Content::written_as(resource, &current.content.key, &new)
                    }
                };
                Stored { version: current.version, content: Arc::new(content) }
            };
            if dry_run {
                return Ok(unstored(content).seen_as(resource).into_owned());
            }
            if !goes && content.is_same_as(&stored.content) {
                return Ok(current);
            }
            if goes {
                // This removed the last finalizer. Watches see the deletion of the stored object; the client gets the object
                // that it sent.
                if self.storage.remove(&id, &current.content.key, current.version).is_ok() {
                    self.after_removal(resource, &current);
                    return Ok(unstored(content));
                }
            } else if let Ok(stored) = self.storage.write(&id, content, Expected::Version(current.version)) {
                if part == Part::Main {
                    self.serve_definition(resource, &stored);
                }
                if is_namespace(resource) {
                    // The finalizer that this write removed may have been the last thing that kept it.
                    self.finalise_namespace(name);
                }
                return Ok(stored.seen_as(resource).into_owned());
            }
            tracing::trace!(name, "changed by somebody else meanwhile, trying again");
        }
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
fn check_version(resource: &Resource, current: &Stored, new: &Object) -> Result<(), ApiError> {
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
fn is_released(resource: &Resource, object: &Object) -> bool {
    if !metadata::is_terminating(object) || !metadata::finalizers(object).is_empty() {
        return false;
    }
    if is_namespace(resource) {
        let finalizers = object.get("spec").and_then(|spec| spec.get("finalizers"));
        return finalizers.and_then(serde_json::Value::as_array).is_none_or(Vec::is_empty);
    }
    metadata::number(object, "deletionGracePeriodSeconds").is_none_or(|seconds| seconds == 0)
}
