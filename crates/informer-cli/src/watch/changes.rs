//! The changes between two versions of an object, in short form.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value};

use crate::plain::plain;

/// A field that differs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change {
    /// The path of the field, such as `status.conditions[Ready].status`.
    pub(crate) path: String,
    /// Absent if the field is new.
    pub(crate) old: Option<Value>,
    /// Absent if the field is gone.
    pub(crate) new: Option<Value>,
}

/// Fields that identify an element of a list, so that a change of the order is no change of the elements.
const NAMING: [&str; 6] = ["name", "type", "key", "uid", "ip", "mountPath"];

/// The number of characters that longer values are cut to.
const SHOWN: usize = 40;

/// All fields that differ, the most interesting first: spec, then status, then metadata, and timestamps last, because they
/// change with everything else.
pub(crate) fn changes(old: &Value, new: &Value) -> Vec<Change> {
    let mut found = Vec::new();
    compare(&mut String::new(), Some(old), Some(new), &mut found);
    found.retain(|change| !is_noise(&change.path));
    found.sort_by_key(|change| rank(&change.path));
    found
}

/// Fields that change with every write, such as the resourceVersion.
fn is_noise(path: &str) -> bool {
    path == "metadata.resourceVersion" || path.starts_with("metadata.managedFields")
}

fn is_time(path: &str) -> bool {
    ["Time", "Timestamp", "time", "timestamp"].iter().any(|ending| path.ends_with(ending))
}

fn is_counter(path: &str) -> bool {
    path == "metadata.generation" || path == "status.observedGeneration"
}

fn rank(path: &str) -> u8 {
    match path.split(['.', '[']).next() {
        _ if is_time(path) => 4,
        _ if is_counter(path) => 3,
        Some("status") => 1,
        Some("metadata") => 2,
        _ => 0,
    }
}

fn compare(path: &mut String, old: Option<&Value>, new: Option<&Value>, found: &mut Vec<Change>) {
    match (old, new) {
        (Some(old), Some(new)) if old == new => {}
        (Some(Value::Object(old)), Some(Value::Object(new))) => compare_objects(path, old, new, found),
        (Some(Value::Array(old)), Some(Value::Array(new))) => compare_lists(path, old, new, found),
        _ => found.push(Change { path: path.clone(), old: old.cloned(), new: new.cloned() }),
    }
}

fn compare_objects(
    path: &mut String,
    old: &Map<String, Value>,
    new: &Map<String, Value>,
    found: &mut Vec<Change>,
) {
    let gone = old.keys().filter(|name| !new.contains_key(*name));
    for name in new.keys().chain(gone) {
        let length = path.len();
        push_member(path, name);
        compare(path, old.get(name), new.get(name), found);
        path.truncate(length);
    }
}

/// `.name`, or `["a.b/c"]` for names with dots, such as those of labels.
fn push_member(path: &mut String, name: &str) {
    if name.contains(['.', '/']) {
        path.push_str("[\"");
        path.push_str(name);
        path.push_str("\"]");
        return;
    }
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}

fn compare_lists(path: &mut String, old: &[Value], new: &[Value], found: &mut Vec<Change>) {
    let (Some(was), Some(is)) = (named(old), named(new)) else {
        return compare_by_position(path, old, new, found);
    };
    let gone = was.keys().filter(|name| !is.contains_key(*name));
    for name in is.keys().chain(gone) {
        let length = path.len();
        path.push('[');
        path.push_str(name);
        path.push(']');
        compare(path, was.get(name).copied(), is.get(name).copied(), found);
        path.truncate(length);
    }
}

fn compare_by_position(path: &mut String, old: &[Value], new: &[Value], found: &mut Vec<Change>) {
    for position in 0..old.len().max(new.len()) {
        let length = path.len();
        path.push_str(&format!("[{position}]"));
        compare(path, old.get(position), new.get(position), found);
        path.truncate(length);
    }
}

/// The elements by their identifying field, if all have one and no two are the same.
fn named(list: &[Value]) -> Option<BTreeMap<&str, &Value>> {
    let member = NAMING.iter().find(|member| list.iter().all(|item| item[**member].is_string()))?;
    let names: BTreeMap<_, _> =
        list.iter().filter_map(|item| Some((item[*member].as_str()?, item))).collect();
    (names.len() == list.len()).then_some(names)
}

impl Change {
    /// Whether it is of little interest: timestamps, counters, identifiers, and the reasons of conditions.
    pub(crate) fn is_detail(&self) -> bool {
        let path = self.path.as_str();
        let explains = path.starts_with("status.conditions[")
            && (path.ends_with(".reason") || path.ends_with(".message"));
        explains || is_time(path) || is_counter(path) || path.ends_with("At") || path.ends_with("ID")
    }

    /// The path as it is shown: for a condition, only its type.
    fn shown_path(&self) -> &str {
        let condition =
            self.path.strip_prefix("status.conditions[").and_then(|rest| rest.strip_suffix("].status"));
        condition.unwrap_or(&self.path)
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = plain(self.shown_path());
        match (&self.old, &self.new) {
            (Some(old), Some(new)) => write!(f, "{path} {} → {}", short(old), short(new)),
            (None, Some(new)) => write!(f, "{path} = {}", short(new)),
            (_, None) => write!(f, "{path} gone"),
        }
    }
}

/// A value in a few characters.
fn short(value: &Value) -> String {
    match value {
        Value::String(text) => cut(text),
        Value::Object(members) if members.is_empty() => "{}".to_owned(),
        Value::Object(members) => format!("{{{} fields}}", members.len()),
        Value::Array(items) => format!("[{} items]", items.len()),
        other => cut(&other.to_string()),
    }
}

fn cut(text: &str) -> String {
    let text = plain(text);
    let mut characters = text.chars();
    let beginning: String = characters.by_ref().take(SHOWN).collect();
    match characters.next() {
        Some(_) => beginning + "…",
        None => beginning,
    }
}

#[cfg(test)]
mod tests;
