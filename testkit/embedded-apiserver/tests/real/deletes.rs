//! The options of deletes and evictions, with values of all types, on both servers.

use anyhow::Result;
use serde_json::{Value, json};

use crate::support::Servers;
use crate::support::compare::{Case, Differences, case, compare, serve_widgets};

const DIFFERENCES: Differences = &[
    ("of type types.UID", "the names that Go gives to strings are in no document"),
    ("of type v1.DeletionPropagation", "the names that Go gives to strings are in no document"),
];

/// Bodies. A server that takes one of them for no options deletes.
const BODIES: &[&str] = &[
    r#"{"dryRun":"All"}"#,
    r#"{"dryRun":true}"#,
    r#"{"dryRun":{}}"#,
    r#"{"dryRun":[1]}"#,
    r#"{"dryRun":[null]}"#,
    r#"{"dryRun":null}"#,
    r#"{"dryRun":["all"]}"#,
    r#"{"DryRun":["All"]}"#,
    r#"{"preconditions":"x"}"#,
    r#"{"preconditions":[]}"#,
    r#"{"preconditions":null}"#,
    r#"{"preconditions":{"uid":5}}"#,
    r#"{"preconditions":{"uid":null}}"#,
    r#"{"preconditions":{"resourceVersion":5}}"#,
    r#"{"preconditions":{"resourceVersion":["1"]}}"#,
    r#"{"gracePeriodSeconds":"0"}"#,
    r#"{"gracePeriodSeconds":1.5}"#,
    r#"{"gracePeriodSeconds":true}"#,
    r#"{"gracePeriodSeconds":9223372036854775808}"#,
    r#"{"gracePeriodSeconds":null}"#,
    r#"{"propagationPolicy":5}"#,
    r#"{"propagationPolicy":["Orphan"]}"#,
    r#"{"propagationPolicy":""}"#,
    r#"{"propagationPolicy":null}"#,
    r#"{"orphanDependents":"true"}"#,
    r#"{"orphanDependents":1}"#,
    r#"{"orphanDependents":null}"#,
    r#"{"orphanDependents":true,"propagationPolicy":"Nope","dryRun":["x"]}"#,
    r#"{"ignoreStoreReadErrorWithClusterBreakingPotential":"x"}"#,
    r#"{"ignoreStoreReadErrorWithClusterBreakingPotential":true}"#,
    r#"{"dryRun":"All","gracePeriodSeconds":"0"}"#,
    r#"{"unknown":1}"#,
    r#"{"kind":"DeleteOptions"}"#,
    r#"{"kind":"DeleteOptions","apiVersion":"apps/v1"}"#,
    r#"{"kind":"DeleteOptions","apiVersion":"nope.example.com/v7"}"#,
    r#"{"apiVersion":"meta.k8s.io/v1"}"#,
    r#"{"kind":"Pod","apiVersion":"v1"}"#,
    r#"{"kind":"Pod"}"#,
    r#"{"kind":5}"#,
    r#"{"apiVersion":[]}"#,
    "null",
    "[]",
    "5",
    r#""x""#,
    "{",
    "x",
];

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for collection in ["maps", "widgets"] {
        let mut object = json!({ "metadata": { "name": "x" } });
        if collection == "widgets" {
            object["apiVersion"] = json!("compare.example.com/v1");
            object["kind"] = json!("Widget");
        }
        let mut add = |rest: &str, body: &str| {
            cases.push(case(
                format!("DELETE {collection}{rest} {body}"),
                [
                    (&*format!("POST {collection}"), object.clone()),
                    (&*format!("DELETE {collection}{rest}"), json!(body)),
                    (&*format!("GET {collection}"), Value::Null),
                ],
            ));
        };
        for body in BODIES {
            add("/x", body);
        }
        for body in &BODIES[..8] {
            add("", body);
        }
        for query in [
            "?propagationPolicy=",
            "?propagationPolicy=Nope&orphanDependents=true&dryRun=x",
            "?gracePeriodSeconds=",
            "?gracePeriodSeconds=1.5",
            "?orphanDependents=x&propagationPolicy=Orphan",
        ] {
            add(&format!("/x{query}"), "");
        }
        // With a body the query says nothing.
        for query in ["?dryRun=All", "?dryRun=x", "?propagationPolicy=Nope"] {
            add(&format!("/x{query}"), "{}");
            add(query, "{}");
        }
    }
    cases
}

fn of_pods() -> Vec<Case> {
    let pod = json!({
        "metadata": { "name": "x" }, "spec": { "nodeName": "n", "containers": [{ "name": "c", "image": "i" }] },
    });
    let mut cases = Vec::new();
    let mut add = |request: &str, body: Value| {
        cases.push(case(
            format!("{request} {body}"),
            [
                ("POST pods", pod.clone()),
                (&*format!("POST pods/x/{request}"), body),
                ("GET pods/x", Value::Null),
            ],
        ));
    };
    let eviction = |options: Value| json!({ "apiVersion": "policy/v1", "kind": "Eviction", "metadata": { "name": "x" }, "deleteOptions": options });
    for options in [
        json!(null),
        json!("x"),
        json!([]),
        json!({ "dryRun": "All" }),
        json!({ "dryRun": [1] }),
        json!({ "dryRun": ["None"] }),
        json!({ "dryRun": [] }),
        json!({ "preconditions": { "uid": 5 } }),
        json!({ "preconditions": "x" }),
        json!({ "gracePeriodSeconds": "0" }),
        json!({ "propagationPolicy": 5 }),
        json!({ "orphanDependents": "true" }),
        json!({ "kind": "Pod", "apiVersion": "v1" }),
    ] {
        add("eviction", eviction(options));
    }
    for (query, options) in [
        ("?dryRun=All", json!({ "dryRun": ["All"] })),
        ("?dryRun=All", json!({ "dryRun": ["All", "All"] })),
        ("?dryRun=All", json!({ "dryRun": ["None"] })),
        ("?gracePeriodSeconds=0", json!({})),
    ] {
        add(&format!("eviction{query}"), eviction(options));
    }
    for body in [
        json!({ "metadata": { "name": "x" } }),
        json!({ "metadata": { "name": "x" }, "deleteOptions": { "dryRun": "All" } }),
        json!({ "metadata": { "name": 5 } }),
        json!({ "metadata": { "name": "y" } }),
        json!({}),
        json!({ "apiVersion": "policy/v1beta1", "kind": "Eviction", "metadata": { "name": "x" } }),
        json!({ "apiVersion": "policy/v1beta1", "kind": "Eviction", "metadata": { "name": "x" }, "deleteOptions": { "dryRun": "All" } }),
    ] {
        add("eviction", body);
    }
    // The real server has told the pod of its eviction by then.
    for options in [
        json!({ "propagationPolicy": "Nope" }),
        json!({ "orphanDependents": true, "propagationPolicy": "Orphan" }),
    ] {
        let steps = [("POST pods", pod.clone()), ("POST pods/x/eviction", eviction(options.clone()))];
        cases.push(case(format!("eviction {options}"), steps));
    }
    let unbound =
        json!({ "metadata": { "name": "x" }, "spec": { "containers": [{ "name": "c", "image": "i" }] } });
    for target in
        [json!({ "kind": "Node", "name": 5 }), json!("n"), json!({ "kind": "Node", "name": "n", "uid": 5 })]
    {
        let binding =
            json!({ "apiVersion": "v1", "kind": "Binding", "metadata": { "name": "x" }, "target": target });
        cases.push(case(
            format!("binding {target}"),
            [("POST pods", unbound.clone()), ("POST pods/x/binding", binding), ("GET pods/x", Value::Null)],
        ));
    }
    cases
}

#[tokio::test]
async fn the_options_of_deletes_are_read_as_on_the_real_server() -> Result<()> {
    let test = "the_options_of_deletes_are_read_as_on_the_real_server";
    let Some(servers) = Servers::start(test).await? else { return Ok(()) };
    serve_widgets(&servers).await?;
    compare(&servers, [cases(), of_pods()].into_iter().flatten().collect(), DIFFERENCES).await?;
    servers.stop().await
}
