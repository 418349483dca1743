//! Validation of CustomResourceDefinitions.

use serde_json::Value;

use super::Registry;
use super::crd::{group, text, versions};
use super::structural::check_definition as check_schema;
use crate::status::{ApiError, Cause};

const LABEL: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an \
                     alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', \
                     regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

/// Refuses an invalid definition with the messages of the real server.
pub(super) fn validate(definition: &Value) -> Result<(), ApiError> {
    let name = text(&definition["metadata"]["name"]);
    let mut causes = Vec::new();
    check_identity(definition, name, &mut causes);
    check_versions(definition, &mut causes);
    check_names(&definition["spec"]["names"], &mut causes);
    check_common(definition, &mut causes);
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
    let group = group(definition);
    let plural = text(&definition["spec"]["names"]["plural"]);
    if !registry.is_builtin_resource(group, plural) {
        return Ok(());
    }
    let why = "a resource of that name is built in";
    refuse(definition, vec![Cause::invalid("spec.names.plural", &format!("{plural:?}"), why)])
}

fn refuse(definition: &Value, causes: Vec<Cause>) -> Result<(), ApiError> {
    let name = text(&definition["metadata"]["name"]);
    if causes.is_empty() {
        Ok(())
    } else {
        Err(ApiError::invalid("apiextensions.k8s.io", "CustomResourceDefinition", name, causes))
    }
}

fn check_identity(definition: &Value, name: &str, causes: &mut Vec<Cause>) {
    let group = group(definition);
    let plural = text(&definition["spec"]["names"]["plural"]);
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

/// Checks what each version says. What all versions say alike, the real server reports as if it were said once.
fn check_versions(definition: &Value, causes: &mut Vec<Cause>) {
    let names: Vec<&str> = versions(definition).map(|version| text(&version["name"])).collect();
    let shown = Value::from(names.clone()).to_string();
    for (index, version) in versions(definition).enumerate() {
        if !version["schema"]["openAPIV3Schema"].is_object() {
            causes.push(Cause::required(&format!("spec.versions[{index}].schema.openAPIV3Schema"), ""));
        }
    }
    for (index, version) in versions(definition).enumerate() {
        let path = format!("spec.versions[{index}]");
        if !is_label(names[index]) {
            causes.push(Cause::invalid(&format!("{path}.name"), &format!("{:?}", names[index]), LABEL));
        }
        let has_status = version["subresources"]["status"].is_object();
        check_version(definition, version, &path, has_status, false, causes);
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

/// What all versions say alike.
fn check_common(definition: &Value, causes: &mut Vec<Cause>) {
    if let Some(version) = versions(definition).next() {
        let has_status = versions(definition).any(|version| version["subresources"]["status"].is_object());
        check_version(definition, version, "spec", has_status, true, causes);
    }
}

/// Checks the parts of a version that are common to all versions, or those that are not.
fn check_version(
    definition: &Value,
    version: &Value,
    path: &str,
    has_status: bool,
    of_all: bool,
    causes: &mut Vec<Cause>,
) {
    let is_wanted = |part: &str| versions(definition).all(|other| other[part] == version[part]) == of_all;
    let schema = &version["schema"]["openAPIV3Schema"];
    if is_wanted("schema") && schema.is_object() {
        let part = if of_all { "validation" } else { "schema" };
        causes.extend(check_schema(schema, &format!("{path}.{part}.openAPIV3Schema"), has_status));
    }
    if is_wanted("subresources") {
        causes.extend(check_scale(&version["subresources"]["scale"], &format!("{path}.subresources.scale")));
    }
    let list = |part: &'static str| {
        let items = version[part].as_array().filter(|_| is_wanted(part)).into_iter().flatten();
        items.enumerate().map(move |(index, item)| (item, format!("{path}.{part}[{index}]")))
    };
    for (column, path) in list("additionalPrinterColumns") {
        causes.extend(check_column(column, &path));
    }
    if !schema.is_object() && list("selectableFields").next().is_some() {
        let why = if of_all {
            "may only be set when validations.schema is included"
        } else {
            "may only be set when `version.schema.openAPIV3Schema` is not included"
        };
        causes.push(Cause::invalid(&format!("{path}.selectableFields"), "\"\"", why));
    }
    for (field, path) in list("selectableFields").filter(|_| schema.is_object()) {
        causes.extend(check_selectable(text(&field["jsonPath"]), schema, &format!("{path}.jsonPath")));
    }
}

fn check_scale(scale: &Value, path: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    let under = [("specReplicasPath", &[".spec."][..]), ("statusReplicasPath", &[".status."])];
    for (name, parents) in under.into_iter().chain([("labelSelectorPath", &[".spec.", ".status."][..])]) {
        let field = format!("{path}.{name}");
        let given = text(&scale[name]);
        let shown = format!("{given:?}");
        if given.is_empty() {
            if scale.is_object() && name != "labelSelectorPath" {
                causes.push(Cause::required(&field, ""));
            }
        } else if !given.starts_with('.') {
            causes.push(Cause::invalid(&field, &shown, "must be a simple json path starting with ."));
        } else if !parents.iter().any(|parent| given.starts_with(parent)) {
            let why = match parents {
                [one] => format!("should be a json path under {}", one.trim_end_matches('.')),
                _ => "should be a json path under either .spec or .status".to_owned(),
            };
            causes.push(Cause::invalid(&field, &shown, &why));
        }
    }
    causes
}

fn check_column(column: &Value, path: &str) -> Vec<Cause> {
    const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
    const FORMATS: [&str; 8] = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
    let mut causes = Vec::new();
    if text(&column["name"]).is_empty() {
        causes.push(Cause::required(&format!("{path}.name"), ""));
    }
    let one_of = |allowed: &[&str]| format!("must be one of {}", allowed.join(","));
    match text(&column["type"]) {
        "" => causes.push(Cause::required(&format!("{path}.type"), &one_of(&TYPES))),
        kind if !TYPES.contains(&kind) => {
            causes.push(Cause::invalid(&format!("{path}.type"), &format!("{kind:?}"), &one_of(&TYPES)));
        }
        _ => {}
    }
    let format = text(&column["format"]);
    if !format.is_empty() && !FORMATS.contains(&format) {
        causes.push(Cause::invalid(&format!("{path}.format"), &format!("{format:?}"), &one_of(&FORMATS)));
    }
    match text(&column["jsonPath"]) {
        "" => causes.push(Cause::required(&format!("{path}.JSONPath"), "")),
        given if !given.starts_with('.') => {
            let why = "must be a simple json path starting with .";
            causes.push(Cause::invalid(&format!("{path}.JSONPath"), &format!("{given:?}"), why));
        }
        _ => {}
    }
    causes
}

fn check_selectable(given: &str, schema: &Value, path: &str) -> Option<Cause> {
    if given.is_empty() {
        return Some(Cause::required(path, ""));
    }
    let invalid = |why: &str| Some(Cause::invalid(path, &format!("{given:?}"), why));
    if given.contains('[') {
        return invalid("is an invalid path: array notation is not allowed");
    }
    let mut names = given.trim_start_matches('.').split('.');
    let Some(found) = names.try_fold(schema, |schema, name| schema.get("properties")?.get(name)) else {
        return invalid("is an invalid path: does not refer to a valid field");
    };
    if given.starts_with(".metadata") {
        return invalid("must not point to fields in metadata");
    }
    match text(&found["type"]) {
        "string" | "boolean" | "integer" => None,
        _ => invalid(
            "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are \
             allowed.",
        ),
    }
}

fn check_names(names: &Value, causes: &mut Vec<Cause>) {
    for key in ["plural", "singular", "kind", "listKind"] {
        let field = format!("spec.names.{key}");
        let name = text(&names[key]);
        if name.is_empty() {
            causes.push(Cause::required(&field, ""));
            continue;
        }
        let problem = match key {
            "kind" | "listKind" => kind_problem(name),
            _ => (!is_label(name)).then(|| LABEL.to_owned()),
        };
        if let Some(problem) = problem {
            causes.push(Cause::invalid(&field, &format!("{name:?}"), &problem));
        }
    }
    for (index, short) in names["shortNames"].as_array().into_iter().flatten().enumerate() {
        if !is_label(text(short)) {
            let field = format!("spec.names.shortNames[{index}]");
            causes.push(Cause::invalid(&field, &short.to_string(), LABEL));
        }
    }
}

/// What is wrong with the name of a kind.
pub(super) fn kind_problem(kind: &str) -> Option<String> {
    let is_good = is_label(&kind.to_lowercase());
    (!is_good).then(|| format!("may have mixed case, but should otherwise match: {LABEL}"))
}

fn is_label(name: &str) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    name.len() <= 63
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(inner)
        && !name.ends_with('-')
}
