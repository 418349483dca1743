//! Warnings about metadata that is stored all the same.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use super::{Object, metadata};
use crate::kinds::Resource;
use crate::request::Request;

/// Removes owner references that occur twice, with a warning. The real server does so before admission, and in a patch
/// after it.
pub(super) fn remove_duplicate_owners(request: &Request, object: &mut Object, in_patch: bool) {
    let Some(Value::Array(owners)) = metadata::metadata_mut(object).get_mut("ownerReferences") else {
        return;
    };
    let mut seen = HashSet::new();
    let mut duplicates = Vec::new();
    owners.retain(|owner| {
        let is_new = seen.insert(owner.clone());
        if !is_new {
            duplicates.push(owner["uid"].as_str().unwrap_or_default().to_owned());
        }
        is_new
    });
    if !duplicates.is_empty() {
        let when = if in_patch { " after mutating admission happens" } else { "" };
        request.warn(&format!(
            ".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner references in 1.20+, and \
             may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
            duplicates.join(", ")
        ));
    }
}

/// Warns of new finalizers of custom resources that are not qualified. Those of built-in kinds are refused.
pub(super) fn finalizers(request: &Request, resource: &Resource, old: Option<&Object>, new: &Object) {
    if !resource.custom {
        return;
    }
    let before = old.map(metadata::finalizers).unwrap_or_default();
    // In the order of their text, as from a set in the real server.
    let finalizers: BTreeSet<&str> = metadata::finalizers(new).into_iter().collect();
    for finalizer in finalizers {
        if before.contains(&finalizer) || metadata::is_qualified_finalizer(finalizer) {
            continue;
        }
        let path = if finalizer.contains('.') { " including a path (/)" } else { "" };
        request.warn(&format!(
            "metadata.finalizers: {finalizer:?}: prefer a domain-qualified finalizer name{path} to avoid accidental \
             conflicts with other finalizer writers"
        ));
    }
}
