//! All kinds that are served at the moment.

use std::sync::Arc;

use parking_lot::RwLock;
use serde_json::Value;

use super::Resource;
use crate::status::ApiError;

/// All kinds that are served at the moment. Those of CustomResourceDefinitions come and go.
#[derive(Debug)]
pub(crate) struct Registry {
    builtin: Vec<Arc<Resource>>,
    custom: RwLock<Vec<Custom>>,
}

/// What one CustomResourceDefinition adds.
#[derive(Debug)]
struct Custom {
    name: String,
    resources: Vec<Arc<Resource>>,
}

impl Registry {
    /// The built-in kinds.
    pub(crate) fn new() -> Self {
        Self { builtin: Vec::new(), custom: RwLock::default() }
    }

    /// The resource that is served at a path.
    pub(crate) fn find(&self, group: &str, version: &str, plural: &str) -> Option<Arc<Resource>> {
        let is = |resource: &&Arc<Resource>| {
            &*resource.plural == plural && &*resource.group == group && &*resource.version == version
        };
        if let Some(found) = self.builtin.iter().find(is) {
            return Some(found.clone());
        }
        self.custom.read().iter().flat_map(|custom| &custom.resources).find(is).cloned()
    }

    /// Whether anything is served in that group.
    pub(crate) fn has_group(&self, group: &str) -> bool {
        self.all().iter().any(|resource| &*resource.group == group)
    }

    /// Whether anything is served in that group and version.
    pub(crate) fn has_group_version(&self, group: &str, version: &str) -> bool {
        self.all().iter().any(|resource| &*resource.group == group && &*resource.version == version)
    }

    /// Everything that is served.
    pub(crate) fn all(&self) -> Vec<Arc<Resource>> {
        let custom = self.custom.read();
        self.builtin.iter().chain(custom.iter().flat_map(|custom| &custom.resources)).cloned().collect()
    }

    /// Serves what a CustomResourceDefinition defines, in place of what it defined before.
    pub(crate) fn install_crd(&self, definition: &Value) -> Result<(), ApiError> {
        let (name, resources) = super::crd::resources(definition)?;
        let mut custom = self.custom.write();
        custom.retain(|other| other.name != name);
        custom.push(Custom { name, resources });
        Ok(())
    }

    /// Serves no longer what the CustomResourceDefinition of that name defined.
    pub(crate) fn remove_crd(&self, name: &str) {
        self.custom.write().retain(|custom| custom.name != name);
    }
}
