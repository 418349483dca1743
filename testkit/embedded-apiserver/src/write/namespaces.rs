//! Namespaces, and their deletion with everything that is in them.
//!
//! In a cluster a controller empties a namespace that is being deleted. If that controller does not run, the server does it
//! at once: it deletes the objects in the namespace without a grace period, and removes the namespace when the last of them is
//! gone. Objects with finalizers delay that.

use serde_json::{Value, json};

use super::delete::{DeleteOptions, Deleted, is_namespace};
use super::status_part::Part;
use super::steps::{Asked, Write};
use super::{Object, metadata};
use crate::api::Api;
use crate::controllers::BuiltinController;
use crate::kinds::Resource;
use crate::request::{Request, Target, Verb};
use crate::status::ApiError;
use crate::storage::{Content, Expected, Stored};

impl Api {
    /// Creates the namespaces that every cluster has.
    pub(crate) fn create_system_namespaces(&self) {
        let Some(resource) = self.registry.find("", "v1", "namespaces") else { return };
        let target = Target { verb: Verb::Create, resource, namespace: None, name: None, subresource: None };
        let request = Request::new(http::Request::new(()).into_parts().0);
        for name in ["default", "kube-node-lease", "kube-public", "kube-system"] {
            let mut metadata = json!({ "name": name, "labels": { "kubernetes.io/metadata.name": name } });
            if self.options.managed_fields {
                // Written out: to find it out would take most of the time that a server takes to start.
                let label = json!({ ".": {}, "f:kubernetes.io/metadata.name": {} });
                metadata["managedFields"] = json!([{
                    "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": { "f:metadata": { "f:labels": label } },
                    "manager": "kube-apiserver", "operation": "Update", "time": self.clock.now(),
                }]);
            }
            let mut object = Object::new();
            object.insert("metadata".to_owned(), metadata);
            let create = || Ok(object.clone());
            let write = Write::of_nobody(&target, &request, Part::Main, false, Asked::New(&create));
            let failed = self.carry_out(&write).err();
            debug_assert!(failed.is_none(), "the namespace {name} is not created: {failed:?}");
        }
    }

    pub(super) fn begin_namespace(&self, resource: &Resource, object: &mut Object) {
        if !is_namespace(resource) {
            return;
        }
        let name = metadata::text(object, "name").to_owned();
        let spec = object.entry("spec").or_insert_with(|| json!({}));
        spec["finalizers"] = json!(["kubernetes"]);
        let labels = metadata::metadata_mut(object).entry("labels").or_insert_with(|| json!({}));
        labels["kubernetes.io/metadata.name"] = name.into();
    }

    pub(super) fn refuse_to_delete_system_namespace(&self, target: &Target) -> Result<(), ApiError> {
        let name = target.name.as_deref().unwrap_or_default();
        if is_namespace(&target.resource) && matches!(name, "default" | "kube-system" | "kube-public") {
            Err(ApiError::forbidden(&target.resource, name, "this namespace may not be deleted"))
        } else {
            Ok(())
        }
    }

    /// Whether the controller has emptied a namespace that is being deleted, so that only finalizers of others keep it.
    pub(super) fn is_finalised(&self, namespace: &Object) -> bool {
        let finalizers = namespace.get("spec").and_then(|spec| spec.get("finalizers"));
        self.options.runs(BuiltinController::Namespace)
            && metadata::is_terminating(namespace)
            && finalizers.and_then(Value::as_array).is_none_or(Vec::is_empty)
    }

    /// Sets the deletionTimestamp of a namespace. If no controller does the rest, deletes the objects in it and removes it
    /// if none are left. Returns the namespace with its deletionTimestamp, or nothing if it has changed meanwhile.
    pub(super) fn delete_namespace(
        &self,
        target: &Target,
        current: &Stored,
        options: &DeleteOptions,
    ) -> Result<Option<Deleted>, ApiError> {
        if current.content.terminating {
            if !options.dry_run {
                self.finalise_namespace(current.content.name());
            }
            return Ok(Some(Deleted::Marked(current.clone())));
        }
        let mut object = current.to_object()?;
        let finalizers = self.finalizers_after(&target.resource, &object, options);
        let metadata = metadata::metadata_mut(&mut object);
        metadata.insert("deletionTimestamp".to_owned(), self.clock.now().into());
        if let Some(finalizers) = finalizers {
            metadata.insert("finalizers".to_owned(), finalizers.into());
            metadata::tidy(metadata);
        }
        object.insert("status".to_owned(), json!({ "phase": "Terminating" }));
        let content = Content::written_as(&target.resource, &current.content.key, &object);
        if options.dry_run {
            let stored = Stored { version: current.version, content: content.into() };
            return Ok(Some(Deleted::Marked(stored)));
        }
        let id = target.resource.storage_id();
        let marked = self.storage.write(&id, content, Expected::Version(current.version));
        let Ok(marked) = marked else { return Ok(None) };
        if !self.options.runs(BuiltinController::Namespace) {
            self.empty_namespace(marked.content.name())?;
            self.finalise_namespace(marked.content.name());
        }
        Ok(Some(Deleted::Marked(marked)))
    }

    fn empty_namespace(&self, namespace: &str) -> Result<(), ApiError> {
        for resource in self.registry.all() {
            if !resource.namespaced {
                continue;
            }
            let inside = self.storage.all(&resource.storage_id(), Some(namespace));
            let target =
                Target { verb: Verb::Delete, resource, namespace: None, name: None, subresource: None };
            for stored in &inside {
                self.delete_selected(&target, stored, &DeleteOptions::at_once())?;
            }
        }
        Ok(())
    }

    /// Removes a namespace that is being deleted, if it has no finalizers and no objects any more.
    pub(super) fn finalise_namespace(&self, name: &str) {
        if name.is_empty() || self.options.runs(BuiltinController::Namespace) {
            return;
        }
        let Some(resource) = self.registry.find("", "v1", "namespaces") else { return };
        let id = resource.storage_id();
        while let Some(namespace) = self.storage.get(&id, name) {
            let held = !namespace.content.terminating
                || namespace.to_object().is_ok_and(|object| !metadata::finalizers(&object).is_empty())
                || !self.storage.is_empty(name);
            if held || self.storage.remove(&id, name, namespace.version).is_ok() {
                return;
            }
        }
    }
}
