//! Checks of metadata, and which of its fields a write may change, on both servers.

use anyhow::Result;
use serde_json::{Value, json};

use crate::support::Servers;
use crate::support::compare::{Case, Differences, case, compare, serve_widgets};

const DIFFERENCES: Differences = &[];

/// Fields of metadata, each in an object of its own: created with it, and patched to it.
fn fields() -> Vec<Value> {
    let owner = json!({ "apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u" });
    let without = |name: &str| {
        let mut owner = owner.clone();
        owner.as_object_mut().expect("an object").remove(name);
        json!({ "ownerReferences": [owner] })
    };
    let with = |name: &str, value: Value| {
        let mut owner = owner.clone();
        owner[name] = value;
        owner
    };
    let controller = |name: &str| {
        let mut owner = with("controller", json!(true));
        owner["name"] = json!(name);
        owner
    };
    let long = |length: usize| "x".repeat(length);
    let annotations = |length: usize| json!({ "annotations": { "a": long(length) } });
    vec![
        json!({ "ownerReferences": [owner] }),
        json!({ "ownerReferences": [] }),
        without("apiVersion"),
        without("kind"),
        without("name"),
        without("uid"),
        json!({ "ownerReferences": [{}] }),
        json!({ "ownerReferences": [with("apiVersion", json!(""))] }),
        json!({ "ownerReferences": [with("apiVersion", json!("apps/"))] }),
        json!({ "ownerReferences": [with("apiVersion", json!("a/b/c"))] }),
        json!({ "ownerReferences": [with("kind", json!("Event"))] }),
        json!({ "ownerReferences": [controller("p"), controller("q")] }),
        json!({ "ownerReferences": [controller("p"), controller("q"), controller("r")] }),
        json!({ "ownerReferences": [controller("p"), with("name", json!("q"))] }),
        json!({ "ownerReferences": [owner, owner] }),
        json!({ "ownerReferences": [with("blockOwnerDeletion", json!(true))] }),
        json!({ "finalizers": [""] }),
        json!({ "finalizers": ["no domain"] }),
        json!({ "finalizers": ["nodomain"] }),
        json!({ "finalizers": ["a/b/c"] }),
        json!({ "finalizers": ["Example.com/a"] }),
        json!({ "finalizers": ["example.com/"] }),
        json!({ "finalizers": ["/a"] }),
        json!({ "finalizers": ["example.com/a", "example.com/a"] }),
        json!({ "finalizers": ["orphan"] }),
        json!({ "finalizers": ["foregroundDeletion", "orphan"] }),
        json!({ "finalizers": [format!("example.com/{}", long(64))] }),
        json!({ "finalizers": [format!("{}/a", long(254))] }),
        json!({ "labels": { "a b": "c" } }),
        json!({ "labels": { "a": "b c" } }),
        json!({ "labels": { "a": long(64) } }),
        json!({ "labels": { "": "b" } }),
        json!({ "labels": { "a/": "b" } }),
        json!({ "labels": { "/a": "b" } }),
        json!({ "labels": { "a/b/c": "d" } }),
        json!({ "labels": { "A.example/b": "c" } }),
        json!({ "labels": { "a": "" } }),
        json!({ "labels": { long(64): "a" } }),
        json!({ "annotations": { "a b": "c" } }),
        json!({ "annotations": { "A.Example/B": "c d" } }),
        json!({ "annotations": { "": "b" } }),
        json!({ "annotations": { "a/b/c": "d" } }),
        annotations((256 << 10) - 1),
        annotations(256 << 10),
        json!({ "labels": { "a b": "c" }, "annotations": { "a b": "c" }, "finalizers": ["a b"], "ownerReferences": [{}] }),
        // What the server sets.
        json!({ "creationTimestamp": "2020-01-01T00:00:00Z" }),
        json!({ "creationTimestamp": null }),
        json!({ "deletionTimestamp": "2020-01-01T00:00:00Z" }),
        json!({ "deletionTimestamp": null }),
        json!({ "deletionGracePeriodSeconds": 5 }),
        json!({ "generation": 7 }),
        json!({ "generation": -1 }),
        json!({ "selfLink": "/x" }),
        json!({ "generateName": "y-" }),
        json!({ "generateName": "Y_" }),
    ]
}

/// Names, created.
fn names() -> Vec<Value> {
    let long = |length: usize| "x".repeat(length);
    vec![
        json!({ "name": "" }),
        json!({}),
        json!({ "name": "A" }),
        json!({ "name": "a_b" }),
        json!({ "name": "a.b" }),
        json!({ "name": "-a" }),
        json!({ "name": "a-" }),
        json!({ "name": "a..b" }),
        json!({ "name": "a/b" }),
        json!({ "name": "a%b" }),
        json!({ "name": ".." }),
        json!({ "name": "1a" }),
        json!({ "name": long(63) }),
        json!({ "name": long(64) }),
        json!({ "name": long(253) }),
        json!({ "name": long(254) }),
        json!({ "generateName": "a-" }),
        json!({ "generateName": "a" }),
        json!({ "generateName": "A" }),
        json!({ "generateName": "-" }),
        json!({ "generateName": "a." }),
        json!({ "generateName": long(63) }),
        json!({ "generateName": long(254) }),
        json!({ "name": "given", "generateName": "a-" }),
        json!({ "name": "given", "generateName": "A" }),
        json!({ "name": "x", "namespace": "other" }),
        json!({ "name": "x", "namespace": "{ns}" }),
        json!({ "name": "x", "namespace": "" }),
    ]
}

fn kind(collection: &str) -> Value {
    match collection {
        "widgets" => json!({ "apiVersion": "compare.example.com/v1", "kind": "Widget" }),
        "services" => json!({ "spec": { "ports": [{ "port": 80 }] } }),
        "leases" => json!({ "spec": {} }),
        "roles" => json!({ "rules": [{ "verbs": ["get"], "apiGroups": [""], "resources": ["pods"] }] }),
        _ => json!({}),
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for collection in ["maps", "widgets"] {
        let (post, get, merge) =
            (format!("POST {collection}"), format!("GET {collection}/x"), format!("MERGE {collection}/x"));
        let (put, delete) = (format!("PUT {collection}/x"), format!("DELETE {collection}/x"));
        let mut plain = kind(collection);
        plain["metadata"] = json!({ "name": "x" });
        for metadata in fields() {
            let mut name = metadata.to_string();
            name.truncate(100);
            let mut object = plain.clone();
            for (name, value) in metadata.as_object().expect("an object") {
                object["metadata"][name] = value.clone();
            }
            let mut put_object = object.clone();
            put_object["metadata"]["resourceVersion"] = json!("{version}");
            cases.push(case(format!("POST {name}"), [(&post, object), (&get, Value::Null)]).refused_or_not());
            let patch = json!({ "metadata": metadata });
            cases.push(case(
                format!("MERGE {name}"),
                [(&post, plain.clone()), (&merge, patch.clone()), (&get, Value::Null)],
            ));
            cases.push(case(
                format!("PUT {name}"),
                [(&post, plain.clone()), (&put, put_object), (&get, Value::Null)],
            ));
            let mut held = plain.clone();
            held["metadata"]["finalizers"] = json!(["example.com/held"]);
            cases.push(case(
                format!("while deleting {name}"),
                [
                    (&post, held),
                    (&delete, Value::Null),
                    (&merge, patch),
                    (&get, Value::Null),
                    (&delete, Value::Null),
                    (&merge, json!({ "metadata": { "finalizers": null } })),
                    (&get, Value::Null),
                ],
            ));
        }
    }
    for collection in ["maps", "widgets", "services", "namespaces", "roles", "leases", "accounts"] {
        let mut object = kind(collection);
        for metadata in names() {
            // The real server allocates an address first, and for such a name that fails.
            let for_path = |name: &str| name.contains('/') || name.contains('%') || matches!(name, "" | "..");
            let has_name = metadata.get("generateName").is_some();
            if collection == "services"
                && !has_name
                && for_path(metadata["name"].as_str().unwrap_or_default())
            {
                continue;
            }
            let mut name = format!("{collection} {metadata}");
            name.truncate(100);
            object["metadata"] = metadata;
            cases.push(case(name, [(&*format!("POST {collection}"), object.clone())]));
        }
    }
    let map = |metadata: Value| json!({ "metadata": metadata });
    cases.push(case(
        "a name that is another in the body",
        [
            ("POST maps", map(json!({ "name": "x" }))),
            ("PUT maps/x", map(json!({ "name": "y" }))),
            ("PUT maps/x", map(json!({}))),
            ("PUT maps/y", map(json!({ "name": "x" }))),
            ("PUT maps/x", map(json!({ "name": "x", "namespace": "other" }))),
            ("MERGE maps/x", map(json!({ "name": "y" }))),
            ("POST maps", map(json!({ "name": "x" }))),
        ],
    ));
    let owner = json!({ "apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u" });
    cases.push(case(
        "an object that a PUT creates, with an owner twice",
        [
            ("PUT leases/x", map(json!({ "name": "x", "ownerReferences": [owner, owner] }))),
            ("GET leases/x", Value::Null),
        ],
    ));
    let applied = |finalizers: Value| {
        let metadata = json!({ "name": "x", "finalizers": finalizers });
        json!({ "apiVersion": "compare.example.com/v1", "kind": "Widget", "metadata": metadata })
    };
    cases.push(case(
        "finalizers without a domain that are applied",
        [
            ("APPLY widgets/x?fieldManager=m", applied(json!(["nodomain"]))),
            ("APPLY widgets/x?fieldManager=m", applied(json!(["nodomain"]))),
            ("APPLY widgets/x?fieldManager=m", applied(json!(["nodomain", "example.com"]))),
            ("MERGE widgets/x", map(json!({ "finalizers": null }))),
            ("MERGE widgets/x", map(json!({ "finalizers": ["zdomain", "adomain"] }))),
            ("MERGE widgets/x", map(json!({ "finalizers": ["adomain"] }))),
            ("MERGE widgets/x", map(json!({ "finalizers": null }))),
        ],
    ));
    cases.push(case(
        "grace periods",
        [
            ("POST maps", map(json!({ "name": "x", "finalizers": ["example.com/a"] }))),
            ("DELETE maps/x", json!({ "gracePeriodSeconds": 30 })),
            ("DELETE maps/x", json!({ "gracePeriodSeconds": 0 })),
            ("MERGE maps/x", map(json!({ "deletionGracePeriodSeconds": 7 }))),
            ("MERGE maps/x", map(json!({ "deletionGracePeriodSeconds": null }))),
            ("MERGE maps/x", map(json!({ "deletionTimestamp": "2020-01-01T00:00:00Z" }))),
            ("MERGE maps/x", map(json!({ "finalizers": ["example.com/a", "example.com/b"] }))),
            ("MERGE maps/x", map(json!({ "finalizers": ["example.com/c", "example.com/b"] }))),
            ("POST maps", map(json!({ "name": "x" }))),
        ],
    ));
    cases
}

/// Finalizers that are no qualified names, which some of the built-in kinds refuse.
fn finalizers() -> Vec<Case> {
    let kinds = [
        ("maps", json!({})),
        ("leases", json!({ "spec": {} })),
        ("/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets", json!({ "spec": { "minAvailable": 1 } })),
        ("/apis/node.k8s.io/v1/runtimeclasses", json!({ "handler": "x" })),
        ("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", json!({})),
        ("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", json!({})),
        (
            "/apis/apiregistration.k8s.io/v1/apiservices",
            json!({ "spec": {
            "group": "{ns}.example.com", "version": "v1", "groupPriorityMinimum": 1, "versionPriority": 1,
            "insecureSkipTLSVerify": true, "service": { "name": "x", "namespace": "{ns}", "port": 1 },
        } }),
        ),
        ("/apis/storage.k8s.io/v1/storageclasses", json!({ "provisioner": "x" })),
        ("/apis/scheduling.k8s.io/v1/priorityclasses", json!({ "value": 1 })),
        ("roles", json!({})),
        ("nodes", json!({})),
        ("events", json!({ "involvedObject": { "namespace": "{ns}" } })),
        ("widgets", json!({ "apiVersion": "compare.example.com/v1", "kind": "Widget" })),
    ];
    let mut cases = Vec::new();
    for (collection, object) in kinds {
        let name = if collection.ends_with("apiservices") { "v1.{ns}.example.com" } else { "x-{ns}" };
        let with = |finalizers: &[&str]| {
            let mut object = object.clone();
            object["metadata"] = json!({ "name": name, "finalizers": finalizers });
            object
        };
        let (post, merge) = (format!("POST {collection}"), format!("MERGE {collection}/{name}"));
        for finalizer in ["nodomain", "example.com", "no domain", "example.com/a"] {
            let patch = json!({ "metadata": { "finalizers": [finalizer] } });
            let freed = json!({ "metadata": { "finalizers": null } });
            cases.push(
                case(
                    format!("{collection} {finalizer}"),
                    [
                        (&*post, with(&[finalizer])),
                        (&*format!("DELETE {collection}/{name}"), Value::Null),
                        (&*merge, freed.clone()),
                        (&*post, with(&[])),
                        (&*merge, patch),
                        (&*merge, freed),
                    ],
                )
                .only("/body/metadata/finalizers")
                .refused_or_not(),
            );
        }
    }
    cases
}

#[tokio::test]
async fn finalizers_without_a_domain_are_taken_where_the_real_server_takes_them() -> Result<()> {
    let test = "finalizers_without_a_domain_are_taken_where_the_real_server_takes_them";
    let Some(servers) = Servers::start(test).await? else { return Ok(()) };
    serve_widgets(&servers).await?;
    compare(&servers, finalizers(), DIFFERENCES).await?;
    servers.stop().await
}

#[tokio::test]
async fn metadata_is_checked_and_kept_as_on_the_real_server() -> Result<()> {
    let test = "metadata_is_checked_and_kept_as_on_the_real_server";
    let Some(servers) = Servers::start(test).await? else { return Ok(()) };
    serve_widgets(&servers).await?;
    compare(&servers, cases(), DIFFERENCES).await?;
    servers.stop().await
}
