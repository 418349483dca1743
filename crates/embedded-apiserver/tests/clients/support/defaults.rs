//! Defaults of built-in kinds that only the real server sets. This file goes when the embedded server sets them.

use serde_json::Value;

/// Fields that the real server adds to workloads and services, and that no test writes.
const DEFAULTS: &[&str] = &[
    "allocateLoadBalancerNodePorts",
    "behavior",
    "clusterIP",
    "clusterIPs",
    "dnsPolicy",
    "enableServiceLinks",
    "imagePullPolicy",
    "internalTrafficPolicy",
    "ipFamilies",
    "ipFamilyPolicy",
    "maxSurge",
    "maxUnavailable",
    "preemptionPolicy",
    "priority",
    "progressDeadlineSeconds",
    "protocol",
    "resources",
    "restartPolicy",
    "revisionHistoryLimit",
    "rollingUpdate",
    "schedulerName",
    "securityContext",
    "sessionAffinity",
    "strategy",
    "targetPort",
    "terminationGracePeriodSeconds",
    "terminationMessagePath",
    "terminationMessagePolicy",
    "tolerations",
    "type",
];

/// Removes them from the object of the real server, and from its managedFields, where the other has none.
pub(crate) fn without_defaults(real: &mut Value, embedded: &Value) {
    match (real, embedded) {
        (Value::Object(real), Value::Object(embedded)) => {
            let is_default = |name: &str| DEFAULTS.contains(&name.trim_start_matches("f:"));
            real.retain(|name, _| embedded.contains_key(name) || !is_default(name));
            for (name, value) in real {
                if let Some(embedded) = embedded.get(name) {
                    without_defaults(value, embedded);
                }
            }
        }
        (Value::Array(real), Value::Array(embedded)) => {
            real.iter_mut().zip(embedded).for_each(|(real, embedded)| without_defaults(real, embedded));
        }
        _ => {}
    }
}
