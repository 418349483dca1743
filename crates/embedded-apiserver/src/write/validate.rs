//! Validation of metadata and of the size of objects. What else is checked depends on the kind: [`builtin`].

use serde_json::Value;

use super::{Object, builtin, metadata};
use crate::kinds::Resource;
use crate::select::{label_key_problems, label_value_problems, subdomain_problem};
use crate::status::{ApiError, BODY_LIMIT, Cause};
use crate::storage::Content;

/// How many bytes all annotations together may have, keys included.
const ANNOTATIONS_LIMIT: usize = 256 << 10;

/// Refuses a new object that is invalid.
pub(super) fn create(resource: &Resource, object: &Object) -> Result<(), ApiError> {
    let mut causes = name(resource, object);
    causes.extend(common(object));
    causes.extend(builtin::validate(resource, object));
    refuse(resource, object, causes)
}

/// Refuses a change that is invalid. `new` has inherited from `old` what an update cannot change.
pub(super) fn update(resource: &Resource, old: &Object, new: &Object) -> Result<(), ApiError> {
    let mut causes = common(new);
    causes.extend(new_finalizers(old, new));
    causes.extend(immutable(old, new));
    causes.extend(builtin::validate_update(resource, old, new));
    refuse(resource, new, causes)
}

fn refuse(resource: &Resource, object: &Object, causes: Vec<Cause>) -> Result<(), ApiError> {
    match causes.is_empty() {
        true => Ok(()),
        false => {
            let name = metadata::text(object, "name");
            Err(ApiError::invalid(&resource.group, &resource.kind, name, causes))
        }
    }
}

fn name(resource: &Resource, object: &Object) -> Vec<Cause> {
    let (name, prefix) = (metadata::text(object, "name"), metadata::text(object, "generateName"));
    let mut causes = Vec::new();
    // Something is appended, so it may end in a dash. The real server looks at a text that is a character shorter.
    let masked = match prefix.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => {
            let cut = rest.char_indices().next_back().map_or(0, |(at, _)| at);
            format!("{}a", &rest[..cut])
        }
        _ => prefix.to_owned(),
    };
    if let Some(problem) = name_problem(resource, &masked).filter(|_| !prefix.is_empty()) {
        causes.push(Cause::invalid("metadata.generateName", &format!("{prefix:?}"), &problem));
    }
    if name.is_empty() {
        causes.push(Cause::required("metadata.name", "name or generateName is required"));
    } else if let Some(problem) = name_problem(resource, name) {
        causes.push(Cause::invalid("metadata.name", &format!("{name:?}"), &problem));
    }
    causes
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
        for name in ["apiVersion", "kind", "name", "uid"] {
            let why = if name == "apiVersion" { "version must not be empty" } else { "must not be empty" };
            if text(name).is_empty() {
                causes.push(Cause::invalid(&format!("{FIELD}.{name}"), "\"\"", why));
            }
        }
        if (text("apiVersion"), text("kind")) == ("v1", "Event") {
            let why = "/v1, Kind=Event is disallowed from being an owner";
            causes.push(Cause::invalid(FIELD, &reference.to_string(), why));
        }
        if reference.get("controller") == Some(&Value::Bool(true)) {
            let this = format!("{}/{}", text("kind"), text("name"));
            if let Some(first) = &controller {
                let why = "Only one reference can have Controller set to true. Found \"true\" in references for";
                let all = Value::from(references.to_vec()).to_string();
                causes.push(Cause::invalid(FIELD, &all, &format!("{why} {first} and {this}")));
            } else {
                controller = Some(this);
            }
        }
    }
    causes
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
