//! YAML that a terminal does not obey.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::is_obeyed;

/// A character that YAML writes as an escape within quotes. It is put before the code of one that it would write as it is.
const MARK: char = '\u{fffe}';

/// That escape. Where an object has these six characters itself, the first of them is marked.
const WRITTEN_MARK: &str = "\\uFFFE";

/// An object cannot be written as YAML.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot be written as YAML: {0}")]
pub struct YamlError(String);

/// An object as YAML. Characters that a terminal [obeys](is_obeyed) are escapes, and mean the same.
pub fn yaml(object: &Value) -> Result<String, YamlError> {
    let marked = marked(object);
    let text = serde_saphyr::to_string(&*marked).map_err(|error| YamlError(error.to_string()))?;
    let text = match marked {
        Cow::Borrowed(_) => text,
        Cow::Owned(_) => text.replace(WRITTEN_MARK, "\\u"),
    };
    // What the writer may have left as it is.
    let is_left = |c: char| !matches!(c, '\n' | '\t') && is_obeyed(c);
    if !text.contains(is_left) {
        return Ok(text);
    }
    let mut plain = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_left(c) {
            plain.extend(c.escape_default());
        } else {
            plain.push(c);
        }
    }
    Ok(plain)
}

/// The writer of YAML escapes control characters, but not those that change the direction of text.
fn is_marked(c: char) -> bool {
    c == MARK || (is_obeyed(c) && !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}'))
}

fn marked(value: &Value) -> Cow<'_, Value> {
    if has_marked(value) { Cow::Owned(mark(value)) } else { Cow::Borrowed(value) }
}

fn has_marked(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(is_marked),
        Value::Array(items) => items.iter().any(has_marked),
        Value::Object(members) => {
            members.iter().any(|(name, value)| name.contains(is_marked) || has_marked(value))
        }
        _ => false,
    }
}

fn mark(value: &Value) -> Value {
    match value {
        Value::String(text) => mark_text(text).into(),
        Value::Array(items) => items.iter().map(mark).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (mark_text(name), mark(value))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

fn mark_text(text: &str) -> String {
    let mut marked = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        if is_marked(c) || text[at..].starts_with(WRITTEN_MARK) {
            marked.push_str(&format!("{MARK}{:04X}", u32::from(c)));
        } else {
            marked.push(c);
        }
    }
    marked
}

#[cfg(test)]
mod tests;
