//! Server-side apply of a status, unless it is so already.

use kube_client::core::params::{Patch, PatchParams};
use kube_informer::ObjectKey;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::error::WriteError;
use super::objects::Objects;

impl<C: Send + Sync + 'static> Objects<C> {
    /// Applies a status under the name of a field manager, who takes the fields that somebody else has. Whether it was sent: it is not
    /// if nothing would change.
    ///
    /// That is known if the whole status is as it should be. A manager of only a part of the status, such as one condition of
    /// several, needs [`keep_managed_fields`](kube_informer::Options::keep_managed_fields) for that: they say which part is whose.
    /// In doubt it is sent.
    pub async fn apply_status(
        &self,
        key: &ObjectKey,
        manager: &str,
        status: &impl Serialize,
    ) -> Result<bool, WriteError> {
        let status = serde_json::to_value(status).map_err(|error| self.invalid(&error))?;
        if let Some(object) = self.get(key) {
            let current: Value = serde_json::from_slice(&object.raw_json()).unwrap_or_default();
            if is_applied(&current, manager, &status) {
                return Ok(false);
            }
        }
        let mut metadata = json!({ "name": key.name() });
        if let Some(namespace) = key.namespace() {
            metadata["namespace"] = namespace.into();
        }
        let applied = self.value(&json!({ "metadata": metadata, "status": status }))?;
        let params = PatchParams::apply(manager).force();
        self.patch_status(key, &params, &Patch::Apply(applied)).await.map(|_| true)
    }
}

/// Whether applying this status would change nothing of an object, its managers included where they are known.
fn is_applied(object: &Value, manager: &str, status: &Value) -> bool {
    let current = &object["status"];
    let Some(managers) = object["metadata"]["managedFields"].as_array() else {
        return current == status || (current.is_null() && status.as_object().is_some_and(Map::is_empty));
    };
    let mine = managers.iter().find(|entry| {
        entry["manager"] == manager && entry["operation"] == "Apply" && entry["subresource"] == "status"
    });
    mine.is_some_and(|mine| is_same(&mine["fieldsV1"]["f:status"], current, status))
}

/// Whether what is applied has the fields that the manager has, no more and no fewer, and they have these values.
fn is_same(fields: &Value, current: &Value, applied: &Value) -> bool {
    let Some(fields) = fields.as_object() else { return false };
    let mut below = fields.iter().filter(|(name, _)| *name != ".").peekable();
    if below.peek().is_none() {
        // All of it, or an empty one that others may have something in.
        return current == applied || (fields.contains_key(".") && is_empty(applied) && !current.is_null());
    }
    let count = fields.len() - usize::from(fields.contains_key("."));
    let has_all = match applied {
        Value::Object(applied) => applied.len() == count,
        Value::Array(applied) => applied.len() == count,
        _ => false,
    };
    has_all
        && below.all(|(name, fields)| match (child(current, name), child(applied, name)) {
            (Some(current), Some(applied)) => is_same(fields, current, applied),
            _ => false,
        })
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(Map::is_empty) || value.as_array().is_some_and(Vec::is_empty)
}

/// What a name of `fieldsV1` stands for: `f:` is a field, `k:` the item of a list with these keys, `v:` a value of a set.
fn child<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    let (sort, text) = name.split_once(':')?;
    if sort == "f" {
        return value.get(text);
    }
    let wanted: Value = serde_json::from_str(text).ok()?;
    let is_it = |item: &&Value| match (sort, &wanted) {
        ("k", Value::Object(keys)) => keys.iter().all(|(key, value)| item.get(key) == Some(value)),
        ("v", _) => **item == wanted,
        _ => false,
    };
    value.as_array()?.iter().find(is_it)
}

#[cfg(test)]
mod tests;
