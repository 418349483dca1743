//! Validation of CustomResourceDefinitions.

use serde_json::Value;

use super::Registry;
use super::crd::{group, text, versions};
use crate::status::{ApiError, Cause};

const LABEL: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an \
                     alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', \
                     regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

/// Refuses an invalid definition with the messages of the real server. Schemas are not checked.
pub(super) fn validate(definition: &Value) -> Result<(), ApiError> {
    let name = text(&definition["metadata"]["name"]);
    let mut causes = Vec::new();
    check_identity(definition, name, &mut causes);
    check_versions(definition, &mut causes);
    check_names(&definition["spec"]["names"], &mut causes);
    refuse(definition, causes)
}

/// Refuses changes of immutable fields with the messages of the real server.
pub(super) fn validate_change(old: &Value, new: &Value) -> Result<(), ApiError> {
    let causes: Vec<Cause> = [("/spec/scope", "spec.scope"), ("/spec/names/kind", "spec.names.kind")]
        .into_iter()
        .filter(|(pointer, _)| old.pointer(pointer) != new.pointer(pointer))
        .map(|(pointer, field)| {
            let value = new.pointer(pointer).unwrap_or(&Value::Null);
            Cause::invalid(field, &value.to_string(), "field is immutable")
        })
        .collect();
    refuse(new, causes)
}

/// Refuses a definition with the names of a built-in resource. The real server accepts it and never serves it.
pub(super) fn refuse_builtin(registry: &Registry, definition: &Value) -> Result<(), ApiError> {
    let (group, plural) = (group(definition), text(&definition["spec"]["names"]["plural"]));
    if !registry.is_builtin_resource(group, plural) {
        return Ok(());
    }
    let why = "a resource of that name is built in";
    refuse(definition, vec![Cause::invalid("spec.names.plural", &format!("{plural:?}"), why)])
}

fn refuse(definition: &Value, causes: Vec<Cause>) -> Result<(), ApiError> {
    let name = text(&definition["metadata"]["name"]);
    match causes.is_empty() {
        true => Ok(()),
        false => Err(ApiError::invalid("apiextensions.k8s.io", "CustomResourceDefinition", name, causes)),
    }
}

fn check_identity(definition: &Value, name: &str, causes: &mut Vec<Cause>) {
    let (group, plural) = (group(definition), text(&definition["spec"]["names"]["plural"]));
    if name != format!("{plural}.{group}") {
        let why = "must be spec.names.plural+\".\"+spec.group";
        causes.push(Cause::invalid("metadata.name", &format!("{name:?}"), why));
    }
    if group.is_empty() {
        causes.push(Cause::required("spec.group", ""));
    } else if !group.contains('.') {
        let why = "should be a domain with at least one dot";
        causes.push(Cause::invalid("spec.group", &format!("{group:?}"), why));
    }
    let is_protected = [".k8s.io", ".kubernetes.io"].iter().any(|end| group.ends_with(end));
    if is_protected && definition["metadata"]["annotations"]["api-approved.kubernetes.io"].is_null() {
        let why = "protected groups must have approval annotation \"api-approved.kubernetes.io\", see \
                   https://github.com/kubernetes/enhancements/pull/1111";
        causes.push(Cause::required("metadata.annotations[api-approved.kubernetes.io]", why));
    }
    match text(&definition["spec"]["scope"]) {
        "Namespaced" | "Cluster" => {}
        "" => causes.push(Cause::required("spec.scope", "")),
        scope => causes.push(Cause::unsupported("spec.scope", scope, &["Cluster", "Namespaced"])),
    }
}

fn check_versions(definition: &Value, causes: &mut Vec<Cause>) {
    let names: Vec<&str> = versions(definition).map(|version| text(&version["name"])).collect();
    let shown = Value::from(names.clone()).to_string();
    for (index, version) in versions(definition).enumerate() {
        if !is_label(names[index]) {
            let field = format!("spec.versions[{index}].name");
            causes.push(Cause::invalid(&field, &format!("{:?}", names[index]), LABEL));
        }
        if !version["schema"]["openAPIV3Schema"].is_object() {
            causes.push(Cause::required(&format!("spec.versions[{index}].schema.openAPIV3Schema"), ""));
        }
        let scale = &version["subresources"]["scale"];
        for path in ["specReplicasPath", "statusReplicasPath"] {
            if scale.is_object() && text(&scale[path]).is_empty() {
                causes.push(Cause::required(&format!("spec.subresources.scale.{path}"), ""));
            }
        }
    }
    let mut unique = names.clone();
    unique.sort_unstable();
    unique.dedup();
    if unique.len() != names.len() {
        causes.push(Cause::invalid("spec.versions", &shown, "must contain unique version names"));
    }
    if versions(definition).filter(|version| version["storage"] == true).count() != 1 {
        let why = "must have exactly one version marked as storage version";
        causes.push(Cause::invalid("spec.versions", &shown, why));
    }
}

fn check_names(names: &Value, causes: &mut Vec<Cause>) {
    for key in ["plural", "singular", "kind", "listKind"] {
        let (field, name) = (format!("spec.names.{key}"), text(&names[key]));
        if name.is_empty() {
            causes.push(Cause::required(&field, ""));
            continue;
        }
        let is_kind = matches!(key, "kind" | "listKind");
        let (label, mixed) = match is_kind {
            true => (name.to_lowercase(), "may have mixed case, but should otherwise match: "),
            false => (name.to_owned(), ""),
        };
        if !is_label(&label) {
            causes.push(Cause::invalid(&field, &format!("{name:?}"), &format!("{mixed}{LABEL}")));
        }
    }
    for (index, short) in names["shortNames"].as_array().into_iter().flatten().enumerate() {
        if !is_label(text(short)) {
            let field = format!("spec.names.shortNames[{index}]");
            causes.push(Cause::invalid(&field, &short.to_string(), LABEL));
        }
    }
}

fn is_label(name: &str) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    name.len() <= 63
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(inner)
        && !name.ends_with('-')
}
