//! Ratcheting: which part of the old object a part of the new one was.

use serde_json::{Map, Value};

use super::node::Node;

/// The part of the old object that a part of the new one was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Old<'a>(pub(super) &'a Value);

impl<'a> Old<'a> {
    /// Whether the new value is the old one. As in the real server, an object with a field that the schema does not know never
    /// is.
    pub(super) fn is_same(self, node: &Node, new: &Value) -> bool {
        match (self.0, new) {
            (Value::Object(old), Value::Object(new)) => {
                let is_same = |(name, value): (&String, &Value)| {
                    let of = node.field(name).zip(self.field(node, name));
                    of.is_some_and(|(of, old)| old.is_same(of, value))
                };
                old.len() == new.len() && new.iter().all(is_same)
            }
            (Value::Array(old), Value::Array(new)) if node.list_type.as_deref() == Some("map") => {
                let is_same = |item: &Value| {
                    let of = node.item().zip(self.item(node, item));
                    of.is_some_and(|(of, old)| old.is_same(of, item))
                };
                old.len() == new.len() && new.iter().all(is_same)
            }
            (old, new) => old == new,
        }
    }

    /// The old value of a field, if it had one and the schema knows the field.
    pub(super) fn field(self, node: &Node, name: &str) -> Option<Self> {
        node.field(name)?;
        self.0.as_object()?.get(name).map(Old)
    }

    /// The old item with the keys of a new one. Items of other lists than maps have no identity.
    pub(super) fn item(self, node: &Node, new: &Value) -> Option<Self> {
        if node.list_type.as_deref() != Some("map") {
            return None;
        }
        let (old, new) = (self.0.as_array()?, new.as_object()?);
        let default =
            |key: &str| node.item().and_then(|item| item.properties.get(key)).map(|key| &key.default);
        let key = |item: &'a Map<String, Value>, key: &str| item.get(key);
        let is_same = |item: &&'a Value| {
            item.as_object().is_some_and(|item| {
                node.list_keys.iter().all(|name| {
                    let new = new.get(name).or_else(|| default(name)).filter(|value| !value.is_null());
                    let old = key(item, name).or_else(|| default(name)).filter(|value| !value.is_null());
                    new == old
                })
            })
        };
        old.iter().find(is_same).map(Old)
    }
}
