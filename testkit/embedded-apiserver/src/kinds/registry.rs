//! All kinds that are served at the moment.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, OnceLock};

use parking_lot::RwLock;
use serde_json::Value;
use tokio::sync::watch;

use super::crd::Names;
use super::{Resource, Schemas, StorageId, builtin, crd};
use crate::managed;
use crate::openapi;
use crate::status::ApiError;

/// Made once and shared by all servers of the process.
static BUILTIN: LazyLock<Builtin> = LazyLock::new(Builtin::new);

#[derive(Debug)]
struct Builtin {
    /// In the order of discovery documents.
    all: Vec<Arc<Resource>>,
    by_plural: HashMap<Arc<str>, Vec<Arc<Resource>>>,
}

impl Builtin {
    fn new() -> Self {
        let all: Vec<Arc<Resource>> = builtin::resources().into_iter().map(Arc::new).collect();
        let mut by_plural: HashMap<Arc<str>, Vec<Arc<Resource>>> = HashMap::new();
        for resource in &all {
            by_plural.entry(resource.plural.clone()).or_default().push(resource.clone());
        }
        Self { all, by_plural }
    }
}

/// All kinds that are served at the moment: the built-in ones and those of CustomResourceDefinitions.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    /// Sorted by the names of the definitions.
    custom: RwLock<Vec<Custom>>,
    /// Says that `custom` has changed.
    changed: watch::Sender<()>,
}

/// The kinds of one CustomResourceDefinition.
#[derive(Debug)]
struct Custom {
    /// The name of the definition.
    name: String,
    group: String,
    /// The accepted names. Names that it asks for may be taken by another definition.
    names: Names,
    /// Empty until all its names are accepted.
    resources: Vec<Arc<Resource>>,
    schemas: Arc<Schemas>,
    /// Whether the definition is being deleted.
    terminating: bool,
    /// The types of its versions, made when the first object is written.
    managed: OnceLock<Arc<managed::Kind>>,
}

impl Custom {
    /// Whether it defines this resource, in this version.
    fn has(&self, resource: &Resource) -> bool {
        let same = |other: &Arc<Resource>| {
            (&other.group, &other.plural, &other.version)
                == (&resource.group, &resource.plural, &resource.version)
        };
        self.resources.iter().any(same)
    }
}

impl Registry {
    /// The built-in kinds.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// The resource with these names, if it is served.
    pub(crate) fn find(&self, group: &str, version: &str, plural: &str) -> Option<Arc<Resource>> {
        let is = |resource: &&Arc<Resource>| {
            &*resource.plural == plural && &*resource.group == group && &*resource.version == version
        };
        if let Some(found) = BUILTIN.by_plural.get(plural).and_then(|same| same.iter().find(is)) {
            return Some(found.clone());
        }
        self.custom.read().iter().flat_map(|custom| &custom.resources).find(is).cloned()
    }

    /// Whether there is a built-in kind of that name.
    pub(crate) fn has_kind(&self, group: &str, version: &str, kind: &str) -> bool {
        let same = |resource: &Arc<Resource>| {
            (&*resource.group, &*resource.version, &*resource.kind) == (group, version, kind)
        };
        BUILTIN.all.iter().any(same)
    }

    /// Whether a group is built in. In such a group a 404 is a Status, elsewhere it is plain text.
    pub(crate) fn is_builtin(&self, group: &str) -> bool {
        BUILTIN.all.iter().any(|resource| &*resource.group == group)
    }

    /// Whether a resource is built in, in any version.
    pub(super) fn is_builtin_resource(&self, group: &str, plural: &str) -> bool {
        let same = BUILTIN.by_plural.get(plural);
        same.is_some_and(|same| same.iter().any(|resource| &*resource.group == group))
    }

    /// Whether anything is served in that group.
    pub(crate) fn has_group(&self, group: &str) -> bool {
        let is = |resource: &Arc<Resource>| &*resource.group == group;
        BUILTIN.all.iter().any(is) || self.custom.read().iter().flat_map(|custom| &custom.resources).any(is)
    }

    /// Whether anything is served in that group and version.
    pub(crate) fn has_group_version(&self, group: &str, version: &str) -> bool {
        let is = |resource: &Arc<Resource>| &*resource.group == group && &*resource.version == version;
        BUILTIN.all.iter().any(is) || self.custom.read().iter().flat_map(|custom| &custom.resources).any(is)
    }

    /// Everything that is served, in the order of discovery: group by group, the preferred version of each first, and
    /// the plurals of a version by name.
    pub(crate) fn all(&self) -> Vec<Arc<Resource>> {
        let custom = self.custom.read();
        let mut added: Vec<&Arc<Resource>> = custom.iter().flat_map(|custom| &custom.resources).collect();
        added.sort_by(|one, other| {
            let by_version = || crd::by_preference(&one.version, &other.version);
            one.group.cmp(&other.group).then_with(by_version).then_with(|| one.plural.cmp(&other.plural))
        });
        BUILTIN.all.iter().chain(added).cloned().collect()
    }

    /// Serves the resources of a CustomResourceDefinition in place of those that it had before. [`crd::accept`] must have
    /// accepted the definition.
    pub(crate) fn install_crd(&self, definition: &Value) -> Result<(), ApiError> {
        let Some(name) = definition["metadata"]["name"].as_str() else {
            return Err(ApiError::internal("a CustomResourceDefinition without a name"));
        };
        let place = |custom: &[Custom]| custom.binary_search_by(|other| other.name.as_str().cmp(name));
        // Objects that were written under the same schemas need not be read again.
        let before = {
            let custom = self.custom.read();
            place(&custom).ok().map(|index| custom[index].schemas.clone())
        };
        let schemas = before.filter(|before| before.are_of(definition));
        let schemas = schemas.unwrap_or_else(|| Arc::new(Schemas::read(definition)));
        let added = Custom {
            name: name.to_owned(),
            group: crd::group(definition).to_owned(),
            names: Names::accepted(definition),
            resources: crd::resources(definition, &schemas).into_iter().map(Arc::new).collect(),
            schemas,
            terminating: !definition["metadata"]["deletionTimestamp"].is_null(),
            managed: OnceLock::new(),
        };
        let mut custom = self.custom.write();
        match place(&custom) {
            Ok(index) => custom[index] = added,
            Err(index) => custom.insert(index, added),
        }
        drop(custom);
        self.changed.send_replace(());
        Ok(())
    }

    /// Hears of changes of what is served.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// The schema of a custom resource, as its definition has it.
    pub(crate) fn schema(&self, resource: &Resource) -> Option<Value> {
        let custom = self.custom.read();
        custom.iter().find(|custom| custom.has(resource))?.schemas.source(&resource.version).cloned()
    }

    /// What is known of the fields of a resource, for their ownership.
    pub(crate) fn managed_kind(&self, resource: &Resource) -> Arc<managed::Kind> {
        if !resource.custom {
            return Arc::new(managed::Kind::builtin(&resource.group, &resource.kind));
        }
        let custom = self.custom.read();
        let Some(custom) = custom.iter().find(|custom| custom.has(resource)) else {
            // Its definition has just been deleted, and nobody will read what is written.
            return Arc::new(managed::Kind::custom(&resource.group, &resource.kind, []));
        };
        let kind = custom.managed.get_or_init(|| {
            let versions = custom.resources.iter().map(|resource| {
                let own = custom.schemas.source(&resource.version).cloned();
                (resource.api_version(), own.map(|own| openapi::object_schema(resource, own)))
            });
            Arc::new(managed::Kind::custom(&resource.group, &resource.kind, versions))
        });
        kind.clone()
    }

    /// Whether the definition of a custom resource is being deleted.
    pub(crate) fn is_terminating(&self, id: &StorageId) -> bool {
        let is = |resource: &Arc<Resource>| (&resource.group, &resource.plural) == (&id.group, &id.plural);
        let custom = self.custom.read();
        custom.iter().any(|custom| custom.terminating && custom.resources.first().is_some_and(is))
    }

    /// A custom resource in any version that is served.
    pub(crate) fn find_custom(&self, id: &StorageId) -> Option<Arc<Resource>> {
        let is = |resource: &&Arc<Resource>| (&resource.group, &resource.plural) == (&id.group, &id.plural);
        self.custom.read().iter().flat_map(|custom| &custom.resources).find(is).cloned()
    }

    /// The resource of a kind, such as `apps/v1` and `Deployment`.
    pub(crate) fn of_kind(&self, api_version: &str, kind: &str) -> Option<Arc<Resource>> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let is = |resource: &&Arc<Resource>| {
            &*resource.kind == kind && &*resource.group == group && &*resource.version == version
        };
        let found = BUILTIN.all.iter().find(is).cloned();
        found.or_else(|| self.custom.read().iter().flat_map(|custom| &custom.resources).find(is).cloned())
    }

    /// The resource of a collection, in the preferred version.
    pub(crate) fn preferred(&self, id: &StorageId) -> Option<Arc<Resource>> {
        let is = |resource: &&Arc<Resource>| (&resource.group, &resource.plural) == (&id.group, &id.plural);
        let found = BUILTIN.by_plural.get(&id.plural).and_then(|same| same.iter().find(is)).cloned();
        found.or_else(|| {
            let custom = self.custom.read();
            let same = custom.iter().flat_map(|custom| &custom.resources).filter(is);
            same.min_by(|one, other| crd::by_preference(&one.version, &other.version)).cloned()
        })
    }

    /// Stops serving the resources of the CustomResourceDefinition with that name.
    pub(crate) fn remove_crd(&self, name: &str) {
        self.custom.write().retain(|custom| custom.name != name);
        self.changed.send_replace(());
    }

    /// Stops serving all custom resources.
    pub(crate) fn remove_all_crds(&self) {
        self.custom.write().clear();
        self.changed.send_replace(());
    }

    /// The accepted names of all definitions in a group, except those of the definition `name`.
    pub(super) fn names_beside(&self, group: &str, name: &str) -> Vec<Names> {
        let custom = self.custom.read();
        let others = custom.iter().filter(|other| other.group == group && other.name != name);
        others.map(|other| other.names.clone()).collect()
    }
}

#[cfg(test)]
mod tests;
