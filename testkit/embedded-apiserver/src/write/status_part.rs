//! Which part of an object a write changes: spec and status are written separately.

use serde_json::{Value, json};

use super::{Object, metadata};
use crate::kinds::Resource;
use crate::schema;

/// Which part of an object a write changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Everything, except the status where that is a subresource.
    Main,
    Status,
    /// `spec.finalizers` of a namespace.
    Finalizers,
    /// The node of a pod. It does not count for `metadata.generation`.
    Node,
}

impl Part {
    pub(super) fn of(subresource: Option<&str>) -> Self {
        match subresource {
            None => Self::Main,
            Some("finalize") => Self::Finalizers,
            Some(_) => Self::Status,
        }
    }
}

/// Sets the initial status of a new object.
pub(super) fn begin(resource: &Resource, object: &mut Object, now: &str) {
    let status = match (&*resource.group, &*resource.plural) {
        _ if resource.subresource("status").is_none() => return,
        _ if resource.custom => None,
        // The kubelet creates its node with a status; that of a CustomResourceDefinition is set by `crd::accept`.
        ("", "nodes") | ("apiextensions.k8s.io", _) => return,
        ("", "pods" | "persistentvolumeclaims") => Some(json!({ "phase": "Pending" })),
        ("", "persistentvolumes") => Some(json!({ "phase": "Pending", "lastPhaseTransitionTime": now })),
        ("", "namespaces") => Some(json!({ "phase": "Active" })),
        _ => {
            let always = schema::of(resource).and_then(|of| of.always.get("status").cloned());
            Some(always.unwrap_or_else(|| json!({})))
        }
    };
    match status {
        Some(status) => drop(object.insert("status".to_owned(), status)),
        None => drop(object.remove("status")),
    }
}

/// Combines the part of the new object that is written with the rest of the old one.
pub(super) fn combine(resource: &Resource, part: Part, old: &Object, new: Object) -> Object {
    match part {
        Part::Main | Part::Node => main(resource, old, new),
        Part::Status => status(resource, old, new),
        Part::Finalizers => {
            let mut object = old.clone();
            let finalizers = new.get("spec").and_then(|spec| spec.get("finalizers")).cloned();
            let finalizers =
                finalizers.filter(|value| value.as_array().is_some_and(|items| !items.is_empty()));
            let spec = finalizers.map_or_else(|| json!({}), |finalizers| json!({ "finalizers": finalizers }));
            object.insert("spec".to_owned(), spec);
            object
        }
    }
}

fn main(resource: &Resource, old: &Object, mut new: Object) -> Object {
    if resource.subresource("status").is_some() {
        match old.get("status") {
            Some(status) => drop(new.insert("status".to_owned(), status.clone())),
            None => drop(new.remove("status")),
        }
    }
    if (&*resource.group, &*resource.plural) == ("", "namespaces")
        && let Some(spec) = old.get("spec")
    {
        new.insert("spec".to_owned(), spec.clone());
    }
    new
}

fn status(resource: &Resource, old: &Object, mut new: Object) -> Object {
    let mut object = old.clone();
    match new.remove("status") {
        Some(status) => drop(object.insert("status".to_owned(), status)),
        None => drop(object.remove("status")),
    }
    if !resource.custom {
        // In built-in kinds a write of the status changes labels and annotations too.
        let owners = old.get("metadata").and_then(|metadata| metadata.get("ownerReferences")).cloned();
        let written = metadata::metadata_mut(&mut new);
        match owners {
            Some(owners) => drop(written.insert("ownerReferences".to_owned(), owners)),
            None => drop(written.remove("ownerReferences")),
        }
        object.insert("metadata".to_owned(), Value::Object(std::mem::take(written)));
    }
    object
}
