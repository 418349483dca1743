//! CustomResourceDefinitions: their resources are served from the moment they are written until they are deleted.

use parking_lot::MutexGuard;
use serde_json::Value;

use super::Object;
use crate::api::Api;
use crate::kinds::{Resource, StorageId, crd};
use crate::status::ApiError;
use crate::storage::{Content, Expected, PageRequest, Stored};

fn is_definition(resource: &Resource) -> bool {
    (&*resource.group, &*resource.plural) == ("apiextensions.k8s.io", "customresourcedefinitions")
}

/// The collection of the objects of a definition.
fn defined(definition: &Object) -> Option<StorageId> {
    let spec = definition.get("spec")?;
    let (group, plural) = (spec.get("group")?.as_str()?, spec.get("names")?.get("plural")?.as_str()?);
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
            match self.storage.has(&id) {
                true => self.storage.end_watches(&id),
                false => self.storage.renew(&id),
            }
        }
        self.install(definition);
    }

    fn install(&self, definition: Object) {
        if let Err(error) = self.registry.install_crd(&Value::Object(definition)) {
            tracing::warn!(message = error.message, "a stored definition cannot be served");
        }
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
        let everything = PageRequest { namespace: None, from: None, limit: 0, keep: &|_| true };
        let Ok(page) = self.storage.page(&resource.storage_id(), None, &everything) else { return };
        for stored in page.items {
            let Ok(before) = stored.to_object().map(Value::Object) else { continue };
            let mut definition = before.clone();
            let is_of_group = before["spec"]["group"] == group;
            if !is_of_group || crd::accept(&self.registry, &mut definition, &self.clock.now()).is_err() {
                continue;
            }
            let Some(object) = definition.as_object().filter(|_| definition != before) else { continue };
            let content = Content::new(&stored.content.key, object, &resource.fields);
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
        let everything = PageRequest { namespace: None, from: None, limit: 0, keep: &|_| true };
        let Ok(page) = self.storage.page(&resource.storage_id(), None, &everything) else { return };
        for stored in page.items {
            if let Ok(definition) = stored.to_object() {
                self.install(definition);
            }
        }
    }
}
