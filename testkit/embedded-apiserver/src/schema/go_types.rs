//! What Go writes of the types of built-in kinds, which the OpenAPI documents do not tell: a table that `cargo xtask codegen`
//! makes from the types themselves.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::openapi;

static TEXT: LazyLock<String> = LazyLock::new(|| openapi::unpack(include_bytes!("go_types.zst")));

static LINES: LazyLock<HashMap<&'static str, (&'static str, &'static str)>> = LazyLock::new(|| {
    let line = |line: &'static str| {
        let (name, rest) = line.split_once('\t')?;
        Some((name, rest.split_once('\t')?))
    };
    TEXT.lines().filter_map(line).collect()
});

/// How Go writes a struct.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// The fields that are written even if they are not set, with what is written then.
    pub(crate) always: Map<String, Value>,
    /// The fields that are not written if they are zero.
    pub(super) unless_zero: Vec<&'static str>,
}

/// How Go writes the type with that name in the documents.
pub(crate) fn written(name: &str) -> Option<Written> {
    let (always, unless_zero) = LINES.get(name)?;
    // The table is part of the program; a test reads all of it.
    let always = serde_json::from_str(always).unwrap_or_default();
    Some(Written { always, unless_zero: unless_zero.split(',').filter(|name| !name.is_empty()).collect() })
}

/// Whether it is what a field has that is not set: no pointer, list or map, nor anything that is null.
pub(crate) fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Bool(is_set) => !is_set,
        Value::Array(_) | Value::Object(_) => false,
    }
}

/// All of them.
#[cfg(test)]
pub(super) fn all() -> Vec<(&'static str, &'static str)> {
    LINES.iter().map(|(name, (always, _))| (*name, *always)).collect()
}
