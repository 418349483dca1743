//! Jobs.

use serde_json::Value;

use super::super::{Object, metadata};
use super::{at, spec};

/// Gives a Job its selector and the labels that the selector finds, unless it says that it has its own.
pub(super) fn complete_job(job: &mut Object) {
    // A Job without labels has those of its pods. In the real server they are the same map, so that it has what is added too.
    let labels =
        |job: &Object| spec(job, "template").pointer("/metadata/labels").cloned().unwrap_or_default();
    let before = labels(job);
    if spec(job, "manualSelector") != true && job.contains_key("spec") {
        generate_selector(job);
    }
    let after = labels(job);
    let own = at(job, &["metadata"]).entry("labels").or_insert(Value::Null);
    if own.as_object().is_none_or(Object::is_empty) || *own == before {
        *own = after;
    }
    metadata::tidy(at(job, &["metadata"]));
}

fn generate_selector(job: &mut Object) {
    let uid = metadata::text(job, "uid").to_owned();
    let name = metadata::text(job, "name").to_owned();
    let labels = at(job, &["spec", "template", "metadata", "labels"]);
    for (key, value) in [
        ("controller-uid", &uid),
        ("batch.kubernetes.io/controller-uid", &uid),
        ("job-name", &name),
        ("batch.kubernetes.io/job-name", &name),
    ] {
        labels.entry(key).or_insert_with(|| value.as_str().into());
    }
    let selected = at(job, &["spec", "selector", "matchLabels"]);
    selected.insert("batch.kubernetes.io/controller-uid".to_owned(), uid.into());
}
