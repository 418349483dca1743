//! Workloads.

use serde_json::{Value, json};

use super::super::Object;
use super::{at, spec};
use crate::status::Cause;

/// The number of replicas and the labels of the pods.
pub(super) fn validate(object: &Object) -> Vec<Cause> {
    let mut causes = Vec::new();
    if let Some(replicas) = spec(object, "replicas").as_i64().filter(|replicas| *replicas < 0) {
        let why = "must be greater than or equal to 0";
        causes.push(Cause::invalid("spec.replicas", &replicas.to_string(), why));
    }
    // A template without labels is one of a test that is about something else.
    let labels = &spec(object, "template")["metadata"]["labels"];
    let wanted = spec(object, "selector")["matchLabels"].as_object().filter(|_| labels.is_object());
    if wanted.into_iter().flatten().any(|(name, value)| labels.get(name) != Some(value)) {
        let why = "`selector` does not match template `labels`";
        causes.push(Cause::invalid("spec.template.metadata.labels", &labels.to_string(), why));
    }
    causes
}

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

/// Counts the templates of a DaemonSet in an annotation.
pub(super) fn count_template(old: Option<&Object>, new: &mut Object) {
    const NAME: &str = "deprecated.daemonset.template.generation";
    let counted =
        old.and_then(|old| old.get("metadata")?.get("annotations")?.get(NAME)?.as_str()?.parse::<u64>().ok());
    let changed = old.is_some_and(|old| spec(old, "template") != spec(new, "template"));
    let count = counted.map_or(1, |count| count + u64::from(changed));
    at(new, &["metadata", "annotations"]).insert(NAME.to_owned(), count.to_string().into());
}
