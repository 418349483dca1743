//! Defaults of built-in kinds that only the real server sets: fields below `spec`, `status` and `template` that the embedded
//! object lacks. A value that the case has ever written there is no default: if the embedded server lacks it, a write is lost.
//!
//! This file goes when the embedded server sets these defaults.

use std::collections::BTreeSet;

use serde_json::Value;

/// What a case has written: the path of each value, without the places in lists, and the value. As in
/// `spec/template/spec/containers/image "i"`.
#[derive(Default)]
pub(crate) struct Written(BTreeSet<String>);

impl Written {
    /// Remembers a request that the real server has accepted.
    pub(crate) fn learn(&mut self, body: &Value) {
        match body {
            // A body that is sent as it is.
            Value::String(text) => {
                if let Ok(body @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text) {
                    self.learn(&body);
                }
            }
            // A JSON patch.
            Value::Array(operations) => {
                for operation in operations {
                    let path = operation["path"].as_str().unwrap_or_default().split('/');
                    let is_name =
                        |part: &&str| !part.is_empty() && *part != "-" && part.parse::<usize>().is_err();
                    let path = path.filter(is_name).fold(String::new(), |path, part| below(&path, part));
                    self.0.extend(values(&path, &operation["value"]));
                }
            }
            other => self.0.extend(values("", other)),
        }
    }

    /// Whether a part of this value was written.
    fn has_part_of(&self, path: &str, value: &Value) -> bool {
        values(path, value).iter().any(|value| self.0.contains(value))
    }
}

/// Every value in a value, with its path.
fn values(path: &str, value: &Value) -> Vec<String> {
    match value {
        Value::Object(members) if !members.is_empty() => {
            members.iter().flat_map(|(name, value)| values(&below(path, name), value)).collect()
        }
        Value::Array(items) if !items.is_empty() => {
            items.iter().flat_map(|item| values(path, item)).collect()
        }
        other => vec![format!("{path} {other}")],
    }
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") }
}

/// Removes the defaults from the answer of the real server.
pub(crate) fn without_defaults(real: &mut Value, embedded: &Value, written: &Written) {
    if embedded["body"]["kind"] == "Status" || real["body"]["kind"] == "Status" {
        return;
    }
    of_object(&mut real["body"], &embedded["body"], written);
    let items = (real.pointer_mut("/body/items"), embedded.pointer("/body/items"));
    if let (Some(Value::Array(real)), Some(Value::Array(embedded))) = items {
        real.iter_mut().zip(embedded).for_each(|(real, embedded)| of_object(real, embedded, written));
    }
}

fn of_object(real: &mut Value, embedded: &Value, written: &Written) {
    // Custom resources have no defaults that are not in their schemas.
    let is_custom = real["apiVersion"].as_str().is_some_and(|version| version.contains("example.com"));
    let Some(real) = real.as_object_mut().filter(|_| !is_custom) else { return };
    for name in ["spec", "status", "template"] {
        match (real.get_mut(name), embedded.get(name)) {
            (Some(real), Some(embedded)) => keep_common(real, embedded, name, written),
            (Some(value), None) if !written.has_part_of(name, value) => drop(real.remove(name)),
            _ => {}
        }
    }
}

fn keep_common(real: &mut Value, embedded: &Value, path: &str, written: &Written) {
    match (real, embedded) {
        (Value::Object(real), Value::Object(embedded)) => {
            real.retain(|name, value| {
                embedded.contains_key(name) || written.has_part_of(&below(path, name), value)
            });
            for (name, value) in real {
                if let Some(embedded) = embedded.get(name) {
                    keep_common(value, embedded, &below(path, name), written);
                }
            }
        }
        (Value::Array(real), Value::Array(embedded)) => {
            let pairs = real.iter_mut().zip(embedded);
            pairs.for_each(|(real, embedded)| keep_common(real, embedded, path, written));
        }
        _ => {}
    }
}
