//! What is different between two versions of an object.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::query::cut;

/// At most so many fields are told, and so much of each value.
const FIELDS: usize = 50;
const VALUE: usize = 300;

/// Fields that identify an element of a list, so that elements are compared whatever their order.
const NAMING: [&str; 5] = ["name", "type", "key", "uid", "ip"];

/// The fields that differ, as their path with the old and the new value, `null` where there is none.
pub(super) fn differences(old: &Value, new: &Value) -> Value {
    let mut found = Found { fields: Vec::new(), more: 0 };
    if old != new {
        found.compare("", Some(old), Some(new));
    }
    json!({ "fields": found.fields, "more": found.more })
}

struct Found {
    fields: Vec<Value>,
    more: usize,
}

impl Found {
    /// Of two that differ.
    fn compare(&mut self, path: &str, old: Option<&Value>, new: Option<&Value>) {
        match (old, new) {
            (Some(Value::Object(old)), Some(Value::Object(new))) => self.members(path, old, new),
            (Some(Value::Array(old)), Some(Value::Array(new))) => self.items(path, old, new),
            // It changes with everything else.
            _ if path == "metadata.resourceVersion" => {}
            _ if self.fields.len() == FIELDS => self.more += 1,
            _ => self
                .fields
                .push(json!({ "path": cut(path, VALUE), "old": old.map(told), "new": new.map(told) })),
        }
    }

    fn members(&mut self, path: &str, old: &Map<String, Value>, new: &Map<String, Value>) {
        let gone = old.keys().filter(|name| !new.contains_key(*name));
        for name in new.keys().chain(gone) {
            let (old, new) = (old.get(name), new.get(name));
            // What is the same has no need of a path, and of most objects that is nearly all.
            if old != new {
                self.compare(&member(path, name), old, new);
            }
        }
    }

    fn items(&mut self, path: &str, old: &[Value], new: &[Value]) {
        let (old, new) = match (named(old), named(new)) {
            (Some(old), Some(new)) => (old, new),
            _ => (numbered(old), numbered(new)),
        };
        let gone = old.keys().filter(|name| !new.contains_key(*name));
        for name in new.keys().chain(gone) {
            let (old, new) = (old.get(name).copied(), new.get(name).copied());
            if old != new {
                self.compare(&below(path, || format!("[{}]", cut(name, VALUE))), old, new);
            }
        }
    }
}

fn member(path: &str, name: &str) -> String {
    below(path, || match (path, name.contains(['.', '/'])) {
        (_, true) => format!("[{:?}]", cut(name, VALUE)),
        ("", false) => cut(name, VALUE).into_owned(),
        (_, false) => format!(".{}", cut(name, VALUE)),
    })
}

/// A path with one more part, unless it is longer already than what is told of it: names can be as long as objects, and each is
/// copied into the path of everything below it.
fn below(path: &str, part: impl FnOnce() -> String) -> String {
    match path.len() > VALUE {
        true => path.to_owned(),
        false => format!("{path}{}", part()),
    }
}

/// The elements by the field that names them, if all have one and no two are the same.
fn named(list: &[Value]) -> Option<BTreeMap<String, &Value>> {
    let naming = NAMING.iter().find(|naming| list.iter().all(|item| item[**naming].is_string()))?;
    let names: BTreeMap<_, _> =
        list.iter().filter_map(|item| Some((item[*naming].as_str()?.to_owned(), item))).collect();
    (names.len() == list.len()).then_some(names)
}

fn numbered(list: &[Value]) -> BTreeMap<String, &Value> {
    list.iter().enumerate().map(|(number, item)| (format!("{number:03}"), item)).collect()
}

/// A value as one text.
fn told(value: &Value) -> String {
    match value {
        Value::String(text) => cut(text, VALUE).into_owned(),
        other => cut(&other.to_string(), VALUE).into_owned(),
    }
}

#[cfg(test)]
mod tests;
