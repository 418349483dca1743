//! The defaults of one kind, in the form of its objects.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use crate::schema::is_zero;

/// The defaults in a struct and in what it has inside.
#[derive(Debug, Default)]
pub(super) struct Tree {
    fields: Vec<Field>,
    inner: Vec<(&'static str, Inner, Self)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inner {
    Struct,
    /// The structs in a list.
    Items,
    /// The structs in a map.
    Values,
}

/// What a field becomes if it is not set: the first case that is met counts.
#[derive(Debug)]
struct Field {
    name: &'static str,
    /// Whether zero is as good as not set.
    zero: bool,
    cases: Vec<Case>,
}

#[derive(Debug)]
struct Case {
    condition: Option<Condition>,
    value: Option<Value>,
}

/// A condition on a field of the object as it was sent.
#[derive(Debug)]
struct Condition {
    /// How many structs further out the field is.
    up: usize,
    name: &'static str,
    zero: bool,
    /// Which value it has; any if that is not said.
    value: Option<&'static str>,
}

/// The structs around the one that is looked at.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    object: &'a Map<String, Value>,
    further: Option<&'a Self>,
}

impl Tree {
    /// Adds a line of the table. The table is part of the program; a test reads all of it.
    pub(super) fn add(&mut self, path: &'static str, condition: &'static str, value: &'static str) {
        let (steps, last) = path.rsplit_once('.').unwrap_or(("", path));
        let mut tree = self;
        for step in steps.split('.').filter(|step| !step.is_empty()) {
            let (name, inner) = match (step.strip_suffix("[]"), step.strip_suffix("{}")) {
                (Some(name), _) => (name, Inner::Items),
                (_, Some(name)) => (name, Inner::Values),
                _ => (step, Inner::Struct),
            };
            let there = tree.inner.iter().position(|(other, ..)| *other == name);
            let there = there.unwrap_or_else(|| {
                tree.inner.push((name, inner, Self::default()));
                tree.inner.len() - 1
            });
            tree = &mut tree.inner[there].2;
        }
        let (name, zero) = named(last);
        let case = Case { condition: Condition::read(condition), value: serde_json::from_str(value).ok() };
        match tree.fields.iter_mut().find(|field| field.name == name) {
            Some(field) => field.cases.push(case),
            None => tree.fields.push(Field { name, zero, cases: vec![case] }),
        }
    }

    /// Sets the defaults in an object. What is inside comes first, because conditions are about what was sent.
    pub(super) fn fill(&self, object: &mut Map<String, Value>, around: Option<&Around<'_>>) {
        for (name, inner, tree) in &self.inner {
            let Some(mut value) = object.get_mut(*name).map(Value::take) else { continue };
            let around = Around { object, further: around };
            match (inner, &mut value) {
                (Inner::Struct, Value::Object(inner)) => tree.fill(inner, Some(&around)),
                (Inner::Items, Value::Array(items)) => {
                    let items = items.iter_mut().filter_map(Value::as_object_mut);
                    items.for_each(|item| tree.fill(item, Some(&around)));
                }
                (Inner::Values, Value::Object(values)) => {
                    let values = values.values_mut().filter_map(Value::as_object_mut);
                    values.for_each(|value| tree.fill(value, Some(&around)));
                }
                _ => {}
            }
            object.insert((*name).to_owned(), value);
        }
        let here = Around { object, further: around };
        let missing = self.fields.iter().filter(|field| !is_set(object.get(field.name), field.zero));
        let defaults: Vec<(&str, Value)> =
            missing.filter_map(|field| Some((field.name, field.default(&here)?))).collect();
        for (name, value) in defaults {
            object.insert(name.to_owned(), value);
        }
    }
}

impl Field {
    fn default(&self, here: &Around<'_>) -> Option<Value> {
        let is_met = |case: &&Case| case.condition.as_ref().is_none_or(|condition| condition.is_met(here));
        let value = self.cases.iter().find(is_met)?.value.as_ref()?;
        Some(here.made(value))
    }
}

impl Condition {
    fn read(text: &'static str) -> Option<Self> {
        let mut name = text;
        let mut up = 0;
        while let Some(rest) = name.strip_prefix("../") {
            name = rest;
            up += 1;
        }
        let (name, value) = match name.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (name, None),
        };
        let (name, zero) = named(name);
        (!name.is_empty()).then_some(Self { up, name, zero, value })
    }

    fn is_met(&self, here: &Around<'_>) -> bool {
        let found = here.up(self.up).and_then(|around| around.object.get(self.name));
        match (self.value, found) {
            (None, found) => is_set(found, self.zero),
            (Some(wanted), Some(Value::String(text))) => text == wanted,
            (Some(wanted), Some(Value::Bool(is_set))) => is_set.to_string() == wanted,
            (Some(_), _) => false,
        }
    }
}

impl Around<'_> {
    fn up(&self, count: usize) -> Option<&Around<'_>> {
        match count {
            0 => Some(self),
            _ => self.further?.up(count - 1),
        }
    }

    /// The value of a field, which may be further out.
    fn find(&self, path: &str) -> Option<&Value> {
        match path.strip_prefix("../") {
            Some(rest) => self.further?.find(rest),
            None => self.object.get(path),
        }
    }

    /// A value of the table, with what it says about other fields.
    fn made(&self, value: &Value) -> Value {
        match value {
            Value::Object(members) => {
                let only = members.iter().next().filter(|_| members.len() == 1);
                if let Some((name, Value::String(path))) = only.filter(|(name, _)| name.starts_with('$')) {
                    let found = self.find(path);
                    return match &**name {
                        "$copy" => found.cloned().unwrap_or_default(),
                        "$first" => found.and_then(|list| list.get(0)).cloned().unwrap_or_default(),
                        _ => pull_policy(found.and_then(Value::as_str).unwrap_or_default()).into(),
                    };
                }
                members.iter().map(|(name, value)| (name.clone(), self.made(value))).collect()
            }
            Value::Array(items) => items.iter().map(|item| self.made(item)).collect(),
            scalar => scalar.clone(),
        }
    }
}

fn named(name: &'static str) -> (&'static str, bool) {
    match name.strip_suffix('~') {
        Some(name) => (name, true),
        None => (name, false),
    }
}

fn is_set(value: Option<&Value>, zero: bool) -> bool {
    value.is_some_and(|value| !(value.is_null() || zero && is_zero(value)))
}

/// The name of an image: perhaps a host and a port, the path, perhaps a tag, perhaps a digest.
static IMAGE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let label = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
    let host = format!(r"(?:{label}(?:\.{label})*|\[[A-Fa-f0-9:]+\])(?::[0-9]+)?");
    let part = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
    let tag = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}";
    let digest = "sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}";
    Regex::new(&format!("^(?:{host}/)?{part}(?:/{part})*(?::({tag}))?(?:@({digest}))?$")).ok()
});

/// An image without a tag is the latest one, unless a digest says which one it is, or it is no name of an image at all.
fn pull_policy(image: &str) -> &'static str {
    // This would be the digest of an image without its name.
    let is_digest = image.len() == 64 && image.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let parts = IMAGE.as_ref().and_then(|regex| regex.captures(image)).filter(|_| !is_digest);
    match parts.map(|parts| (parts.get(1).map(|tag| tag.as_str()), parts.get(2).is_some())) {
        Some((Some("latest"), _) | (None, false)) => "Always",
        Some(_) | None => "IfNotPresent",
    }
}
