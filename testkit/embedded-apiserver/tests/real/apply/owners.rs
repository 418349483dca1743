//! Who owns which fields, and what becomes of those that nobody wants any more.

use serde_json::{Value, json};

use super::{
    APPLY, JSON, MERGE, STRATEGIC, Story, data, deployments, maps, roles, scale, set_by_servers, widgets,
    with_managers, workload,
};

pub(super) fn stories() -> Vec<Story> {
    [builtin(), custom(), forgotten(), parts()].into_iter().flatten().collect()
}

/// Objects of built-in kinds.
fn builtin() -> Vec<Story> {
    vec![
        maps(vec![
            ("POST ?fieldManager=one", JSON, data(json!({ "a": "1", "b": "2" }))),
            ("PATCH ", MERGE, data(json!({ "c": "3" }))),
            (
                "PATCH ?fieldManager=two",
                "application/json-patch+json",
                json!("[{\"op\":\"replace\",\"path\":\"/data/a\",\"value\":\"9\"}]"),
            ),
            ("PATCH ?fieldManager=two", "application/strategic-merge-patch+json", data(json!({ "b": null }))),
            ("PUT ?fieldManager=three", JSON, data(json!({ "a": "9", "d": "4" }))),
            ("PATCH ", APPLY, data(json!({ "a": "9" }))),
            ("PATCH ?fieldManager=four", APPLY, data(json!({ "a": "8", "e": "5" }))),
            ("PATCH ?fieldManager=four&force=true&dryRun=All", APPLY, data(json!({ "a": "8", "e": "5" }))),
            ("PATCH ?fieldManager=four&force=true", APPLY, data(json!({ "a": "8", "e": "5" }))),
            ("PATCH ?fieldManager=four", APPLY, data(json!({ "a": "8", "e": "5" }))),
            ("PATCH ?fieldManager=five", APPLY, data(json!({ "a": "8" }))),
            ("PATCH ?fieldManager=four", APPLY, data(json!({}))),
            ("PATCH ?fieldManager=four", APPLY, json!({})),
            ("PATCH ?fieldManager=five&force=true", MERGE, data(json!({ "x": "1" }))),
            (
                "PUT ?fieldManager=six",
                JSON,
                json!({ "data": { "z": "1" }, "metadata": { "managedFields": [{}] } }),
            ),
            ("PATCH ?fieldManager=six", MERGE, data(json!({ "y": "1" }))),
            ("PATCH ?fieldManager=six", APPLY, data(json!({ "y": "1" }))),
            ("GET ", JSON, Value::Null),
        ]),
        maps(vec![
            (
                "PATCH ?fieldManager=one",
                APPLY,
                json!(
                    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: applied-1\n  labels: {a: b}\ndata:\n  text: |\n    x\n    y\n"
                ),
            ),
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": { "uid": "u" } })),
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": { "resourceVersion": "1" } })),
            ("PATCH ?fieldManager=one", APPLY, json!({ "kind": "Secret" })),
            ("PATCH ?fieldManager=one", APPLY, json!({ "metadata": { "managedFields": [] } })),
            ("PATCH ?fieldManager=one", APPLY, json!({ "unknown": 1 })),
            ("PATCH ?fieldManager=one", APPLY, data(json!({ "a": 1 }))),
            ("PATCH ?fieldManager=one", "application/apply-patch+cbor", data(json!({ "a": 1 }))),
        ]),
        Story {
            refused: true,
            ..maps(vec![("PATCH ?fieldManager=one", APPLY, json!({ "metadata": { "uid": "u" } }))])
        },
        roles(vec![
            (
                "PATCH ?fieldManager=one",
                APPLY,
                json!({ "rules": [{ "apiGroups": [""], "resources": ["pods"], "verbs": ["get"] }] }),
            ),
            (
                "PATCH ?fieldManager=two",
                APPLY,
                json!({ "rules": [{ "apiGroups": [""], "resources": ["pods"], "verbs": ["list"] }] }),
            ),
            (
                "PATCH ?fieldManager=two&force=true",
                APPLY,
                json!({ "rules": [{ "apiGroups": [""], "resources": ["pods"], "verbs": ["list"] }] }),
            ),
            (
                "PUT ?fieldManager=one",
                JSON,
                json!({ "rules": [{ "apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get"] }] }),
            ),
        ]),
    ]
}

/// Custom resources, with lists and maps of all kinds, and their Scale.
fn custom() -> Vec<Story> {
    vec![
        widgets(vec![
            (
                "POST ?fieldManager=one",
                JSON,
                json!({ "spec": { "text": "a", "set": ["x"], "items": [{ "name": "n", "value": 1 }], "free": { "deep": { "er": [1] } } } }),
            ),
            (
                "PATCH ?fieldManager=two",
                APPLY,
                json!({ "spec": { "set": ["y"], "items": [{ "name": "m" }], "free": { "deep": { "x": 1 } }, "replicas": 1 } }),
            ),
            (
                "PATCH ?fieldManager=two",
                APPLY,
                json!({ "spec": { "items": [{ "name": "n", "value": 2 }], "atomic": { "a": "b" }, "list": ["e"] } }),
            ),
            (
                "PATCH ?fieldManager=two&force=true",
                APPLY,
                json!({ "spec": { "items": [{ "name": "n", "value": 2 }, { "name": "o" }], "atomic": { "a": "b" }, "map": { "c": "d" }, "list": ["e"] } }),
            ),
            (
                "PATCH ?fieldManager=three",
                APPLY,
                json!({ "spec": { "atomic": { "f": "g" }, "list": ["j"] } }),
            ),
            (
                "PATCH /status?fieldManager=controller",
                MERGE,
                json!({ "status": { "phase": "Ready" }, "spec": { "text": "no" } }),
            ),
            ("PATCH /status?fieldManager=applier", APPLY, json!({ "status": { "phase": "Ready" } })),
            ("PATCH /status?fieldManager=applier", APPLY, json!({ "status": { "phase": "Other" } })),
            (
                "PATCH ?fieldManager=applier",
                APPLY,
                json!({ "spec": { "number": 5 }, "status": { "phase": "Mine" } }),
            ),
            ("PATCH /scale?fieldManager=scaler", MERGE, scale(4)),
            ("PATCH /scale?fieldManager=other", APPLY, scale(5)),
            ("GET ", JSON, Value::Null),
            ("PATCH ?fieldManager=two", APPLY, json!({ "spec": { "unknown": 1 } })),
            ("PATCH ?fieldManager=two", APPLY, json!({ "spec": { "number": "x" } })),
        ]),
        widgets(vec![
            ("PATCH ?fieldManager=one", APPLY, json!({ "spec": { "replicas": 2 } })),
            ("PATCH /scale?fieldManager=scaler", MERGE, json!("{\"spec\":{\"replicas\":4}}")),
            ("GET ", JSON, Value::Null),
            ("PATCH /scale?fieldManager=scaler", MERGE, json!("{\"spec\":{\"replicas\":5}}")),
            ("GET ", JSON, Value::Null),
        ]),
        widgets(vec![
            ("POST ?fieldManager=one", JSON, json!({ "spec": { "replicas": 2 } })),
            ("PATCH /scale?fieldManager=scaler", MERGE, json!("{\"spec\":{\"replicas\":4}}")),
            ("GET ", JSON, Value::Null),
        ]),
    ]
}

/// Who asks to forget all managers.
fn forgotten() -> Vec<Story> {
    vec![
        maps(vec![
            ("POST ?fieldManager=one", JSON, data(json!({ "a": "1" }))),
            ("PUT ?fieldManager=two", JSON, with_managers(data(json!({ "a": "2" })))),
            ("PUT ?fieldManager=three", JSON, data(json!({ "a": "3" }))),
            ("PATCH ?fieldManager=four", APPLY, data(json!({ "b": "1" }))),
            ("PATCH ?fieldManager=five", MERGE, with_managers(json!({}))),
            ("PATCH ?fieldManager=five", MERGE, data(json!({ "a": "4" }))),
            ("PATCH ?fieldManager=six", APPLY, data(json!({ "c": "1" }))),
            ("PATCH ?fieldManager=six", STRATEGIC, with_managers(data(json!({ "d": "1" })))),
            ("PATCH ?fieldManager=six", APPLY, data(json!({ "c": "1" }))),
            (
                "PATCH ?fieldManager=seven",
                "application/json-patch+json",
                json!("[{\"op\":\"replace\",\"path\":\"/metadata/managedFields\",\"value\":[]}]"),
            ),
            ("GET ", JSON, Value::Null),
        ]),
        maps(vec![("POST ?fieldManager=one", JSON, with_managers(data(json!({ "a": "1" }))))]),
        widgets(vec![
            ("POST ?fieldManager=one", JSON, with_managers(json!({ "spec": { "text": "a" } }))),
            ("PATCH /status?fieldManager=two", MERGE, with_managers(json!({ "status": { "phase": "a" } }))),
            ("PATCH ?fieldManager=two", MERGE, with_managers(json!({ "spec": { "number": 1 } }))),
            ("PATCH ?fieldManager=three", APPLY, json!({ "spec": { "map": { "a": "b" } } })),
            (
                "PATCH ?fieldManager=three",
                "application/json-patch+json",
                json!("[{\"op\":\"replace\",\"path\":\"/metadata/managedFields\",\"value\":[]}]"),
            ),
            ("GET ", JSON, Value::Null),
        ]),
    ]
}

/// The status and the number of replicas belong to others than the rest.
fn parts() -> Vec<Story> {
    let metadata = set_by_servers();
    vec![
        widgets(vec![
            ("POST ?fieldManager=one", JSON, json!({ "spec": { "text": "a" } })),
            ("PATCH /status?fieldManager=two", APPLY, json!({ "status": null })),
            ("PATCH /status?fieldManager=two", APPLY, json!({ "status": { "phase": "a" } })),
            ("PATCH /status?fieldManager=two", APPLY, json!({ "status": { "phase": null } })),
            ("PATCH /status?fieldManager=two", APPLY, json!({ "status": null })),
            ("PATCH /status?fieldManager=two", APPLY, json!({ "status": null, "spec": null })),
            ("PATCH ?fieldManager=two", APPLY, json!({ "spec": null })),
            ("PATCH /status?fieldManager=three", MERGE, json!({ "status": null })),
            ("PATCH ?fieldManager=two", APPLY, json!({ "status": null })),
            ("GET ", JSON, Value::Null),
        ]),
        deployments(vec![
            ("PATCH ?fieldManager=one", APPLY, workload(3, "i")),
            ("PATCH /status?fieldManager=two", APPLY, json!({ "status": null })),
            ("PATCH /status?fieldManager=two", APPLY, json!({ "status": { "observedGeneration": 1 } })),
            ("PATCH /status?fieldManager=two", APPLY, json!({ "status": null })),
            (
                "PATCH /status?fieldManager=two",
                APPLY,
                json!({ "metadata": { "selfLink": "/x" }, "status": { "observedGeneration": 2 } }),
            ),
            (
                "PATCH /status?fieldManager=two",
                APPLY,
                json!({ "metadata": metadata, "status": { "observedGeneration": 2 } }),
            ),
            ("GET ", JSON, Value::Null),
        ]),
        deployments(vec![
            ("PATCH ?fieldManager=one", APPLY, workload(2, "i")),
            ("PATCH ?fieldManager=two", APPLY, workload(3, "j")),
            ("PATCH ?fieldManager=two&force=true", APPLY, workload(3, "j")),
            ("PATCH /scale?fieldManager=scaler", MERGE, scale(5)),
            ("GET ", JSON, Value::Null),
            ("PATCH /scale?fieldManager=applier", APPLY, scale(6)),
            ("PATCH /scale?fieldManager=applier&force=true", APPLY, scale(6)),
            ("GET ", JSON, Value::Null),
            ("PATCH ?fieldManager=one", MERGE, json!({ "metadata": { "labels": { "a": "b" } } })),
        ]),
    ]
}
