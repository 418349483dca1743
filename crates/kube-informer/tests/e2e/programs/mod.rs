//! The programs of `examples/`, as their users run them, on an embedded API server.
//!
//! `cargo test` builds examples before it runs tests. With `--test examples` it does not: build them first.

#![allow(clippy::unwrap_used)]

mod support;

use embedded_apiserver::Verb;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod};
use kube_client::api::{Api, DeleteParams, Patch, PatchParams};
use serde_json::json;

use crate::support::{Example, Server};

#[tokio::test(flavor = "multi_thread")]
async fn deployments() {
    let server = Server::start().await;
    server.deployment("web").await;
    let mut example = Example::start("deployments", &server, &[]);
    example.until("add a deployment: web").await;
    example.until("in default: web, 0 ready").await;
    let deployments: Api<Deployment> = server.all();
    let patch = json!({ "spec": { "replicas": 3 } });
    deployments.patch("web", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
    example.until("update deployment: web web").await;
    deployments.delete("web", &DeleteParams::default()).await.unwrap();
    example.until("delete a deployment: web").await;
    example.interrupted().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pods_by_node() {
    let server = Server::start().await;
    for (name, node) in [("a", "node-1"), ("b", "node-2"), ("c", "node-2")] {
        server.pod(name, Some(node)).await;
    }
    server.pod("waiting", None).await;
    let mut example = Example::start("pods_by_node", &server, &[]);
    example.until("4 pods in the cache").await;
    example.until("node-1 has 1 pods").await;
    example.until("node-2 has 2 pods").await;
    example.until("the late handler has heard of 4 pods").await;
    server.pod("d", Some("node-1")).await;
    example.until("default/d came to node-1, which has 2 pods now").await;
    example.interrupted().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_controllers() {
    let server = Server::start().await;
    server.pod("a", Some("node-1")).await;
    let mut example = Example::start("two_controllers", &server, &[]);
    example.until_all(&["one informer: pods with 1 objects", "census: 1 pods after default/a"]).await;
    let pods: Api<Pod> = server.all();
    let patch = json!({ "status": { "phase": "Running" } });
    pods.patch_status("a", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
    example.until("phases: a was \"Pending\" and is \"Running\"").await;
    server.pod("b", None).await;
    example.until("census: 2 pods after default/b").await;
    assert_eq!(
        server.api.journal().count(|request| request.is(Verb::Watch, "pods")),
        1,
        "one watch for both"
    );
    assert_eq!(server.api.journal().count(|request| request.is(Verb::List, "pods")), 0);
    example.interrupted().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn node_pods() {
    let server = Server::start().await;
    server.pod("a", Some("node-1")).await;
    server.pod("elsewhere", Some("node-2")).await;
    let mut example = Example::start("node_pods", &server, &["node-1"]);
    example.until("node-1 runs 1 pods: default/a").await;
    server.pod("b", Some("node-1")).await;
    example.until("node-1 runs 2 pods: default/a, default/b").await;
    let immediately = DeleteParams::default().grace_period(0);
    server.all::<Pod>().delete("a", &immediately).await.unwrap();
    example.until("node-1 runs 1 pods: default/b").await;
    example.interrupted().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_kube_controller() {
    let server = Server::start().await;
    let mut example = Example::start("with_kube_controller", &server, &[]);
    server.config_map("a", json!({ "one": "1" })).await;
    example.until("reconciled a: 1 keys").await;
    let patch = json!({ "data": { "two": "2" } });
    let maps: Api<ConfigMap> = server.all();
    maps.patch("a", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
    example.until("reconciled a: 2 keys").await;
    example.interrupted().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn testing() {
    let server = Server::start().await;
    let mut example = Example::start("testing", &server, &[]);
    example.until("the handler knows [\"b\", \"c\"] after ").await;
    example.ended().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn custom_kind() {
    let server = Server::start().await;
    server.certificates().await;
    server.certificate("web", "example.com").await;
    server.certificate("other", "example.org").await;
    let mut example = Example::start("custom_kind", &server, &[]);
    example.until("default/web is in web-tls").await;
    example.ended().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn labelled_namespaces() {
    let server = Server::start().await;
    server.pod("unseen", None).await;
    let mut example = Example::start("labelled_namespaces", &server, &["team=shop"]);
    example.until("using kubeconfig").await;
    let labels = json!({ "metadata": { "labels": { "team": "shop" } } });
    let namespaces: Api<Namespace> = Api::all(server.api.quiet_client());
    namespaces.patch("default", &PatchParams::default(), &Patch::Merge(&labels)).await.unwrap();
    example.until("added   default/unseen").await;
    example.interrupted().await;
}

/// Those that watch and print: each says what it found.
#[tokio::test(flavor = "multi_thread")]
async fn the_small_ones_find_what_is_there() {
    let server = Server::start().await;
    server.deployment("web").await;
    server.pod("a", Some("node-1")).await;
    server.config_map("a", json!({})).await;
    for (name, arguments, said) in [
        ("watch_pods", vec![], "1 pods in the cache"),
        ("dynamic", vec!["cm"], "configmaps is ConfigMap of v1"),
        ("metadata_only", vec![], "0 secrets"),
        ("several_namespaces", vec!["default", "kube-system"], "1 config maps in default"),
        ("two_selectors", vec![], "0 pods of the control plane"),
    ] {
        let mut example = Example::start(name, &server, &arguments);
        example.until(said).await;
    }
}
