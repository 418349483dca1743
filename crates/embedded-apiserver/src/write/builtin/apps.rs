//! Workloads.

use serde_json::{Value, json};

use super::super::Object;
use super::spec;
use crate::status::Cause;

/// Most of the spec of a StatefulSet cannot be changed. Fields that have a default may be left out.
pub(super) fn validate_stateful_set_update(old: &Object, new: &Object) -> Option<Cause> {
    let fixed = [
        ("selector", Value::Null),
        ("serviceName", json!("")),
        ("podManagementPolicy", json!("OrderedReady")),
        ("volumeClaimTemplates", Value::Null),
    ];
    let changed = fixed.iter().any(|(name, default)| {
        let value = |object| match spec(object, name) {
            Value::Null => default.clone(),
            value => value.clone(),
        };
        value(old) != value(new)
    });
    let why = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', \
               'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
    changed.then(|| Cause::forbidden("spec", why))
}
