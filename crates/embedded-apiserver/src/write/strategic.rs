//! Strategic merge patches: merge patches that merge the lists of built-in kinds item by item.

use serde_json::Value;

use super::Object;

const DIRECTIVE: &str = "$patch";
const RETAIN: &str = "$retainKeys";
const ORDER: &str = "$setElementOrder/";
const DELETE: &str = "$deleteFromPrimitiveList/";

/// Lists whose items are merged, with the merge keys that identify an item.
const MERGE_KEYS: [(&str, &[&str]); 26] = [
    ("addresses", &["type"]),
    ("conditions", &["type"]),
    ("containers", &["name"]),
    ("containerStatuses", &["name"]),
    ("env", &["name"]),
    ("ephemeralContainers", &["name"]),
    ("hostAliases", &["ip"]),
    ("hostIPs", &["ip"]),
    ("imagePullSecrets", &["name"]),
    ("initContainers", &["name"]),
    ("initContainerStatuses", &["name"]),
    ("managedFields", &["manager"]),
    ("mutatingWebhooks", &["name"]),
    ("ownerReferences", &["uid"]),
    ("podIPs", &["ip"]),
    ("ports", &["containerPort", "port"]),
    ("resourceClaims", &["name"]),
    ("resourceClaimStatuses", &["name"]),
    ("schedulingGates", &["name"]),
    ("secrets", &["name"]),
    ("taints", &["key"]),
    ("topologySpreadConstraints", &["topologyKey"]),
    ("volumeDevices", &["devicePath"]),
    ("volumeMounts", &["mountPath"]),
    ("volumes", &["name"]),
    ("webhooks", &["name"]),
];

/// Lists of strings to which a patch only adds.
const UNITED: [&str; 2] = ["finalizers", "podCIDRs"];

/// Applies a patch to an object.
pub(super) fn merge(mut object: Object, mut patch: Object) -> Object {
    match patch.remove(DIRECTIVE).as_ref().and_then(Value::as_str) {
        Some("replace") => return without_directives(patch),
        Some("delete") => return Object::new(),
        _ => {}
    }
    if let Some(Value::Array(retained)) = patch.remove(RETAIN) {
        object.retain(|name, _| retained.iter().any(|other| other == name) || patch.contains_key(name));
    }
    for (name, change) in patch {
        if name.starts_with(ORDER) {
            continue;
        }
        if let Some(list) = name.strip_prefix(DELETE) {
            remove_items(object.get_mut(list), &change);
            continue;
        }
        match (object.remove(&name), change) {
            (_, Value::Null) => {}
            (Some(Value::Object(old)), Value::Object(change)) => {
                let deleted = change.get(DIRECTIVE).is_some_and(|directive| directive == "delete");
                if !deleted {
                    object.insert(name, Value::Object(merge(old, change)));
                }
            }
            (_, Value::Object(change)) => {
                drop(object.insert(name, Value::Object(merge(Object::new(), change))));
            }
            (old, Value::Array(change)) => {
                let old = match old {
                    Some(Value::Array(items)) => items,
                    _ => Vec::new(),
                };
                let merged = merge_list(&name, old, change);
                object.insert(name, Value::Array(merged));
            }
            (_, change) => drop(object.insert(name, change)),
        }
    }
    object
}

fn merge_list(name: &str, old: Vec<Value>, change: Vec<Value>) -> Vec<Value> {
    if UNITED.contains(&name) {
        let mut united = old;
        for item in change {
            if !united.contains(&item) {
                united.push(item);
            }
        }
        return united;
    }
    let keys = MERGE_KEYS.iter().find(|(list, _)| *list == name).map(|(_, keys)| *keys);
    let replaces = |item: &Value| item.get(DIRECTIVE).is_some_and(|directive| directive == "replace");
    let (Some(keys), false) = (keys, change.iter().any(replaces)) else {
        return change.into_iter().filter(|item| !replaces(item)).map(clean).collect();
    };
    let mut items = old;
    for item in change {
        let Value::Object(item) = item else { return items };
        let Some(key) = keys.iter().find(|key| item.contains_key(**key)) else { continue };
        let position = items.iter().position(|other| other.get(*key) == item.get(*key));
        let deletes = item.get(DIRECTIVE).is_some_and(|directive| directive == "delete");
        match position {
            Some(position) if deletes => drop(items.remove(position)),
            Some(position) => {
                if let Value::Object(old) = items[position].take() {
                    items[position] = Value::Object(merge(old, item));
                }
            }
            None if deletes => {}
            None => items.push(Value::Object(merge(Object::new(), item))),
        }
    }
    items
}

fn remove_items(list: Option<&mut Value>, removed: &Value) {
    if let (Some(Value::Array(items)), Value::Array(removed)) = (list, removed) {
        items.retain(|item| !removed.contains(item));
    }
}

fn clean(value: Value) -> Value {
    match value {
        Value::Object(object) => Value::Object(without_directives(object)),
        other => other,
    }
}

fn without_directives(object: Object) -> Object {
    object.into_iter().filter(|(name, value)| !name.starts_with('$') && !value.is_null()).collect()
}
