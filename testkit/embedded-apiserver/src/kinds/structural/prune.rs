//! Pruning and defaulting: what becomes of fields that a schema does not have, of nulls, and of fields that are left out.

use serde_json::{Map, Value};

use super::node::{Additional, Items, Node};

/// The fields that every object has, and every embedded one.
pub(super) const META: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Removes the fields that the schema does not have. Returns their paths, sorted. At the root the fields of every object stay.
pub(super) fn prune(object: &mut Map<String, Value>, root: &Node) -> Vec<String> {
    let mut unknown = Vec::new();
    prune_object(object, Some(root), true, "", &mut unknown);
    unknown.sort();
    unknown
}

/// Removes unknown fields of a value that is no resource, such as a default.
pub(super) fn prune_value(value: &mut Value, node: &Node) {
    prune_in(value, Some(node), "", &mut Vec::new());
}

/// Removes unknown fields from the defaults of a schema.
pub(super) fn prune_defaults(node: &mut Node) {
    let mut default = std::mem::take(&mut node.default);
    prune_value(&mut default, node);
    node.default = default;
    node.properties.values_mut().for_each(prune_defaults);
    if let Some(Additional::Schema(node)) = &mut node.additional_properties {
        prune_defaults(node);
    }
    if let Some(Items::All(node)) = &mut node.items {
        prune_defaults(node);
    }
}

fn prune_in(value: &mut Value, node: Option<&Node>, path: &str, unknown: &mut Vec<String>) {
    match value {
        Value::Object(object) => prune_object(object, node, false, path, unknown),
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                let path = format!("{path}[{index}]");
                match node {
                    Some(node) if node.preserves() => skip(item, node.item(), &path, unknown),
                    _ => prune_in(item, node.and_then(Node::item), &path, unknown),
                }
            }
        }
        _ => {}
    }
}

/// Inside a list whose unknown fields are kept, only the fields that items specify are pruned.
fn skip(value: &mut Value, node: Option<&Node>, path: &str, unknown: &mut Vec<String>) {
    let Some(node) = node else { return };
    match value {
        Value::Object(object) => prune_known(object, node, false, path, unknown),
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                skip(item, node.item(), &format!("{path}[{index}]"), unknown);
            }
        }
        _ => {}
    }
}

fn prune_object(
    object: &mut Map<String, Value>,
    node: Option<&Node>,
    is_root: bool,
    path: &str,
    unknown: &mut Vec<String>,
) {
    let Some(node) = node else {
        unknown.extend(object.keys().map(|name| join(path, name)));
        object.clear();
        return;
    };
    if !node.preserves() && node.additional_properties.is_none() {
        object.retain(|name, _| {
            let is_meta = META.contains(&&**name) && (is_root || node.embedded);
            let stays = is_meta || node.properties.contains_key(name);
            if !stays {
                unknown.push(join(path, name));
            }
            stays
        });
    }
    prune_known(object, node, is_root, path, unknown);
}

/// Prunes inside the fields that the schema has.
fn prune_known(
    object: &mut Map<String, Value>,
    node: &Node,
    is_root: bool,
    path: &str,
    unknown: &mut Vec<String>,
) {
    for (name, value) in object.iter_mut() {
        if META.contains(&&**name) && (is_root || node.embedded) {
            continue;
        }
        if let Some(field) = node.properties.get(name) {
            prune_in(value, Some(field), &join(path, name), unknown);
        } else if node.additional_properties.is_some() {
            prune_in(value, node.additional(), &join(path, name), unknown);
        }
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Removes fields that are null and neither may be nor have a default.
pub(super) fn prune_nulls(value: &mut Value, node: Option<&Node>) {
    match value {
        Value::Object(object) => prune_null_fields(object, node),
        Value::Array(items) => {
            let node = node.and_then(Node::item);
            items.iter_mut().for_each(|item| prune_nulls(item, node));
        }
        _ => {}
    }
}

pub(super) fn prune_null_fields(object: &mut Map<String, Value>, node: Option<&Node>) {
    object.retain(|name, value| {
        let field = node.and_then(|node| node.field(name));
        if value.is_null() {
            return field.is_none_or(|field| field.nullable || field.has_default());
        }
        prune_nulls(value, field);
        true
    });
}

/// Sets the defaults of fields that are missing, or null and must not be.
pub(super) fn set_defaults(value: &mut Value, node: &Node) {
    match value {
        Value::Object(object) => set_field_defaults(object, node),
        Value::Array(items) => {
            let Some(node) = node.item() else { return };
            for item in items {
                if item.is_null() && !node.nullable {
                    *item = node.default.clone();
                }
                set_defaults(item, node);
            }
        }
        _ => {}
    }
}

pub(super) fn set_field_defaults(object: &mut Map<String, Value>, node: &Node) {
    for (name, field) in node.properties.iter().filter(|(_, field)| field.has_default()) {
        match object.get_mut(name) {
            None => drop(object.insert(name.clone(), field.default.clone())),
            Some(value) if value.is_null() && !field.nullable => *value = field.default.clone(),
            Some(_) => {}
        }
    }
    for (name, value) in object.iter_mut() {
        if let Some(field) = node.properties.get(name) {
            set_defaults(value, field);
        } else if let Some(field) = node.additional() {
            if value.is_null() && !field.nullable {
                *value = field.default.clone();
            }
            set_defaults(value, field);
        }
    }
}
