//! A write of the simulation.

use http::Method;
use serde_json::Value;

/// A request that changes something, and the object that it is about.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Write {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) body: Value,
}

/// In an owner reference, in place of the uid, which only the server knows: the path of the owner.
pub(super) const UID_OF: &str = "uid-of:";

impl Write {
    /// POST to a collection.
    pub(super) fn create(collection: String, body: Value) -> Self {
        Self { method: Method::POST, path: collection, body }
    }

    /// A merge patch.
    pub(super) fn patch(path: String, body: Value) -> Self {
        Self { method: Method::PATCH, path, body }
    }

    pub(super) fn delete(path: String, body: Value) -> Self {
        Self { method: Method::DELETE, path, body }
    }

    /// The path of the object that is created.
    pub(super) fn created(&self) -> Option<String> {
        let name = self.body["metadata"]["name"].as_str().filter(|_| self.method == Method::POST)?;
        Some(format!("{}/{name}", self.path))
    }
}
