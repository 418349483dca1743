//! What the server puts into objects of built-in kinds where nothing is said.
//!
//! Most of it is a table, which a program in Go makes by trying what Kubernetes does (`tools/cluster/defaults`). What depends on
//! more than single fields is in `by_hand.rs`.

mod by_hand;
mod table;
mod tree;

use serde_json::{Map, Value};

use crate::kinds::Resource;

/// Sets the defaults of an object that has been read by its type, in the version in which it was sent.
pub(crate) fn set(resource: &Resource, object: &mut Map<String, Value>) {
    if resource.custom {
        return;
    }
    by_hand::before(resource, object);
    if let Some(tree) = table::of(&resource.api_version(), &resource.kind) {
        tree.fill(object, None);
    }
    by_hand::after(resource, object);
}

#[cfg(test)]
mod tests;
