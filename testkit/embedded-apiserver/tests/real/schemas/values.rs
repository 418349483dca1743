//! Values under schemas: pruned, defaulted, refused.

use anyhow::Result;
use serde_json::{Value, json};

use super::{JSON, MERGE, THINGS, Things, thing, version_of};

fn spec(fields: &Value) -> Value {
    json!({ "type": "object", "properties": { "spec": { "type": "object", "properties": fields } } })
}

/// Schemas of `spec.a`, and values of it.
#[expect(clippy::too_many_lines, reason = "one case a line")]
fn values() -> Vec<(Value, Vec<Value>)> {
    let anything = || {
        vec![
            json!(null),
            json!(true),
            json!(0),
            json!(5),
            json!(-5),
            json!(1.5),
            json!(1.0),
            json!(""),
            json!("a"),
            json!("abc"),
            json!([]),
            json!(["a"]),
            json!([1, null]),
            json!({}),
            json!({ "x": 1 }),
            json!({ "x": null, "y": "z" }),
        ]
    };
    let texts = |texts: &[&str]| texts.iter().map(|text| json!(text)).collect::<Vec<_>>();
    let format = |format: &str, good: &[&str]| {
        let mut values = texts(good);
        values.extend(texts(&["", "x", "a b", "-"]));
        values.extend([json!(5), json!([]), json!({})]);
        (json!({ "type": "string", "format": format }), values)
    };
    let list = |kind: &str| json!({ "type": "array", "x-kubernetes-list-type": kind, "items": { "type": "string" } });
    let item = json!({ "type": "object", "required": ["k"], "properties": {
        "k": { "type": "string" }, "n": { "type": "integer", "default": 1 }, "v": { "type": "string" } } });
    let map = |keys: &[&str]| json!({ "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": item });
    let embedded = json!({ "type": "object", "x-kubernetes-embedded-resource": true, "properties": { "spec": { "type": "object" } } });
    vec![
        (json!({ "type": "string" }), anything()),
        (json!({ "type": "integer" }), anything()),
        (json!({ "type": "number" }), anything()),
        (json!({ "type": "boolean" }), anything()),
        (json!({ "type": "array", "items": { "type": "string" } }), anything()),
        (json!({ "type": "object" }), anything()),
        (json!({ "type": "object", "properties": { "x": { "type": "integer" } } }), anything()),
        (json!({ "type": "object", "additionalProperties": { "type": "integer" } }), anything()),
        (
            json!({ "type": "object", "additionalProperties": true }),
            vec![json!({ "x": { "y": 1 }, "z": 1, "l": [{ "a": 1 }] })],
        ),
        (
            json!({ "type": "object", "additionalProperties": false }),
            vec![json!({}), json!({ "x": { "y": 1 }, "z": 1 })],
        ),
        (json!({ "x-kubernetes-int-or-string": true }), anything()),
        (json!({ "x-kubernetes-int-or-string": true, "pattern": "^a", "maximum": 4 }), anything()),
        (json!({ "x-kubernetes-preserve-unknown-fields": true }), anything()),
        (json!({ "type": "string", "nullable": true }), anything()),
        (json!({ "type": "string", "default": "d" }), anything()),
        (json!({ "type": "string", "nullable": true, "default": "d" }), anything()),
        (
            json!({ "type": "object", "default": { "x": 2 }, "properties": { "x": { "type": "integer" }, "y": { "type": "string", "default": "z" } } }),
            anything(),
        ),
        (
            json!({ "type": "array", "items": { "type": "integer", "default": 7 } }),
            vec![json!([null, 1]), json!([[]])],
        ),
        (
            json!({ "type": "array", "items": { "type": "integer", "nullable": true } }),
            vec![json!([null, 1])],
        ),
        (
            json!({ "type": "object", "additionalProperties": { "type": "integer", "default": 7 } }),
            vec![json!({ "a": null, "b": 1 })],
        ),
        // Numbers.
        (
            json!({ "type": "integer", "minimum": 2, "maximum": 4 }),
            vec![json!(1), json!(2), json!(4), json!(5), json!(3.0), json!(1.0), json!(2.5)],
        ),
        (
            json!({ "type": "integer", "minimum": 2, "maximum": 4, "exclusiveMinimum": true, "exclusiveMaximum": true }),
            vec![json!(2), json!(3), json!(4)],
        ),
        (
            json!({ "type": "number", "minimum": 1.5, "maximum": 2.5 }),
            vec![json!(1), json!(1.4), json!(2.5), json!(3), json!(2.6)],
        ),
        (
            json!({ "type": "number", "exclusiveMaximum": true, "maximum": 2.5 }),
            vec![json!(2.5), json!(2), json!(3)],
        ),
        (json!({ "type": "integer", "minimum": 1.5 }), vec![json!(1), json!(2)]),
        (json!({ "type": "integer", "multipleOf": 3 }), vec![json!(3), json!(4), json!(0), json!(-3)]),
        (json!({ "type": "number", "multipleOf": 0.5 }), vec![json!(1), json!(1.5), json!(1.4)]),
        (json!({ "type": "number", "multipleOf": 2 }), vec![json!(1), json!(4), json!(3.5), json!(4.0)]),
        (
            json!({ "type": "integer", "format": "int32" }),
            vec![json!(5), json!(3_000_000_000_i64), json!("a"), json!(true), json!(1.5), json!([])],
        ),
        (
            json!({ "type": "integer", "format": "int64" }),
            vec![json!(5), json!(3_000_000_000_i64), json!("a"), json!({})],
        ),
        (json!({ "type": "number", "format": "float" }), vec![json!(5), json!(1e39), json!("a")]),
        (
            json!({ "type": "number", "format": "double" }),
            vec![json!(5), json!(1e39), json!(0.000_01), json!(true)],
        ),
        (json!({ "type": "integer", "enum": [1, 2, 1.5] }), vec![json!(1), json!(3), json!(1.0), json!("1")]),
        (
            json!({ "type": "string", "enum": ["a", "B"] }),
            vec![json!("a"), json!("b"), json!(66), json!(null)],
        ),
        (
            json!({ "type": "string", "nullable": true, "enum": ["a", null] }),
            vec![json!("a"), json!(null), json!("c")],
        ),
        (
            json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true, "enum": [{ "a": 1 }] }),
            vec![json!({ "a": 1 }), json!({ "a": 2 })],
        ),
        // Texts.
        (
            json!({ "type": "string", "minLength": 2, "maxLength": 3, "pattern": "^a+$" }),
            texts(&["a", "aa", "aaa", "aaaa", "bb", "äö"]),
        ),
        (json!({ "type": "string", "maxLength": 1 }), texts(&["a", "äö", "ä"])),
        (json!({ "type": "string", "pattern": r"^\d+[\w.]*$" }), texts(&["1", "1a.b", "٣", "1-"])),
        // Lists and objects.
        (
            json!({ "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 2 }),
            vec![json!([]), json!(["a"]), json!(["a", "b", "c"]), json!([1, 2, 3])],
        ),
        (
            json!({ "type": "object", "additionalProperties": { "type": "string" }, "minProperties": 1, "maxProperties": 1 }),
            vec![json!({}), json!({ "a": "b" }), json!({ "a": "b", "c": "d" })],
        ),
        (
            json!({ "type": "object", "required": ["x", "y"], "properties": { "x": { "type": "string" }, "y": { "type": "string" } } }),
            vec![
                json!({}),
                json!({ "x": "a" }),
                json!({ "x": "a", "y": "b" }),
                json!({ "x": null, "y": "b" }),
            ],
        ),
        (list("set"), vec![json!(["a", "b"]), json!(["a", "a", "b", "a", "b"]), json!(["a", 1, 1])]),
        (list("atomic"), vec![json!(["a", "a"])]),
        (
            map(&["k"]),
            vec![
                json!([{ "k": "a" }, { "k": "b" }]),
                json!([{ "k": "a" }, { "k": "a" }, { "k": "a" }]),
                json!([{}, {}]),
                json!(["a"]),
                json!([null, { "k": "a" }]),
            ],
        ),
        (
            map(&["k", "n"]),
            vec![json!([{ "k": "a" }, { "k": "a", "n": 2 }]), json!([{ "k": "a" }, { "k": "a", "n": 1 }])],
        ),
        // Combinations.
        (
            json!({ "type": "object", "properties": { "x": { "type": "integer" }, "y": { "type": "integer" } }, "oneOf": [{ "required": ["x"] }, { "required": ["y"] }] }),
            vec![json!({}), json!({ "x": 1 }), json!({ "x": 1, "y": 2 })],
        ),
        (
            json!({ "type": "integer", "anyOf": [{ "minimum": 5 }, { "maximum": 2 }, { "multipleOf": 2 }] }),
            vec![json!(1), json!(3), json!(4), json!(5)],
        ),
        (
            json!({ "type": "integer", "allOf": [{ "minimum": 5 }, { "maximum": 7 }] }),
            vec![json!(1), json!(6), json!(8)],
        ),
        (json!({ "type": "integer", "allOf": [{ "minimum": 5 }, { "minimum": 6 }] }), vec![json!(1)]),
        (json!({ "type": "string", "not": { "enum": ["a"] } }), texts(&["a", "b"])),
        (
            json!({ "type": "integer", "oneOf": [{ "minimum": 5 }, { "minimum": 6, "multipleOf": 2 }] }),
            vec![json!(1), json!(5), json!(6)],
        ),
        (
            json!({ "type": "object", "properties": { "x": { "type": "string" }, "y": { "type": "object", "properties": { "z": { "type": "integer" } } } }, "anyOf": [{ "required": ["x"], "properties": { "x": { "pattern": "a" } } }, { "properties": { "y": { "required": ["z"], "properties": { "z": { "minimum": 3 } } } } }] }),
            vec![
                json!({}),
                json!({ "x": "b" }),
                json!({ "x": "b", "y": {} }),
                json!({ "x": "b", "y": { "z": 1 } }),
                json!({ "x": "a", "y": { "z": 1 } }),
            ],
        ),
        // Formats.
        format("date", &["2026-01-31", "2026-02-30", "20260131", "2026-1-1"]),
        format(
            "date-time",
            &[
                "2026-01-31T00:00:00Z",
                "2026-01-31T00:00:00.123+01:00",
                "2026-01-31 00:00:00",
                "2026-01-31T24:00:00Z",
                "2026-01-31t00:00:00z",
            ],
        ),
        format("duration", &["1s", "1h30m", "1.5h", "2 days", "3 weeks", "1x", "-1s", "0"]),
        format("byte", &["YQ==", "YQ", "YWJj", "!!!!"]),
        format(
            "uuid",
            &[
                "4c3d7a5e-0f3b-4a53-8d0b-9d1d2a3b4c5d",
                "4c3d7a5e0f3b4a538d0b9d1d2a3b4c5d",
                "4C3D7A5E-0F3B-4A53-8D0B-9D1D2A3B4C5D",
            ],
        ),
        format("uuid4", &["4c3d7a5e-0f3b-4a53-8d0b-9d1d2a3b4c5d", "4c3d7a5e-0f3b-3a53-8d0b-9d1d2a3b4c5d"]),
        format("ipv4", &["10.0.0.1", "010.0.0.1", "256.0.0.1", "::1", "1.2.3", "::ffff:1.2.3.4"]),
        format("ipv6", &["::1", "fe80::1", "10.0.0.1", "::ffff:1.2.3.4", "1::2::3"]),
        format("cidr", &["10.0.0.0/8", "10.0.0.0/33", "fe80::/10", "10.0.0.0"]),
        format("mac", &["00:11:22:33:44:55", "00-11-22-33-44-55", "0011.2233.4455", "00:11"]),
        format("hostname", &["a", "a.example.com", "a_b", "-a", "a.b", "1.2"]),
        format("email", &["a@b.c", "a@b", "A <a@b.c>", "a@", "@b"]),
        format("uri", &["http://a.b/c", "/a/b", "mailto:a@b.c", "a/b", "http://", "1://a"]),
        format("hexcolor", &["#fff", "ffffff", "#ffff"]),
        format("rgbcolor", &["rgb(1,2,3)", "rgb( 1 , 2,3)", "rgb(256,2,3)"]),
        format("ssn", &["123-45-6789", "123456789", "123 45 6789"]),
        format("creditcard", &["4111111111111111", "4111-1111-1111-1111", "4111111111111112"]),
        format("isbn", &["0321751043", "978-0321751041", "978-0321751042"]),
        format("isbn10", &["0321751043", "080442957X"]),
        format("bsonobjectid", &["507f1f77bcf86cd799439011"]),
        format("password", &["anything"]),
        format("k8s-short-name", &["a", "a-b", "a.b", "A"]),
        format("k8s-long-name", &["a", "a-b", "a.b", "A", "a..b"]),
        format("other", &["a"]),
        (json!({ "format": "date", "x-kubernetes-preserve-unknown-fields": true }), anything()),
        // Embedded resources.
        (
            embedded.clone(),
            vec![
                json!({}),
                json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a", "foo": 1 }, "spec": { "x": 1 }, "more": 1 }),
                json!({ "apiVersion": "a/b/c", "kind": "1x", "metadata": { "name": "a/b", "labels": { "-": "-" } } }),
                json!({ "apiVersion": "", "kind": "" }),
                json!({ "apiVersion": 5, "kind": "Pod" }),
                json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": 5 } }),
                json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "creationTimestamp": null, "name": "" } }),
            ],
        ),
    ]
}

/// Whole objects under one schema, for which fields are unknown at many places.
fn unknown() -> (Value, Vec<Value>) {
    let schema = spec(&json!({
        "known": { "type": "object", "properties": { "a": { "type": "string" } } },
        "open": { "type": "object", "x-kubernetes-preserve-unknown-fields": true,
                  "properties": { "closed": { "type": "object", "properties": { "a": { "type": "string" } } } } },
        "list": { "type": "array", "items": { "type": "object", "properties": { "a": { "type": "string" } } } },
        "openList": { "x-kubernetes-preserve-unknown-fields": true, "type": "array",
                      "items": { "type": "object", "properties": { "o": { "type": "object" } } } },
        "map": { "type": "object", "additionalProperties": { "type": "object", "properties": { "a": { "type": "string" } } } },
        "pod": { "type": "object", "x-kubernetes-embedded-resource": true, "properties": { "spec": { "type": "object" } } },
    }));
    let pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "p", "zzz": 1 }, "spec": { "x": 1 }, "b": 2 });
    let objects = vec![
        json!({ "more": 1, "status": { "x": 1 }, "spec": {} }),
        json!({ "spec": { "known": { "a": "x", "b": 1, "c": {} }, "unknown": [1] } }),
        json!({ "spec": { "open": { "x": { "y": 1 }, "closed": { "a": "b", "c": 1 } } } }),
        json!({ "spec": { "list": [{ "a": "b" }, { "b": 1 }, { "a": "c", "d": null }] } }),
        json!({ "spec": { "openList": [{ "a": 1, "o": { "b": 1 } }, 5] } }),
        json!({ "spec": { "map": { "x": { "b": 1 }, "y": null } } }),
        json!({ "spec": { "pod": pod, "a.b": 1, "c": null } }),
        json!({ "spec": null, "metadata": { "name": "x", "labels": { "a": "b" }, "foo": 1 } }),
        json!({ "spec": "text" }),
        json!({ "spec": [1] }),
    ];
    (schema, objects)
}

#[tokio::test]
async fn values_are_pruned_defaulted_and_refused_as_by_the_real_server() -> Result<()> {
    let test = "values_are_pruned_defaulted_and_refused_as_by_the_real_server";
    let Some(mut things) = Things::define(test).await? else { return Ok(()) };
    let mut problems = Vec::new();
    for (schema, values) in values() {
        things.change(&spec(&json!({ "a": schema })), &Value::Null).await?;
        for value in values {
            let body = thing("x", &json!({ "spec": { "a": value } })).to_string();
            let differs = things.differ(&format!("POST {THINGS}?dryRun=All"), JSON, &body).await?;
            problems.extend(differs.map(|differs| format!("{schema} {differs}")));
        }
    }
    let (schema, objects) = unknown();
    things.change(&schema, &Value::Null).await?;
    for object in objects {
        for validation in ["Ignore", "Warn", "Strict"] {
            let path = format!("POST {THINGS}?dryRun=All&fieldValidation={validation}");
            problems.extend(things.differ(&path, JSON, &thing("x", &object).to_string()).await?);
            let path = format!("PATCH {THINGS}/probe?dryRun=All&fieldValidation={validation}");
            problems.extend(things.differ(&path, MERGE, &object.to_string()).await?);
        }
    }
    assert!(problems.is_empty(), "{} of them:\n{}", problems.len(), problems.join("\n"));
    things.servers.stop().await
}

/// What an object has kept from an earlier schema: shown with new defaults, kept if it is wrong and unchanged.
#[tokio::test]
async fn objects_outlive_their_schemas_as_on_the_real_server() -> Result<()> {
    let test = "objects_outlive_their_schemas_as_on_the_real_server";
    let Some(mut things) = Things::define(test).await? else { return Ok(()) };
    let open = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    let item = json!({ "type": "object", "required": ["k"], "properties": { "k": { "type": "string" }, "v": { "type": "integer", "maximum": 5 } } });
    let strict = spec(&json!({
        "a": { "type": "string", "maxLength": 2 }, "n": { "type": "integer", "minimum": 3 },
        "d": { "type": "string", "default": "x" },
        "list": { "type": "array", "items": { "type": "string", "maxLength": 1 } },
        "set": { "type": "array", "x-kubernetes-list-type": "set", "items": { "type": "string" } },
        "map": { "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items": item },
        "in": { "type": "object", "required": ["r"], "properties": { "r": { "type": "string" }, "s": { "type": "string", "enum": ["q"] } } },
        "any": { "type": "object", "properties": { "x": { "type": "integer" } }, "anyOf": [{ "properties": { "x": { "minimum": 5 } } }] },
    }));
    let stored = json!({ "spec": {
        "a": "abc", "n": 1, "gone": { "x": 1 }, "list": ["aa", "b"], "set": ["a", "a"],
        "map": [{ "k": "a", "v": 9 }, { "k": "b", "v": 1 }], "in": { "s": "z" }, "any": { "x": 1 }, "nil": null,
    } });
    let patches = [
        json!({}),
        json!({ "metadata": { "labels": { "a": "b" } } }),
        json!({ "spec": { "d": "y" } }),
        json!({ "spec": { "a": "abcd" } }),
        json!({ "spec": { "n": 2 } }),
        json!({ "spec": { "list": ["aa", "c"] } }),
        json!({ "spec": { "set": ["a", "a", "b"] } }),
        json!({ "spec": { "set": ["b", "c"] } }),
        json!({ "spec": { "map": [{ "k": "a", "v": 9 }, { "k": "b", "v": 2 }] } }),
        json!({ "spec": { "map": [{ "k": "a", "v": 8 }] } }),
        json!({ "spec": { "in": { "s": "y" } } }),
        json!({ "spec": { "in": { "r": "x" } } }),
        json!({ "spec": { "any": { "x": 2 } } }),
        json!({ "spec": { "gone": { "x": 2 } } }),
        json!({ "spec": null }),
    ];
    let mut problems = Vec::new();
    things.change(&json!({ "type": "object", "properties": { "spec": open } }), &Value::Null).await?;
    for index in 0..patches.len() {
        problems.extend(
            things
                .differ(&format!("POST {THINGS}"), JSON, &thing(&format!("x{index}"), &stored).to_string())
                .await?,
        );
    }
    things.change(&strict, &Value::Null).await?;
    for (index, patch) in patches.iter().enumerate() {
        let path = format!("{THINGS}/x{index}");
        problems.extend(things.differ(&format!("GET {path}"), JSON, "").await?);
        let mut wrote = Vec::new();
        for client in [&things.servers.real, &things.servers.embedded] {
            wrote.push(version_of(client, &path).await?);
        }
        problems.extend(things.differ(&format!("PATCH {path}"), MERGE, &patch.to_string()).await?);
        let mut changed = Vec::new();
        for (client, before) in [&things.servers.real, &things.servers.embedded].into_iter().zip(wrote) {
            changed.push(version_of(client, &path).await? != before);
        }
        if changed[0] != changed[1] {
            problems.push(format!(
                "{patch}: the real server wrote {}, the embedded one {}",
                changed[0], changed[1]
            ));
        }
        problems.extend(things.differ(&format!("GET {path}"), JSON, "").await?);
    }
    // What was pruned is seen again when its field is back.
    things.change(&json!({ "type": "object", "properties": { "spec": open } }), &Value::Null).await?;
    for index in 0..patches.len() {
        problems.extend(things.differ(&format!("GET {THINGS}/x{index}"), JSON, "").await?);
    }
    assert!(problems.is_empty(), "{} of them:\n{}", problems.len(), problems.join("\n"));
    things.servers.stop().await
}
