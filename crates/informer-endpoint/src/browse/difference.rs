//! The difference of two versions of an object, as the page shows it.

use informer_wire::difference::{self, Limits};
use serde_json::{Value, json};

use super::query::cut;

/// At most so many fields are shown, and so much of each path and value.
const SHOWN: Limits = Limits { fields: 50, path: VALUE };
const VALUE: usize = 300;

/// The fields that differ, as their path with the old and the new value, `null` where there is none.
pub(super) fn differences(old: &Value, new: &Value) -> Value {
    let (found, more) = difference::differences(old, new, SHOWN);
    let field = |field: &difference::Difference<'_>| json!({ "path": cut(&field.path, VALUE), "old": field.old.map(shortened), "new": field.new.map(shortened) });
    let fields: Vec<Value> = found.iter().map(field).collect();
    json!({ "fields": fields, "more": more })
}

/// A value as one text.
fn shortened(value: &Value) -> String {
    match value {
        Value::String(text) => cut(text, VALUE).into_owned(),
        other => cut(&other.to_string(), VALUE).into_owned(),
    }
}

#[cfg(test)]
mod tests;
