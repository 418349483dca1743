//! Checks of metadata, and which of its fields a write may change.

use serde_json::{Value, json};

use crate::options::ApiOptions;
use crate::testing::{CONFIGMAPS, Server};

const PATH: &str = "/api/v1/namespaces/default/configmaps/x";

/// The fields that a refusal is about.
#[track_caller]
fn fields(answer: &crate::testing::Answer) -> Vec<String> {
    let status = answer.of(422);
    let causes = status["details"]["causes"].as_array().cloned().unwrap_or_default();
    causes.iter().map(|cause| cause["field"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn owners_and_finalizers_are_complete_on_creation_and_later() {
    let owner = json!({ "apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": true });
    let without = |name: &str| {
        let mut owner = owner.clone();
        owner.as_object_mut().unwrap().remove(name);
        json!({ "ownerReferences": [owner] })
    };
    let mut second = owner.clone();
    second["name"] = json!("q");
    let annotations = |size: usize| json!({ "annotations": { "a": "x".repeat(size - 1) } });
    let server = Server::new();
    server.configmap("x").await;
    for (metadata, field) in [
        (without("apiVersion"), "metadata.ownerReferences.apiVersion"),
        (without("kind"), "metadata.ownerReferences.kind"),
        (without("name"), "metadata.ownerReferences.name"),
        (without("uid"), "metadata.ownerReferences.uid"),
        (json!({ "ownerReferences": [owner, second] }), "metadata.ownerReferences"),
        (json!({ "finalizers": ["nodomain"] }), "metadata.finalizers[0]"),
        (json!({ "finalizers": ["example.com/a/b"] }), "metadata.finalizers"),
        (json!({ "finalizers": ["orphan", "foregroundDeletion"] }), "metadata.finalizers"),
        (annotations((256 << 10) + 1), "metadata.annotations"),
        (json!({ "annotations": { "a b": "" } }), "metadata.annotations"),
    ] {
        let mut named = metadata.clone();
        named["name"] = json!("y");
        assert_eq!(fields(&server.post(CONFIGMAPS, &json!({ "metadata": named })).await), [field], "{named}");
        assert_eq!(
            fields(&server.merge(PATH, &json!({ "metadata": metadata })).await),
            [field],
            "{metadata}"
        );
    }
    for metadata in [
        json!({ "ownerReferences": [owner] }),
        json!({ "finalizers": ["orphan", "example.com/A"] }),
        annotations(256 << 10),
        json!({ "annotations": { "Example.COM/a": "any text" } }),
    ] {
        server.merge(PATH, &json!({ "metadata": metadata })).await.of(200);
        server.merge(PATH, &json!({ "metadata": { "annotations": null } })).await.of(200);
    }
}

#[tokio::test(start_paused = true)]
async fn some_built_in_kinds_take_finalizers_without_a_domain() {
    let server = Server::new();
    let kinds = [
        ("/apis/coordination.k8s.io/v1/namespaces/default/leases", true),
        ("/apis/policy/v1/namespaces/default/poddisruptionbudgets", true),
        ("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", true),
        ("/apis/node.k8s.io/v1/runtimeclasses", true),
        ("/api/v1/namespaces/default/events", true),
        ("/apis/events.k8s.io/v1/namespaces/default/events", false),
        ("/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles", false),
        ("/apis/storage.k8s.io/v1/storageclasses", false),
    ];
    for (number, (collection, is_taken)) in kinds.into_iter().enumerate() {
        // Both APIs of events have the same objects.
        let with = |name: &str, finalizers: &[&str]| json!({ "metadata": { "name": format!("{name}{number}"), "finalizers": finalizers } });
        server.post(collection, &with("x", &["example.com/a"])).await.of(201);
        let patch = json!({ "metadata": { "finalizers": ["nodomain"] } });
        let made = server.post(collection, &with("y", &["nodomain"])).await;
        let changed = server.merge(&format!("{collection}/x{number}"), &patch).await;
        let expected = if is_taken { (201, 200) } else { (422, 422) };
        assert_eq!((made.status, changed.status), expected, "{collection}: {}", made.text);
        // A name that is none is refused everywhere.
        server.post(collection, &with("z", &["no name"])).await.refused(422, "Invalid");
    }
}

#[tokio::test(start_paused = true)]
async fn some_fields_are_kept_without_a_word_and_others_with_one() {
    let server = Server::new();
    let before = server.configmap("x").await;
    for metadata in [
        json!({ "creationTimestamp": "2020-01-01T00:00:00Z" }),
        json!({ "generation": 7 }),
        json!({ "selfLink": "/x" }),
        json!({ "uid": null }),
    ] {
        assert_eq!(server.merge(PATH, &json!({ "metadata": metadata })).await.of(200), before, "{metadata}");
    }
    for (metadata, field) in [
        (json!({ "uid": "other" }), "metadata.uid"),
        (json!({ "deletionTimestamp": "2020-01-01T00:00:00Z" }), "metadata.deletionTimestamp"),
        (json!({ "deletionGracePeriodSeconds": 3 }), "metadata.deletionGracePeriodSeconds"),
    ] {
        assert_eq!(fields(&server.merge(PATH, &json!({ "metadata": metadata })).await), [field]);
    }
    // In a PUT another uid is a conflict rather than a change.
    let other = json!({ "metadata": { "name": "x", "uid": "other" } });
    server.put(PATH, &other).await.refused(409, "Conflict");
}

#[tokio::test(start_paused = true)]
async fn duplicate_owners_are_removed_with_a_warning() {
    let server = Server::new();
    let owner = json!({ "apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u" });
    let metadata = json!({ "name": "x", "ownerReferences": [owner, owner] });
    let answer = server.post(CONFIGMAPS, &json!({ "metadata": metadata })).await;
    assert_eq!(answer.of(201)["metadata"]["ownerReferences"], json!([owner]));
    let warning = answer.headers["warning"].to_str().unwrap();
    assert!(
        warning.starts_with("299 - \".metadata.ownerReferences contains duplicate entries; "),
        "{warning}"
    );
    let answer = server.merge(PATH, &json!({ "metadata": { "labels": { "a": "b" } } })).await;
    assert!(answer.of(200).is_object() && !answer.headers.contains_key("warning"));
}

#[tokio::test(start_paused = true)]
async fn an_object_that_a_put_creates_has_an_owner_once() {
    let server = Server::new();
    let owner = json!({ "apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u" });
    let lease = json!({ "metadata": { "name": "x", "ownerReferences": [owner, owner] } });
    let answer = server.put("/apis/coordination.k8s.io/v1/namespaces/default/leases/x", &lease).await;
    assert_eq!(answer.of(201)["metadata"]["ownerReferences"], json!([owner]));
    assert!(answer.headers.contains_key("warning"));
}

#[tokio::test(start_paused = true)]
async fn generated_names_are_tried_until_one_is_free_or_eight_are_taken() {
    let made_up = json!({ "metadata": { "generateName": "a-" } });
    // Servers with the same seed make up the same names, if the same number of objects are created before.
    let with = async |taken: &[String]| {
        let server = Server::with(ApiOptions { seed: Some(7), ..ApiOptions::default() });
        for index in 0..8 {
            let name = taken.get(index).cloned().unwrap_or_else(|| format!("other-{index}"));
            server.configmap(&name).await;
        }
        server.post(CONFIGMAPS, &made_up).await
    };
    let mut taken: Vec<String> = Vec::new();
    for _ in 0..8 {
        let name = with(&taken).await.of(201)["metadata"]["name"].as_str().unwrap().to_owned();
        assert!(name.starts_with("a-") && name.len() == 7 && !taken.contains(&name), "{name}");
        taken.push(name);
    }
    let refused = with(&taken).await;
    let message = refused.refused(409, "AlreadyExists");
    assert!(
        message.ends_with("the server was not able to generate a unique name for the object"),
        "{message}"
    );
    assert_eq!(refused.headers["retry-after"], "1");
}

#[tokio::test(start_paused = true)]
async fn generated_names_are_short_enough() {
    let server = Server::new();
    let name = |object: &Value| object["metadata"]["name"].as_str().unwrap().to_owned();
    let long = json!({ "metadata": { "generateName": "x".repeat(70) } });
    assert_eq!(name(&server.post(CONFIGMAPS, &long).await.of(201)).len(), 63);
    let dry = server.post(&format!("{CONFIGMAPS}?dryRun=All"), &long).await.of(201);
    server.get(&format!("{CONFIGMAPS}/{}", name(&dry))).await.refused(404, "NotFound");
}
