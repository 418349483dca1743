//! Random schemas, and random objects that nearly fit them.

use fastrand::Rng;
use serde_json::{Map, Value, json};

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];
const TEXTS: [&str; 9] = ["", "a", "b", "ab", "abc", "2026-01-01", "10.0.0.1", "1h", "long text"];
const FORMATS: [&str; 6] = ["date", "ipv4", "duration", "int32", "uuid", "other"];
const PATTERNS: [&str; 4] = ["^a", "b$", "^[a-c]*$", r"\d"];

fn one<T: Clone>(rng: &mut Rng, of: &[T]) -> T {
    of[rng.usize(..of.len())].clone()
}

/// Adds a keyword now and then.
fn maybe(rng: &mut Rng, node: &mut Value, name: &str, value: Value) {
    if rng.u8(..4) == 0 {
        node[name] = value;
    }
}

/// The schema of an object.
pub(crate) fn schema(rng: &mut Rng, depth: usize) -> Value {
    let mut node = json!({ "type": "object" });
    match rng.u8(..8) {
        0 => node["additionalProperties"] = field(rng, depth - 1),
        1 => node["x-kubernetes-preserve-unknown-fields"] = true.into(),
        _ => {}
    }
    if node.get("additionalProperties").is_none() {
        let fields: Map<String, Value> =
            (0..rng.usize(1..4)).map(|_| (one(rng, &NAMES).to_owned(), field(rng, depth - 1))).collect();
        let required: Vec<String> = fields.keys().filter(|_| rng.u8(..4) == 0).cloned().collect();
        if !required.is_empty() {
            node["required"] = json!(required);
        }
        node["properties"] = fields.into();
    }
    let (least, most) = (rng.u8(..2), rng.u8(1..4));
    maybe(rng, &mut node, "maxProperties", most.into());
    maybe(rng, &mut node, "minProperties", least.into());
    if rng.u8(..5) == 0 {
        let required = |rng: &mut Rng| json!({ "required": [one(rng, &NAMES)] });
        let (name, parts) = (one(rng, &["anyOf", "oneOf", "allOf"]), [required(rng), required(rng)]);
        node[name] = json!(parts);
    }
    node
}

fn field(rng: &mut Rng, depth: usize) -> Value {
    let mut node = match rng.u8(..if depth == 0 { 8 } else { 12 }) {
        0..3 => text(rng),
        3..6 => number(rng),
        6 => json!({ "type": "boolean" }),
        7 if rng.bool() => json!({ "x-kubernetes-int-or-string": true }),
        7 => json!({ "x-kubernetes-preserve-unknown-fields": true }),
        8 | 9 => list(rng, depth),
        _ => schema(rng, depth),
    };
    maybe(rng, &mut node, "nullable", true.into());
    if rng.u8(..4) == 0 {
        node["default"] = near(rng, &node.clone(), 40);
    }
    node
}

fn text(rng: &mut Rng) -> Value {
    let mut node = json!({ "type": "string" });
    let (least, most) = (rng.u8(..3), rng.u8(..4));
    maybe(rng, &mut node, "minLength", least.into());
    maybe(rng, &mut node, "maxLength", most.into());
    let (pattern, format, values) =
        (one(rng, &PATTERNS), one(rng, &FORMATS), [one(rng, &TEXTS), one(rng, &TEXTS)]);
    maybe(rng, &mut node, "pattern", pattern.into());
    maybe(rng, &mut node, "format", format.into());
    maybe(rng, &mut node, "enum", json!(values));
    if rng.u8(..5) == 0 {
        node["not"] = json!({ "pattern": one(rng, &PATTERNS) });
    }
    node
}

fn number(rng: &mut Rng) -> Value {
    let kind = one(rng, &["integer", "number"]);
    let mut node = json!({ "type": kind });
    let (least, most, factor) = (rng.i8(-3..3), rng.i8(0..6), rng.u8(1..4));
    let half = f64::from(most) + 0.5;
    let (format, values) = (one(rng, &["int32", "int64", "float", "double"]), [rng.i8(-5..5), rng.i8(-5..5)]);
    maybe(rng, &mut node, "minimum", least.into());
    let most = if kind == "number" && rng.bool() { json!(half) } else { json!(most) };
    maybe(rng, &mut node, "maximum", most);
    maybe(rng, &mut node, "exclusiveMinimum", true.into());
    maybe(rng, &mut node, "exclusiveMaximum", true.into());
    maybe(rng, &mut node, "multipleOf", factor.into());
    maybe(rng, &mut node, "format", format.into());
    maybe(rng, &mut node, "enum", json!(values));
    if rng.u8(..5) == 0 {
        let parts = [
            json!({ "minimum": rng.i8(-5..5) }),
            json!({ "maximum": rng.i8(-5..5) }),
            json!({ "multipleOf": 2 }),
        ];
        node[one(rng, &["anyOf", "oneOf", "allOf"])] = json!(parts);
    }
    node
}

fn list(rng: &mut Rng, depth: usize) -> Value {
    let mut node = match rng.u8(..4) {
        0 => json!({ "type": "array", "x-kubernetes-list-type": "set", "items": text(rng) }),
        1 => {
            let fields = json!({ "a": text(rng), "b": field(rng, depth - 1) });
            let item = json!({ "type": "object", "required": ["a"], "properties": fields });
            json!({
                "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"], "items": item,
            })
        }
        _ => json!({ "type": "array", "items": field(rng, depth - 1) }),
    };
    let (least, most) = (rng.u8(..2), rng.u8(..4));
    maybe(rng, &mut node, "minItems", least.into());
    maybe(rng, &mut node, "maxItems", most.into());
    node
}

/// Gives rules to some fields of an object. Deeper ones could cost more than the real server allows.
#[cfg(feature = "cel")]
pub(super) fn add_rules(rng: &mut Rng, schema: &mut Value) {
    for field in schema["properties"].as_object_mut().into_iter().flat_map(Map::values_mut) {
        let rules: &[&str] = match field["type"].as_str().unwrap_or_default() {
            // Dates and durations are no texts, and rules about them are not supported.
            _ if field.to_string().contains("\"format\":\"d") => continue,
            "string" => &["self.size() < 3", "self.startsWith('a')", "self == oldSelf || self.matches('^a')"],
            "integer" => &["self > 0", "self >= oldSelf", "self % 2 == 0"],
            "number" => &["self > 0.5", "self < 2", "self >= oldSelf"],
            "array" => &["self.size() != 2", "self.size() >= oldSelf.size()"],
            "boolean" => &["self", "self || oldSelf"],
            _ => continue,
        };
        let rule = one(rng, rules);
        maybe(rng, field, "x-kubernetes-validations", json!([{ "rule": rule }]));
    }
}

/// Anything at all.
fn anything(rng: &mut Rng) -> Value {
    match rng.u8(..9) {
        0 => Value::Null,
        1 => rng.bool().into(),
        2 => rng.i8(-6..6).into(),
        3 => (f64::from(rng.i8(-6..6)) / 2.0).into(),
        4..6 => one(rng, &TEXTS).into(),
        6 => json!([one(rng, &TEXTS), rng.u8(..3)]),
        7 => json!([{ "a": one(rng, &TEXTS) }, { "a": null, "z": 1 }]),
        _ => json!({ one(rng, &NAMES): one(rng, &TEXTS), "z": { "y": 1 } }),
    }
}

/// A value of about that schema. One of `right` values is wrong.
pub(crate) fn near(rng: &mut Rng, schema: &Value, right: u8) -> Value {
    if rng.u8(..right) == 0 {
        return anything(rng);
    }
    if let Some(values) = schema["enum"].as_array().filter(|_| rng.u8(..4) > 0) {
        return one(rng, values);
    }
    match schema["type"].as_str().unwrap_or_default() {
        "string" => one(rng, &TEXTS).into(),
        "integer" => rng.i8(-6..7).into(),
        "number" if rng.bool() => rng.i8(-6..7).into(),
        "number" => (f64::from(rng.i8(-12..13)) / 2.0).into(),
        "boolean" => rng.bool().into(),
        "array" => (0..rng.usize(..4)).map(|_| near(rng, &schema["items"], right)).collect(),
        "object" => {
            let mut object = Map::new();
            for (name, of) in schema["properties"].as_object().into_iter().flatten() {
                if rng.u8(..4) > 0 {
                    object.insert(name.clone(), near(rng, of, right));
                }
            }
            if let Some(of) = schema.get("additionalProperties") {
                for _ in 0..rng.usize(..3) {
                    object.insert(one(rng, &NAMES).to_owned(), near(rng, of, right));
                }
            }
            if rng.u8(..right) == 0 {
                object.insert("zz".to_owned(), anything(rng));
            }
            object.into()
        }
        _ => anything(rng),
    }
}
