//! Secrets, ConfigMaps and events.

use serde_json::{Value, json};

use super::super::Object;
use crate::status::Cause;

/// How many bytes the data of a Secret or a ConfigMap may have.
const DATA_LIMIT: usize = 1 << 20;

const KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or \
                   'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

pub(super) fn validate_secret(secret: &Object) -> Vec<Cause> {
    let mut causes = keys(secret, "data");
    let size: usize = texts(secret, "data").map(|(_, text)| decoded_length(text)).sum();
    if size > DATA_LIMIT {
        causes.push(Cause::too_long("data", DATA_LIMIT));
    }
    causes
}

pub(super) fn validate_secret_update(old: &Object, new: &Object) -> Vec<Cause> {
    let mut causes = Vec::new();
    let kind = new.get("type").unwrap_or(&Value::Null);
    if old.get("type").is_some_and(|before| before != kind) {
        causes.push(Cause::invalid("type", &kind.to_string(), "field is immutable"));
    }
    causes.extend(frozen(old, new, &["data"]));
    causes
}

pub(super) fn validate_config_map(map: &Object) -> Vec<Cause> {
    let mut causes = Vec::new();
    for cause in keys(map, "data") {
        causes.push(cause);
    }
    for (key, _) in texts(map, "data") {
        if texts(map, "binaryData").any(|(other, _)| other == key) {
            let field = format!("data[{key}]");
            causes.push(Cause::invalid(
                &field,
                &format!("{key:?}"),
                "duplicate of key present in binaryData",
            ));
        }
    }
    causes.extend(keys(map, "binaryData"));
    let size: usize = texts(map, "data").map(|(_, text)| text.len()).sum();
    let binary: usize = texts(map, "binaryData").map(|(_, text)| decoded_length(text)).sum();
    if size + binary > DATA_LIMIT {
        // The field of the real server: it means the whole object.
        causes.push(Cause::too_long("[]", DATA_LIMIT));
    }
    causes
}

pub(super) fn validate_config_map_update(old: &Object, new: &Object) -> Vec<Cause> {
    frozen(old, new, &["data", "binaryData"])
}

/// Sets the fields that an event always has, if only to null.
pub(super) fn complete_event(event: &mut Object) {
    for (name, value) in [
        ("involvedObject", json!({})),
        ("source", json!({})),
        ("firstTimestamp", Value::Null),
        ("lastTimestamp", Value::Null),
        ("eventTime", Value::Null),
        ("reportingComponent", json!("")),
        ("reportingInstance", json!("")),
    ] {
        event.entry(name).or_insert(value);
    }
}

/// What may not change once `immutable` is set, that field included.
fn frozen(old: &Object, new: &Object, fields: &[&str]) -> Vec<Cause> {
    let is_set = |object: &Object| object.get("immutable") == Some(&Value::Bool(true));
    if !is_set(old) {
        return Vec::new();
    }
    let cause = |field: &str| Cause::forbidden(field, "field is immutable when `immutable` is set");
    let mut causes = Vec::new();
    if !is_set(new) {
        causes.push(cause("immutable"));
    }
    let content =
        |object: &Object, field: &str| object.get(field).filter(|value| **value != json!({})).cloned();
    let changed = |field: &&&str| content(old, field) != content(new, field);
    causes.extend(fields.iter().filter(changed).map(|field| cause(field)));
    causes
}

fn texts<'a>(object: &'a Object, field: &str) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
    let members = object.get(field).and_then(Value::as_object).into_iter().flatten();
    members.map(|(key, value)| (key.as_str(), value.as_str().unwrap_or_default()))
}

/// What is wrong with the keys of a map.
fn keys(object: &Object, field: &str) -> Vec<Cause> {
    let cause = |key: &str| {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let why = match key {
            _ if key.len() > 253 => "must be no more than 253 characters".to_owned(),
            "." | ".." => format!("must not be '{key}'"),
            _ if key.is_empty() || !key.bytes().all(is_part) => KEY.to_owned(),
            _ if key.starts_with("..") => "must not start with '..'".to_owned(),
            _ => return None,
        };
        Some(Cause::invalid(&format!("{field}[{key}]"), &format!("{key:?}"), &why))
    };
    texts(object, field).filter_map(|(key, _)| cause(key)).collect()
}

fn decoded_length(base64: &str) -> usize {
    base64.len() / 4 * 3 - base64.bytes().rev().take(2).filter(|byte| *byte == b'=').count()
}
