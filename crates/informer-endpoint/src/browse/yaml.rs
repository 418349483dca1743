//! An object as YAML, as much of it as can be read.

use kube_informer::Object;
use serde_json::Value;

use super::query::cut;

/// So much is shown of a text, and of the whole.
const TEXT: usize = 4 * 1024;
const WHOLE: usize = 256 * 1024;

/// The whole object with kind and apiVersion, which items of lists lack.
pub(super) fn content(object: &Object<()>) -> Value {
    let mut content: Value = serde_json::from_slice(&object.raw_json()).unwrap_or_default();
    if let Some(members) = content.as_object_mut() {
        members.entry("kind").or_insert_with(|| object.kind().kind().into());
        members.entry("apiVersion").or_insert_with(|| object.kind().api_version().into());
    }
    content
}

/// As YAML; long texts are cut, and say so.
pub(super) fn yaml(mut content: Value) -> String {
    shorten(&mut content);
    match serde_saphyr::to_string(&content) {
        Ok(yaml) => cut(&yaml, WHOLE).into_owned(),
        Err(error) => format!("# cannot be written as YAML: {error}\n"),
    }
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > TEXT => *text = cut(text, TEXT).into_owned(),
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(members) => members.values_mut().for_each(shorten),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
