//! The parts of a definition besides the schema: status, scale, selectable fields, several versions.

use anyhow::Result;
use kube_client::Client;
use serde_json::{Value, json};

use super::{JSON, MERGE, THINGS, Things, definition, thing};
use crate::support::{DEFINITIONS, Servers, ask, ask_with, eventually, write};

const SCALES: &str = "/apis/example.com/v1/namespaces/default/things";

#[tokio::test]
async fn the_status_and_the_scale_of_things_are_those_of_the_real_server() -> Result<()> {
    let test = "the_status_and_the_scale_of_things_are_those_of_the_real_server";
    let Some(mut things) = Things::define(test).await? else { return Ok(()) };
    let number = json!({ "x-kubernetes-preserve-unknown-fields": true });
    let spec = json!({ "type": "object", "required": ["a"], "properties": { "a": { "type": "string", "maxLength": 2 }, "replicas": number } });
    let status = json!({ "type": "object", "default": { "phase": "New" }, "properties": {
        "phase": { "type": "string", "enum": ["New", "Done"] }, "replicas": number, "selector": number,
        "list": { "type": "array", "x-kubernetes-list-type": "set", "items": { "type": "string" } } } });
    let schema = json!({ "type": "object", "properties": { "spec": spec, "status": status } });
    let scale = json!({ "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas", "labelSelectorPath": ".status.selector" });
    things.change(&schema, &json!({ "subresources": { "status": {}, "scale": scale } })).await?;
    let path = format!("{THINGS}/x");
    let mut problems = Vec::new();
    let created = thing("x", &json!({ "spec": { "a": "b", "replicas": 2 }, "status": { "phase": "Bad" } }));
    problems.extend(things.differ(&format!("POST {THINGS}"), JSON, &created.to_string()).await?);
    let statuses = [
        json!({ "status": { "phase": "Done", "unknown": 1 }, "spec": { "a": "zzz" }, "metadata": { "labels": { "a": "b" } } }),
        json!({ "status": { "phase": "Other" } }),
        json!({ "status": { "list": ["a", "a"] } }),
        json!({ "status": { "replicas": -1 } }),
        json!({ "status": { "replicas": "x" } }),
        json!({ "status": { "replicas": 5_000_000_000_i64 } }),
        json!({ "status": { "selector": 5 } }),
        json!({ "status": { "selector": "a=b", "replicas": 1 } }),
        json!({ "status": null }),
        json!({ "status": "text" }),
    ];
    for patch in &statuses {
        problems.extend(things.differ(&format!("PATCH {path}/status"), MERGE, &patch.to_string()).await?);
    }
    let specs = [
        json!({ "spec": { "a": "c", "replicas": 3 }, "status": { "phase": "Other" } }),
        json!({ "spec": { "a": "long" } }),
        json!({ "spec": { "a": null } }),
        json!({ "spec": { "replicas": -1 } }),
        json!({ "spec": { "replicas": 1.5 } }),
        json!({ "spec": { "replicas": {} } }),
        json!({ "metadata": { "labels": { "a": "b" } } }),
    ];
    for patch in &specs {
        problems.extend(things.differ(&format!("PATCH {path}"), MERGE, &patch.to_string()).await?);
    }
    problems.extend(
        things.differ(&format!("PATCH {SCALES}/x/scale"), MERGE, r#"{"spec":{"replicas":7}}"#).await?,
    );
    problems.extend(things.differ(&format!("GET {SCALES}/x/scale"), JSON, "").await?);
    problems.extend(things.differ(&format!("GET {path}"), JSON, "").await?);
    assert!(problems.is_empty(), "{} of them:\n{}", problems.len(), problems.join("\n"));
    things.servers.stop().await
}

#[tokio::test]
async fn fields_can_be_selected_as_soon_as_the_definition_says_so() -> Result<()> {
    let test = "fields_can_be_selected_as_soon_as_the_definition_says_so";
    let Some(mut things) = Things::define(test).await? else { return Ok(()) };
    let spec = json!({ "type": "object", "properties": {
        "color": { "type": "string", "default": "none" }, "size": { "type": "integer" }, "on": { "type": "boolean" } } });
    let schema = json!({ "type": "object", "properties": { "spec": spec } });
    things.change(&schema, &Value::Null).await?;
    for (name, spec) in [
        ("red", json!({ "color": "red", "size": 1, "on": true })),
        ("plain", json!({ "size": 2 })),
        ("bare", json!({ "on": false })),
    ] {
        let body = thing(name, &json!({ "spec": spec })).to_string();
        assert_eq!(things.differ(&format!("POST {THINGS}"), JSON, &body).await?, None);
    }
    let paths = [".spec.color", ".spec.size", ".spec.on"].map(|path| json!({ "jsonPath": path }));
    things.change(&schema, &json!({ "selectableFields": paths })).await?;
    let names = async |client: &Client, selector: &str| -> Result<Vec<String>> {
        let list = ask(client, &format!("GET {THINGS}?fieldSelector={selector}")).await?;
        let items = list.body["items"].as_array().into_iter().flatten();
        Ok(items.map(|item| item["metadata"]["name"].as_str().unwrap_or_default().to_owned()).collect())
    };
    // The real server begins to read such objects anew, and finds none before it has.
    for _ in 0..500 {
        if !names(&things.servers.real, "spec.color%3Dred").await?.is_empty() {
            break;
        }
    }
    for selector in [
        "spec.color%3Dred",
        "spec.color%3Dnone",
        "spec.size%3D2",
        "spec.on%3Dtrue",
        "spec.on%3D",
        "spec.on!%3Dtrue",
    ] {
        let real = names(&things.servers.real, selector).await?;
        assert_eq!(real, names(&things.servers.embedded, selector).await?, "{selector}");
    }
    things.servers.stop().await
}

/// Reads and writes in two versions that convert nothing, before and after the stored one changes.
#[tokio::test]
async fn versions_without_conversion_are_those_of_the_real_server() -> Result<()> {
    let test = "versions_without_conversion_are_those_of_the_real_server";
    let Some(servers) = Servers::start(test).await? else { return Ok(()) };
    let version = |name: &str, is_stored: bool, fields: Value, mark: &str| {
        let mut schema =
            json!({ "type": "object", "properties": { "spec": { "type": "object", "properties": fields } } });
        schema["properties"][mark] = json!({ "type": "boolean", "default": true });
        json!({ "name": name, "served": true, "storage": is_stored, "schema": { "openAPIV3Schema": schema } })
    };
    let first = json!({ "both": { "type": "string" }, "one": { "type": "string" }, "d": { "type": "string", "default": "1" } });
    let second = json!({ "both": { "type": "string", "maxLength": 3 }, "two": { "type": "string" }, "d": { "type": "string", "default": "2" } });
    let versions = |second_is_stored: bool, mark: &str| {
        json!([
            version("v1", !second_is_stored, first.clone(), mark),
            version("v2", second_is_stored, second.clone(), mark)
        ])
    };
    let (things, others) = (THINGS, THINGS.replace("/v1/", "/v2/"));
    let in_second = |name: &str, spec: Value| {
        let mut thing = thing(name, &json!({ "spec": spec }));
        thing["apiVersion"] = "example.com/v2".into();
        thing
    };
    let mut answers = Vec::new();
    for client in [&servers.real, &servers.embedded] {
        let mut seen = Vec::new();
        let mut definition = definition(&Value::Null);
        definition["spec"]["versions"] = versions(false, "mark0");
        ask_with(client, &format!("POST {DEFINITIONS}"), &definition).await?;
        let probe = thing("probe", &Value::Null);
        eventually(async || Ok(ask_with(client, &format!("POST {things}"), &probe).await?.status == 201))
            .await?;
        let all = json!({ "both": "abcd", "one": "1", "two": "2" });
        let requests = |seen: &str| {
            vec![
                (format!("POST {things}"), JSON, thing(&format!("a{seen}"), &json!({ "spec": all }))),
                (
                    format!("POST {others}"),
                    JSON,
                    in_second(&format!("b{seen}"), json!({ "both": "x", "one": "1", "two": "2" })),
                ),
                (format!("POST {others}"), JSON, in_second(&format!("c{seen}"), all.clone())),
                (format!("POST {others}"), JSON, thing(&format!("c{seen}"), &json!({}))),
                (format!("GET {others}/a{seen}"), JSON, Value::Null),
                (format!("GET {things}/b{seen}"), JSON, Value::Null),
                (format!("PATCH {others}/a{seen}"), MERGE, json!({ "spec": { "two": "z" } })),
                (format!("GET {things}/a{seen}"), JSON, Value::Null),
            ]
        };
        for (request, media_type, body) in requests("") {
            seen.push(write(client, &request, media_type, &body.to_string()).await?);
        }
        let patch = json!({ "spec": { "versions": versions(true, "mark1") } });
        let changed =
            write(client, &format!("PATCH {DEFINITIONS}/things.example.com"), MERGE, &patch.to_string())
                .await?;
        let stored = changed.body["status"]["storedVersions"].clone();
        eventually(async || Ok(ask(client, &format!("GET {things}/probe")).await?.body["mark1"] == true))
            .await?;
        for path in [&things.to_owned(), &others] {
            for name in ["a", "b"] {
                seen.push(write(client, &format!("GET {path}/{name}"), JSON, "").await?);
            }
        }
        for (request, media_type, body) in requests("2") {
            seen.push(write(client, &request, media_type, &body.to_string()).await?);
        }
        seen.push(write(client, &format!("PATCH {others}/b"), MERGE, r#"{"spec":{"two":"y"}}"#).await?);
        seen.push(write(client, &format!("GET {things}/b"), JSON, "").await?);
        answers.push((seen, stored));
    }
    for (index, (real, embedded)) in answers[0].0.iter().zip(&answers[1].0).enumerate() {
        assert_eq!(real, embedded, "answer {index}");
    }
    assert_eq!(answers[0].1, answers[1].1, "the versions that are stored");
    servers.stop().await
}
