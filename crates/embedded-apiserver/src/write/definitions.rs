//! CustomResourceDefinitions: what they define is served as soon as they are written, and no longer when they are gone.

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

/// Where the objects are that a definition defines.
fn defined(definition: &Object) -> Option<StorageId> {
    let spec = definition.get("spec")?;
    let (group, plural) = (spec.get("group")?.as_str()?, spec.get("names")?.get("plural")?.as_str()?);
    Some(StorageId { group: group.into(), plural: plural.into() })
}

impl Api {
    /// Definitions are written one after the other, so that what is served is what is stored.
    pub(super) fn definition_lock(&self, resource: &Resource) -> Option<MutexGuard<'_, ()>> {
        is_definition(resource).then(|| self.definitions.lock())
    }

    /// Completes a definition that is about to be written, and serves what it defines.
    pub(super) fn accept_definition(
        &self,
        resource: &Resource,
        object: &mut Object,
        dry_run: bool,
    ) -> Result<(), ApiError> {
        if !is_definition(resource) {
            return Ok(());
        }
        let mut definition = Value::Object(std::mem::take(object));
        let accepted = crd::accept(&self.registry, &mut definition, &self.clock.now());
        let installed = match accepted {
            Ok(()) if !dry_run => self.registry.install_crd(&definition),
            done => done,
        };
        if let Value::Object(accepted) = definition {
            *object = accepted;
        }
        installed?;
        if !dry_run {
            self.serve_anew(object);
        }
        Ok(())
    }

    /// What was known of the objects of a definition, if anything, stays if they were served already.
    fn serve_anew(&self, definition: &Object) {
        let Some(id) = defined(definition) else { return };
        match self.storage.has(&id) {
            true => self.storage.end_watches(&id),
            false => self.storage.renew(&id),
        }
    }

    /// Serves no longer what a definition defined that is gone: its objects go too, and watches of them end.
    pub(super) fn withdraw_definition(&self, resource: &Resource, removed: &Stored) {
        if !is_definition(resource) {
            return;
        }
        self.registry.remove_crd(removed.content.name());
        let Some(id) = defined(&removed.to_object()) else { return };
        let everything = PageRequest { namespace: None, from: None, limit: 0, keep: &|_| true };
        if let Ok(page) = self.storage.page(&id, None, &everything) {
            for stored in page.items {
                if self.storage.remove(&id, &stored.content.key, stored.version).is_ok() {
                    self.finalise_namespace(stored.content.namespace());
                }
            }
        }
        self.storage.retire(&id);
        self.give_away_names(resource, &id.group);
    }

    /// Names have become free in a group: those who asked for them get them, in the order of their own.
    fn give_away_names(&self, resource: &Resource, group: &str) {
        let everything = PageRequest { namespace: None, from: None, limit: 0, keep: &|_| true };
        let Ok(page) = self.storage.page(&resource.storage_id(), None, &everything) else { return };
        for stored in page.items {
            let before = Value::Object(stored.to_object());
            let mut definition = before.clone();
            let is_of_group = before["spec"]["group"] == group;
            if !is_of_group || crd::accept(&self.registry, &mut definition, &self.clock.now()).is_err() {
                continue;
            }
            let Some(object) = definition.as_object().filter(|_| definition != before) else { continue };
            let content = Content::new(&stored.content.key, object, &resource.fields);
            let expected = Expected::Version(stored.version);
            if self.storage.write(&resource.storage_id(), content, expected).is_ok()
                && self.registry.install_crd(&definition).is_ok()
            {
                self.serve_anew(object);
            }
        }
    }

    /// Serves what the stored definitions define and nothing else.
    pub(crate) fn serve_stored_definitions(&self) {
        let Some(resource) = self.registry.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
        else {
            return;
        };
        let _alone = self.definition_lock(&resource);
        for custom in self.registry.all().iter().filter(|resource| resource.custom) {
            self.registry.remove_crd(&format!("{}.{}", custom.plural, custom.group));
        }
        let everything = PageRequest { namespace: None, from: None, limit: 0, keep: &|_| true };
        let Ok(page) = self.storage.page(&resource.storage_id(), None, &everything) else { return };
        for stored in page.items {
            if let Err(error) = self.registry.install_crd(&Value::Object(stored.to_object())) {
                tracing::warn!(message = error.message, "a stored definition cannot be served");
            }
        }
    }
}
