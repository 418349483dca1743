//! PUT, and the part of the work that it shares with PATCH.

use std::sync::Arc;

use http::{Response, StatusCode};

use super::delete::is_namespace;
use super::status_part::{self, Part};
use super::{Object, create, custom, dry_run, input, metadata, validate};
use crate::api::Api;
use crate::body::Body;
use crate::kinds::Resource;
use crate::read::object_answer;
use crate::request::{Accept, Request, Target, Verb};
use crate::status::{ApiError, Cause};
use crate::storage::{Content, Expected, Stored};

/// Computes the new object from the stored one.
pub(super) type Change<'a> = &'a dyn Fn(&Stored) -> Result<Object, ApiError>;

impl Api {
    pub(crate) fn update(&self, target: &Target, request: &Request) -> Result<Response<Body>, ApiError> {
        let form = Accept::negotiate(&request.headers, Verb::Update)?;
        let dry_run = dry_run(&request.query, "UpdateOptions")?;
        input::expect_json(request)?;
        let mut object = input::object(&self.registry, &target.resource, request, "UpdateOptions")?;
        create::place(target, &mut object)?;
        check_name(target, &object)?;
        let part = Part::of(target.subresource.as_deref());
        if part == Part::Main && target.resource.create_on_update && self.current(target).is_err() {
            metadata::metadata_mut(&mut object).remove("resourceVersion");
            let stored = self.create_object(target, object, dry_run)?;
            return Ok(object_answer(StatusCode::CREATED, &stored, &target.resource, form));
        }
        let stored = self.change(target, part, dry_run, &|_| Ok(object.clone()))?;
        Ok(object_answer(StatusCode::OK, &stored, &target.resource, form))
    }

    /// Changes a stored object and returns the new one. If another write comes in between, `change` is called again with
    /// the object of that write.
    pub(super) fn change(
        &self,
        target: &Target,
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
            check_identity(resource, &current, &new)?;
            let mut new = status_part::combine(resource, part, &old, new);
            metadata::keep_identity(&old, &mut new);
            let found = validate::object(resource, &new);
            let found = found.and_then(|()| validate::finalizers(resource, &old, &new));
            custom::validate(resource, part, Some(&old), &new, found)?;
            if part == Part::Main {
                metadata::count_generation(resource, &old, &mut new);
                self.accept_definition(resource, Some(&old), &mut new)?;
            }
            custom::complete(resource, &mut new);
            let content = Content::new(&current.content.key, &new, &resource.fields).written_as(resource);
            validate::size(&content)?;
            if content.is_same_as(&stored.content) {
                return Ok(current);
            }
            let goes = is_released(resource, &new);
            if dry_run {
                return Ok(Stored { version: current.version, content: Arc::new(content) }
                    .seen_as(resource)
                    .into_owned());
            }
            if goes {
                // This removed the last finalizer. Watches see the deletion of the stored object; the client gets the object
                // that it sent.
                if self.storage.remove(&id, &current.content.key, current.version).is_ok() {
                    self.after_removal(resource, &current);
                    return Ok(Stored { version: current.version, content: Arc::new(content) });
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

/// Checks that the new object has the uid and version of the stored one. Most kinds may leave them out.
fn check_identity(resource: &Resource, current: &Stored, new: &Object) -> Result<(), ApiError> {
    let name = current.content.name();
    match metadata::text(new, "uid") {
        uid if uid.is_empty() || uid == &*current.content.uid => {}
        uid => {
            let of_object = &current.content.uid;
            let key = format!("/registry/{}/{}", resource.plural, current.content.key);
            let why = format!(
                "StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: \
                 Precondition failed: UID in precondition: {uid}, UID in object meta: {of_object}"
            );
            return Err(ApiError::conflict(resource, name, &why));
        }
    }
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
