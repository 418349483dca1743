//! Words of Go's standard library, which are part of the API where the real server passes them on.

use serde_json::error::Category;

/// What Go says about JSON that cannot be read.
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

/// A byte as Go shows it between quotes.
fn quoted(byte: u8) -> String {
    match byte {
        b'\'' => r"'\''".to_owned(),
        b'"' => "'\"'".to_owned(),
        b' '..=b'~' => format!("'{}'", char::from(byte)),
        0x80.. => format!("'\\u{byte:04x}'"),
        _ => format!("'\\x{byte:02x}'"),
    }
}

/// How Go calls what a JSON value is.
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
