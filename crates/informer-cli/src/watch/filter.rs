//! Which events `watch` shows.

use informer_wire::Path;
use serde_json::Value;

use crate::watch::line::Told;

/// `--changes` and `--grep`. Everything passes if neither is given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    changes: Vec<Path>,
    text: Option<String>,
}

impl Filter {
    pub(crate) fn new(changes: Vec<Path>, text: Option<String>) -> Self {
        Self { changes, text }
    }

    pub(crate) fn passes(&self, told: &Told) -> bool {
        self.has_changed(told) && self.has_text(told)
    }

    /// An update passes if what one of the paths leads to is different. What is added or deleted passes.
    fn has_changed(&self, told: &Told) -> bool {
        let Some((old, new)) = told.both() else { return true };
        self.changes.is_empty() || self.changes.iter().any(|path| path.find(old) != path.find(new))
    }

    /// An update passes if the text is in what changed, another event if it is anywhere in the object; each if it is in the key.
    fn has_text(&self, told: &Told) -> bool {
        let Some(text) = &self.text else { return true };
        if told.object().key().to_string().contains(text) {
            return true;
        }
        if told.both().is_none() {
            return contains(told.content(), text);
        }
        told.changes().iter().any(|change| {
            let values = [&change.old, &change.new].into_iter().flatten();
            change.path.contains(text) || values.into_iter().any(|value| contains(value, text))
        })
    }
}

/// Whether a value has the text in it, in a name or in a value.
fn contains(value: &Value, text: &str) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(truth) => truth.to_string().contains(text),
        Value::Number(number) => number.to_string().contains(text),
        Value::String(value) => value.contains(text),
        Value::Array(items) => items.iter().any(|item| contains(item, text)),
        Value::Object(members) => {
            members.iter().any(|(name, value)| name.contains(text) || contains(value, text))
        }
    }
}

#[cfg(test)]
mod tests;
