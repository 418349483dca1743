//! Jobs.

use serde_json::{Value, json};

use super::super::{Object, metadata};
use super::{at, spec};

/// Gives a Job its selector and the labels that the selector finds, unless it says that it has its own.
pub(super) fn generate_selector(job: &mut Object) {
    if spec(job, "manualSelector") == true || !job.contains_key("spec") {
        return;
    }
    let (uid, name) = (metadata::text(job, "uid").to_owned(), metadata::text(job, "name").to_owned());
    let labels = at(job, &["spec", "template", "metadata", "labels"]);
    for (key, value) in [
        ("controller-uid", &uid),
        ("batch.kubernetes.io/controller-uid", &uid),
        ("job-name", &name),
        ("batch.kubernetes.io/job-name", &name),
    ] {
        labels.entry(key).or_insert_with(|| value.as_str().into());
    }
    let labels = labels.clone();
    let selected = at(job, &["spec", "selector", "matchLabels"]);
    selected.insert("batch.kubernetes.io/controller-uid".to_owned(), uid.into());
    let own = at(job, &["metadata"]).entry("labels").or_insert(Value::Null);
    if own.as_object().is_none_or(Object::is_empty) {
        *own = json!(labels);
    }
}
