//! Fields of metadata that only the server sets.

use serde_json::{Value, json};

use super::{
    APPLY, JSON, MERGE, Story, data, deployments, maps, set_by_servers, story, widgets, with, workload,
};

pub(super) fn stories() -> Vec<Story> {
    [applied(), created(), tried()].into_iter().flatten().collect()
}

/// In apply patches.
fn applied() -> Vec<Story> {
    let metadata = set_by_servers();
    vec![
        widgets(vec![
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": metadata, "spec": { "text": "a" } })),
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": metadata, "spec": { "text": "b" } })),
            (
                "PATCH /status?fieldManager=one",
                APPLY,
                json!({ "metadata": metadata, "status": { "phase": "b" } }),
            ),
            ("GET ", JSON, Value::Null),
        ]),
        maps(vec![
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": metadata, "data": { "a": "1" } })),
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": metadata, "data": { "a": "2" } })),
            (
                "PATCH ?fieldManager=one",
                APPLY,
                json!({ "metadata": { "deletionTimestamp": "2020-01-01T00:00:00Z" } }),
            ),
            (
                "PATCH ?fieldManager=one",
                APPLY,
                json!({ "metadata": { "deletionTimestamp": null, "selfLink": null } }),
            ),
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": { "selfLink": "/x" } })),
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": { "deletionGracePeriodSeconds": 5 } })),
            (
                "PATCH ?fieldManager=one",
                APPLY,
                json!({ "metadata": { "generation": 7, "creationTimestamp": "2020-01-01T00:00:00Z" } }),
            ),
            ("GET ", JSON, Value::Null),
        ]),
        maps(vec![
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": { "deletionGracePeriodSeconds": 5 } })),
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": { "labels": { "a": "b" } } })),
            ("GET ", JSON, Value::Null),
        ]),
        maps(vec![
            (
                "PATCH ?fieldManager=one",
                APPLY,
                json!({ "metadata": { "deletionTimestamp": "2020-01-01T00:00:00Z", "deletionGracePeriodSeconds": 5, "finalizers": ["example.com/a"] } }),
            ),
            ("PATCH ?fieldManager=one", MERGE, data(json!({ "a": "1" }))),
            (
                "PATCH ?fieldManager=one",
                MERGE,
                json!({ "metadata": { "finalizers": null, "selfLink": "/x" } }),
            ),
            ("GET ", JSON, Value::Null),
        ]),
    ]
}

/// Sent to create an object, and applied later.
fn created() -> Vec<Story> {
    let metadata = set_by_servers();
    vec![
        maps(vec![
            ("POST ?fieldManager=one", JSON, with(&data(json!({ "a": "1" })), "metadata", metadata.clone())),
            (
                "PATCH ?fieldManager=one",
                APPLY,
                json!({ "metadata": { "selfLink": "/x" }, "data": { "a": "1" } }),
            ),
            ("GET ", JSON, Value::Null),
            (
                "PATCH ?fieldManager=one",
                APPLY,
                json!({ "metadata": { "selfLink": "/y" }, "data": { "a": "2" } }),
            ),
            (
                "PATCH ?fieldManager=one",
                APPLY,
                json!({ "metadata": { "deletionTimestamp": "2020-01-01T00:00:00Z" } }),
            ),
            (
                "PATCH ?fieldManager=one",
                APPLY,
                json!({ "metadata": { "deletionTimestamp": null, "selfLink": null } }),
            ),
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": { "deletionGracePeriodSeconds": 5 } })),
            (
                "PUT ?fieldManager=one",
                JSON,
                json!({ "metadata": { "selfLink": "/x" }, "data": { "a": "3" } }),
            ),
            ("GET ", JSON, Value::Null),
        ]),
        story(
            "/apis/coordination.k8s.io/v1/namespaces/default/leases",
            ("coordination.k8s.io/v1", "Lease"),
            vec![
                ("PUT ?fieldManager=one", JSON, json!({ "metadata": metadata })),
                (
                    "PUT ?fieldManager=one",
                    JSON,
                    json!({ "metadata": metadata, "spec": { "holderIdentity": "a" } }),
                ),
                ("GET ", JSON, Value::Null),
            ],
        ),
        deployments(vec![
            ("PATCH ?fieldManager=one", APPLY, with(&workload(2, "i"), "metadata", metadata.clone())),
            ("PATCH ?fieldManager=one", APPLY, with(&workload(3, "i"), "metadata", metadata.clone())),
            ("GET ", JSON, Value::Null),
        ]),
    ]
}

/// In dry runs, whose answers have what is not stored.
fn tried() -> Vec<Story> {
    let metadata = set_by_servers();
    vec![
        maps(vec![
            (
                "PATCH ?fieldManager=one&dryRun=All",
                APPLY,
                json!({ "metadata": metadata, "data": { "a": "1" } }),
            ),
            ("GET ", JSON, Value::Null),
        ]),
        maps(vec![
            ("PATCH ?fieldManager=one&dryRun=All", APPLY, json!({ "metadata": { "resourceVersion": "1" } })),
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": { "resourceVersion": "1" } })),
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": { "resourceVersion": "1" } })),
        ]),
        maps(vec![
            ("POST ", JSON, data(json!({ "a": "1" }))),
            ("PATCH ?dryRun=All", MERGE, json!({ "metadata": { "selfLink": "/x" }, "data": { "a": "2" } })),
            ("PATCH ?dryRun=All", MERGE, json!({ "metadata": { "selfLink": "/x" } })),
            ("PATCH ", MERGE, json!({ "metadata": { "selfLink": "/x" } })),
            ("PUT ?dryRun=All", JSON, json!({ "metadata": { "selfLink": "/x" }, "data": { "a": "3" } })),
            ("GET ", JSON, Value::Null),
        ]),
        widgets(vec![
            ("POST ", JSON, json!({ "spec": { "text": "a" } })),
            (
                "PATCH ?dryRun=All",
                MERGE,
                json!({ "metadata": { "selfLink": "/x" }, "spec": { "text": "b" } }),
            ),
            (
                "PATCH /status?dryRun=All",
                MERGE,
                json!({ "metadata": { "selfLink": "/x" }, "status": { "phase": "b" } }),
            ),
            ("GET ", JSON, Value::Null),
        ]),
    ]
}
