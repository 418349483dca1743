//! Ratcheting: which part of the old object a part of the new one was.

use std::collections::HashMap;

use serde_json::Value;

use super::node::Node;

/// The part of the old object that a part of the new one was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Old<'a> {
    pub(super) value: &'a Value,
    /// Whether it is a whole object.
    pub(super) is_root: bool,
}

impl<'a> Old<'a> {
    pub(super) fn root(value: &'a Value) -> Self {
        Self { value, is_root: true }
    }

    pub(super) fn part(value: &'a Value) -> Self {
        Self { value, is_root: false }
    }

    /// Whether the new value is the old one. As in the real server, an object with a field that the schema does not know never
    /// is.
    pub(super) fn is_same(self, node: &Node, new: &Value) -> bool {
        match (self.value, new) {
            (Value::Object(old), Value::Object(new)) => {
                let is_same = |(name, value): (&String, &Value)| {
                    let of = node.field(name).zip(self.field(node, name));
                    of.is_some_and(|(of, old)| old.is_same(of, value))
                };
                old.len() == new.len() && new.iter().all(is_same)
            }
            (Value::Array(old), Value::Array(new)) if node.is_map() => {
                let items = self.items(node);
                let is_same = |item: &Value| {
                    let of = node.item().zip(items.find(item));
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
        self.value.as_object()?.get(name).map(Self::part)
    }

    /// The items of an old list by their keys. Items of other lists than maps have no identity.
    pub(super) fn items<'n>(self, node: &'n Node) -> OldItems<'a, 'n> {
        let mut items = OldItems { node, by_key: HashMap::new() };
        for item in self.value.as_array().filter(|_| node.is_map()).into_iter().flatten() {
            if let Some(key) = items.key(item) {
                items.by_key.entry(key).or_insert(item);
            }
        }
        items
    }
}

/// The items of an old list that is a map.
#[derive(Debug)]
pub(super) struct OldItems<'a, 'n> {
    node: &'n Node,
    by_key: HashMap<Vec<Option<Value>>, &'a Value>,
}

impl<'a> OldItems<'a, '_> {
    /// The old item with the keys of a new one.
    pub(super) fn find(&self, new: &Value) -> Option<Old<'a>> {
        if self.by_key.is_empty() {
            return None;
        }
        self.by_key.get(&self.key(new)?).copied().map(Old::part)
    }

    /// The keys of an item, or their defaults.
    fn key(&self, item: &Value) -> Option<Vec<Option<Value>>> {
        let item = item.as_object()?;
        let default = |name: &str| Some(&self.node.item()?.properties.get(name)?.default);
        let part = |name: &String| {
            item.get(name).or_else(|| default(name)).filter(|value| !value.is_null()).cloned()
        };
        Some(self.node.list_keys.iter().map(part).collect())
    }
}
