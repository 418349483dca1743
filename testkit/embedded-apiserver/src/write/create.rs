//! POST to a collection.

use http::Response;
use serde_json::Value;

use super::steps::{Asked, Head, Write};
use super::{Object, input, metadata, status_part, warnings};
use crate::api::Api;
use crate::body::Body;
use crate::kinds::{Generation, Resource};
use crate::request::{Request, Target};
use crate::status::{ApiError, Cause};
use crate::storage::{Content, Expected, Refused, Stored};

/// How many characters of `generateName` are kept.
const PREFIX: usize = 58;
/// How many generated names are tried if they are taken.
pub(super) const ATTEMPTS: usize = 8;

impl Api {
    pub(crate) fn create(&self, target: &Target, request: &Request) -> Result<Response<Body>, ApiError> {
        if let Some(answer) = self.review(target, request) {
            return answer;
        }
        let head = Head::read(self, target, request)?;
        let mut object = input::object(&self.registry, &target.resource, request, head.validation)?;
        metadata::wipe(&mut object);
        warnings::remove_duplicate_owners(request, &mut object, false);
        let create = || Ok(object.clone());
        self.answer_write(&head, &Write::of(&head, target, request, Asked::New(&create)))
    }

    /// Makes what a client wants an object that is about to be created, but for its name.
    pub(super) fn begin(&self, target: &Target, mut object: Object) -> Result<Object, ApiError> {
        let resource = &target.resource;
        if !resource.is_stored() {
            let what = resource.qualified();
            return Err(ApiError::not_implemented(format!("{what} are not supported by this server")));
        }
        place(target, &mut object)?;
        self.check_namespace(target, metadata::text(&object, "name"))?;
        if resource.custom && self.registry.is_terminating(&resource.storage_id()) {
            let why = "create not allowed while custom resource definition is terminating";
            return Err(ApiError::forbidden(resource, metadata::text(&object, "name"), why));
        }
        self.begin_object(resource, &mut object);
        Ok(object)
    }

    /// Gives an object a name that begins with its `generateName`.
    pub(super) fn make_up_name(&self, object: &mut Object) {
        let prefix = metadata::text(object, "generateName");
        let kept = prefix.char_indices().nth(PREFIX).map_or(prefix, |(end, _)| &prefix[..end]);
        let name = format!("{kept}{}", self.chance.name_end());
        metadata::metadata_mut(object).insert("name".to_owned(), name.into());
    }

    /// Refuses to create an object that is there, or one of a version.
    pub(super) fn expect_absent(&self, write: &Write<'_>, object: &Object) -> Result<(), ApiError> {
        let resource = &write.target.resource;
        if version(object) > 0 && !write.dry_run {
            return Err(ApiError::internal("resourceVersion should not be set on objects to be created"));
        }
        match self.storage.get(&resource.storage_id(), &key(write.target, object)) {
            Some(stored) => Err(exists(resource, &stored)),
            None => Ok(()),
        }
    }

    /// Stores an object that was not there.
    pub(super) fn store_new(&self, target: &Target, content: Content) -> Result<Stored, ApiError> {
        let resource = &target.resource;
        let name = content.name().to_owned();
        let written = self.storage.write(&resource.storage_id(), content, Expected::Absent);
        let written = written.map_err(|refused| match refused {
            Refused::Exists(stored) => exists(resource, &stored),
            Refused::Changed => ApiError::modified(resource, &name),
            Refused::NoNamespace => self.no_namespace(target),
            Refused::NamespaceTerminating => namespace_terminating(target, &name),
            Refused::Retired => ApiError::page_not_found(),
        })?;
        self.serve_definition(resource, &written);
        Ok(written.seen_as(resource).into_owned())
    }

    /// Sets the fields that the server owns.
    fn begin_object(&self, resource: &Resource, object: &mut Object) {
        status_part::begin(resource, object, &self.clock.now());
        let metadata = metadata::metadata_mut(object);
        if metadata.get("generation").and_then(Value::as_i64).is_none_or(|generation| generation == 0) {
            metadata.remove("generation");
        }
        if resource.generation != Generation::None {
            metadata.insert("generation".to_owned(), 1.into());
        }
        metadata.insert("uid".to_owned(), self.chance.uuid().into());
        metadata.insert("creationTimestamp".to_owned(), self.clock.now().into());
        metadata::tidy(metadata);
    }

    fn check_namespace(&self, target: &Target, name: &str) -> Result<(), ApiError> {
        match self.storage.namespace_takes(target.namespace.as_deref().unwrap_or_default()) {
            Ok(()) => Ok(()),
            Err(Refused::NamespaceTerminating) => Err(namespace_terminating(target, name)),
            Err(Refused::NoNamespace | Refused::Changed | Refused::Exists(_) | Refused::Retired) => {
                Err(self.no_namespace(target))
            }
        }
    }

    fn no_namespace(&self, target: &Target) -> ApiError {
        let namespace = target.namespace.as_deref().unwrap_or_default();
        match self.registry.find("", "v1", "namespaces") {
            Some(namespaces) => ApiError::not_found(&namespaces, namespace),
            None => ApiError::internal(format!("namespaces \"{namespace}\" not found")),
        }
    }
}

/// Whether a new object has to be given a name.
pub(super) fn has_no_name(object: &Object) -> bool {
    metadata::text(object, "name").is_empty() && !metadata::text(object, "generateName").is_empty()
}

/// The version that a new object was sent with; 0 if there is none, and also for text that is no number.
pub(super) fn version(object: &Object) -> u64 {
    metadata::text(object, "resourceVersion").parse().unwrap_or_default()
}

/// The storage key of a new object.
pub(super) fn key(target: &Target, object: &Object) -> String {
    Target { name: Some(metadata::text(object, "name").to_owned()), ..target.clone() }.key()
}

fn exists(resource: &Resource, stored: &Stored) -> ApiError {
    let error = ApiError::already_exists(resource, stored.content.name());
    if stored.content.terminating {
        return ApiError { message: format!("object is being deleted: {}", error.message), ..error };
    }
    error
}

/// No name that was made up was free.
pub(super) fn no_unique_name(error: ApiError) -> ApiError {
    let why = "the server was not able to generate a unique name for the object";
    let message = format!("{}, {why}", error.message);
    ApiError { message, ..error }.with_retry_after(1)
}

/// Refuses to create an object with a uid by an apply patch: it is meant for another, which is gone.
pub(super) fn check_no_uid(target: &Target, object: &Object) -> Result<(), ApiError> {
    let uid = metadata::text(object, "uid");
    if uid.is_empty() {
        return Ok(());
    }
    let why = "and no existing object was found";
    let why = format!("uid mismatch: the provided object specified uid {uid}, {why}");
    Err(ApiError::conflict(&target.resource, target.name.as_deref().unwrap_or_default(), &why))
}

/// Sets the namespace of an object to that of the path. An object that names another namespace is refused.
pub(super) fn place(target: &Target, object: &mut Object) -> Result<(), ApiError> {
    let given = metadata::text(object, "namespace").to_owned();
    let metadata = metadata::metadata_mut(object);
    match target.namespace.as_deref().filter(|_| target.resource.namespaced) {
        Some(namespace) if given.is_empty() || given == namespace => {
            metadata.insert("namespace".to_owned(), namespace.into());
            Ok(())
        }
        Some(_) => {
            let message =
                "the namespace of the provided object does not match the namespace sent on the request";
            Err(ApiError::bad_request(message))
        }
        None => {
            metadata.remove("namespace");
            Ok(())
        }
    }
}

fn namespace_terminating(target: &Target, name: &str) -> ApiError {
    let namespace = target.namespace.as_deref().unwrap_or_default();
    let why = format!("unable to create new content in namespace {namespace} because it is being terminated");
    let mut error = ApiError::forbidden(&target.resource, name, &why);
    let message = format!("namespace {namespace} is being terminated");
    let field = "metadata.namespace".to_owned();
    error.details.get_or_insert_default().causes =
        vec![Cause { reason: "NamespaceTerminating", message, field }];
    error
}
