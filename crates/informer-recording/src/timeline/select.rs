//! Which objects a request is about: namespace, labels and fields.

use std::borrow::Cow;
use std::collections::HashMap;

use bytes::Bytes;
use informer_wire::selector::{FieldSelector, FieldTerm, LabelSelector, SelectorError};
use serde::Deserialize;
use serde_json::Value;

use super::Key;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Selection {
    namespace: Option<String>,
    labels: LabelSelector,
    fields: FieldSelector,
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
    pub(crate) fn new(namespace: Option<String>, labels: &str, fields: &str) -> Result<Self, SelectorError> {
        Ok(Self { namespace, labels: LabelSelector::parse(labels)?, fields: FieldSelector::parse(fields)? })
    }

    /// Of these, the object with this name, which need not be one that a selector can hold as it is.
    pub(crate) fn named(self, name: &str) -> Self {
        Self { fields: self.fields.named(name), ..self }
    }

    /// Whether it is about one object at most.
    pub(crate) fn is_by_name(&self) -> bool {
        self.fields.name().is_some()
    }

    /// Whether an object with this key can be selected.
    pub(super) fn may_have(&self, key: &Key) -> bool {
        let by_key = |term: &FieldTerm| match term.field() {
            "metadata.name" => term.holds(&key.name),
            "metadata.namespace" => term.holds(&key.namespace),
            _ => true,
        };
        self.namespace.as_ref().is_none_or(|namespace| *namespace == key.namespace)
            && self.fields.terms().iter().all(by_key)
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
        self.labels.matches(|key| labels.get(key).map(|value| &**value))
    }

    fn has_fields(&self, object: &Bytes) -> bool {
        let is_in_key = |term: &&FieldTerm| matches!(term.field(), "metadata.name" | "metadata.namespace");
        let mut others = self.fields.terms().iter().filter(|term| !is_in_key(term)).peekable();
        if others.peek().is_none() {
            return true;
        }
        let object: Value = serde_json::from_slice(object).unwrap_or_default();
        others.all(|term| {
            let found = term.field().split('.').fold(&object, |value, name| &value[name]);
            match found {
                Value::Null => term.holds(""),
                Value::String(text) => term.holds(text),
                other => term.holds(&other.to_string()),
            }
        })
    }
}
