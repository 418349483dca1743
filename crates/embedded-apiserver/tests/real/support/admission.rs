//! What a real server adds that the embedded one has no part for: addresses of services, and what admission plugins add to
//! pods and nodes.

use serde_json::{Map, Value};

/// Removes it from an object, here and below.
pub(crate) fn without_admission(value: &mut Value) {
    match value {
        Value::Object(members) => {
            remove(members);
            members.values_mut().for_each(without_admission);
        }
        Value::Array(items) => items.iter_mut().for_each(without_admission),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn remove(members: &mut Map<String, Value>) {
    members.retain(|name, value| match (name.as_str(), value) {
        ("clusterIP", address) => address == "None",
        ("clusterIPs" | "ipFamilies" | "ipFamilyPolicy" | "nodePort" | "preemptionPolicy", _) => false,
        ("priority", number) => *number != 0,
        ("taints" | "tolerations", Value::Array(items)) => {
            let added = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];
            items.retain(|item| !added.iter().any(|key| item["key"] == *key));
            !items.is_empty()
        }
        _ => true,
    });
}
