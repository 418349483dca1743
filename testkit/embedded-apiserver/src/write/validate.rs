//! Validation of metadata and of the size of objects. What else is checked depends on the kind: [`builtin`].

use serde_json::Value;

use super::operations::depth;
use super::{Object, builtin, metadata};
use crate::kinds::Resource;
use crate::status::{ApiError, BODY_LIMIT, Cause};
use crate::storage::Content;
use informer_wire::names::{label_key_problems, label_name_problem, label_value_problems, subdomain_problem};

/// How many bytes all annotations together may have, keys included.
pub(crate) const ANNOTATIONS_LIMIT: usize = 256 << 10;

/// Refuses a new object that is invalid.
pub(super) fn create(resource: &Resource, object: &Object) -> Result<(), ApiError> {
    let mut causes: Vec<Cause> = generate_name(resource, object).into_iter().collect();
    causes.extend(name(resource, object));
    causes.extend(common(object));
    causes.extend(unqualified_finalizers(resource, object));
    causes.extend(builtin::validate(resource, object));
    refuse(resource, object, causes)
}

/// Refuses a change that is invalid. `new` has inherited from `old` what an update cannot change.
pub(super) fn update(resource: &Resource, old: &Object, new: &Object) -> Result<(), ApiError> {
    // Workloads and some others do not look at it again.
    let again = matches!(&*resource.group, "" | "batch" | "rbac.authorization.k8s.io" | "storage.k8s.io");
    let mut causes = Vec::new();
    if again && !resource.custom {
        causes.extend(generate_name(resource, new));
    }
    causes.extend(common(new));
    causes.extend(new_finalizers(old, new));
    causes.extend(immutable(old, new));
    causes.extend(unqualified_finalizers(resource, new));
    causes.extend(builtin::validate_update(resource, old, new));
    refuse(resource, new, causes)
}

fn refuse(resource: &Resource, object: &Object, causes: Vec<Cause>) -> Result<(), ApiError> {
    if causes.is_empty() {
        Ok(())
    } else {
        let name = metadata::text(object, "name");
        Err(ApiError::invalid(&resource.group, &resource.kind, name, causes))
    }
}

fn generate_name(resource: &Resource, object: &Object) -> Option<Cause> {
    let prefix = metadata::text(object, "generateName");
    // Something is appended, so it may end in a dash. The real server looks at a text that is a character shorter.
    let masked = match prefix.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => {
            let cut = rest.char_indices().next_back().map_or(0, |(at, _)| at);
            format!("{}a", &rest[..cut])
        }
        _ => prefix.to_owned(),
    };
    let problem = name_problem(resource, &masked).filter(|_| !prefix.is_empty())?;
    Some(Cause::invalid("metadata.generateName", &format!("{prefix:?}"), &problem))
}

fn name(resource: &Resource, object: &Object) -> Option<Cause> {
    let name = metadata::text(object, "name");
    if name.is_empty() {
        return Some(Cause::required("metadata.name", "name or generateName is required"));
    }
    let problem = name_problem(resource, name)?;
    Some(Cause::invalid("metadata.name", &format!("{name:?}"), &problem))
}

/// What a create and an update check alike.
fn common(object: &Object) -> Vec<Cause> {
    let metadata = object.get("metadata").and_then(Value::as_object);
    let member = |name: &str| metadata.and_then(|metadata| metadata.get(name));
    let texts = |name: &str| {
        let map = member(name).and_then(Value::as_object).into_iter().flatten();
        map.map(|(key, value)| (key, value.as_str().unwrap_or_default()))
    };
    let mut causes = Vec::new();
    if let Some(generation) = metadata::number(object, "generation").filter(|generation| *generation < 0) {
        let why = "must be greater than or equal to 0";
        causes.push(Cause::invalid("metadata.generation", &generation.to_string(), why));
    }
    for (key, value) in texts("labels") {
        for problem in label_key_problems(key) {
            causes.push(Cause::invalid("metadata.labels", &format!("{key:?}"), &problem));
        }
        for problem in label_value_problems(value) {
            causes.push(Cause::invalid("metadata.labels", &format!("{value:?}"), &problem));
        }
    }
    let mut size = 0;
    for (key, value) in texts("annotations") {
        size += key.len() + value.len();
        for problem in label_key_problems(&key.to_lowercase()) {
            causes.push(Cause::invalid("metadata.annotations", &format!("{key:?}"), &problem));
        }
    }
    if size > ANNOTATIONS_LIMIT {
        causes.push(Cause::too_long("metadata.annotations", ANNOTATIONS_LIMIT));
    }
    causes.extend(owners(member("ownerReferences").and_then(Value::as_array).map_or(&[], Vec::as_slice)));
    causes.extend(finalizers(&metadata::finalizers(object)));
    causes
}

fn owners(references: &[Value]) -> Vec<Cause> {
    const FIELD: &str = "metadata.ownerReferences";
    let mut causes = Vec::new();
    let mut controller: Option<String> = None;
    for reference in references {
        let text = |name: &str| reference.get(name).and_then(Value::as_str).unwrap_or_default();
        let version = match text("apiVersion").split('/').collect::<Vec<_>>()[..] {
            [version] | [_, version] => version,
            _ => "",
        };
        if version.is_empty() {
            let shown = format!("{:?}", text("apiVersion"));
            causes.push(Cause::invalid(&format!("{FIELD}.apiVersion"), &shown, "version must not be empty"));
        }
        for name in ["kind", "name", "uid"] {
            if text(name).is_empty() {
                causes.push(Cause::invalid(&format!("{FIELD}.{name}"), "\"\"", "must not be empty"));
            }
        }
        if (text("apiVersion"), text("kind")) == ("v1", "Event") {
            let why = "/v1, Kind=Event is disallowed from being an owner";
            causes.push(Cause::invalid(FIELD, &shown(reference), why));
        }
        if reference.get("controller") == Some(&Value::Bool(true)) {
            let this = format!("{}/{}", text("kind"), text("name"));
            if let Some(first) = &controller {
                let why =
                    "Only one reference can have Controller set to true. Found \"true\" in references for";
                let all: Vec<String> = references.iter().map(shown).collect();
                let all = format!("[{}]", all.join(","));
                causes.push(Cause::invalid(FIELD, &all, &format!("{why} {first} and {this}")));
            } else {
                controller = Some(this);
            }
        }
    }
    causes
}

/// An owner reference in a message, with the order of fields that it has in Go.
fn shown(reference: &Value) -> String {
    let text = |name: &str| reference.get(name).cloned().unwrap_or_else(|| "".into());
    let mut members: Vec<String> =
        ["apiVersion", "kind", "name", "uid"].map(|name| format!("{name:?}:{}", text(name))).into();
    for name in ["controller", "blockOwnerDeletion"] {
        members.extend(reference.get(name).map(|value| format!("{name:?}:{value}")));
    }
    format!("{{{}}}", members.join(","))
}

fn finalizers(finalizers: &[&str]) -> Vec<Cause> {
    const FIELD: &str = "metadata.finalizers";
    let mut causes = Vec::new();
    for finalizer in finalizers {
        for problem in label_key_problems(finalizer) {
            causes.push(Cause::invalid(FIELD, &format!("{finalizer:?}"), &problem));
        }
    }
    if finalizers.contains(&"orphan") && finalizers.contains(&"foregroundDeletion") {
        let why = "finalizer orphan and foregroundDeletion cannot be both set";
        causes.push(Cause::invalid(FIELD, &Value::from(finalizers.to_vec()).to_string(), why));
    }
    causes
}

/// The groups whose kinds the real server does not check for finalizers without a domain.
const LENIENT_GROUPS: [&str; 5] = [
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
];

/// Finalizers of most built-in kinds need a domain. For those of custom resources there is a warning instead.
fn unqualified_finalizers(resource: &Resource, object: &Object) -> Vec<Cause> {
    let is_lenient = match (&*resource.group, &*resource.plural) {
        _ if resource.custom => true,
        // Those of the other API of events are checked.
        ("", "events") => true,
        ("policy", plural) => plural == "poddisruptionbudgets",
        (group, _) => LENIENT_GROUPS.contains(&group),
    };
    if is_lenient {
        return Vec::new();
    }
    let all = metadata::finalizers(object).into_iter().enumerate();
    let wrong = all.filter(|(_, finalizer)| !metadata::is_qualified_finalizer(finalizer));
    let why = "name is neither a standard finalizer name nor is it fully qualified";
    let cause = |(index, finalizer): (usize, &str)| {
        Cause::invalid(&format!("metadata.finalizers[{index}]"), &format!("{finalizer:?}"), why)
    };
    wrong.map(cause).collect()
}

/// No finalizers can be added to an object that is being deleted.
fn new_finalizers(old: &Object, new: &Object) -> Option<Cause> {
    if !metadata::is_terminating(old) {
        return None;
    }
    let before = metadata::finalizers(old);
    let mut added = metadata::finalizers(new);
    added.retain(|finalizer| !before.contains(finalizer));
    added.sort_unstable();
    added.dedup();
    let added: Vec<String> = added.into_iter().map(|finalizer| format!("{finalizer:?}")).collect();
    let why = "no new finalizers can be added if the object is being deleted, found new finalizers";
    let why = format!("{why} []string{{{}}}", added.join(", "));
    (!added.is_empty()).then(|| Cause::forbidden("metadata.finalizers", &why))
}

/// Fields of metadata that an update may not change. Others that it cannot change are ignored.
fn immutable(old: &Object, new: &Object) -> Vec<Cause> {
    let part = |object: &Object, name: &str| {
        object.get("metadata").and_then(|metadata| metadata.get(name)).cloned().unwrap_or(Value::Null)
    };
    let changed = |name: &&str| part(old, name) != part(new, name);
    let names = ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"];
    let cause = |name| {
        let value = part(new, name).to_string();
        Cause::invalid(&format!("metadata.{name}"), &value, "field is immutable")
    };
    names.into_iter().filter(changed).map(cause).collect()
}

/// What is wrong with a name. Names of most kinds must be DNS subdomains; those of the RBAC kinds only have to fit into a
/// path.
fn name_problem(resource: &Resource, name: &str) -> Option<String> {
    match (&*resource.group, &*resource.plural) {
        ("rbac.authorization.k8s.io", _) => path_segment_problem(name),
        ("", "namespaces" | "services") if !resource.custom => label_name_problem(name),
        _ => subdomain_problem(name).map(|problem| problem.replace("253 bytes", "253 characters")),
    }
}

fn path_segment_problem(name: &str) -> Option<String> {
    if let "." | ".." = name {
        return Some(format!("may not be '{name}'"));
    }
    ['/', '%'].into_iter().find(|c| name.contains(*c)).map(|c| format!("may not contain '{c}'"))
}

/// How deep an object may be, with its managers, which are nested a few levels deeper than what they own. serde_json reads
/// nothing deeper than 127, and an object is read as a part of lists and events too.
const MAX_DEPTH: usize = 120;

/// Refuses an object that could be stored but not read again, and one that is too large, with the message of the real server.
pub(super) fn storable(object: &Object, content: &Content) -> Result<(), ApiError> {
    if object.values().map(depth).max().unwrap_or_default() >= MAX_DEPTH {
        return Err(ApiError::bad_request("the object is nested too deeply to be stored by this server"));
    }
    if content.size() > BODY_LIMIT {
        Err(ApiError::internal("etcdserver: request is too large"))
    } else {
        Ok(())
    }
}
