//! YAML that a terminal does not obey.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::plain::{is_obeyed, plain_text};

/// A character that YAML writes as an escape within quotes. It is put before the code of one that it would write as it is.
const MARK: char = '\u{fffe}';

pub(crate) fn yaml(document: &Value) -> Result<String, Failure> {
    let marked = marked(document);
    let text = serde_saphyr::to_string(&*marked).map_err(Failure::local)?;
    let text = match marked {
        Cow::Borrowed(_) => text,
        Cow::Owned(_) => text.replace("\\uFFFE", "\\u"),
    };
    Ok(plain_text(&text).into_owned())
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
    for c in text.chars() {
        match is_marked(c) {
            true => marked.push_str(&format!("{MARK}{:04X}", u32::from(c))),
            false => marked.push(c),
        }
    }
    marked
}

#[cfg(test)]
mod tests;
