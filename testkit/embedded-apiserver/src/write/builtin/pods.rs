//! Pods: what admission adds to them, and what their status says from the beginning.

use serde_json::{Value, json};

use super::super::Object;
use super::{at, spec};
use crate::status::Cause;

/// How long a pod stays on a node that is not well, if it says nothing about it.
const EVICTED_AFTER: u32 = 300;

/// Adds to a new pod what admission and the server add. Nobody owns it.
pub(super) fn complete_pod(pod: &mut Object) {
    admit(pod, None);
    let class = quality_of_service(pod);
    if let Some(Value::Object(status)) = pod.get_mut("status") {
        status.insert("qosClass".to_owned(), class.into());
    }
}

/// A status that does not say the class of its pod does not take it away.
pub(super) fn keep_class(old: &Object, pod: &mut Object) {
    let before = class(old);
    if class(pod).is_empty() && !before.is_empty() {
        at(pod, &["status"]).insert("qosClass".to_owned(), before.into());
    }
}

/// The class of a pod never changes.
pub(super) fn validate_update(old: &Object, new: &Object) -> Option<Cause> {
    let before = class(old);
    let after = class(new);
    let why = "field is immutable";
    (before != after).then(|| Cause::invalid("status.qosClass", &format!("{after:?}"), why))
}

fn class(pod: &Object) -> &str {
    pod.get("status").and_then(|status| status.get("qosClass")).and_then(Value::as_str).unwrap_or_default()
}

/// What admission adds: a priority, unless there is a class for it, and for how long nodes that are not well are tolerated.
pub(super) fn admit(pod: &mut Object, old: Option<&Object>) {
    let Some(spec) = pod.get_mut("spec").and_then(Value::as_object_mut) else { return };
    for (name, default) in [("priority", json!(0)), ("preemptionPolicy", json!("PreemptLowerPriority"))] {
        let before = old.map(|old| self::spec(old, name).clone()).filter(|value| !value.is_null());
        if spec.get("priorityClassName").is_none() || before.is_some() {
            spec.entry(name).or_insert(before.unwrap_or(default));
        }
    }
    let tolerations = spec.entry("tolerations").or_insert_with(|| json!([]));
    let Value::Array(tolerations) = tolerations else { return };
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        let text = |toleration: &Value, name: &str| toleration[name].as_str().unwrap_or_default().to_owned();
        let is_tolerated = tolerations.iter().any(|toleration| {
            let of = text(toleration, "key");
            (of == key || of.is_empty()) && matches!(&*text(toleration, "effect"), "" | "NoExecute")
        });
        if !is_tolerated {
            tolerations.push(json!({
                "key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": EVICTED_AFTER,
            }));
        }
    }
}

/// By what its containers request and are limited to of CPU and memory.
fn quality_of_service(pod: &Object) -> &'static str {
    let all = ["containers", "initContainers"];
    let containers = all.iter().filter_map(|name| spec(pod, name).as_array()).flatten();
    let mut any = false;
    let mut guaranteed = true;
    for container in containers {
        let of =
            |part: &str, name: &str| container["resources"][part].get(name).filter(|value| **value != "0");
        for name in ["cpu", "memory"] {
            let requested = of("requests", name);
            let limit = of("limits", name);
            any |= requested.is_some() || limit.is_some();
            guaranteed &= limit.is_some() && requested == limit;
        }
    }
    match (any, guaranteed) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}
