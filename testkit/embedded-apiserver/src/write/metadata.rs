//! Reading and writing metadata of objects as JSON.

use serde_json::Value;

use super::Object;
use crate::kinds::{Generation, Resource};

/// A field of old that is never stored. It is in the answers to writes that store nothing: dry runs, and updates that end a
/// deletion.
pub(super) const SELF_LINK: &str = "selfLink";

/// The metadata of an object, which is created if it is missing.
pub(super) fn metadata_mut(object: &mut Object) -> &mut Object {
    let metadata = object.entry("metadata").or_insert_with(|| Value::Object(Object::new()));
    if !metadata.is_object() {
        *metadata = Value::Object(Object::new());
    }
    match metadata {
        Value::Object(metadata) => metadata,
        _ => unreachable!("it has just been made an object"),
    }
}

/// Removes what only a POST cannot set: an update that creates an object keeps it, as in the real server.
pub(super) fn wipe(object: &mut Object) {
    let metadata = metadata_mut(object);
    for name in ["deletionTimestamp", "deletionGracePeriodSeconds", SELF_LINK] {
        metadata.remove(name);
    }
}

/// A string in metadata; empty if it is missing.
pub(super) fn text<'a>(object: &'a Object, name: &str) -> &'a str {
    object.get("metadata").and_then(|metadata| metadata.get(name)).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn number(object: &Object, name: &str) -> Option<i64> {
    object.get("metadata").and_then(|metadata| metadata.get(name)).and_then(Value::as_i64)
}

/// The finalizers of an object.
pub(super) fn finalizers(object: &Object) -> Vec<&str> {
    let finalizers = object.get("metadata").and_then(|metadata| metadata.get("finalizers"));
    finalizers.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Whether a finalizer is one of Kubernetes' own, or has a domain.
pub(super) fn is_qualified_finalizer(finalizer: &str) -> bool {
    finalizer.contains('/') || matches!(finalizer, "kubernetes" | "orphan" | "foregroundDeletion")
}

/// Whether an object is being deleted.
pub(super) fn is_terminating(object: &Object) -> bool {
    !text(object, "deletionTimestamp").is_empty()
}

/// Removes empty fields, as the real server does.
pub(super) fn tidy(metadata: &mut Object) {
    metadata.retain(|name, value| match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty() || !matches!(&**name, "labels" | "annotations"),
        Value::Bool(_) | Value::Number(_) => true,
    });
}

/// Restores what an update cannot change, where the real server does so without a word. Changes of other such fields are
/// refused by [`validate::update`](super::validate::update).
pub(super) fn inherit(old: &Object, new: &mut Object) {
    let empty = Object::new();
    let old = old.get("metadata").and_then(Value::as_object).unwrap_or(&empty);
    let new = metadata_mut(new);
    for name in ["name", "namespace", "creationTimestamp", "generation"] {
        match old.get(name) {
            Some(value) => drop(new.insert(name.to_owned(), value.clone())),
            None => drop(new.remove(name)),
        }
    }
    new.remove("managedFields");
    tidy(new);
    if let Some(at) = old.get("deletionTimestamp") {
        new.insert("deletionTimestamp".to_owned(), at.clone());
    }
    for name in ["uid", "deletionGracePeriodSeconds"] {
        if let Some(value) = old.get(name).filter(|_| !new.contains_key(name)) {
            new.insert(name.to_owned(), value.clone());
        }
    }
}

/// Increases `metadata.generation` if the desired state has changed.
pub(super) fn count_generation(resource: &Resource, old: &Object, new: &mut Object) {
    let counts = match resource.generation {
        Generation::None | Generation::Fixed => false,
        Generation::Content => content_differs(resource, old, new),
        Generation::ContentAnd(name) => {
            let part =
                |object: &Object| object.get("metadata").and_then(|metadata| metadata.get(name).cloned());
            content_differs(resource, old, new) || part(old) != part(new)
        }
    };
    if counts {
        let generation = number(old, "generation").unwrap_or_default().saturating_add(1);
        metadata_mut(new).insert("generation".to_owned(), generation.into());
    }
}

fn content_differs(resource: &Resource, old: &Object, new: &Object) -> bool {
    let apart = resource.subresource("status").is_some();
    let counts = |name: &&String| *name != "metadata" && !(apart && *name == "status");
    old.keys().chain(new.keys()).filter(counts).any(|name| old.get(name) != new.get(name))
}
