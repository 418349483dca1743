//! CustomResourceDefinitions: their resources are served from the moment they are written until they are gone.
//!
//! A definition that is deleted waits for its objects: it gets a finalizer and the condition `Terminating`, its objects are
//! deleted, and when the last of them is gone, so is the definition. In a cluster a controller does that.

use parking_lot::MutexGuard;
use serde_json::Value;

use super::Object;
use super::delete::DeleteOptions;
use crate::api::Api;
use crate::kinds::{Resource, StorageId, crd};
use crate::request::{Target, Verb};
use crate::status::ApiError;
use crate::storage::{Content, Expected, Stored};

/// The finalizer of a definition whose objects are not all gone yet.
const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

pub(super) fn is_definition(resource: &Resource) -> bool {
    (&*resource.group, &*resource.plural) == ("apiextensions.k8s.io", "customresourcedefinitions")
}

/// The collection of the objects of a definition.
fn defined(definition: &Object) -> Option<StorageId> {
    let spec = definition.get("spec")?;
    let group = spec.get("group")?.as_str()?;
    let plural = spec.get("names")?.get("plural")?.as_str()?;
    Some(StorageId { group: group.into(), plural: plural.into() })
}

impl Api {
    /// Writes definitions one after the other, so that the stored ones and the served ones do not diverge.
    pub(super) fn definition_lock(&self, resource: &Resource) -> Option<MutexGuard<'_, ()>> {
        is_definition(resource).then(|| self.definitions.lock())
    }

    /// Sets the defaults and the status of a definition that is about to be written, or refuses it.
    pub(super) fn accept_definition(
        &self,
        resource: &Resource,
        old: Option<&Object>,
        object: &mut Object,
    ) -> Result<(), ApiError> {
        if !is_definition(resource) {
            return Ok(());
        }
        let mut definition = Value::Object(std::mem::take(object));
        let mut accepted = crd::accept(&self.registry, &mut definition, &self.clock.now());
        if let (Ok(()), Some(old)) = (&accepted, old) {
            accepted = crd::check_change(&Value::Object(old.clone()), &definition);
        }
        if let Value::Object(completed) = definition {
            *object = completed;
        }
        accepted
    }

    /// Serves the resources of a definition that has been written. Existing objects stay, but watches of them end.
    pub(super) fn serve_definition(&self, resource: &Resource, written: &Stored) {
        if !is_definition(resource) {
            return;
        }
        let Ok(definition) = written.to_object() else { return };
        if let Some(id) = defined(&definition) {
            if self.storage.has(&id) { self.storage.end_watches(&id) } else { self.storage.renew(&id) }
        }
        self.install(definition);
    }

    fn install(&self, definition: Object) {
        if let Err(error) = self.registry.install_crd(&Value::Object(definition)) {
            tracing::warn!(message = error.message, "a stored definition cannot be served");
        }
    }

    /// Sets the deletionTimestamp of a definition, and the finalizer that keeps it until its objects are gone.
    pub(super) fn mark_definition(
        &self,
        resource: &Resource,
        current: &Stored,
        dry_run: bool,
    ) -> Result<Stored, ApiError> {
        let now = self.clock.now();
        let mut definition = Value::Object(current.to_object()?);
        definition["metadata"]["deletionTimestamp"] = now.as_str().into();
        let mut finalizers = definition["metadata"]["finalizers"].as_array().cloned().unwrap_or_default();
        if !finalizers.iter().any(|finalizer| finalizer == CLEANUP) {
            finalizers.push(CLEANUP.into());
        }
        definition["metadata"]["finalizers"] = finalizers.into();
        let message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
        crd::set_terminating(&mut definition, true, "InstanceDeletionPending", message, &now);
        if dry_run {
            let empty = Object::new();
            let object = definition.as_object().unwrap_or(&empty);
            let content = Content::written_as(resource, &current.content.key, object);
            return Ok(Stored { version: current.version, content: content.into() });
        }
        self.rewrite_definition(resource, current, &definition)
            .ok_or_else(|| ApiError::modified(resource, current.content.name()))
    }

    /// Deletes the objects of a definition that is being deleted.
    pub(super) fn empty_definition(&self, resource: &Resource, marked: &Stored) {
        if !is_definition(resource) || !marked.content.terminating {
            return;
        }
        let Ok(mut definition) = marked.to_object().map(Value::Object) else { return };
        let Some(id) = definition.as_object().and_then(defined) else { return };
        let is_pending = |condition: &Value| condition["reason"] == "InstanceDeletionPending";
        if definition["status"]["conditions"].as_array().into_iter().flatten().any(is_pending) {
            let message = "CustomResource deletion is in progress";
            crd::set_terminating(
                &mut definition,
                true,
                "InstanceDeletionInProgress",
                message,
                &self.clock.now(),
            );
            let _alone = self.definition_lock(resource);
            self.rewrite_definition(resource, marked, &definition);
        }
        if let Some(resource) = self.registry.find_custom(&id) {
            let items = self.storage.all(&id, None);
            let target =
                Target { verb: Verb::Delete, resource, namespace: None, name: None, subresource: None };
            for stored in items {
                if let Err(error) = self.delete_selected(&target, &stored, &DeleteOptions::default()) {
                    tracing::warn!(message = error.message, "an object of a definition cannot be deleted");
                }
            }
        }
        self.finalise_definition(&id);
    }

    /// Removes a definition that is being deleted, if it has no objects any more. Finalizers of others still keep it.
    pub(super) fn finalise_definition(&self, id: &StorageId) {
        let served = self.registry.find_custom(id).is_some();
        if served && (!self.registry.is_terminating(id) || !self.storage.has_none(id)) {
            return;
        }
        let Some(resource) = self.registry.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
        else {
            return;
        };
        let _alone = self.definition_lock(&resource);
        let name = format!("{}.{}", id.plural, id.group);
        let Some(stored) = self.storage.get(&resource.storage_id(), &name) else { return };
        let Ok(mut definition) = stored.to_object().map(Value::Object) else { return };
        let Some(finalizers) = definition["metadata"]["finalizers"].as_array_mut() else { return };
        let count = finalizers.len();
        finalizers.retain(|finalizer| finalizer != CLEANUP);
        if !stored.content.terminating || finalizers.len() == count {
            return;
        }
        if finalizers.is_empty() {
            if self.storage.remove(&resource.storage_id(), &name, stored.version).is_ok() {
                self.after_removal(&resource, &stored);
            }
            return;
        }
        let (reason, message) = if served {
            ("InstanceDeletionCompleted", "removed all instances")
        } else {
            ("NeverEstablished", "resource was never established")
        };
        crd::set_terminating(&mut definition, false, reason, message, &self.clock.now());
        self.rewrite_definition(&resource, &stored, &definition);
    }

    /// Replaces a stored definition; `None` if it has changed meanwhile.
    fn rewrite_definition(&self, resource: &Resource, stored: &Stored, definition: &Value) -> Option<Stored> {
        let content = Content::written_as(resource, &stored.content.key, definition.as_object()?);
        let expected = Expected::Version(stored.version);
        let written = self.storage.write(&resource.storage_id(), content, expected).ok()?;
        self.install(definition.as_object()?.clone());
        Some(written)
    }

    /// Stops serving the resources of a definition that is gone. Their objects are removed, and watches of them end.
    pub(super) fn withdraw_definition(&self, resource: &Resource, removed: &Stored) {
        if !is_definition(resource) {
            return;
        }
        self.registry.remove_crd(removed.content.name());
        let Some(id) = removed.to_object().ok().and_then(|definition| defined(&definition)) else { return };
        for stored in self.storage.retire(&id) {
            self.finalise_namespace(stored.content.namespace());
        }
        self.give_away_names(resource, &id.group);
    }

    /// Gives names that have become free in a group to the definitions that asked for them, in the order of the
    /// definitions' names.
    fn give_away_names(&self, resource: &Resource, group: &str) {
        for stored in self.storage.all(&resource.storage_id(), None) {
            let Ok(before) = stored.to_object().map(Value::Object) else { continue };
            let mut definition = before.clone();
            let is_of_group = before["spec"]["group"] == group;
            if !is_of_group || crd::accept(&self.registry, &mut definition, &self.clock.now()).is_err() {
                continue;
            }
            let Some(object) = definition.as_object().filter(|_| definition != before) else { continue };
            let content = Content::written_as(resource, &stored.content.key, object);
            let expected = Expected::Version(stored.version);
            if let Ok(written) = self.storage.write(&resource.storage_id(), content, expected) {
                self.serve_definition(resource, &written);
            }
        }
    }

    /// Serves the resources of the stored definitions, and no other custom resources.
    pub(crate) fn serve_stored_definitions(&self) {
        let Some(resource) = self.registry.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
        else {
            return;
        };
        let _alone = self.definition_lock(&resource);
        self.registry.remove_all_crds();
        for stored in self.storage.all(&resource.storage_id(), None) {
            if let Ok(definition) = stored.to_object() {
                self.install(definition);
            }
        }
    }
}
