//! Namespaces that are being deleted.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::super::BuiltinController;
use super::settle;
use crate::options::ApiOptions;
use crate::testing::Server;

const NAMESPACES: &str = "/api/v1/namespaces";
const N: &str = "/api/v1/namespaces/n";

async fn with(controllers: &[BuiltinController]) -> Server {
    let controllers = controllers.iter().copied().collect();
    let server = Server::with(ApiOptions { controllers, ..ApiOptions::default() });
    server.post(NAMESPACES, &json!({ "metadata": { "name": "n" } })).await.of(201);
    server
}

async fn server() -> Server {
    with(&[BuiltinController::Namespace]).await
}

async fn create(server: &Server, plural: &str, object: &Value) -> Value {
    server.post(&format!("{N}/{plural}"), object).await.of(201)
}

fn held(name: &str) -> Value {
    json!({ "metadata": { "name": name, "finalizers": ["example.com/hold"] } })
}

/// The conditions of the namespace: type, status, reason and message.
async fn conditions(server: &Server) -> Vec<String> {
    let namespace = server.get(N).await.of(200);
    let text = |condition: &Value, name: &str| condition[name].as_str().unwrap_or_default().to_owned();
    let conditions = namespace["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let told = |condition: &Value| {
        ["type", "status", "reason", "message"].map(|name| text(condition, name)).join(" ")
    };
    conditions.iter().map(told).collect()
}

#[tokio::test(start_paused = true)]
async fn a_namespace_is_emptied_after_five_seconds() {
    let server = server().await;
    create(&server, "configmaps", &json!({ "metadata": { "name": "a" } })).await;
    create(&server, "pods", &json!({ "metadata": { "name": "p" } })).await;
    let started = Instant::now();
    let marked = server.delete(N).await.of(200);
    assert_eq!(
        (&marked["status"]["phase"], &marked["spec"]["finalizers"]),
        (&json!("Terminating"), &json!(["kubernetes"]))
    );
    let watch = format!("{NAMESPACES}?watch=1&resourceVersion={}", server.api().version());
    let mut watch = server.watch(&watch).await;
    sleep(Duration::from_secs(4)).await;
    server.get(&format!("{N}/configmaps/a")).await.of(200);
    assert_eq!(watch.take(2).await, ["MODIFIED n", "DELETED n"]);
    assert_eq!(started.elapsed().as_secs(), 5);
    let requests = server.front.journal.requests();
    let told: Vec<_> = requests.iter().map(|it| format!("{} {}", it.method, it.path)).collect();
    assert_eq!(
        told,
        [
            "DELETE /api/v1/namespaces/n/pods",
            "DELETE /api/v1/namespaces/n/configmaps",
            "PUT /api/v1/namespaces/n/status",
            "PUT /api/v1/namespaces/n/finalize",
        ]
    );
    assert!(requests.iter().all(|it| it.user == "system:serviceaccount:kube-system:namespace-controller"));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_created_in_it_meanwhile() {
    let server = server().await;
    server.delete(N).await.of(200);
    let refused = server.post(&format!("{N}/configmaps"), &json!({ "metadata": { "name": "a" } })).await;
    refused.refused(403, "Forbidden");
    let cause = &refused.json()["details"]["causes"][0];
    assert_eq!(
        (&cause["reason"], &cause["field"]),
        (&json!("NamespaceTerminating"), &json!("metadata.namespace"))
    );
}

#[tokio::test(start_paused = true)]
async fn objects_with_finalizers_hold_it_up_and_conditions_say_so() {
    let server = server().await;
    create(&server, "configmaps", &held("a")).await;
    create(&server, "configmaps", &held("b")).await;
    create(&server, "secrets", &held("s")).await;
    server.delete(N).await.of(200);
    sleep(Duration::from_secs(60)).await;
    assert_eq!(
        conditions(&server).await,
        [
            "NamespaceDeletionDiscoveryFailure False ResourcesDiscovered All resources successfully discovered",
            "NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions All legacy kube types \
             successfully parsed",
            "NamespaceDeletionContentFailure False ContentDeleted All content successfully deleted, may be waiting \
             on finalization",
            "NamespaceContentRemaining True SomeResourcesRemain Some resources are remaining: configmaps. has 2 \
             resource instances, secrets. has 1 resource instances",
            "NamespaceFinalizersRemaining True SomeFinalizersRemain Some content in the namespace has finalizers \
             remaining: example.com/hold in 3 resource instances",
        ]
    );
    let before = server.api().version();
    sleep(Duration::from_secs(3600)).await;
    assert_eq!(server.api().version(), before, "nothing is written while nothing changes");

    let free = json!({ "metadata": { "finalizers": null } });
    let since = server.get(N).await.of(200)["status"]["conditions"][3]["lastTransitionTime"].clone();
    server.merge(&format!("{N}/configmaps/a"), &free).await.of(200);
    sleep(Duration::from_secs(6)).await;
    let conditions = conditions(&server).await;
    assert!(conditions[3].contains("configmaps. has 1 resource instances, secrets. has 1"), "{conditions:?}");
    assert_eq!(server.get(N).await.of(200)["status"]["conditions"][3]["lastTransitionTime"], since);
    for path in ["configmaps/b", "secrets/s"] {
        server.merge(&format!("{N}/{path}"), &free).await.of(200);
    }
    sleep(Duration::from_secs(6)).await;
    server.get(N).await.refused(404, "NotFound");
}

#[tokio::test(start_paused = true)]
async fn pods_go_first_and_all_else_waits_for_them() {
    let server = server().await;
    create(&server, "configmaps", &json!({ "metadata": { "name": "a" } })).await;
    create(&server, "pods", &json!({ "metadata": { "name": "p" }, "spec": { "nodeName": "node" } })).await;
    server.delete(N).await.of(200);
    sleep(Duration::from_secs(6)).await;
    server.get(&format!("{N}/configmaps/a")).await.of(200);
    let early = conditions(&server).await;
    assert!(early[2].starts_with("NamespaceDeletionContentFailure False"), "{early:?}");
    assert!(early[3].starts_with("NamespaceContentRemaining False"), "{early:?}");
    // The kubelet has not stopped it in its time.
    sleep(Duration::from_secs(60)).await;
    let late = conditions(&server).await;
    assert_eq!(
        late[2],
        "NamespaceDeletionContentFailure True ContentDeletionFailed Failed to delete all resource types, 1 \
         remaining: unexpected items still remain in namespace: n for gvr: /v1, Resource=pods"
    );
    let options = json!({ "gracePeriodSeconds": 0 }).to_string();
    server.send("DELETE", &format!("{N}/pods/p"), "application/json", &options).await.of(200);
    sleep(Duration::from_secs(6)).await;
    server.get(N).await.refused(404, "NotFound");
}

#[tokio::test(start_paused = true)]
async fn finalizers_of_the_namespace_itself_keep_it() {
    let server = server().await;
    server.merge(N, &json!({ "metadata": { "finalizers": ["example.com/hold"] } })).await.of(200);
    create(&server, "configmaps", &json!({ "metadata": { "name": "a" } })).await;
    server.delete(N).await.of(200);
    sleep(Duration::from_secs(60)).await;
    let namespace = server.get(N).await.of(200);
    assert!(namespace["spec"].get("finalizers").is_none(), "{namespace}");
    server.get(&format!("{N}/configmaps/a")).await.refused(404, "NotFound");
    server.merge(N, &json!({ "metadata": { "finalizers": null } })).await.of(200);
    server.get(N).await.refused(404, "NotFound");
}

#[tokio::test(start_paused = true)]
async fn another_finalizer_in_its_spec_keeps_it() {
    let server = server().await;
    let mut namespace = server.get(N).await.of(200);
    namespace["spec"]["finalizers"] = json!(["kubernetes", "example.com/other"]);
    server.put(&format!("{N}/finalize"), &namespace).await.of(200);
    server.delete(N).await.of(200);
    sleep(Duration::from_secs(60)).await;
    let mut namespace = server.get(N).await.of(200);
    assert_eq!(namespace["spec"]["finalizers"], json!(["example.com/other"]));
    namespace["spec"]["finalizers"] = json!([]);
    server.put(&format!("{N}/finalize"), &namespace).await.of(200);
    server.get(N).await.refused(404, "NotFound");
}

#[tokio::test(start_paused = true)]
async fn a_controller_that_is_to_wait_for_ever_does_nothing() {
    let controllers = [BuiltinController::Namespace].into();
    let namespace_wait = Duration::MAX;
    let server = Server::with(ApiOptions { controllers, namespace_wait, ..ApiOptions::default() });
    server.post("/api/v1/namespaces", &json!({ "metadata": { "name": "n" } })).await.of(201);
    server.delete(N).await.of(200);
    sleep(Duration::from_secs(1_000_000)).await;
    server.get(N).await.of(200);
}

#[tokio::test(start_paused = true)]
async fn the_wait_is_a_setting() {
    let controllers = [BuiltinController::Namespace].into();
    let namespace_wait = Duration::ZERO;
    let server = Server::with(ApiOptions { controllers, namespace_wait, ..ApiOptions::default() });
    server.post(NAMESPACES, &json!({ "metadata": { "name": "n" } })).await.of(201);
    create(&server, "configmaps", &held("a")).await;
    server.delete(N).await.of(200);
    settle().await;
    assert_eq!(conditions(&server).await.len(), 5);
    server.merge(&format!("{N}/configmaps/a"), &json!({ "metadata": { "finalizers": null } })).await.of(200);
    settle().await;
    server.get(N).await.refused(404, "NotFound");
}

#[tokio::test(start_paused = true)]
async fn a_namespace_that_is_deleted_in_the_foreground_goes_with_its_objects() {
    let server = with(&[BuiltinController::Namespace, BuiltinController::GarbageCollector]).await;
    let a = create(&server, "configmaps", &json!({ "metadata": { "name": "a" } })).await;
    let child = json!({ "metadata": { "name": "b", "ownerReferences": [super::blocked(&a)] } });
    create(&server, "secrets", &child).await;
    let options = json!({ "propagationPolicy": "Foreground" }).to_string();
    let marked = server.send("DELETE", N, "application/json", &options).await.of(200);
    assert_eq!(marked["metadata"]["finalizers"], json!(["foregroundDeletion"]));
    sleep(Duration::from_secs(6)).await;
    server.get(N).await.refused(404, "NotFound");
}
