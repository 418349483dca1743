//! Writes to objects by several managers.

use serde_json::{Value, json};

use super::super::{JSON, MERGE, Story, apply};

pub(crate) fn definition() -> Value {
    let text = json!({ "type": "string" });
    let item = json!({
        "type": "object", "required": ["name"],
        "properties": { "name": text, "protocol": { "type": "string", "default": "TCP" }, "value": { "type": "integer" } },
    });
    let spec = json!({
        "type": "object",
        "properties": {
            "text": text,
            "number": { "type": "integer" },
            "struct": { "type": "object", "properties": { "a": text, "b": text } },
            "map": { "type": "object", "additionalProperties": text },
            "atomicMap": { "type": "object", "additionalProperties": text, "x-kubernetes-map-type": "atomic" },
            "set": { "type": "array", "items": text, "x-kubernetes-list-type": "set" },
            "list": { "type": "array", "items": text },
            "items": {
                "type": "array", "items": item, "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name", "protocol"],
            },
            "either": { "x-kubernetes-int-or-string": true },
            "free": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
        },
    });
    let status = json!({ "type": "object", "properties": { "phase": text, "set": { "type": "array", "items": text, "x-kubernetes-list-type": "set" } } });
    let schema =
        json!({ "openAPIV3Schema": { "type": "object", "properties": { "spec": spec, "status": status } } });
    let version = json!({
        "name": "v1", "served": true, "storage": true, "schema": schema, "subresources": { "status": {} },
    });
    let names =
        json!({ "plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList" });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "widgets.example.com" },
        "spec": { "group": "example.com", "scope": "Namespaced", "names": names, "versions": [version] },
    })
}

pub(crate) fn all() -> Vec<Story> {
    let last = |value: &str| {
        let config =
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": {}, "data": { "a": value } });
        json!({ "kubectl.kubernetes.io/last-applied-configuration": config.to_string() })
    };
    let configmap = |steps| Story { collection: "/api/v1/namespaces/default/configmaps".to_owned(), steps };
    let widget =
        |steps| Story { collection: "/apis/example.com/v1/namespaces/default/widgets".to_owned(), steps };
    let deployment =
        |steps| Story { collection: "/apis/apps/v1/namespaces/default/deployments".to_owned(), steps };
    let service = |steps| Story { collection: "/api/v1/namespaces/default/services".to_owned(), steps };
    let pods = |containers: Value| {
        json!({ "spec": {
            "selector": { "matchLabels": { "app": "x" } },
            "template": { "metadata": { "labels": { "app": "x" } }, "spec": { "containers": containers } },
        } })
    };
    let data = |data: Value| json!({ "data": data });
    let many = (0..12).map(|number| {
        let by: &'static str = format!("PATCH ?fieldManager=m{number:02}").leak();
        (by, MERGE, json!({ "data": { format!("k{number}"): "v" } }))
    });
    vec![
        configmap(vec![
            (
                "POST ?fieldManager=one",
                JSON,
                json!({ "data": { "a": "1", "b": "2" }, "metadata": { "labels": { "x": "y" } } }),
            ),
            ("PATCH ?fieldManager=two", MERGE, data(json!({ "b": "3", "c": "4" }))),
            ("PATCH ?fieldManager=two", MERGE, data(json!({ "b": "3" }))),
            ("PUT ?fieldManager=three", JSON, data(json!({ "a": "1", "c": "4" }))),
            apply("PATCH ?fieldManager=four", data(json!({ "a": "2", "c": "5", "d": "6" }))),
            apply("PATCH ?fieldManager=four&force=true", data(json!({ "a": "2", "c": "5", "d": "6" }))),
            apply("PATCH ?fieldManager=five", data(json!({ "a": "2" }))),
            apply("PATCH ?fieldManager=four", data(json!({ "d": "6" }))),
            apply("PATCH ?fieldManager=five", json!({})),
            apply("PATCH ?fieldManager=four", data(json!({ "d": "6" }))),
            ("PATCH ?fieldManager=six", MERGE, json!({ "metadata": { "managedFields": [] } })),
            ("PATCH ?fieldManager=six", MERGE, data(json!({ "d": "7" }))),
            apply("PATCH ?fieldManager=four", data(json!({ "d": "6" }))),
            apply("PATCH ?fieldManager=four", data(json!({ "d": "7", "e": "1" }))),
        ]),
        configmap(vec![
            apply(
                "PATCH ?fieldManager=one",
                json!({ "data": { "a": "1" }, "metadata": { "finalizers": ["example.com/x"], "annotations": { "n": "m" } } }),
            ),
            apply(
                "PATCH ?fieldManager=two",
                json!({ "data": { "a": "1", "b": "2" }, "metadata": { "finalizers": ["example.com/y"] } }),
            ),
            apply(
                "PATCH ?fieldManager=one",
                json!({ "data": { "b": "9", "c": "9" }, "metadata": { "finalizers": [], "labels": {} } }),
            ),
            apply("PATCH ?fieldManager=one&force=true", json!({ "data": { "b": "9", "c": "9" } })),
            apply("PATCH ?fieldManager=one", json!({ "kind": "Other" })),
            apply("PATCH ?fieldManager=one", json!({ "apiVersion": "v2" })),
            apply("PATCH ?fieldManager=one", json!({ "metadata": { "managedFields": [] } })),
            apply("PATCH ?fieldManager=one", data(json!({ "a": 1 }))),
            apply("PATCH ?fieldManager=one", json!({ "data": [1] })),
            apply("PATCH ?fieldManager=one", json!({ "dat": {} })),
            apply("PATCH ?fieldManager=one", json!({ "immutable": "yes" })),
            apply(
                "PATCH ?fieldManager=one",
                json!({ "metadata": { "finalizers": ["example.com/x", "example.com/x"] } }),
            ),
            apply(
                "PATCH ?fieldManager=one",
                json!({ "metadata": { "ownerReferences": [{ "kind": "x" }], "labels": 5 } }),
            ),
            (
                "PUT ?fieldManager=three",
                JSON,
                json!({ "data": { "z": "1" }, "metadata": { "managedFields": [{}] } }),
            ),
            apply("PATCH ?fieldManager=one", data(json!({ "z": "1" }))),
        ]),
        configmap(
            std::iter::once(("POST ?fieldManager=zero", JSON, data(json!({ "z": "1" }))))
                .chain(many)
                .collect(),
        ),
        configmap(vec![
            (
                "POST ?fieldManager=kubectl-client-side-apply",
                JSON,
                json!({ "data": { "a": "1" }, "metadata": { "annotations": last("1") } }),
            ),
            apply("PATCH ?fieldManager=other", data(json!({ "a": "2" }))),
            apply("PATCH ?fieldManager=kubectl", data(json!({ "a": "2" }))),
            apply("PATCH ?fieldManager=kubectl", data(json!({ "a": "3", "b": "4" }))),
        ]),
        widget(vec![
            (
                "POST ?fieldManager=one",
                JSON,
                json!({ "spec": { "text": "a", "struct": { "a": "1" }, "set": ["x"], "items": [{ "name": "n", "value": 1 }], "free": { "deep": { "er": [1] } } } }),
            ),
            apply(
                "PATCH ?fieldManager=two",
                json!({ "spec": { "set": ["y"], "items": [{ "name": "m" }, { "name": "n", "protocol": "UDP", "value": 2 }], "free": { "deep": { "x": 1 } }, "either": 1 } }),
            ),
            apply(
                "PATCH ?fieldManager=two",
                json!({ "spec": { "set": ["y", "x"], "items": [{ "name": "n", "value": 3 }], "atomicMap": { "a": "b" }, "map": {}, "list": [] } }),
            ),
            apply(
                "PATCH ?fieldManager=two&force=true",
                json!({ "spec": { "set": ["y", "x"], "items": [{ "name": "n", "value": 3 }], "atomicMap": { "a": "b" }, "map": { "c": "d" }, "list": ["e"] } }),
            ),
            apply(
                "PATCH ?fieldManager=three",
                json!({ "spec": { "atomicMap": { "f": "g" }, "map": { "h": "i" }, "list": ["j"] } }),
            ),
            apply("PATCH ?fieldManager=two", json!({ "spec": { "text": "a" } })),
            (
                "PATCH /status?fieldManager=controller",
                MERGE,
                json!({ "status": { "phase": "Ready", "set": ["a"] }, "spec": { "text": "no" } }),
            ),
            apply(
                "PATCH /status?fieldManager=applier",
                json!({ "status": { "phase": "Ready", "set": ["b"] } }),
            ),
            apply("PATCH /status?fieldManager=applier", json!({ "status": { "phase": "Other" } })),
            apply(
                "PATCH ?fieldManager=applier",
                json!({ "spec": { "number": 5 }, "status": { "phase": "Mine" } }),
            ),
            ("PATCH ?fieldManager=one", MERGE, json!({ "spec": { "free": null, "struct": null } })),
            apply("PATCH ?fieldManager=two", json!({ "spec": { "unknown": 1 } })),
            apply("PATCH ?fieldManager=two", json!({ "spec": { "number": "x" } })),
        ]),
        deployment(vec![
            (
                "POST ?fieldManager=one",
                JSON,
                pods(
                    json!([{ "name": "c", "image": "i", "ports": [{ "containerPort": 80 }], "env": [{ "name": "A", "value": "1" }] }]),
                ),
            ),
            apply(
                "PATCH ?fieldManager=two",
                pods(
                    json!([{ "name": "d", "image": "j" }, { "name": "c", "ports": [{ "containerPort": 443, "protocol": "TCP" }, { "containerPort": 80, "name": "http" }] }]),
                ),
            ),
            apply(
                "PATCH ?fieldManager=two",
                pods(
                    json!([{ "name": "c", "image": "k", "env": [{ "name": "A", "value": "2" }, { "name": "B" }] }]),
                ),
            ),
            apply(
                "PATCH ?fieldManager=two&force=true",
                json!({ "spec": { "replicas": 3, "strategy": { "rollingUpdate": { "maxSurge": 2 } } } }),
            ),
            (
                "PATCH /status?fieldManager=controller",
                MERGE,
                json!({ "status": { "replicas": 2, "conditions": [{ "type": "Available", "status": "True" }] } }),
            ),
            apply(
                "PATCH /status?fieldManager=controller",
                json!({ "status": { "conditions": [{ "type": "Available", "status": "False" }] } }),
            ),
            (
                "PATCH ?fieldManager=one",
                MERGE,
                json!({ "spec": { "replicas": 5 }, "metadata": { "labels": { "a": "b" } } }),
            ),
        ]),
        deployment(vec![
            apply(
                "PATCH ?fieldManager=one",
                pods(json!([{ "name": "c", "image": "i", "resources": { "limits": { "cpu": "1" } } }])),
            ),
            apply(
                "PATCH ?fieldManager=one",
                pods(json!([{ "name": "c", "image": "i", "resources": { "limits": { "cpu": "1000m" } } }])),
            ),
        ]),
        service(vec![
            (
                "POST ?fieldManager=one",
                JSON,
                json!({ "spec": { "ports": [{ "port": 80 }], "selector": { "a": "b" } } }),
            ),
            apply(
                "PATCH ?fieldManager=two",
                json!({ "spec": { "ports": [{ "port": 443, "name": "s" }, { "port": 80, "name": "h", "targetPort": "web" }], "selector": { "a": "b" } } }),
            ),
            apply(
                "PATCH ?fieldManager=two&force=true",
                json!({ "spec": { "ports": [{ "port": 443, "name": "s" }, { "port": 80, "name": "h" }] } }),
            ),
        ]),
    ]
}
