//! Owners that are absent, elsewhere, or of a kind that is not served.

use std::time::Duration;

use serde_json::{Value, json};

use super::{collecting, create, delete, left, map, owner, settle};
use crate::testing::{CONFIGMAPS, DEFINITIONS, Server};

const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const WIDGETS: &str = "/apis/example.com/v1/namespaces/default/widgets";

fn absent() -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "name": "absent", "uid": "6f3c0ba2-0000-4000-8000-000000000000" })
}

async fn serve_widgets(server: &Server) {
    server.post(DEFINITIONS, &widgets(&json!({ "type": "object" }))).await.of(201);
}

fn widgets(schema: &Value) -> Value {
    json!({
        "metadata": { "name": "widgets.example.com" },
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": { "plural": "widgets", "kind": "Widget" },
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": schema },
            }],
        },
    })
}

/// The events that the collector has written, as reason, object and message.
async fn events(server: &Server) -> Vec<[String; 3]> {
    let list = server.get("/api/v1/events").await.of(200);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let items = list["items"].as_array().unwrap();
    items
        .iter()
        .map(|event| {
            [text(&event["reason"]), text(&event["involvedObject"]["name"]), text(&event["message"])]
        })
        .collect()
}

#[tokio::test(start_paused = true)]
async fn without_an_owner_an_object_goes() {
    let server = collecting();
    create(&server, "a", &[absent()]).await;
    settle().await;
    assert_eq!(left(&server).await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn an_owner_of_that_name_with_another_uid_is_none() {
    let server = collecting();
    let mut reference = owner(&create(&server, "a", &[]).await);
    reference["uid"] = absent()["uid"].clone();
    create(&server, "b", &[reference]).await;
    settle().await;
    assert_eq!(left(&server).await, ["a"]);
}

#[tokio::test(start_paused = true)]
async fn an_owner_with_that_uid_and_another_kind_or_name_is_none() {
    let server = collecting();
    let a = create(&server, "a", &[]).await;
    for (field, wrong) in [("kind", "Secret"), ("name", "other")] {
        let mut reference = owner(&a);
        reference[field] = wrong.into();
        create(&server, "b", &[reference]).await;
        settle().await;
        assert_eq!(left(&server).await, ["a"], "{field}");
    }
}

#[tokio::test(start_paused = true)]
async fn dangling_references_of_an_object_that_stays_are_removed() {
    let server = collecting();
    let a = create(&server, "a", &[]).await;
    create(&server, "b", &[absent(), owner(&a)]).await;
    settle().await;
    let b = server.get(&format!("{CONFIGMAPS}/b")).await.of(200);
    assert_eq!(b["metadata"]["ownerReferences"], json!([owner(&a)]));
}

#[tokio::test(start_paused = true)]
async fn a_reference_that_is_added_later_counts() {
    let server = collecting();
    create(&server, "a", &[]).await;
    let patch = json!({ "metadata": { "ownerReferences": [absent()] } });
    server.merge(&format!("{CONFIGMAPS}/a"), &patch).await.of(200);
    settle().await;
    assert_eq!(left(&server).await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_cluster_scoped_object_can_own_a_namespaced_one() {
    let server = collecting();
    let role =
        server.post(ROLES, &json!({ "metadata": { "name": "with: colon" }, "rules": [] })).await.of(201);
    create(&server, "a", &[owner(&role)]).await;
    settle().await;
    assert_eq!(left(&server).await, ["a"]);
    delete(&server, &format!("{ROLES}/with:%20colon"), "Background").await;
    settle().await;
    assert_eq!(left(&server).await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_namespaced_object_cannot_own_a_cluster_scoped_one() {
    let server = collecting();
    let a = create(&server, "a", &[]).await;
    let role = json!({ "metadata": { "name": "r", "ownerReferences": [owner(&a)] }, "rules": [] });
    server.post(ROLES, &role).await.of(201);
    settle().await;
    let uid = a["metadata"]["uid"].as_str().unwrap();
    let message =
        format!("ownerRef [v1/ConfigMap, namespace: , name: a, uid: {uid}] does not exist in namespace \"\"");
    assert_eq!(events(&server).await, [["OwnerRefInvalidNamespace".to_owned(), "r".to_owned(), message]]);
    delete(&server, &format!("{CONFIGMAPS}/a"), "Background").await;
    settle().await;
    server.get(&format!("{ROLES}/r")).await.of(200);
}

#[tokio::test(start_paused = true)]
async fn an_owner_in_another_namespace_is_none() {
    let server = collecting();
    let a = create(&server, "a", &[]).await;
    let elsewhere = "/api/v1/namespaces/kube-public/configmaps";
    server.post(elsewhere, &map("b", &[owner(&a)])).await.of(201);
    settle().await;
    server.get(&format!("{elsewhere}/b")).await.refused(404, "NotFound");
    let events = events(&server).await;
    assert_eq!(events.len(), 1, "{events:?}");
    assert!(events[0][2].ends_with("does not exist in namespace \"kube-public\""), "{events:?}");
    assert_eq!(left(&server).await, ["a"]);
}

#[tokio::test(start_paused = true)]
async fn an_owner_of_a_kind_that_is_not_served_may_exist() {
    let server = collecting();
    let mut reference = absent();
    (reference["apiVersion"], reference["kind"]) = ("example.com/v1".into(), "Widget".into());
    create(&server, "a", &[reference.clone()]).await;
    create(&server, "b", &[reference, absent()]).await;
    settle().await;
    assert_eq!(left(&server).await, ["a", "b"]);
    serve_widgets(&server).await;
    settle().await;
    assert_eq!(left(&server).await, Vec::<String>::new(), "now it is known that there is none");
}

#[tokio::test(start_paused = true)]
async fn an_owner_may_go_with_its_definition() {
    let server = collecting();
    serve_widgets(&server).await;
    let widget = json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "w" } });
    let widget = server.post(WIDGETS, &widget).await.of(201);
    create(&server, "a", &[owner(&widget)]).await;
    settle().await;
    server.delete(&format!("{DEFINITIONS}/widgets.example.com")).await.of(200);
    server.get(WIDGETS).await;
    settle().await;
    assert_eq!(left(&server).await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn custom_resources_are_collected_and_orphaned_too() {
    let server = collecting();
    serve_widgets(&server).await;
    let a = create(&server, "a", &[]).await;
    for policy in ["Orphan", "Background"] {
        let a = if policy == "Orphan" { a.clone() } else { create(&server, "a", &[]).await };
        let widget = json!({
            "apiVersion": "example.com/v1", "kind": "Widget",
            "metadata": { "name": policy.to_lowercase(), "ownerReferences": [owner(&a)] },
        });
        server.post(WIDGETS, &widget).await.of(201);
        delete(&server, &format!("{CONFIGMAPS}/a"), policy).await;
        settle().await;
    }
    let list = server.get(WIDGETS).await.of(200);
    assert_eq!(crate::testing::names(&list), ["orphan"]);
    assert!(list["items"][0]["metadata"].get("ownerReferences").is_none(), "{list}");
}

#[tokio::test(start_paused = true)]
async fn what_the_server_refuses_is_tried_again() {
    let server = collecting();
    serve_widgets(&server).await;
    let a = create(&server, "a", &[]).await;
    let widget = json!({
        "apiVersion": "example.com/v1", "kind": "Widget",
        "metadata": { "name": "w", "ownerReferences": [owner(&a)] },
    });
    server.post(WIDGETS, &widget).await.of(201);
    let change = |schema: &Value| json!({ "spec": widgets(schema)["spec"] });
    let path = format!("{DEFINITIONS}/widgets.example.com");
    let strict =
        json!({ "type": "object", "properties": { "spec": { "type": "object" } }, "required": ["spec"] });
    server.merge(&path, &change(&strict)).await.of(200);
    delete(&server, &format!("{CONFIGMAPS}/a"), "Orphan").await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(left(&server).await, ["a"], "its dependent cannot be written, so it is still to be orphaned");
    server.merge(&path, &change(&json!({ "type": "object" }))).await.of(200);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(left(&server).await, Vec::<String>::new());
    let widget = server.get(&format!("{WIDGETS}/w")).await.of(200);
    assert!(widget["metadata"].get("ownerReferences").is_none(), "{widget}");
}
