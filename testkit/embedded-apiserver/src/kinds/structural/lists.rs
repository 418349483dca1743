//! Lists that are sets or maps: no item twice.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::node::Node;
use crate::status::Cause;

/// What is wrong with the sets and maps in an object.
pub(super) fn check(object: &Map<String, Value>, node: &Node, path: &str, causes: &mut Vec<Cause>) {
    if let Some(of) = node.additional() {
        for (name, value) in object {
            check_value(value, of, &format!("{path}[{name}]"), causes);
        }
    }
    for (name, value) in object {
        if let Some(of) = node.properties.get(name) {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            check_value(value, of, &path, causes);
        }
    }
}

fn check_value(value: &Value, node: &Node, path: &str, causes: &mut Vec<Cause>) {
    match value {
        Value::Object(object) => check(object, node, path, causes),
        Value::Array(items) => {
            match node.list_type.as_deref() {
                Some("set") => {
                    let twice = repeated(&items.iter().collect::<Vec<_>>());
                    causes.extend(twice.into_iter().map(|index| duplicate(path, index, &items[index])));
                }
                Some("map") => check_map(items, node, path, causes),
                _ => {}
            }
            let Some(of) = node.item() else { return };
            for (index, item) in items.iter().enumerate() {
                check_value(item, of, &format!("{path}[{index}]"), causes);
            }
        }
        _ => {}
    }
}

fn check_map(items: &[Value], node: &Node, path: &str, causes: &mut Vec<Cause>) {
    let other = items.iter().position(|item| !item.is_null() && !item.is_object());
    if let Some(index) = other {
        let why = "must be an object for an array of list-type map";
        causes.push(Cause::invalid(&format!("{path}[{index}]"), &super::shown(&items[index]), why));
        return;
    }
    let key = |item: &Value| {
        let members = item.as_object().into_iter().flatten();
        let keys = members.filter(|(name, _)| node.list_keys.contains(name));
        Value::Object(keys.map(|(name, value)| (name.clone(), value.clone())).collect())
    };
    let keys: Vec<Value> = items.iter().map(key).collect();
    let twice = repeated(&keys.iter().collect::<Vec<_>>());
    causes.extend(twice.into_iter().map(|index| duplicate(path, index, &keys[index])));
}

/// Where values occur for the second time.
fn repeated(items: &[&Value]) -> Vec<usize> {
    let mut seen: HashMap<&Value, usize> = HashMap::with_capacity(items.len());
    let mut is_second = |index: &usize| {
        let count = seen.entry(items[*index]).or_default();
        *count += 1;
        *count == 2
    };
    (0..items.len()).filter(|index| is_second(index)).collect()
}

fn duplicate(path: &str, index: usize, value: &Value) -> Cause {
    Cause::duplicate(&format!("{path}[{index}]"), &super::shown(value))
}
