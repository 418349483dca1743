//! What the server serves: the built-in kinds, and those that CustomResourceDefinitions add at run time.

use std::sync::Arc;

use serde_json::{Value, json};

/// One kind in one version, as it is served under one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resource {
    /// Empty for the core group.
    pub(crate) group: Arc<str>,
    pub(crate) version: Arc<str>,
    pub(crate) kind: Arc<str>,
    pub(crate) plural: Arc<str>,
    pub(crate) singular: Arc<str>,
    pub(crate) namespaced: bool,
    pub(crate) short_names: Vec<Arc<str>>,
    pub(crate) categories: Vec<Arc<str>>,
    /// Names of the subresources that are served: `status`, `scale`, `finalize`.
    pub(crate) subresources: Vec<Arc<str>>,
    /// Paths that field selectors may name beside `metadata.name` and `metadata.namespace`, such as `spec.nodeName`.
    pub(crate) fields: Vec<Arc<str>>,
    /// Whether objects count the changes of their desired state in `metadata.generation`.
    pub(crate) generation: bool,
    /// Whether a delete is answered with the object rather than with a Status.
    pub(crate) delete_answers_object: bool,
    /// Whether a PUT to a missing object creates it.
    pub(crate) create_on_update: bool,
    /// Defined by a CustomResourceDefinition: other key order in lists, kind in items, a PUT needs a version.
    pub(crate) custom: bool,
    /// Whether the real server keeps it in its watch cache; events it does not.
    pub(crate) cached: bool,
}

impl Resource {
    /// `pods` for the core group, `deployments.apps` for the others: the form of messages.
    pub(crate) fn qualified(&self) -> String {
        match &*self.group {
            "" => self.plural.to_string(),
            group => format!("{}.{group}", self.plural),
        }
    }

    /// `v1` for the core group, `apps/v1` for the others.
    pub(crate) fn api_version(&self) -> String {
        match &*self.group {
            "" => self.version.to_string(),
            group => format!("{group}/{}", self.version),
        }
    }

    /// Where its objects are stored: the same for all versions of a kind.
    pub(crate) fn storage_id(&self) -> StorageId {
        StorageId { group: self.group.clone(), plural: self.plural.clone() }
    }

    /// The `details` of a Status about one object.
    pub(crate) fn details(&self, name: &str) -> Value {
        match &*self.group {
            "" => json!({ "name": name, "kind": &*self.plural }),
            group => json!({ "name": name, "group": group, "kind": &*self.plural }),
        }
    }
}

/// A collection in the storage.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct StorageId {
    pub(crate) group: Arc<str>,
    pub(crate) plural: Arc<str>,
}
