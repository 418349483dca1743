//! Resources inside of resources: their metadata.

use serde_json::{Map, Value};

use super::node::Node;
use super::outcome::shown;
use crate::schema::{self, Flavour};
use crate::status::Cause;
use informer_wire::names::{label_key_problems, label_value_problems};

/// Reads metadata by its type. Returns the unknown fields; fails if a field has a wrong type.
pub(super) fn read_metadata(metadata: &mut Value, path: &str) -> Result<Vec<String>, String> {
    let Some(of) = schema::object_meta() else { return Ok(Vec::new()) };
    if !metadata.is_object() {
        let found = crate::go::json_type(metadata);
        return Err(format!("json: cannot unmarshal {found} into Go value of type v1.ObjectMeta"));
    }
    let decoded = schema::decode(of, Flavour::Text, &*metadata).map_err(|error| error.to_string())?;
    if let Some(problem) = decoded.problem {
        return Err(problem);
    }
    let mut object = decoded.object;
    object.retain(|_, value| !matches!(value.as_str(), Some("")));
    *metadata = Value::Object(object);
    let names = decoded.strict.iter().filter_map(|note| {
        let (_, name) = note.split_once("field \"")?;
        Some(format!("{path}.{}", name.strip_suffix('"')?))
    });
    Ok(names.collect())
}

/// Reads the metadata of embedded resources by its type. Returns the unknown fields.
pub(super) fn coerce(
    object: &mut Map<String, Value>,
    node: &Node,
    path: &str,
    unknown: &mut Vec<String>,
) -> Result<(), String> {
    for (name, value) in object.iter_mut() {
        let dot = if path.is_empty() { "" } else { "." };
        let path = format!("{path}{dot}{name}");
        if node.embedded && matches!(&**name, "apiVersion" | "kind") && !value.is_string() {
            return Err(format!("{path}: Invalid value: {}: must be a string", shown(value)));
        }
        if node.embedded && name == "metadata" {
            let before = shown(value);
            let read = read_metadata(value, &path);
            unknown.extend(read.map_err(|why| format!("{path}: Invalid value: {before}: {why}"))?);
        }
        if let Some(field) = node.properties.get(name) {
            coerce_value(value, field, &path, unknown)?;
        } else if let Some(field) = node.additional() {
            coerce_value(value, field, &path, unknown)?;
        }
    }
    Ok(())
}

fn coerce_value(value: &mut Value, node: &Node, path: &str, unknown: &mut Vec<String>) -> Result<(), String> {
    match value {
        Value::Object(object) => coerce(object, node, path, unknown),
        Value::Array(items) => {
            let Some(node) = node.item() else { return Ok(()) };
            for (index, item) in items.iter_mut().enumerate() {
                coerce_value(item, node, &format!("{path}[{index}]"), unknown)?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// What is wrong with the embedded resources of an object.
pub(super) fn check(value: &Value, node: &Node, path: &str, causes: &mut Vec<Cause>) {
    match value {
        Value::Object(object) => {
            if node.embedded {
                check_resource(object, path, causes);
            }
            for (name, value) in object {
                let dot = if path.is_empty() { "" } else { "." };
                if let Some(field) = node.properties.get(name) {
                    check(value, field, &format!("{path}{dot}{name}"), causes);
                } else if let Some(field) = node.additional() {
                    check(value, field, &format!("{path}[{name}]"), causes);
                }
            }
        }
        Value::Array(items) => {
            let Some(node) = node.item() else { return };
            for (index, item) in items.iter().enumerate() {
                check(item, node, &format!("{path}[{index}]"), causes);
            }
        }
        _ => {}
    }
}

fn check_resource(object: &Map<String, Value>, path: &str, causes: &mut Vec<Cause>) {
    let at = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    for name in ["apiVersion", "kind"] {
        let field = at(name);
        match object.get(name) {
            None => causes.push(Cause::required(&field, "")),
            Some(Value::String(text)) if text.is_empty() => {
                causes.push(Cause::invalid(&field, "\"\"", "must not be empty"));
            }
            Some(Value::String(text)) if name == "apiVersion" && text.matches('/').count() > 1 => {
                let why = format!("unexpected GroupVersion string: {text}");
                causes.push(Cause::invalid(&field, &format!("{text:?}"), &why));
            }
            Some(Value::String(text)) if name == "kind" => {
                if let Some(problem) = super::super::crd_validation::kind_problem(text) {
                    causes.push(Cause::invalid(&field, &format!("{text:?}"), &problem));
                }
            }
            Some(Value::String(_)) => {}
            Some(other) => causes.push(Cause::invalid(&field, &shown(other), "must be a string")),
        }
    }
    let Some(Value::Object(metadata)) = object.get("metadata") else { return };
    if let Some(name) = metadata.get("name").and_then(Value::as_str) {
        let problem = match name {
            "." | ".." => Some(format!("may not be '{name}'")),
            _ => ['/', '%'].into_iter().find(|c| name.contains(*c)).map(|c| format!("may not contain '{c}'")),
        };
        if let Some(problem) = problem {
            causes.push(Cause::invalid(&at("metadata.name"), &format!("{name:?}"), &problem));
        }
    }
    let labels = metadata.get("labels").and_then(Value::as_object).into_iter().flatten();
    for (key, value) in labels {
        let value = value.as_str().unwrap_or_default();
        for problem in label_key_problems(key) {
            causes.push(Cause::invalid(&at("metadata.labels"), &format!("{key:?}"), &problem));
        }
        for problem in label_value_problems(value) {
            causes.push(Cause::invalid(&at("metadata.labels"), &format!("{value:?}"), &problem));
        }
    }
}
