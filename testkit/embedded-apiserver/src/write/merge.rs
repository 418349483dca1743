//! Merge patches, as the library of kube-apiserver applies them.

use serde_json::Value;

/// Merges a patch into a value. A null removes a member. What is new has no members that are null, in lists neither; a list in
/// place of an object is taken as it is.
pub(super) fn apply(value: &mut Value, patch: Value) {
    match (value, patch) {
        (Value::Object(members), Value::Object(patch)) => {
            for (name, patch) in patch {
                match members.get_mut(&name) {
                    _ if patch.is_null() => drop(members.remove(&name)),
                    Some(member) if !member.is_null() => apply(member, patch),
                    _ => drop(members.insert(name, without_nulls(patch))),
                }
            }
        }
        (value @ Value::Object(_), patch) => *value = patch,
        (value, patch) => *value = without_nulls(patch),
    }
}

/// A value that is new, without fields that the patch only removes.
pub(super) fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.into_iter().filter(|(_, member)| !member.is_null());
            Value::Object(members.map(|(name, member)| (name, without_nulls(member))).collect())
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests;
