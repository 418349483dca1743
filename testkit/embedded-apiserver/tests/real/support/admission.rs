//! What a real server adds that the embedded one has no part for: addresses, their families and ports of services, and the taint that an
//! admission plugin adds to new nodes.

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
        ("clusterIPs" | "ipFamilies" | "ipFamilyPolicy" | "nodePort", _) => false,
        ("taints", Value::Array(taints)) => {
            taints.retain(|taint| taint["key"] != "node.kubernetes.io/not-ready");
            !taints.is_empty()
        }
        _ => true,
    });
}
