//! What the server knows about single built-in kinds: a file for each group. Everything else about them is data.

mod apps;
mod batch;
mod core;
mod pods;

use serde_json::{Value, json};

use super::Object;
use super::status_part::Part;
use crate::kinds::Resource;
use crate::status::Cause;

/// Group and plural of a built-in kind; empty for custom resources.
fn kind(resource: &Resource) -> (&str, &str) {
    if resource.custom { ("", "") } else { (&resource.group, &resource.plural) }
}

/// Completes a new object.
pub(super) fn prepare_create(resource: &Resource, object: &mut Object) {
    match kind(resource) {
        ("", "pods") => pods::complete_pod(object),
        ("" | "events.k8s.io", "events") => core::complete_event(object),
        ("batch", "jobs") => batch::complete_job(object),
        ("apps", "daemonsets") => apps::count_template(None, object),
        _ => {}
    }
}

/// Whether a new object is completed only after it is known who owns what.
pub(super) fn is_completed_late(resource: &Resource) -> bool {
    matches!(kind(resource), ("batch", "jobs") | ("", "pods"))
}

/// Completes an object that is about to replace another.
pub(super) fn prepare_update(resource: &Resource, part: Part, old: &Object, object: &mut Object) {
    match kind(resource) {
        ("", "pods") if part == Part::Main => pods::admit(object, Some(old)),
        ("", "pods") => pods::keep_class(old, object),
        ("" | "events.k8s.io", "events") => core::complete_event(object),
        ("apps", "daemonsets") => apps::count_template(Some(old), object),
        _ => {}
    }
}

/// What is wrong with an object.
pub(super) fn validate(resource: &Resource, object: &Object) -> Vec<Cause> {
    match kind(resource) {
        ("", "secrets") => core::validate_secret(object),
        ("", "configmaps") => core::validate_config_map(object),
        ("apps", "deployments" | "replicasets" | "statefulsets" | "daemonsets") => apps::validate(object),
        _ => Vec::new(),
    }
}

/// What is wrong with a change of an object.
pub(super) fn validate_update(resource: &Resource, old: &Object, new: &Object) -> Vec<Cause> {
    let mut causes = match kind(resource) {
        ("", "secrets") => core::validate_secret_update(old, new),
        ("", "configmaps") => core::validate_config_map_update(old, new),
        ("", "pods") => pods::validate_update(old, new).into_iter().collect(),
        ("apps", "deployments" | "replicasets" | "daemonsets") => {
            return apps::validate(new).into_iter().chain(immutable_selector(old, new)).collect();
        }
        ("batch", "jobs") => immutable_selector(old, new).into_iter().collect(),
        ("apps", "statefulsets") => apps::validate_stateful_set_update(old, new).into_iter().collect(),
        _ => Vec::new(),
    };
    causes.extend(validate(resource, new));
    causes
}

fn spec<'a>(object: &'a Object, name: &str) -> &'a Value {
    object.get("spec").and_then(|spec| spec.get(name)).unwrap_or(&Value::Null)
}

fn immutable_selector(old: &Object, new: &Object) -> Option<Cause> {
    let selector = spec(new, "selector");
    let changed = selector != spec(old, "selector");
    changed.then(|| Cause::invalid("spec.selector", &selector.to_string(), "field is immutable"))
}

/// The object at a path, which is made if it is missing.
fn at<'a>(object: &'a mut Object, path: &[&str]) -> &'a mut Object {
    let Some((first, rest)) = path.split_first() else { return object };
    let member = object.entry(*first).or_insert_with(|| json!({}));
    if !member.is_object() {
        *member = json!({});
    }
    match member {
        Value::Object(member) => at(member, rest),
        _ => unreachable!("it has just been made an object"),
    }
}

#[cfg(test)]
mod tests;
