//! The fields in which two versions of an object differ.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

/// A field that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference<'a> {
    /// The path of the field, such as `status.conditions[Ready].status`; cut where it is longer than [`Limits::path`].
    pub path: String,
    /// Absent if the field is new.
    pub old: Option<&'a Value>,
    /// Absent if the field is gone.
    pub new: Option<&'a Value>,
}

/// How much is said of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// At most so many fields.
    pub fields: usize,
    /// A path grows no more once it has more bytes than this: names can be as long as objects, and each is copied into the path of
    /// everything below it.
    pub path: usize,
}

/// Fields that identify an element of a list, so that a change of the order is no change of the elements.
const NAMING: [&str; 6] = ["name", "type", "key", "uid", "ip", "mountPath"];

/// The fields that differ, in the order of the newer version, and how many more there are than the limit.
///
/// The resource version and `managedFields`, which change with every write, are left out.
pub fn differences<'a>(old: &'a Value, new: &'a Value, limits: Limits) -> (Vec<Difference<'a>>, usize) {
    let mut found = Found { fields: Vec::new(), limits, more: 0, path: String::new() };
    found.compare(Some(old), Some(new));
    (found.fields, found.more)
}

struct Found<'a> {
    fields: Vec<Difference<'a>>,
    limits: Limits,
    more: usize,
    /// Of the values that are compared at the moment.
    path: String,
}

impl<'a> Found<'a> {
    fn compare(&mut self, old: Option<&'a Value>, new: Option<&'a Value>) {
        match (old, new) {
            // Most of two versions is the same, and needs no path.
            _ if old == new => {}
            (Some(Value::Object(old)), Some(Value::Object(new))) => self.members(old, new),
            (Some(Value::Array(old)), Some(Value::Array(new))) => self.elements(old, new),
            _ if matches!(&*self.path, "metadata.resourceVersion" | "metadata.managedFields") => {}
            _ if self.fields.len() == self.limits.fields => self.more += 1,
            _ => self.fields.push(Difference { path: self.path.clone(), old, new }),
        }
    }

    fn members(&mut self, old: &'a Map<String, Value>, new: &'a Map<String, Value>) {
        let gone = old.keys().filter(|name| !new.contains_key(*name));
        for name in new.keys().chain(gone) {
            self.below(|path, longest| push_member(path, &cut(name, longest)), old.get(name), new.get(name));
        }
    }

    fn elements(&mut self, old: &'a [Value], new: &'a [Value]) {
        if self.path == "metadata.managedFields" {
            return;
        }
        let (Some(was), Some(is)) = (named(old), named(new)) else {
            for place in 0..old.len().max(new.len()) {
                self.below(|path, _| _ = write!(path, "[{place}]"), old.get(place), new.get(place));
            }
            return;
        };
        let gone = was.keys().filter(|name| !is.contains_key(*name));
        for name in is.keys().chain(gone) {
            let (old, new) = (was.get(name).copied(), is.get(name).copied());
            self.below(|path, longest| _ = write!(path, "[{}]", cut(name, longest)), old, new);
        }
    }

    /// Compares two values whose path has one more part.
    fn below(
        &mut self,
        part: impl FnOnce(&mut String, usize),
        old: Option<&'a Value>,
        new: Option<&'a Value>,
    ) {
        if old == new {
            return;
        }
        let length = self.path.len();
        if length <= self.limits.path {
            part(&mut self.path, self.limits.path);
        }
        self.compare(old, new);
        self.path.truncate(length);
    }
}

/// `.name`, or `["a.b/c"]` for names with dots, such as those of labels.
fn push_member(path: &mut String, name: &str) {
    let _ = match (path.as_str(), name.contains(['.', '/'])) {
        (_, true) => write!(path, "[{}]", Value::from(name)),
        ("", false) => write!(path, "{name}"),
        (_, false) => write!(path, ".{name}"),
    };
}

fn cut(name: &str, longest: usize) -> Cow<'_, str> {
    match name.char_indices().find(|(at, c)| at + c.len_utf8() > longest) {
        Some((end, _)) => format!("{}…", &name[..end]).into(),
        None => name.into(),
    }
}

/// The elements by their identifying field, if all have one and no two are the same.
fn named(list: &[Value]) -> Option<BTreeMap<&str, &Value>> {
    let member = NAMING.iter().find(|member| list.iter().all(|item| item[**member].is_string()))?;
    let names: BTreeMap<_, _> =
        list.iter().filter_map(|item| Some((item[*member].as_str()?, item))).collect();
    (names.len() == list.len()).then_some(names)
}

#[cfg(test)]
mod tests;
