//! A write of the simulation.

use http::Method;
use serde_json::Value;

/// A write request and its body.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Write {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) body: Value,
}

/// Begins a placeholder for the uid of an owner, which only the server knows; the path of the owner follows.
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
