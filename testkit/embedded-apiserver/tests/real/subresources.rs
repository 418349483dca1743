//! Writes of `scale`, `status`, `eviction` and `binding`, and deletions of pods, on both servers.

use anyhow::Result;
use serde_json::{Value, json};

use crate::support::Servers;
use crate::support::compare::{Case, Differences, case, compare, serve_widgets};

const DIFFERENCES: Differences =
    &[("StorageError: invalid object", "the key in the message is that of the real server's storage")];

fn workload() -> Value {
    let template = json!({ "metadata": { "labels": { "app": "x" } }, "spec": { "containers": [{ "name": "c", "image": "i" }] } });
    json!({ "metadata": { "name": "x" }, "spec": { "selector": { "matchLabels": { "app": "x" } }, "template": template } })
}

fn scales() -> Vec<Case> {
    let scale = |metadata: Value, replicas: Value| json!({ "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": metadata, "spec": { "replicas": replicas } });
    let mut cases = Vec::new();
    for collection in ["deployments", "replicasets", "statefulsets"] {
        let path = format!("{collection}/x/scale");
        for (method, body) in [
            ("PUT", scale(json!({ "name": "x", "namespace": "{ns}" }), json!(3))),
            ("PUT", scale(json!({ "name": "x" }), json!(3))),
            ("PUT", scale(json!({ "name": "x", "resourceVersion": "{version}" }), json!(3))),
            ("PUT", scale(json!({ "name": "x", "resourceVersion": "1" }), json!(3))),
            ("PUT", scale(json!({ "name": "x", "uid": "other" }), json!(3))),
            ("PUT", scale(json!({ "name": "y" }), json!(3))),
            ("PUT", scale(json!({}), json!(3))),
            ("PUT", scale(json!({ "name": "x" }), json!(-1))),
            ("PUT", scale(json!({ "name": "x" }), json!(3_000_000_000_u32))),
            ("PUT", scale(json!({ "name": "x" }), json!("3"))),
            ("MERGE", json!({ "spec": { "replicas": 3_000_000_000_u32 } })),
            ("PUT", json!({ "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": { "name": "x" } })),
            ("MERGE", json!({ "spec": { "replicas": 3 } })),
            ("MERGE", json!({ "spec": { "replicas": -1 } })),
            ("MERGE", json!({ "spec": { "replicas": null } })),
            ("MERGE", json!({ "metadata": { "resourceVersion": "1" }, "spec": { "replicas": 3 } })),
            ("MERGE", json!({ "metadata": { "labels": { "a": "b" } } })),
            ("STRATEGIC", json!({ "spec": { "replicas": 3 } })),
            ("JSON", json!([{ "op": "replace", "path": "/spec/replicas", "value": 3 }])),
            ("JSON", json!([{ "op": "test", "path": "/spec/replicas", "value": 2 }])),
        ] {
            for query in ["", "?dryRun=All"] {
                cases.push(case(
                    format!("{method} {path}{query} {body}"),
                    [
                        (&*format!("POST {collection}"), workload()),
                        (&*format!("{method} {path}{query}"), body.clone()),
                        (&*format!("GET {path}"), Value::Null),
                        (&*format!("GET {collection}/x"), Value::Null),
                    ],
                ));
            }
        }
    }
    cases.push(case(
        "what is wrong with the request for a patch",
        [
            ("POST deployments", workload()),
            ("TEXT deployments/x?force=true", json!({})),
            ("TEXT deployments/x/scale?force=true", json!({})),
            ("MERGE deployments/x/scale?force=true", json!({})),
        ],
    ));
    cases.push(
        case(
            "of what is missing",
            [
                ("GET deployments/x/scale", Value::Null),
                ("MERGE deployments/x/scale", json!({ "spec": { "replicas": 3 } })),
                ("PUT deployments/x/scale", scale(json!({ "name": "x" }), json!(3))),
            ],
        )
        .refused(),
    );
    cases
}

fn pods() -> Vec<Case> {
    let pod = |spec: Value| {
        let mut pod =
            json!({ "metadata": { "name": "x" }, "spec": { "containers": [{ "name": "c", "image": "i" }] } });
        for (name, value) in spec.as_object().expect("an object") {
            pod["spec"][name] = value.clone();
        }
        pod
    };
    let bound = json!({ "nodeName": "n" });
    let mut cases = Vec::new();
    let grace = |seconds: i64| json!({ "gracePeriodSeconds": seconds });
    for (spec, options) in [
        (json!({}), vec![Value::Null]),
        (bound.clone(), vec![Value::Null, Value::Null, grace(5), grace(60), grace(0)]),
        (bound.clone(), vec![grace(0)]),
        (bound.clone(), vec![grace(1), Value::Null]),
        (bound.clone(), vec![grace(-1)]),
        (json!({ "nodeName": "n", "terminationGracePeriodSeconds": 7 }), vec![Value::Null, grace(9)]),
        (json!({ "nodeName": "n", "terminationGracePeriodSeconds": 0 }), vec![Value::Null]),
        (bound.clone(), vec![json!({ "dryRun": ["All"] }), json!({ "preconditions": { "uid": "other" } })]),
    ] {
        let mut steps = vec![("POST pods".to_owned(), pod(spec.clone()))];
        for options in &options {
            steps.push(("DELETE pods/x".to_owned(), options.clone()));
            steps.push(("GET pods/x".to_owned(), Value::Null));
        }
        cases.push(Case::new(format!("DELETE of a pod {spec} {options:?}"), steps));
    }
    let eviction = |options: Value| json!({ "apiVersion": "policy/v1", "kind": "Eviction", "metadata": { "name": "x" }, "deleteOptions": options });
    for (query, body) in [
        ("", eviction(json!({}))),
        ("?dryRun=All", eviction(json!({}))),
        ("", eviction(json!({ "dryRun": ["All"] }))),
        ("", eviction(json!({ "gracePeriodSeconds": 0 }))),
        ("", eviction(json!({ "preconditions": { "uid": "other" } }))),
        ("", eviction(json!({ "preconditions": { "resourceVersion": "1" } }))),
    ] {
        cases.push(case(
            format!("eviction{query} {body}"),
            [
                ("POST pods", pod(bound.clone())),
                (&*format!("POST pods/x/eviction{query}"), body),
                ("GET pods/x", Value::Null),
            ],
        ));
    }
    let binding = |name: &str, target: Value| json!({ "apiVersion": "v1", "kind": "Binding", "metadata": { "name": name }, "target": target });
    cases.push(case(
        "binding",
        [
            ("POST pods", pod(json!({}))),
            ("POST pods/x/binding?dryRun=All", binding("x", json!({ "kind": "Node", "name": "n" }))),
            ("GET pods/x", Value::Null),
            ("POST pods/x/binding", binding("x", json!({ "kind": "Node", "name": "" }))),
            ("POST pods/y/binding", binding("y", json!({ "kind": "Node", "name": "n" }))),
            ("POST pods/x/binding", binding("x", json!({ "kind": "Node", "name": "n" }))),
            ("POST pods/x/binding", binding("x", json!({ "kind": "Node", "name": "m" }))),
        ],
    ));
    for (method, body) in [
        ("PUT", json!({ "metadata": { "name": "x" }, "status": { "phase": "Running" } })),
        ("PUT", json!({ "metadata": { "name": "x" }, "status": {} })),
        ("PUT", json!({ "metadata": { "name": "x" } })),
        ("PUT", json!({ "metadata": { "name": "x" }, "status": { "qosClass": "Guaranteed" } })),
        ("MERGE", json!({ "status": { "qosClass": null } })),
        ("MERGE", json!({ "status": { "qosClass": "" } })),
        ("MERGE", json!({ "status": null })),
        ("MERGE", json!({ "status": { "qosClass": "Guaranteed" } })),
        ("STRATEGIC", json!({ "status": { "$patch": "replace", "phase": "Running" } })),
    ] {
        cases.push(case(
            format!("the class of a pod {method} {body}"),
            [
                ("POST pods", pod(json!({}))),
                (&*format!("{method} pods/x/status"), body),
                ("GET pods/x", Value::Null),
            ],
        ));
    }
    cases.push(case("status of a pod", [
        ("POST pods", pod(json!({}))),
        ("MERGE pods/x/status", json!({ "status": { "phase": "Running" }, "spec": { "nodeName": "n" }, "metadata": { "labels": { "a": "b" } } })),
        ("MERGE pods/x/status?dryRun=All", json!({ "status": { "phase": "Failed" } })),
        ("MERGE pods/x/status", json!({ "metadata": { "resourceVersion": "1" }, "status": { "phase": "Failed" } })),
        ("MERGE pods/x/status", json!({ "metadata": { "uid": "other" }, "status": { "phase": "Failed" } })),
        ("GET pods/x/status", Value::Null),
    ]));
    cases
}

#[tokio::test]
async fn subresources_are_written_as_on_the_real_server() -> Result<()> {
    let test = "subresources_are_written_as_on_the_real_server";
    let Some(servers) = Servers::start(test).await? else { return Ok(()) };
    serve_widgets(&servers).await?;
    compare(&servers, [scales(), pods()].into_iter().flatten().collect(), DIFFERENCES).await?;
    servers.stop().await
}
