//! Protobuf from JSON, by a table of fields.

use serde_json::Value;

use crate::hole::{self, Value as Number};
use crate::schema::{Field, Type};

/// A message of the fields that a JSON object has. A field the schema lacks is a mistake in one of the two.
pub(crate) fn encode(value: &Value, schema: &[Field]) -> Vec<u8> {
    let empty = serde_json::Map::new();
    let object = value.as_object().unwrap_or(&empty);
    for name in object.keys() {
        assert!(known(schema, name), "the schema has no field {name}");
    }
    encode_fields(object, schema)
}

fn known(schema: &[Field], name: &str) -> bool {
    schema.iter().any(|(field, _, kind)| match kind {
        Type::Inline(inner) => known(inner, name),
        _ => *field == name,
    })
}

fn encode_fields(object: &serde_json::Map<String, Value>, schema: &[Field]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, number, kind) in schema {
        if let Type::Inline(inner) = kind {
            let message = encode_fields(object, inner);
            if !message.is_empty() {
                bytes(&mut out, *number, &message);
            }
            continue;
        }
        match object.get(*name) {
            None | Some(Value::Null) => {}
            Some(Value::Array(items)) => items.iter().for_each(|item| field(&mut out, *number, *kind, item)),
            Some(value) => field(&mut out, *number, *kind, value),
        }
    }
    out
}

fn field(out: &mut Vec<u8>, number: u32, kind: Type, value: &Value) {
    let text = value.as_str().unwrap_or_default();
    match kind {
        Type::Text => bytes(out, number, text.as_bytes()),
        // A number in a hole is text as long as the template is one.
        Type::Integer if value.is_string() => {
            varint(out, u64::from(number) << 3);
            out.extend(hole::number(Number::CountVarint, place(text)));
        }
        Type::Integer => integer(out, number, value.as_u64().unwrap_or_default()),
        Type::Bool => integer(out, number, value.as_bool().unwrap_or_default().into()),
        Type::Message(schema) => bytes(out, number, &encode(value, schema)),
        Type::Time => bytes(out, number, &time(text)),
        Type::MicroTime => bytes(out, number, &micro_time(text)),
        Type::Quantity => bytes(out, number, &one_text(1, text)),
        Type::PortNumber => {
            let mut message = Vec::new();
            integer(&mut message, 1, 0);
            integer(&mut message, 2, value.as_u64().unwrap_or_default());
            bytes(out, number, &message);
        }
        Type::RawJson => bytes(out, number, &one_text(1, &value.to_string())),
        Type::Secret => bytes(out, number, &secret(text)),
        Type::Map(inner) => {
            for (key, value) in value.as_object().into_iter().flatten() {
                let mut entry = one_text(1, key);
                field(&mut entry, 2, *inner, value);
                bytes(out, number, &entry);
            }
        }
        Type::Inline(_) => {}
    }
}

/// A time is always a hole.
fn time(text: &str) -> Vec<u8> {
    let value = if text.starts_with("~t") { Number::VersionTimeVarint } else { Number::TimeVarint };
    let mut message = vec![1 << 3];
    message.extend(hole::number(value, place(text)));
    integer(&mut message, 2, 0);
    message
}

/// So is a time to the microsecond.
fn micro_time(text: &str) -> Vec<u8> {
    let (seconds, nanos) = match text.starts_with("~c") {
        true => (Number::VersionTimeVarint, Number::VersionNanosVarint),
        false => (Number::TimeVarint, Number::NanosVarint),
    };
    let mut message = vec![1 << 3];
    message.extend(hole::number(seconds, place(text)));
    message.push(2 << 3);
    message.extend(hole::number(nanos, place(text)));
    message
}

/// The digits of a hole.
fn place(text: &str) -> u8 {
    text.get(2..4).and_then(|digits| digits.parse().ok()).unwrap_or_default()
}

/// Base64 is always a hole too: its bytes are three quarters as wide.
fn secret(text: &str) -> Vec<u8> {
    hole::text('R', place(text).into(), text.len() / 4 * 3).into_bytes()
}

fn one_text(number: u32, text: &str) -> Vec<u8> {
    let mut message = Vec::new();
    bytes(&mut message, number, text.as_bytes());
    message
}

pub(crate) fn bytes(out: &mut Vec<u8>, number: u32, value: &[u8]) {
    varint(out, (u64::from(number) << 3) | 2);
    varint(out, value.len() as u64);
    out.extend_from_slice(value);
}

fn integer(out: &mut Vec<u8>, number: u32, value: u64) {
    varint(out, u64::from(number) << 3);
    varint(out, value);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
