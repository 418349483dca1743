//! An object as one row.

use kube_informer::Object;
use serde_json::{Value, json};

use super::query::cut;

/// So many labels of an object are shown, and so much of each.
const LABELS: usize = 8;
const LABEL: usize = 130;

/// What is shown of an object in a list. Of a sensitive kind that is its name and its size.
pub(super) fn row(object: &Object<()>, is_sensitive: bool) -> Value {
    let mut row = json!({
        "namespace": object.namespace(),
        "name": object.name(),
        "bytes": object.packed_size(),
    });
    if !is_sensitive {
        let labels = object.labels();
        let shown =
            labels.iter().take(LABELS).map(|(key, value)| cut(&format!("{key}={value}"), LABEL).into_owned());
        row["labels"] = shown.collect();
        row["moreLabels"] = labels.len().saturating_sub(LABELS).into();
        row["version"] = object.resource_version().to_string().into();
        row["created"] = object.creation_timestamp().map(|at| at.to_string()).into();
        row["deleting"] = object.deletion_timestamp().is_some().into();
    }
    row
}
