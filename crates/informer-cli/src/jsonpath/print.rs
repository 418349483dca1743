//! Results as text, in the form that Go gives them.

use serde_json::{Number, Value};

use super::{Piece, Template};
use crate::plain::{plain_json, plain_text};

impl Template {
    /// The text for a document. What comes from the document is harmless on a terminal; the template's own text stays as it is.
    pub(crate) fn print(&self, document: &Value) -> Result<String, String> {
        let mut text = String::new();
        print(&self.0, document, &mut text)?;
        Ok(text)
    }

    /// The results of each path as a list in JSON, for `jsonpath-as-json`.
    pub(crate) fn print_json(&self, document: &Value) -> Result<String, String> {
        let mut lists = Vec::new();
        collect(&self.0, document, &mut lists)?;
        Ok(lists.iter().map(|results| indented(results)).collect())
    }
}

fn print(pieces: &[Piece], document: &Value, text: &mut String) -> Result<(), String> {
    for piece in pieces {
        match piece {
            Piece::Text(literal) => text.push_str(literal),
            Piece::Path(path) => {
                let results: Vec<_> = path.find(document)?.into_iter().map(shown).collect();
                text.push_str(&results.join(" "));
            }
            Piece::Range(path, pieces) => {
                for value in path.find(document)? {
                    print(pieces, value, text)?;
                }
            }
        }
    }
    Ok(())
}

fn collect(pieces: &[Piece], document: &Value, lists: &mut Vec<Vec<Value>>) -> Result<(), String> {
    for piece in pieces {
        match piece {
            Piece::Text(literal) => lists.push(vec![literal.as_str().into()]),
            Piece::Path(path) => lists.push(path.find(document)?.into_iter().cloned().collect()),
            Piece::Range(path, pieces) => {
                for value in path.find(document)? {
                    collect(pieces, value, lists)?;
                }
            }
        }
    }
    Ok(())
}

/// A result of a template: objects and lists as JSON, texts without quotes.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::String(text) => plain_text(text).into_owned(),
        Value::Object(_) | Value::Array(_) => go_json(value),
        Value::Bool(_) | Value::Number(_) => go_text(value),
    }
}

/// JSON on one line.
fn go_json(value: &Value) -> String {
    go_escaped(&normal(value).to_string())
}

fn indented(results: &[Value]) -> String {
    let results: Value = results.iter().map(normal).collect();
    if results.as_array().is_some_and(Vec::is_empty) {
        return "[]\n".to_owned();
    }
    // The formatter indents by two blanks, Go by four. A line break within a text is an escape, so each line is one of JSON's.
    let pretty = format!("{results:#}");
    let lines = pretty.lines().map(|line| {
        let indent = line.len() - line.trim_start_matches(' ').len();
        format!("{}{line}\n", " ".repeat(indent))
    });
    go_escaped(&lines.collect::<String>())
}

/// Go writes `<`, `>` and `&` as escapes, so that JSON can stand in HTML.
fn go_escaped(json: &str) -> String {
    let json = plain_json(json);
    if !json.contains(['<', '>', '&']) {
        return json.into_owned();
    }
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// Numbers such as `1.0` as Go has them, which does not know how they were written.
fn normal(value: &Value) -> Value {
    match value {
        Value::Number(number) => whole(number).map_or_else(|| value.clone(), Value::from),
        Value::Array(items) => items.iter().map(normal).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), normal(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

/// The whole number that a number with a fraction of zero is.
#[expect(clippy::cast_possible_truncation, reason = "it is checked to be in range")]
fn whole(number: &Number) -> Option<i64> {
    let float =
        number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0 && float.abs() < 1e15)?;
    Some(float as i64)
}

/// A value as Go's `fmt.Sprint` writes it: `map[a:1 b:[x y]]`. The text is not escaped.
pub(crate) fn go_text(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => whole(number).map_or_else(|| number.to_string(), |whole| whole.to_string()),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(go_text).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Object(members) => {
            let members: Vec<_> =
                members.iter().map(|(name, value)| format!("{name}:{}", go_text(value))).collect();
            format!("map[{}]", members.join(" "))
        }
    }
}
