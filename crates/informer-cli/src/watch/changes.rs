//! The changes between two versions of an object, in short form.

use std::fmt;

use informer_wire::difference::{Difference, Limits, differences};
use serde_json::Value;

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

/// The number of characters that longer values are cut to.
const SHOWN: usize = 40;

/// All fields, with paths that `--grep` can look in, and no end of memory for a name as long as an object.
const LIMITS: Limits = Limits { fields: usize::MAX, path: 4096 };

/// All fields that differ, the most interesting first: spec, then status, then metadata, and timestamps last, because they
/// change with everything else.
pub(crate) fn changes(old: &Value, new: &Value) -> Vec<Change> {
    let (found, _) = differences(old, new, LIMITS);
    let owned =
        |field: Difference<'_>| Change { path: field.path, old: field.old.cloned(), new: field.new.cloned() };
    let mut found: Vec<Change> = found.into_iter().map(owned).collect();
    found.sort_by_key(|change| rank(&change.path));
    found
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
