//! Validation of names, labels, finalizers and the size of objects.

use serde_json::Value;

use super::{Object, metadata};
use crate::kinds::Resource;
use crate::select::{label_key_problems, label_value_problems, subdomain_problem};
use crate::status::{ApiError, BODY_LIMIT, Cause};
use crate::storage::Content;

/// Refuses an object with an invalid name or invalid labels.
pub(super) fn object(resource: &Resource, object: &Object) -> Result<(), ApiError> {
    let name = metadata::text(object, "name");
    let mut causes = Vec::new();
    if name.is_empty() {
        causes.push(Cause::required("metadata.name", "name or generateName is required"));
    } else if let Some(problem) = name_problem(resource, name) {
        causes.push(Cause::invalid("metadata.name", &format!("{name:?}"), &problem));
    }
    let labels =
        object.get("metadata").and_then(|metadata| metadata.get("labels")).and_then(Value::as_object);
    for (key, value) in labels.into_iter().flatten() {
        for problem in label_key_problems(key) {
            causes.push(Cause::invalid("metadata.labels", &format!("{key:?}"), &problem));
        }
        let value = value.as_str().unwrap_or_default();
        for problem in label_value_problems(value) {
            causes.push(Cause::invalid("metadata.labels", &format!("{value:?}"), &problem));
        }
    }
    match causes.is_empty() {
        true => Ok(()),
        false => Err(ApiError::invalid(&resource.group, &resource.kind, name, causes)),
    }
}

/// Refuses to add finalizers to an object that is being deleted.
pub(super) fn finalizers(resource: &Resource, old: &Object, new: &Object) -> Result<(), ApiError> {
    if !metadata::is_terminating(old) {
        return Ok(());
    }
    let before = metadata::finalizers(old);
    let added = metadata::finalizers(new).into_iter().filter(|finalizer| !before.contains(finalizer));
    let added: Vec<String> = added.map(|finalizer| format!("{finalizer:?}")).collect();
    if added.is_empty() {
        return Ok(());
    }
    let why = format!(
        "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
        added.join(", ")
    );
    let cause = Cause::forbidden("metadata.finalizers", &why);
    Err(ApiError::invalid(&resource.group, &resource.kind, metadata::text(new, "name"), vec![cause]))
}

/// What is wrong with a name. Names of most kinds must be DNS subdomains; those of the RBAC kinds only have to fit into a
/// path.
fn name_problem(resource: &Resource, name: &str) -> Option<String> {
    match (&*resource.group, &*resource.plural) {
        ("rbac.authorization.k8s.io", _) => path_segment_problem(name),
        ("", "namespaces" | "services") if name.contains('.') && !resource.custom => {
            Some("must not contain dots".to_owned())
        }
        ("", "namespaces" | "services") if name.len() > 63 => {
            Some("must be no more than 63 bytes".to_owned())
        }
        _ => subdomain_problem(name),
    }
}

fn path_segment_problem(name: &str) -> Option<String> {
    if let "." | ".." = name {
        return Some(format!("may not be '{name}'"));
    }
    ['/', '%'].into_iter().find(|c| name.contains(*c)).map(|c| format!("may not contain '{c}'"))
}

/// Refuses an object that is too large to be stored, with the message of the real server.
pub(super) fn size(content: &Content) -> Result<(), ApiError> {
    match content.size() > BODY_LIMIT {
        true => Err(ApiError::internal("etcdserver: request is too large")),
        false => Ok(()),
    }
}
