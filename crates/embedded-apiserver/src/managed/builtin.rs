//! The types of the built-in kinds, from the OpenAPI documents: each when it is first needed.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use serde_json::{Map, Value};

use super::convert;
use super::types::{self, DEDUCED, Definition, Reference, Scalar, UNTYPED};
use crate::openapi::{self, Packed};

static TYPES: LazyLock<HashMap<&'static str, Lazy>> = LazyLock::new(|| {
    let packed = openapi::schemas().map(|packed| (packed.name, Some(packed)));
    let common = [DEDUCED, UNTYPED].map(|name| (name, None));
    packed.chain(common).map(|(name, packed)| (name, Lazy { packed, converted: OnceLock::new() })).collect()
});

/// The types of kinds, by apiVersion and kind.
static KINDS: LazyLock<HashMap<&'static str, Reference>> = LazyLock::new(|| {
    let packed = TYPES.values().filter_map(|lazy| lazy.packed).filter(|packed| !packed.kind.is_empty());
    packed.map(|packed| (packed.kind, Reference::named(packed.name))).collect()
});

struct Lazy {
    packed: Option<Packed>,
    converted: OnceLock<Definition>,
}

pub(crate) fn named(name: &str) -> Option<&'static Definition> {
    let (name, lazy) = TYPES.get_key_value(name)?;
    Some(lazy.converted.get_or_init(|| match (*name, lazy.packed) {
        ("io.k8s.apimachinery.pkg.api.resource.Quantity", _) => {
            Definition { scalar: Some(Scalar::Untyped), ..Definition::default() }
        }
        ("io.k8s.apimachinery.pkg.runtime.RawExtension", _) => types::common(UNTYPED).unwrap_or_default(),
        (_, Some(packed)) => convert::definition(&parsed(&packed), false),
        (name, None) => types::common(name).unwrap_or_default(),
    }))
}

/// The type of a built-in kind.
pub(crate) fn kind(api_version: &str, kind: &str) -> Option<&'static Reference> {
    KINDS.get(&*format!("{api_version} {kind}"))
}

/// An object of a type before anything is set in it, as Go has it: structs that are no pointers are there, so are scalars that
/// are written whatever they are, and lists and maps that are written even if they are empty are null. What an object has in
/// common with it, nobody has set.
pub(crate) fn empty(name: &str) -> Value {
    let Some(packed) = TYPES.get(name).and_then(|lazy| lazy.packed) else { return Map::new().into() };
    let schema = parsed(&packed);
    let required = schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut empty = Map::new();
    for (name, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let is_required = required.iter().any(|required| required == name);
        let is_list = matches!(field.get("type").and_then(Value::as_str), Some("array" | "object"));
        let reference = field.pointer("/allOf/0/$ref").and_then(Value::as_str);
        let reference = reference.and_then(|reference| reference.rsplit('/').next());
        let value = match (field.get("default"), reference) {
            (Some(Value::Object(default)), Some(of)) if default.is_empty() => self::empty(of),
            (Some(zero), None) if is_zero(zero) => zero.clone(),
            _ if is_list && is_required => Value::Null,
            _ => continue,
        };
        empty.insert(name.clone(), value);
    }
    empty.into()
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::String(text) => text.is_empty(),
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Bool(is_set) => !is_set,
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

/// The documents are part of the program; a test parses all of them.
fn parsed(packed: &Packed) -> Value {
    serde_json::from_str(packed.json).unwrap_or_default()
}
