//! Hides the values of Secrets: only their sizes are shown.
//!
//! Shown are the fields that are harmless in recordings, too, and all others are hidden. Code that compares or prints Secrets
//! gets them from here, and so never has their values.

use std::collections::BTreeSet;

use informer_recording::is_harmless;
use serde_json::{Map, Value};

/// Whether a kind has values that must not be shown.
pub(crate) fn is_secret(group: &str, plural: &str) -> bool {
    group.is_empty() && plural == "secrets"
}

/// Replaces the values with their sizes.
pub(crate) fn hide(secret: &mut Value) {
    hide_all([None, Some(secret)]);
}

/// The same for two versions of a Secret. A value that changed is marked in the new one, since its size may be the same.
pub(crate) fn hide_both(old: &mut Value, new: &mut Value) {
    hide_all([Some(old), Some(new)]);
}

/// The old and the new version of something; either may be missing.
type Both<'a> = [Option<&'a mut Value>; 2];

fn hide_all(secret: Both<'_>) {
    each_member(secret, |name, both| match name {
        "metadata" if both_are(Value::is_object, &both) => each_member(both, |name, both| match name {
            "annotations" => hide_values(both, false),
            _ if is_harmless(&["metadata", name]) => {}
            _ => hide_value(both, false),
        }),
        "data" | "stringData" => hide_values(both, name == "data"),
        _ if is_harmless(&[name]) && both_are(is_plain, &both) => {}
        _ => hide_value(both, false),
    });
}

/// Hides the values of a map. Its keys are shown.
fn hide_values(both: Both<'_>, is_encoded: bool) {
    if both_are(Value::is_object, &both) {
        each_member(both, |_, both| hide_value(both, is_encoded));
    } else {
        hide_value(both, is_encoded);
    }
}

/// Hides one value, whatever its type.
fn hide_value([old, new]: Both<'_>, is_encoded: bool) {
    let changed = matches!((&old, &new), (Some(old), Some(new)) if old != new);
    let hidden = |value: &Value| match value {
        Value::Null => Value::Null,
        Value::String(text) => size(text, is_encoded).into(),
        _ => "<hidden>".into(),
    };
    let was = old.map(|old| {
        *old = hidden(old);
        &*old
    });
    let Some(new) = new else { return };
    *new = hidden(new);
    if changed && was == Some(&*new) {
        *new = new.as_str().unwrap_or_default().replace('>', ", changed>").into();
    }
}

fn is_plain(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}

/// Whether a condition holds for both versions, or for the only one.
fn both_are(so: fn(&Value) -> bool, both: &Both<'_>) -> bool {
    both.iter().flatten().all(|value| so(value))
}

/// Calls a function with each field that is in either version.
fn each_member([mut old, mut new]: Both<'_>, mut each: impl FnMut(&str, Both<'_>)) {
    let objects = [&old, &new].into_iter().flatten().filter_map(|value| value.as_object());
    let names: BTreeSet<String> = objects.flat_map(Map::keys).cloned().collect();
    for name in &names {
        let old = old.as_deref_mut().and_then(|old| old.get_mut(name));
        let new = new.as_deref_mut().and_then(|new| new.get_mut(name));
        each(name, [old, new]);
    }
}

fn size(value: &str, is_encoded: bool) -> String {
    let bytes = if is_encoded { value.trim_end_matches('=').len() * 3 / 4 } else { value.len() };
    format!("<{bytes} bytes>")
}

#[cfg(test)]
mod tests;
