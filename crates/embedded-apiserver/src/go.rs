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
