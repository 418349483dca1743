//! Controllers on paused time: while they have something to do, time stands still.

mod collecting;
mod finalizers;
mod namespaces;
mod odd_owners;

use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Pod;
use kube_client::api::{Api, DeleteParams, ListParams};
use serde_json::{Value, json};

use super::BuiltinController;
use crate::options::ApiOptions;
use crate::testing::{CONFIGMAPS, Server, names};
use crate::{EmbeddedApiserver, Simulation};

/// A server with a garbage collector.
fn collecting() -> Server {
    let controllers = [BuiltinController::GarbageCollector].into();
    Server::with(ApiOptions { controllers, ..ApiOptions::default() })
}

/// Waits until controllers have nothing to do.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

/// A reference to an object.
fn owner(object: &Value) -> Value {
    json!({
        "apiVersion": object["apiVersion"], "kind": object["kind"],
        "name": object["metadata"]["name"], "uid": object["metadata"]["uid"],
    })
}

/// A reference to an object whose deletion waits for the one that has it.
fn blocked(object: &Value) -> Value {
    let mut reference = owner(object);
    reference["blockOwnerDeletion"] = true.into();
    reference
}

fn map(name: &str, owners: &[Value]) -> Value {
    json!({ "metadata": { "name": name, "ownerReferences": owners } })
}

/// Creates a ConfigMap with these owners.
async fn create(server: &Server, name: &str, owners: &[Value]) -> Value {
    server.post(CONFIGMAPS, &map(name, owners)).await.of(201)
}

async fn delete(server: &Server, path: &str, policy: &str) -> Value {
    let options = json!({ "propagationPolicy": policy });
    server.send("DELETE", path, "application/json", &options.to_string()).await.of(200)
}

/// The ConfigMaps that there are.
async fn left(server: &Server) -> Vec<String> {
    names(&server.get(CONFIGMAPS).await.of(200))
}

/// The ConfigMaps that have been deleted, in order.
async fn deleted(server: &Server) -> Vec<String> {
    let path = format!("{CONFIGMAPS}?watch=1&resourceVersion=1&timeoutSeconds=1");
    let told = server.watch(&path).await.told().await;
    told.iter().filter_map(|event| event.strip_prefix("DELETED ").map(str::to_owned)).collect()
}

#[tokio::test(start_paused = true)]
async fn controllers_end_with_the_server() {
    let server = Server::with(ApiOptions {
        controllers: [BuiltinController::GarbageCollector, BuiltinController::Namespace].into(),
        ..ApiOptions::default()
    });
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    settle().await;
    assert_eq!(tasks(), 2);
    // One of them waits for its time.
    let path = "/api/v1/namespaces";
    server.post(path, &json!({ "metadata": { "name": "n" } })).await.of(201);
    server.delete(&format!("{path}/n")).await.of(200);
    settle().await;
    drop(server);
    settle().await;
    assert_eq!(tasks(), 0);
}

#[tokio::test(start_paused = true)]
async fn writes_are_in_the_journal_in_the_name_of_the_controller_and_faults_do_not_affect_them() {
    let server = collecting();
    server.front.faults.inject(crate::ServerFault::forbidden());
    let a = create(&server, "a", &[]).await;
    create(&server, "b", &[owner(&a)]).await;
    delete(&server, &format!("{CONFIGMAPS}/a"), "Background").await;
    settle().await;
    assert_eq!(left(&server).await, Vec::<String>::new());
    let requests = server.front.journal.requests();
    let told: Vec<_> =
        requests.iter().map(|it| (it.method.as_str(), it.path.as_str(), &*it.user, it.status)).collect();
    let user = "system:serviceaccount:kube-system:generic-garbage-collector";
    assert_eq!(told, [("DELETE", "/api/v1/namespaces/default/configmaps/b", user, Some(200))]);
    assert_eq!(requests[0].user_agent, "kube-controller-manager");
}

#[tokio::test(start_paused = true)]
async fn a_restored_backup_is_looked_at_anew() {
    let server = collecting();
    let a = create(&server, "a", &[]).await;
    create(&server, "b", &[owner(&a)]).await;
    settle().await;
    let before = server.api().version();
    delete(&server, &format!("{CONFIGMAPS}/a"), "Background").await;
    settle().await;
    assert_eq!(left(&server).await, Vec::<String>::new());
    server.api().rewind(before).unwrap();
    settle().await;
    assert_eq!(left(&server).await, ["a", "b"]);
    delete(&server, &format!("{CONFIGMAPS}/a"), "Background").await;
    settle().await;
    assert_eq!(left(&server).await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn forgotten_history_is_made_up_for() {
    let server = collecting();
    let a = create(&server, "a", &[]).await;
    create(&server, "b", &[owner(&a)]).await;
    delete(&server, &format!("{CONFIGMAPS}/a"), "Background").await;
    // Nothing has been read yet.
    server.api().compact(server.api().version());
    settle().await;
    assert_eq!(left(&server).await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_simulated_workload_is_left_alone_until_somebody_deletes_a_part_of_it() {
    let server = EmbeddedApiserver::builder().controllers([BuiltinController::GarbageCollector]).build();
    let running = Simulation::new(1).deployments(4).rate(50.0).run(&server);
    tokio::time::sleep(Duration::from_secs(20)).await;
    running.stop().await;
    let requests = server.journal().requests();
    assert_eq!(requests.len(), 0, "{requests:?}");

    let client = server.quiet_client();
    let pods = Api::<Pod>::all(client.clone());
    let before = pods.list(&ListParams::default()).await.unwrap().items.len();
    let deployments = Api::<Deployment>::namespaced(client, "team-0");
    for deployment in deployments.list(&ListParams::default()).await.unwrap() {
        let name = deployment.metadata.name.unwrap();
        deployments.delete(&name, &DeleteParams::background()).await.unwrap();
    }
    settle().await;
    let left = pods.list(&ListParams::default()).await.unwrap().items;
    // Those with a node wait for a kubelet.
    let left = left.iter().filter(|pod| pod.metadata.deletion_timestamp.is_none());
    let left: Vec<_> = left.map(|pod| pod.metadata.namespace.clone().unwrap()).collect();
    assert!(left.len() < before && left.iter().all(|namespace| namespace == "team-1"), "{left:?}");
}
