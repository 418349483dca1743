//! Preconditions and dry runs of every write, on both servers.

use anyhow::Result;
use serde_json::{Value, json};

use crate::support::Servers;
use crate::support::compare::{Case, Differences, case, compare, serve_widgets};

const DIFFERENCES: Differences =
    &[("StorageError: invalid object", "the key in the message is that of the real server's storage")];

/// An object with `metadata` beside its name.
fn object(collection: &str, metadata: &Value) -> Value {
    let (version, kind) = match collection {
        "maps" => ("v1", "ConfigMap"),
        _ => ("compare.example.com/v1", "Widget"),
    };
    let mut object =
        json!({ "apiVersion": version, "kind": kind, "metadata": { "name": "x" }, "data": { "a": "1" } });
    for (name, value) in metadata.as_object().expect("an object") {
        object["metadata"][name] = value.clone();
    }
    object
}

/// What is sent as uid and resourceVersion.
const IDENTITIES: &[&str] = &[
    r#"{"resourceVersion":"{version}"}"#,
    r#"{"resourceVersion":"1"}"#,
    r#"{"resourceVersion":"abc"}"#,
    r#"{"resourceVersion":"0"}"#,
    r#"{"resourceVersion":""}"#,
    r#"{"resourceVersion":null}"#,
    r#"{"resourceVersion":"999999999"}"#,
    r#"{"uid":"{uid}"}"#,
    r#"{"uid":"00000000-0000-0000-0000-000000000000"}"#,
    r#"{"uid":"other","resourceVersion":"{version}"}"#,
    r#"{"uid":"other","resourceVersion":"1"}"#,
    r#"{"uid":"{uid}","resourceVersion":"{version}"}"#,
    r#"{"uid":null}"#,
    r#"{"uid":""}"#,
];

/// The bodies of deletes.
const OPTIONS: &[&str] = &[
    "",
    "{}",
    r#"{"kind":"DeleteOptions","apiVersion":"v1"}"#,
    r#"{"preconditions":{"uid":"{uid}"}}"#,
    r#"{"preconditions":{"uid":"other"}}"#,
    r#"{"preconditions":{"resourceVersion":"{version}"}}"#,
    r#"{"preconditions":{"resourceVersion":"1"}}"#,
    r#"{"preconditions":{"uid":"{uid}","resourceVersion":"1"}}"#,
    r#"{"preconditions":{"uid":"other","resourceVersion":"1"}}"#,
    r#"{"preconditions":{"uid":"","resourceVersion":""}}"#,
    r#"{"preconditions":{}}"#,
    r#"{"dryRun":["All"]}"#,
    r#"{"dryRun":["All","All"]}"#,
    r#"{"dryRun":["None"]}"#,
    r#"{"dryRun":[]}"#,
    r#"{"dryRun":["All"],"preconditions":{"uid":"other"}}"#,
    r#"{"gracePeriodSeconds":0}"#,
    r#"{"gracePeriodSeconds":-1}"#,
    r#"{"propagationPolicy":"Background"}"#,
    r#"{"propagationPolicy":"Nope"}"#,
    r#"{"propagationPolicy":"Background","orphanDependents":false}"#,
];

const QUERIES: &[&str] = &[
    "?dryRun=All",
    "?dryRun=All&dryRun=All",
    "?dryRun=None",
    "?dryRun=All&dryRun=x",
    "?dryRun=",
    "?dryRun=all",
];

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for collection in ["maps", "widgets"] {
        let (post, put, get) =
            (format!("POST {collection}"), format!("PUT {collection}/x"), format!("GET {collection}/x"));
        let (json_patch, merge, delete) = (
            format!("JSON {collection}/x"),
            format!("MERGE {collection}/x"),
            format!("DELETE {collection}/x"),
        );
        let plain = object(collection, &json!({}));
        let mut add = |name: String, request: &str, body: Value| {
            let steps = [(&*post, plain.clone()), (request, body), (&*get, Value::Null)];
            cases.push(case(name, steps));
        };
        for identity in IDENTITIES {
            let metadata: Value = serde_json::from_str(identity).expect("JSON");
            let mut changed = object(collection, &metadata);
            changed["data"]["a"] = json!("2");
            add(format!("PUT {identity}"), &put, changed.clone());
            changed["metadata"]["name"] = json!("y");
            add(format!("POST {identity}"), &post, changed.clone());
            // Sic: the answer of the real server has any version that was sent, also one that is none.
            if !["abc", "0"].iter().any(|version| metadata["resourceVersion"] == *version) {
                add(format!("POST tried {identity}"), &format!("{post}?dryRun=All"), changed);
            }
            let patch = json!({ "metadata": metadata, "data": { "a": "2" } });
            add(format!("MERGE {identity}"), &merge, patch.clone());
            if collection == "maps" {
                add(format!("STRATEGIC {identity}"), "STRATEGIC maps/x", patch);
            }
            for (name, value) in metadata.as_object().expect("an object") {
                let path = format!("/metadata/{name}");
                add(
                    format!("JSON {identity}"),
                    &json_patch,
                    json!([{ "op": "add", "path": path, "value": value }, { "op": "add", "path": "/data/a", "value": "2" }]),
                );
                add(
                    format!("JSON test {identity}"),
                    &json_patch,
                    json!([{ "op": "test", "path": path, "value": value }]),
                );
            }
        }
        for options in OPTIONS {
            add(format!("DELETE {options}"), &delete, json!(options));
        }
        for query in QUERIES {
            let mut changed = object(collection, &json!({ "resourceVersion": "{version}" }));
            changed["data"]["a"] = json!("2");
            let fresh = object(collection, &json!({ "name": "y" }));
            let generated = object(collection, &json!({ "name": "", "generateName": "y-" }));
            let patch = json!({ "data": { "a": "2" } });
            add(format!("POST {query}"), &format!("{post}{query}"), fresh);
            add(format!("POST {query}"), &format!("{post}{query}"), generated);
            add(format!("POST of what is there {query}"), &format!("{post}{query}"), plain.clone());
            add(format!("PUT {query}"), &format!("{put}{query}"), changed);
            add(format!("MERGE {query}"), &format!("{merge}{query}"), patch.clone());
            if collection == "maps" {
                add(format!("STRATEGIC {query}"), &format!("STRATEGIC maps/x{query}"), patch);
            }
            add(
                format!("JSON {query}"),
                &format!("{json_patch}{query}"),
                json!([{ "op": "add", "path": "/data/a", "value": "2" }]),
            );
            add(format!("DELETE {query}"), &format!("{delete}{query}"), Value::Null);
            add(format!("DELETE all {query}"), &format!("DELETE {collection}{query}"), Value::Null);
        }
        add(
            "PUT of nothing".to_owned(),
            &format!("PUT {collection}/nope"),
            object(collection, &json!({ "name": "nope" })),
        );
        add("DELETE of nothing".to_owned(), &format!("DELETE {collection}/nope"), Value::Null);
        let held = object(collection, &json!({ "finalizers": ["example.com/a"] }));
        let released = json!({ "metadata": { "finalizers": null } });
        cases.push(case(
            "a dry run of a delete that has to wait",
            [
                (&post, held.clone()),
                (&format!("{delete}?dryRun=All"), Value::Null),
                (&get, Value::Null),
                (&delete, Value::Null),
                (&format!("{merge}?dryRun=All"), released.clone()),
                (&get, Value::Null),
                (&format!("{delete}?dryRun=All"), Value::Null),
                (&merge, released),
                (&get, Value::Null),
            ],
        ));
    }
    cases.push(case(
        "a namespace",
        [
            ("POST namespaces", json!({ "metadata": { "name": "dry-{ns}" } })),
            ("DELETE namespaces/dry-{ns}?dryRun=All", Value::Null),
            ("GET namespaces/dry-{ns}", Value::Null),
            ("DELETE namespaces/dry-{ns}", json!({ "preconditions": { "uid": "other" } })),
            ("MERGE namespaces/dry-{ns}?dryRun=All", json!({ "metadata": { "labels": { "a": "b" } } })),
            ("GET namespaces/dry-{ns}", Value::Null),
        ],
    ));
    cases.push(case("status", [
        ("POST widgets", object("widgets", &json!({}))),
        ("MERGE widgets/x/status?dryRun=All", json!({ "status": { "a": 1 } })),
        ("MERGE widgets/x/status", json!({ "metadata": { "resourceVersion": "1" }, "status": { "a": 1 } })),
        ("MERGE widgets/x/status", json!({ "metadata": { "uid": "other" }, "status": { "a": 1 } })),
        ("JSON widgets/x/status", json!([{ "op": "test", "path": "/status", "value": null }, { "op": "add", "path": "/status", "value": { "a": 2 } }])),
        ("GET widgets/x", Value::Null),
    ]));
    cases
}

#[tokio::test]
async fn preconditions_and_dry_runs_are_those_of_the_real_server() -> Result<()> {
    let test = "preconditions_and_dry_runs_are_those_of_the_real_server";
    let Some(servers) = Servers::start(test).await? else { return Ok(()) };
    serve_widgets(&servers).await?;
    compare(&servers, cases(), DIFFERENCES).await?;
    servers.stop().await
}
