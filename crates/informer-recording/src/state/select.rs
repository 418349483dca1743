//! Which objects a request is about: namespace, labels and fields.

use std::borrow::Cow;
use std::collections::HashMap;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;

use super::Key;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Selection {
    namespace: Option<String>,
    labels: Vec<Label>,
    fields: Vec<Field>,
}

/// A selector that is not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a recording cannot be searched with the selector {0:?}")]
pub(crate) struct BadSelector(String);

/// A label has one of some values, or is there if there are none; or not.
#[derive(Clone, Debug, PartialEq)]
struct Label {
    key: String,
    values: Vec<String>,
    holds: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct Field {
    path: String,
    value: String,
    equal: bool,
}

#[derive(Deserialize)]
struct Labelled<'a> {
    #[serde(borrow)]
    metadata: Labels<'a>,
}

#[derive(Deserialize)]
struct Labels<'a> {
    #[serde(borrow, default)]
    labels: Option<HashMap<Cow<'a, str>, Cow<'a, str>>>,
}

impl Selection {
    pub(crate) fn new(namespace: Option<String>, labels: &str, fields: &str) -> Result<Self, BadSelector> {
        let labels = terms(labels).map(|term| label(term).ok_or_else(|| BadSelector(labels.to_owned())));
        let fields = terms(fields).map(|term| field(term).ok_or_else(|| BadSelector(fields.to_owned())));
        Ok(Self {
            namespace,
            labels: labels.collect::<Result<_, _>>()?,
            fields: fields.collect::<Result<_, _>>()?,
        })
    }

    /// Whether it is about one object at most.
    pub(crate) fn is_by_name(&self) -> bool {
        self.fields.iter().any(|field| field.equal && field.path == "metadata.name")
    }

    /// Whether an object with this key can be selected.
    pub(super) fn may_have(&self, key: &Key) -> bool {
        let by_key = |field: &Field| match &*field.path {
            "metadata.name" => (field.value == key.name) == field.equal,
            "metadata.namespace" => (field.value == key.namespace) == field.equal,
            _ => true,
        };
        self.namespace.as_ref().is_none_or(|namespace| *namespace == key.namespace)
            && self.fields.iter().all(by_key)
    }

    pub(crate) fn has(&self, key: &Key, object: &Bytes) -> bool {
        self.may_have(key) && self.has_labels(object) && self.has_fields(object)
    }

    fn has_labels(&self, object: &Bytes) -> bool {
        if self.labels.is_empty() {
            return true;
        }
        let labels = serde_json::from_slice::<Labelled<'_>>(object).ok();
        let labels = labels.and_then(|object| object.metadata.labels).unwrap_or_default();
        self.labels.iter().all(|label| {
            let value = labels.get(&*label.key);
            let is_so = value.is_some_and(|value| {
                label.values.is_empty() || label.values.iter().any(|wanted| wanted == value)
            });
            is_so == label.holds
        })
    }

    fn has_fields(&self, object: &Bytes) -> bool {
        let is_in_key = |field: &&Field| matches!(&*field.path, "metadata.name" | "metadata.namespace");
        let mut others = self.fields.iter().filter(|field| !is_in_key(field)).peekable();
        if others.peek().is_none() {
            return true;
        }
        let object: Value = serde_json::from_slice(object).unwrap_or_default();
        others.all(|field| {
            let found = field.path.split('.').fold(&object, |value, name| &value[name]);
            let found: Cow<'_, str> = match found {
                Value::Null => "".into(),
                Value::String(text) => text.into(),
                other => other.to_string().into(),
            };
            (found == field.value) == field.equal
        })
    }
}

/// What stands between commas, except for those in parentheses.
fn terms(selector: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    let terms = selector.split(move |character| {
        depth += i32::from(character == '(') - i32::from(character == ')');
        character == ',' && depth <= 0
    });
    terms.map(str::trim).filter(|term| !term.is_empty())
}

/// `a=b`, `a==b` or `a!=b`.
fn comparison(term: &str) -> Option<(&str, &str, bool)> {
    if let Some((left, right)) = term.split_once("!=") {
        return Some((left.trim(), right.trim(), false));
    }
    let (left, right) = term.split_once('=')?;
    Some((left.trim(), right.strip_prefix('=').unwrap_or(right).trim(), true))
}

fn label(term: &str) -> Option<Label> {
    let is_key =
        |key: &str| !key.is_empty() && !key.contains(|c: char| c.is_whitespace() || "<>()!".contains(c));
    let (key, values, holds) = if let Some((left, values)) = term.split_once('(') {
        let values = values.strip_suffix(')')?.split(',').map(|value| value.trim().to_owned()).collect();
        let (key, operator) = left.trim().rsplit_once(char::is_whitespace)?;
        let holds = match operator {
            "in" => true,
            "notin" => false,
            _ => return None,
        };
        (key.trim(), values, holds)
    } else if let Some((key, value, equal)) = comparison(term) {
        (key, vec![value.to_owned()], equal)
    } else {
        match term.strip_prefix('!') {
            Some(key) => (key.trim(), Vec::new(), false),
            None => (term, Vec::new(), true),
        }
    };
    is_key(key).then(|| Label { key: key.to_owned(), values, holds })
}

fn field(term: &str) -> Option<Field> {
    let (path, value, equal) = comparison(term)?;
    // Escaped commas and the like are not split right.
    let is_plain = !path.is_empty() && !term.contains('\\');
    is_plain.then(|| Field { path: path.to_owned(), value: value.to_owned(), equal })
}
