//! Error messages of Go's standard library, which the real server passes on to clients.

use serde_json::error::Category;

/// Go's message for JSON that cannot be parsed.
pub(crate) fn json_problem(json: &[u8], error: &serde_json::Error) -> String {
    match error.classify() {
        Category::Eof => "unexpected end of JSON input".to_owned(),
        Category::Syntax | Category::Data | Category::Io => {
            let lines = json.split(|byte| *byte == b'\n').take(error.line().saturating_sub(1));
            let before: usize = lines.map(|line| line.len() + 1).sum();
            let at = (before + error.column().saturating_sub(1)).min(json.len().saturating_sub(1));
            let found = json.get(at).copied().unwrap_or_default();
            format!("invalid character {} looking for beginning of value", quoted(found))
        }
    }
}

/// A byte in quotes, as Go writes it.
fn quoted(byte: u8) -> String {
    match byte {
        b'\'' => r"'\''".to_owned(),
        b'"' => "'\"'".to_owned(),
        b' '..=b'~' => format!("'{}'", char::from(byte)),
        0x80.. => format!("'\\u{byte:04x}'"),
        _ => format!("'\\x{byte:02x}'"),
    }
}

/// A JSON value as Go prints one with `%v`: `map[a:1 b:[x y]]`.
pub(crate) fn printed(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => "<nil>".to_owned(),
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(items) => {
            format!("[{}]", items.iter().map(printed).collect::<Vec<_>>().join(" "))
        }
        serde_json::Value::Object(members) => printed_map(members),
        // Without `.0`.
        serde_json::Value::Number(number) if number.is_f64() => {
            number.as_f64().unwrap_or_default().to_string()
        }
        serde_json::Value::Bool(_) | serde_json::Value::Number(_) => value.to_string(),
    }
}

/// An object as Go prints it.
pub(crate) fn printed_map(members: &serde_json::Map<String, serde_json::Value>) -> String {
    let mut members: Vec<_> = members.iter().collect();
    members.sort_by_key(|(name, _)| *name);
    let members: Vec<String> =
        members.into_iter().map(|(name, value)| format!("{name}:{}", printed(value))).collect();
    format!("map[{}]", members.join(" "))
}

/// The Go type that a JSON value is read into if nothing is known about it.
pub(crate) fn dynamic_type(value: &serde_json::Value) -> &'static str {
    match value {
        serde_json::Value::Null => "%!s(<nil>)",
        serde_json::Value::Bool(_) => "bool",
        serde_json::Value::Number(number) if number.is_f64() => "float64",
        serde_json::Value::Number(_) => "int64",
        serde_json::Value::String(_) => "string",
        serde_json::Value::Array(_) => "[]interface {}",
        serde_json::Value::Object(_) => "map[string]interface {}",
    }
}

/// Go's word for the type of a JSON value.
pub(crate) fn json_type(value: &serde_json::Value) -> &'static str {
    match value {
        serde_json::Value::Null => "null",
        serde_json::Value::Bool(_) => "bool",
        serde_json::Value::Number(_) => "number",
        serde_json::Value::String(_) => "string",
        serde_json::Value::Array(_) => "array",
        serde_json::Value::Object(_) => "object",
    }
}

/// Makes integers of floats that are such, which Go writes without a point.
pub(crate) fn tidy_numbers(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Number(number) => {
            if let Some(float) = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0) {
                #[expect(clippy::cast_possible_truncation, reason = "it has no fraction and is in range")]
                if float.abs() < 9e18 {
                    *number = (float as i64).into();
                }
            }
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(tidy_numbers),
        serde_json::Value::Object(members) => members.values_mut().for_each(tidy_numbers),
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::String(_) => {}
    }
}
