//! POST to a collection.

use std::sync::Arc;

use http::{Response, StatusCode};
use serde_json::Value;

use super::managers::{self, Creator};
use super::status_part::Part;
use super::{Object, builtin, custom, dry_run, input, metadata, status_part, validate, warnings};
use crate::api::Api;
use crate::body::Body;
use crate::kinds::{Generation, Resource};
use crate::read::object_answer;
use crate::request::{Accept, Request, Target, Verb};
use crate::status::{ApiError, Cause};
use crate::storage::{Content, Expected, Refused, Stored};

/// How many characters of `generateName` are kept.
const PREFIX: usize = 58;
/// How many generated names are tried if they are taken.
const ATTEMPTS: usize = 8;

impl Api {
    pub(crate) fn create(&self, target: &Target, request: &Request) -> Result<Response<Body>, ApiError> {
        if let Some(answer) = self.review(target, request) {
            return answer;
        }
        let form = Accept::negotiate(&request.headers, Verb::Create)?;
        managers::check_manager(request, "CreateOptions")?;
        let dry_run = dry_run(&request.query, "CreateOptions")?;
        input::expect_json(request)?;
        let mut object = input::object(&self.registry, &target.resource, request, "CreateOptions")?;
        metadata::wipe(&mut object);
        warnings::remove_duplicate_owners(request, &mut object, false);
        let finalized = object.clone();
        let creator = Creator::Named(managers::manager_of(request));
        let stored = self.create_object(target, object, &creator, dry_run)?;
        warnings::finalizers(request, &target.resource, None, &finalized);
        Ok(object_answer(StatusCode::CREATED, &stored, &target.resource, form))
    }

    /// Creates an object. In a dry run the answer has the version that was sent, or version 0.
    pub(super) fn create_object(
        &self,
        target: &Target,
        mut object: Object,
        creator: &Creator,
        dry_run: bool,
    ) -> Result<Stored, ApiError> {
        let resource = &target.resource;
        if !resource.is_stored() {
            let what = resource.qualified();
            return Err(ApiError::not_implemented(format!("{what} are not supported by this server")));
        }
        place(target, &mut object)?;
        let made_up =
            metadata::text(&object, "name").is_empty() && !metadata::text(&object, "generateName").is_empty();
        // What is no number counts as none.
        let version = metadata::text(&object, "resourceVersion").parse::<u64>().unwrap_or_default();
        self.check_namespace(target, metadata::text(&object, "name"))?;
        if resource.custom && self.registry.is_terminating(&resource.storage_id()) {
            let why = "create not allowed while custom resource definition is terminating";
            return Err(ApiError::forbidden(resource, metadata::text(&object, "name"), why));
        }
        self.begin_object(resource, &mut object);
        for attempt in 1.. {
            let mut object = object.clone();
            if made_up {
                let prefix = metadata::text(&object, "generateName");
                let kept = prefix.char_indices().nth(PREFIX).map_or(prefix, |(end, _)| &prefix[..end]);
                let name = format!("{kept}{}", self.chance.name_end());
                metadata::metadata_mut(&mut object).insert("name".to_owned(), name.into());
            }
            // What the real server sets in a job or a pod belongs to nobody.
            let is_late = builtin::is_completed_late(resource);
            if !is_late {
                builtin::prepare_create(resource, &mut object);
            }
            if let Creator::Named(manager) = creator {
                self.track(resource, "", manager, None, &mut object);
            }
            if is_late {
                builtin::prepare_create(resource, &mut object);
            }
            // Warnings are about what is as before.
            let found = validate::create(resource, &object);
            custom::validate(&|_| {}, resource, Part::Main, None, &object, found)?;
            // The finalizer of a namespace, and the label with its name if that was made up: nobody owns them.
            self.begin_namespace(resource, &mut object);
            if version > 0 && !dry_run {
                return Err(ApiError::internal("resourceVersion should not be set on objects to be created"));
            }
            match self.store_new(target, object, dry_run.then_some(version)) {
                Err(error) if made_up && error.reason == "AlreadyExists" => {
                    if attempt == ATTEMPTS {
                        let why = "the server was not able to generate a unique name for the object";
                        let message = format!("{}, {why}", error.message);
                        return Err(ApiError { message, ..error }.with_retry_after(1));
                    }
                }
                done => return done,
            }
        }
        unreachable!("the last attempt returns")
    }

    /// Stores an object, or only tries to and answers with that version.
    fn store_new(&self, target: &Target, mut object: Object, tried: Option<u64>) -> Result<Stored, ApiError> {
        let resource = &target.resource;
        let name = metadata::text(&object, "name").to_owned();
        let key = Target { name: Some(name.clone()), ..target.clone() }.key();
        let exists = |stored: &Stored| {
            let error = ApiError::already_exists(resource, &name);
            match stored.content.terminating {
                true => ApiError { message: format!("object is being deleted: {}", error.message), ..error },
                false => error,
            }
        };
        let _alone = self.definition_lock(resource);
        if let Some(stored) = self.storage.get(&resource.storage_id(), &key) {
            return Err(exists(&stored));
        }
        self.accept_definition(resource, None, &mut object)?;
        custom::complete(resource, &mut object);
        if tried.is_none() {
            metadata::metadata_mut(&mut object).remove(metadata::SELF_LINK);
        }
        let content = Content::written_as(resource, &key, &object);
        validate::storable(&object, &content)?;
        if let Some(version) = tried {
            return Ok(Stored { version, content: Arc::new(content) }.seen_as(resource).into_owned());
        }
        let written = self.storage.write(&resource.storage_id(), content, Expected::Absent);
        let written = written.map_err(|refused| match refused {
            Refused::Exists(stored) => exists(&stored),
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
