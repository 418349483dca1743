//! What the server knows about single built-in kinds, on both servers.

use anyhow::Result;
use serde_json::{Value, json};

use crate::support::Servers;
use crate::support::compare::{Case, Differences, case, compare, named};

const DIFFERENCES: Differences = &[];

fn secrets_and_maps() -> Vec<Case> {
    let long = |length: usize| "x".repeat(length);
    let mut cases = vec![
        case(
            "stringData",
            [
                (
                    "POST secrets",
                    named(
                        "x",
                        &json!({ "stringData": { "a": "hello", "b": "" }, "data": { "a": "eA==", "c": "eQ==" } }),
                    ),
                ),
                ("MERGE secrets/x", json!({ "stringData": { "d": "ü" } })),
                ("STRATEGIC secrets/x", json!({ "stringData": { "d": "v" }, "data": { "a": null } })),
                ("JSON secrets/x", json!([{ "op": "add", "path": "/stringData", "value": { "e": "f" } }])),
                ("PUT secrets/x", named("x", &json!({ "stringData": { "only": "this" } }))),
                ("GET secrets/x", Value::Null),
            ],
        ),
        case(
            "type",
            [
                ("POST secrets", named("x", &json!({}))),
                ("MERGE secrets/x", json!({ "type": "a/b" })),
                ("MERGE secrets/x", json!({ "type": null })),
                ("POST secrets", named("y", &json!({ "type": "a/b" }))),
                ("PUT secrets/y", named("y", &json!({}))),
                ("PUT secrets/y", named("y", &json!({ "type": "a/b", "data": { "a": "eA==" } }))),
                ("MERGE secrets/y", json!({ "type": "" })),
                ("GET secrets?fieldSelector=type=Opaque", Value::Null),
            ],
        ),
    ];
    for (collection, data) in [("secrets", "eA=="), ("maps", "x")] {
        let merge = format!("MERGE {collection}/x");
        cases.push(case(
            "immutable",
            [
                (&format!("POST {collection}"), named("x", &json!({ "data": { "a": data } }))),
                (&merge, json!({ "immutable": false })),
                (&merge, json!({ "immutable": true, "data": { "b": data } })),
                (&merge, json!({ "data": { "c": data } })),
                (&merge, json!({ "data": { "b": data } })),
                (&merge, json!({ "immutable": null })),
                (&merge, json!({ "immutable": false, "data": null })),
                (&merge, json!({ "metadata": { "labels": { "a": "b" } } })),
                (&format!("PUT {collection}/x"), named("x", &json!({ "immutable": true, "data": {} }))),
                (&format!("GET {collection}/x"), Value::Null),
                (&format!("DELETE {collection}/x"), Value::Null),
            ],
        ));
        for key in ["a b", "", ".", "..", "..a", ".a", "A_-.9", "a/b", &long(253), &long(254)] {
            let mut name = format!("key {key}");
            name.truncate(40);
            let object = named("x", &json!({ "data": { key: data } }));
            cases.push(case(name, [(&format!("POST {collection}"), object)]));
        }
    }
    cases.push(
        case(
            "binaryData",
            [
                ("POST maps", named("x", &json!({ "data": { "a": "x" }, "binaryData": { "a": "eA==" } }))),
                (
                    "POST maps",
                    named(
                        "x",
                        &json!({ "data": { "a": "x" }, "binaryData": { "b": "eA==" }, "immutable": true }),
                    ),
                ),
                ("MERGE maps/x", json!({ "binaryData": { "b": "eQ==" } })),
                ("MERGE maps/x", json!({ "binaryData": { "b c": "eQ==" } })),
            ],
        )
        .refused(),
    );
    cases.push(
        case(
            "sizes",
            [
                ("POST maps", named("x", &json!({ "data": { "a": long((1 << 20) + 1) } }))),
                ("POST secrets", named("x", &json!({ "stringData": { "a": long((1 << 20) + 1) } }))),
                ("POST secrets", named("y", &json!({ "stringData": { "a": long(1 << 10) } }))),
                ("MERGE secrets/y", json!({ "stringData": { "b": long(1 << 20) } })),
            ],
        )
        .refused(),
    );
    cases
}

fn workloads() -> Vec<Case> {
    let pod = |labels: Value| json!({ "metadata": { "labels": labels }, "spec": { "containers": [{ "name": "c", "image": "i" }] } });
    let workload = json!({ "spec": { "selector": { "matchLabels": { "app": "x" } }, "template": pod(json!({ "app": "x" })) } });
    let mut cases = Vec::new();
    for collection in ["deployments", "replicasets", "daemonsets", "statefulsets"] {
        let (merge, put) = (format!("MERGE {collection}/x"), format!("PUT {collection}/x"));
        let mut other = named("x", &workload);
        other["spec"]["selector"] = json!({ "matchLabels": { "app": "x", "b": "c" } });
        other["spec"]["template"] = pod(json!({ "app": "x", "b": "c" }));
        cases.push(case(format!("selector of {collection}"), [
            (&format!("POST {collection}"), named("x", &workload)),
            (&merge, json!({ "spec": { "selector": { "matchLabels": { "app": "y" } }, "template": { "metadata": { "labels": { "app": "y" } } } } })),
            (&merge, json!({ "spec": { "selector": { "matchLabels": { "app": "x" } } } })),
            (&put, other),
            (&merge, json!({ "spec": { "template": { "metadata": { "labels": { "more": "y" } } } } })),
            (&put, named("x", &workload)),
            (&format!("GET {collection}/x"), Value::Null),
        ]));
    }
    let mut ordered = named("x", &workload);
    ordered["spec"]["podManagementPolicy"] = json!("OrderedReady");
    cases.push(case(
        "other fields of a stateful set",
        [
            ("POST statefulsets", ordered),
            ("MERGE statefulsets/x", json!({ "spec": { "serviceName": "s" } })),
            ("MERGE statefulsets/x", json!({ "spec": { "podManagementPolicy": "OrderedReady" } })),
            ("MERGE statefulsets/x", json!({ "spec": { "podManagementPolicy": "Parallel" } })),
            (
                "MERGE statefulsets/x",
                json!({ "spec": { "replicas": 3, "minReadySeconds": 1, "revisionHistoryLimit": 2 } }),
            ),
        ],
    ));
    let mut template = pod(json!({}));
    template["spec"]["restartPolicy"] = json!("Never");
    let job = json!({ "spec": { "template": template } });
    cases.push(case(
        "jobs",
        [
            ("POST jobs", named("x", &job)),
            ("MERGE jobs/x", json!({ "spec": { "parallelism": 2 } })),
            ("MERGE jobs/x", json!({ "metadata": { "labels": { "a": "b" } } })),
            ("GET jobs/x", Value::Null),
        ],
    ));
    let manual = json!({ "spec": { "manualSelector": true, "selector": { "matchLabels": { "app": "x" } }, "template": {
        "metadata": { "labels": { "app": "x", "b": "c" } }, "spec": template["spec"] } } });
    cases.push(case(
        "jobs with a selector of their own",
        [
            ("POST jobs", named("x", &manual)),
            ("MERGE jobs/x", json!({ "spec": { "selector": { "matchLabels": { "b": "c" } } } })),
            ("GET jobs/x", Value::Null),
        ],
    ));
    cases
}

fn events() -> Vec<Case> {
    let place = json!({ "kind": "Pod", "namespace": "{ns}", "name": "p", "uid": "u", "apiVersion": "v1" });
    let old = json!({
        "involvedObject": place, "reason": "R", "message": "M", "type": "Warning", "count": 3,
        "source": { "component": "c", "host": "h" },
        "firstTimestamp": "2020-01-01T00:00:00Z", "lastTimestamp": "2020-01-02T00:00:00Z",
    });
    let new = json!({
        "eventTime": "2020-01-01T00:00:00.000000Z", "regarding": place, "reason": "R", "note": "N", "type": "Normal",
        "related": { "kind": "Node", "name": "n" }, "action": "A",
        "reportingController": "example.com/c", "reportingInstance": "i",
    });
    let series = json!({ "series": { "count": 5, "lastObservedTime": "2020-01-03T00:00:00.000000Z" } });
    vec![
        case(
            "an old event",
            [
                ("POST events", named("x", &old)),
                ("GET newevents/x", Value::Null),
                ("GET newevents", Value::Null),
                ("GET newevents?fieldSelector=regarding.name=p,reason=R", Value::Null),
                ("GET newevents?fieldSelector=regarding.name=q", Value::Null),
                ("MERGE events/x", json!({ "count": 4, "message": "other" })),
                ("MERGE newevents/x", json!({ "metadata": { "labels": { "a": "b" } } })),
                ("JSON newevents/x", json!([{ "op": "test", "path": "/note", "value": "other" }])),
                ("POST newevents", named("x", &new)),
                ("DELETE newevents/x", Value::Null),
                ("GET events/x", Value::Null),
            ],
        ),
        case(
            "a new event",
            [
                ("POST newevents", named("x", &new)),
                ("GET events/x", Value::Null),
                ("GET events", Value::Null),
                (
                    "GET events?fieldSelector=involvedObject.name=p,reportingComponent=example.com/c",
                    Value::Null,
                ),
                ("GET newevents?fieldSelector=reportingController=example.com/c", Value::Null),
                ("MERGE newevents/x", series),
                ("GET events/x", Value::Null),
                ("DELETE events", Value::Null),
                ("GET newevents/x", Value::Null),
            ],
        ),
        case(
            "the smallest event",
            [
                ("POST events", named("x", &json!({ "involvedObject": { "namespace": "{ns}" } }))),
                ("GET newevents/x", Value::Null),
                ("PUT events/y", named("y", &json!({ "involvedObject": { "namespace": "{ns}" } }))),
                ("GET newevents", Value::Null),
            ],
        ),
    ]
}

#[tokio::test]
async fn built_in_kinds_are_what_they_are_on_the_real_server() -> Result<()> {
    let test = "built_in_kinds_are_what_they_are_on_the_real_server";
    let Some(servers) = Servers::start(test).await? else { return Ok(()) };
    let cases = [secrets_and_maps(), workloads(), events()].into_iter().flatten().collect();
    compare(&servers, cases, DIFFERENCES).await?;
    servers.stop().await
}
