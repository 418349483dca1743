//! An object as YAML, as much of it as can be read.

use informer_wire::document;
use kube_informer::Object;
use serde_json::Value;

use super::query::cut;

/// So much is shown of a text, and of the whole.
const TEXT: usize = 4 * 1024;
const WHOLE: usize = 256 * 1024;

/// The whole object.
pub(super) fn content(object: &Object<()>) -> Value {
    document::whole(&object.raw_json(), object.kind())
}

/// As YAML; long texts are cut, and say so.
pub(super) fn yaml(mut content: Value) -> String {
    shorten(&mut content);
    match document::yaml(&content) {
        Ok(yaml) => cut(&yaml, WHOLE).into_owned(),
        Err(error) => format!("# {error}\n"),
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
