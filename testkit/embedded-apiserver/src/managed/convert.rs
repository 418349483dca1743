//! Types from OpenAPI schemas.

use serde_json::{Map, Value};

use super::types::{self, DEDUCED, Definition, Field, List, Reference, Scalar, UNTYPED};

/// The type that a schema describes. `preserves` is whether unknown fields are kept although nothing is said of them.
pub(crate) fn definition(schema: &Value, preserves: bool) -> Definition {
    let preserves = preserves || is_true(schema, "x-kubernetes-preserve-unknown-fields");
    let untyped = Some(Scalar::Untyped);
    match (text(schema, "type"), text(schema, "format")) {
        ("", _) => Definition {
            scalar: untyped,
            list: Some(list(schema, preserves)),
            map: Some(map(schema, preserves)),
        },
        ("object", _) => Definition { map: Some(map(schema, preserves)), ..Definition::default() },
        ("array", _) => Definition { list: Some(list(schema, preserves)), ..Definition::default() },
        ("integer" | "number", _) => scalar(Scalar::Numeric),
        ("boolean", _) => scalar(Scalar::Boolean),
        ("string", "" | "byte") => scalar(Scalar::String),
        _ => scalar(Scalar::Untyped),
    }
}

fn scalar(scalar: Scalar) -> Definition {
    Definition { scalar: Some(scalar), ..Definition::default() }
}

fn reference(schema: &Value, preserves: bool) -> Reference {
    let one_of_all = match schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
        Some([one]) => text(one, "$ref"),
        _ => "",
    };
    let reference = match text(schema, "$ref") {
        "" => one_of_all,
        reference => reference,
    };
    match reference.rsplit('/').next() {
        Some(name) if !name.is_empty() => {
            Reference::Named { name: name.to_owned(), atomic: is_atomic(schema) }
        }
        _ => Reference::Inline(Box::new(definition(schema, preserves))),
    }
}

fn map(schema: &Value, preserves: bool) -> types::Map {
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let fields = properties.iter().map(|(name, field)| {
        let default = field.get("default").filter(|default| !default.is_null()).cloned();
        (name.clone(), Field { of: reference(field, preserves), default })
    });
    let values = match schema.get("additionalProperties") {
        // An object of which nothing is said is free.
        None if preserves || properties.is_empty() => Reference::named(DEDUCED),
        None | Some(Value::Bool(false)) => Reference::Nothing,
        Some(Value::Bool(true)) => Reference::named(DEDUCED),
        Some(values) => reference(values, preserves),
    };
    types::Map { fields: fields.collect(), values, atomic: is_atomic(schema) == Some(true) }
}

fn list(schema: &Value, preserves: bool) -> List {
    let items = match schema.get("items") {
        Some(items) => reference(items, preserves),
        None => Reference::named(UNTYPED),
    };
    let texts = |list: &Value| -> Vec<String> {
        let list = list.as_array().into_iter().flatten();
        list.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let (atomic, keys) =
        match (text(schema, "x-kubernetes-list-type"), text(schema, "x-kubernetes-patch-strategy")) {
            ("set", _) => (false, Vec::new()),
            ("map", _) => (false, schema.get("x-kubernetes-list-map-keys").map(texts).unwrap_or_default()),
            ("", "merge" | "merge,retainKeys") => {
                let key = schema.get("x-kubernetes-patch-merge-key").and_then(Value::as_str);
                (false, key.map(str::to_owned).into_iter().collect())
            }
            _ => (true, Vec::new()),
        };
    List { items, atomic, keys }
}

fn is_atomic(schema: &Value) -> Option<bool> {
    match text(schema, "x-kubernetes-map-type") {
        "" => None,
        kind => Some(kind == "atomic"),
    }
}

fn text<'a>(schema: &'a Value, name: &str) -> &'a str {
    schema.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn is_true(schema: &Value, name: &str) -> bool {
    schema.get(name).and_then(Value::as_bool).unwrap_or_default()
}
