//! Definitions whose schemas are refused.

use anyhow::Result;
use serde_json::{Value, json};

use super::{JSON, compared, definition};
use crate::support::{DEFINITIONS, Servers, with, write};

fn schema(spec: &Value) -> Value {
    json!({ "type": "object", "properties": { "spec": spec } })
}

fn field(field: &Value) -> Value {
    schema(&json!({ "type": "object", "properties": { "a": field } }))
}

#[expect(clippy::too_many_lines, reason = "one case a line")]
fn schemas() -> Vec<Value> {
    let embedded =
        |more: Value| field(&with(json!({ "type": "object", "x-kubernetes-embedded-resource": true }), more));
    let list =
        |kind: &str, items: Value| json!({ "type": "array", "x-kubernetes-list-type": kind, "items": items });
    let item = |more: Value| {
        let item =
            json!({ "type": "object", "required": ["k"], "properties": { "k": { "type": "string" } } });
        with(item, more)
    };
    let map = |keys: &[&str], items: Value| {
        let mut list = list("map", items);
        list["x-kubernetes-list-map-keys"] = json!(keys);
        list
    };
    vec![
        // Structure.
        json!({}),
        json!({ "type": "string" }),
        json!({ "type": "object", "nullable": true }),
        json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        json!({ "properties": { "spec": {} } }),
        json!({ "x-kubernetes-preserve-unknown-fields": true }),
        json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true }),
        json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": false }),
        schema(&json!({})),
        schema(&json!({ "x-kubernetes-preserve-unknown-fields": true })),
        schema(&json!({ "x-kubernetes-int-or-string": true })),
        schema(&json!({ "type": "text" })),
        schema(&json!({ "type": "null" })),
        schema(&json!({ "type": "array" })),
        schema(&json!({ "type": "array", "items": {} })),
        schema(&json!({ "type": "array", "items": [{ "type": "string" }] })),
        schema(&json!({ "type": "object", "additionalProperties": true })),
        schema(&json!({ "type": "object", "additionalProperties": {} })),
        schema(
            &json!({ "type": "object", "additionalProperties": { "type": "string" }, "properties": { "a": { "type": "string" } } }),
        ),
        schema(
            &json!({ "type": "object", "additionalProperties": false, "properties": { "a": { "type": "string" } } }),
        ),
        schema(
            &json!({ "type": "object", "additionalProperties": true, "properties": { "a": { "type": "string" } } }),
        ),
        schema(&json!({ "type": "string", "pattern": "(" })),
        schema(&json!({ "type": "array", "uniqueItems": true, "items": { "type": "string" } })),
        json!({ "type": "object", "properties": { "metadata": { "type": "string" }, "kind": { "type": "object" }, "apiVersion": { "type": "integer" } } }),
        json!({ "type": "object", "properties": { "metadata": { "type": "object", "properties": { "name": { "type": "string", "pattern": "a" } } } } }),
        json!({ "type": "object", "properties": { "metadata": { "type": "object", "properties": { "labels": { "type": "object" } } } } }),
        json!({ "type": "object", "properties": { "metadata": { "type": "object", "description": "x" } } }),
        json!({ "type": "object", "properties": { "metadata": { "type": "object", "default": {} }, "kind": { "type": "string", "default": "a" } } }),
        // Keywords that are not supported.
        field(&json!({ "type": "string", "$ref": "#/a" })),
        field(&json!({ "type": "object", "definitions": { "a": { "type": "string" } } })),
        field(&json!({ "type": "object", "dependencies": { "a": ["b"] } })),
        field(&json!({ "type": "object", "patternProperties": { "a": { "type": "string" } } })),
        field(&json!({ "type": "array", "items": { "type": "string" }, "additionalItems": false })),
        field(&json!({ "type": "object", "id": "a" })),
        // allOf and the like.
        field(&json!({ "type": "string", "anyOf": [{ "type": "string" }, { "pattern": "a" }] })),
        field(
            &json!({ "type": "string", "allOf": [{ "default": "a", "title": "t", "description": "d", "nullable": true }] }),
        ),
        field(
            &json!({ "type": "object", "oneOf": [{ "required": ["x"] }, { "properties": { "x": { "minimum": 1 } } }] }),
        ),
        field(&json!({ "type": "object", "not": { "additionalProperties": { "minimum": 1 } } })),
        field(
            &json!({ "type": "object", "not": { "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-int-or-string": true, "x-kubernetes-embedded-resource": true } }),
        ),
        field(
            &json!({ "type": "array", "items": { "type": "string" }, "not": { "x-kubernetes-list-type": "set", "items": { "pattern": "(" } } }),
        ),
        field(
            &json!({ "x-kubernetes-int-or-string": true, "anyOf": [{ "type": "integer" }, { "type": "string" }] }),
        ),
        field(
            &json!({ "x-kubernetes-int-or-string": true, "anyOf": [{ "type": "string" }, { "type": "integer" }] }),
        ),
        field(
            &json!({ "x-kubernetes-int-or-string": true, "allOf": [{ "anyOf": [{ "type": "integer" }, { "type": "string" }] }, { "pattern": "a" }] }),
        ),
        json!({ "type": "object", "properties": { "a": { "type": "object" } }, "oneOf": [{ "required": ["a"] }, { "properties": { "a": { "properties": { "b": { "minimum": 1 } } }, "c": { "minimum": 1 } } }] }),
        json!({ "type": "object", "not": { "properties": { "metadata": { "required": ["name"] } } } }),
        // Extensions.
        field(&json!({ "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true })),
        field(&json!({ "type": "string", "x-kubernetes-embedded-resource": true })),
        embedded(json!({})),
        embedded(json!({ "x-kubernetes-preserve-unknown-fields": true })),
        embedded(json!({ "properties": { "spec": { "type": "object" } } })),
        embedded(
            json!({ "additionalProperties": { "type": "string" }, "x-kubernetes-preserve-unknown-fields": true }),
        ),
        embedded(
            json!({ "properties": { "metadata": { "type": "string" }, "kind": { "type": "integer" } } }),
        ),
        embedded(
            json!({ "properties": { "metadata": { "type": "object", "x-kubernetes-embedded-resource": true, "properties": { "a": { "type": "string" } } } } }),
        ),
        field(&json!({ "type": "string", "x-kubernetes-list-type": "set" })),
        field(&json!({ "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-list-type": "atomic" })),
        field(&json!({ "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "bag" })),
        field(&json!({ "type": "array", "items": { "type": "string" }, "x-kubernetes-map-type": "atomic" })),
        field(&json!({ "type": "object", "x-kubernetes-map-type": "other" })),
        field(&list("set", json!({ "type": "string", "nullable": true }))),
        field(&list("set", json!({ "type": "object" }))),
        field(&list("set", json!({ "type": "object", "x-kubernetes-map-type": "atomic" }))),
        field(&list("set", list("set", json!({ "type": "string" })))),
        field(&list("map", item(json!({})))),
        field(&map(&["k"], item(json!({})))),
        field(&map(&["k", "k", "x"], item(json!({})))),
        field(&map(&["k"], item(json!({ "required": [] })))),
        field(&map(&["k"], item(json!({ "nullable": true })))),
        field(&map(&["k"], item(json!({ "properties": { "k": { "type": "object" } } })))),
        field(&map(&["k"], item(json!({ "properties": { "k": { "type": "string", "nullable": true } } })))),
        field(&map(&["k"], json!({ "type": "string" }))),
        field(
            &json!({ "type": "array", "items": { "type": "string" }, "x-kubernetes-list-map-keys": ["k"] }),
        ),
        field(
            &json!({ "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "set", "x-kubernetes-list-map-keys": ["k"] }),
        ),
        // Defaults.
        field(&json!({ "type": "string", "default": 5 })),
        field(&json!({ "type": "string", "default": "abc", "maxLength": 2 })),
        field(&json!({ "type": "string", "default": "abc", "enum": ["a", "b"] })),
        field(&json!({ "type": "integer", "default": 5, "minimum": 6 })),
        field(&json!({ "type": "object", "default": { "x": 1 } })),
        field(
            &json!({ "type": "object", "default": { "x": 1 }, "properties": { "x": { "type": "string" } } }),
        ),
        field(
            &json!({ "type": "object", "default": {}, "required": ["x"], "properties": { "x": { "type": "string" } } }),
        ),
        field(&json!({ "type": "array", "default": ["a"], "items": { "type": "string", "default": 1 } })),
        field(
            &json!({ "type": "object", "default": {}, "properties": { "x": { "type": "string", "default": "a" } } }),
        ),
        field(&json!({ "type": "object", "additionalProperties": { "type": "string", "default": "a" } })),
        field(&json!({ "x-kubernetes-int-or-string": true, "default": true })),
        field(&json!({ "type": "string", "nullable": true, "default": null })),
    ]
}

/// Versions with parts besides the schema.
fn versions() -> Vec<Value> {
    let open = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    let colors = schema(&json!({ "type": "object", "properties": {
        "color": { "type": "string" }, "size": { "type": "number" }, "parts": { "type": "array", "items": { "type": "string" } },
    } }));
    let version = |schema: &Value, part: &str, value: Value| {
        json!({
            "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema }, part: value,
        })
    };
    let status = |schema: Value| version(&schema, "subresources", json!({ "status": {} }));
    let scale = |scale: Value| version(&open, "subresources", json!({ "scale": scale }));
    let columns = |columns: Value| version(&open, "additionalPrinterColumns", columns);
    let fields = |paths: &[&str]| {
        let fields: Vec<Value> = paths.iter().map(|path| json!({ "jsonPath": path })).collect();
        version(&colors, "selectableFields", fields.into())
    };
    vec![
        status(json!({ "type": "string" })),
        status(json!({ "type": "object", "required": ["spec"] })),
        scale(json!({ "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas" })),
        scale(json!({ "specReplicasPath": ".status.replicas", "statusReplicasPath": ".spec.replicas" })),
        scale(
            json!({ "specReplicasPath": "spec.replicas", "statusReplicasPath": "", "labelSelectorPath": ".metadata.a" }),
        ),
        columns(json!([{ "name": "a", "type": "string", "jsonPath": ".a" }])),
        columns(json!([{ "name": "", "type": "", "jsonPath": "" }])),
        columns(json!([{ "name": "a", "type": "text", "jsonPath": "a", "format": "x" }])),
        fields(&[".spec.color"]),
        fields(&[".spec.size", ".spec.parts", ".spec.none", ".metadata.name", ".spec.parts[0]"]),
        fields(&[""]),
    ]
}

/// Regular expressions that Go reads otherwise than others do.
const PATTERNS: [&str; 30] = [
    "{",
    "a{,2}",
    "a{01}",
    "a{1001}",
    "(a{100}){11}",
    "a**",
    "*",
    "(?=a)",
    "(?x)a",
    "(?ii)a",
    "(?<n>a)(?<n>b)",
    "(?<1>a)",
    "[a--]",
    "[+--]",
    "[a-z&&[^b]]",
    "[[:word:]]",
    "[[:letter:]]",
    "[\\b]",
    r"\<a\>",
    r"\_",
    r"\Qa*\E+",
    r"\Q",
    r"\E",
    r"\101",
    r"\1",
    r"\x{110000}",
    r"\u0041",
    r"\p{Letter}",
    r"\p{Alphabetic}",
    "\\",
];

/// What is below `items`, `additionalProperties` and `dependencies`, which Go reads by itself.
fn read_apart() -> Vec<Value> {
    vec![
        field(
            &json!({ "type": "array", "items": { "type": "string", "zz": 1, "default": null, "nullable": null } }),
        ),
        field(
            &json!({ "type": "array", "items": { "type": "string", "required": [], "enum": [], "properties": {} } }),
        ),
        field(&json!({ "type": "array", "items": { "type": "string", "enum": ["a", null, 1.0] } })),
        field(
            &json!({ "type": "array", "items": { "type": "object", "not": { "zz": 1 }, "allOf": [{ "zz": 2 }] } }),
        ),
        field(&json!({ "type": "array", "items": { "Type": "string" } })),
        field(&json!({ "type": "array", "items": { "type": 5 } })),
        field(&json!({ "type": "array", "items": { "type": "array", "items": { "type": 5 } } })),
        field(&json!({ "type": "array", "items": { "type": "string", "maxLength": "x" } })),
        field(&json!({ "type": "array", "items": { "type": "string", "maxLength": 1.5 } })),
        field(&json!({ "type": "array", "items": [{ "type": 5 }] })),
        field(&json!({ "type": "array", "items": 5 })),
        field(&json!({ "type": "array", "items": "text" })),
        field(&json!({ "type": "array", "items": true })),
        field(&json!({ "type": "array", "items": [] })),
        field(&json!({ "type": "array", "items": null })),
        field(&json!({ "type": "array", "items": [null] })),
        field(
            &json!({ "type": "object", "additionalProperties": { "type": "string", "zz": 1, "required": null } }),
        ),
        field(&json!({ "type": "object", "additionalProperties": { "type": 5 } })),
        field(&json!({ "type": "object", "additionalProperties": 5 })),
        field(&json!({ "type": "object", "additionalProperties": "text" })),
        field(&json!({ "type": "object", "additionalProperties": [] })),
        field(&json!({ "type": "object", "additionalProperties": null })),
        field(&json!({ "type": "object", "dependencies": { "x": ["a"], "y": { "type": 5 } } })),
        field(&json!({ "type": "object", "dependencies": { "x": [5] } })),
        field(&json!({ "type": "object", "dependencies": { "x": null } })),
    ]
}

#[tokio::test]
async fn definitions_are_refused_as_by_the_real_server() -> Result<()> {
    let test = "definitions_are_refused_as_by_the_real_server";
    let Some(servers) = Servers::start(test).await? else { return Ok(()) };
    let mut problems = Vec::new();
    let with_schema = |schema: Value| json!({ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } });
    let other = |schema: Value| {
        let mut version = with_schema(schema);
        (version["name"], version["storage"]) = ("v2".into(), false.into());
        version
    };
    let all = schemas().into_iter().map(with_schema).chain(versions());
    let mut definitions: Vec<Value> = all.map(|version| definition(&version)).collect();
    // What both versions say alike is told once.
    for (one, two) in [(json!({}), json!({})), (json!({ "type": "object" }), json!({ "type": "string" }))] {
        let mut definition = definition(&Value::Null);
        definition["spec"]["versions"] = json!([with_schema(one), other(two)]);
        definitions.push(definition);
    }
    let patterns = PATTERNS.map(|pattern| schema(&json!({ "type": "string", "pattern": pattern })));
    definitions.extend(
        patterns.into_iter().chain(read_apart()).map(with_schema).map(|version| definition(&version)),
    );
    for definition in definitions {
        let mut answers = Vec::new();
        for client in [&servers.real, &servers.embedded] {
            let path = format!("POST {DEFINITIONS}?dryRun=All");
            let mut answer = compared(write(client, &path, JSON, &definition.to_string()).await?);
            if answer.status == 201 {
                answer.body = answer.body["spec"]["versions"].take();
            }
            answers.push(answer);
        }
        if answers[0] != answers[1] {
            let version = &definition["spec"]["versions"];
            problems.push(format!("{version}\n  real     {:?}\n  embedded {:?}", answers[0], answers[1]));
        }
    }
    assert!(problems.is_empty(), "{} of them:\n{}", problems.len(), problems.join("\n"));
    servers.stop().await
}
