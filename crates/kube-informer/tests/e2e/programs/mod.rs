//! The programs of `examples/`, as their users run them.
//!
//! `cargo test` builds examples before it runs tests. With `--test e2e` it does not: build them first.

#![allow(clippy::unwrap_used)]

mod program;
mod setup;

use anyhow::{Result, ensure};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod};
use kube_client::api::{Api, Patch, PatchParams};
use serde_json::json;
use tokio::task::block_in_place;

use self::program::Program;
use self::program::Signal::{Interrupt, Terminate};
use self::setup::Writer;
use super::cluster;
use crate::support::{Server, eventually};

#[tokio::test(flavor = "multi_thread")]
async fn deployments() -> Result<()> {
    let Some(cluster) = block_in_place(|| cluster("programs::deployments")) else { return Ok(()) };
    let write = Writer::of(&cluster).await?;
    write.deployment("web").await?;
    let mut program = Program::start("deployments", &cluster, &[]);
    program.until("add a deployment: web").await;
    program.until("in default: web, 0 ready").await;
    write.patch::<Deployment>("web", json!({ "spec": { "replicas": 3 } })).await?;
    program.until("update deployment: web web").await;
    write.delete::<Deployment>("web").await?;
    program.until("delete a deployment: web").await;
    program.ended_by(Interrupt).await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn pods_by_node() -> Result<()> {
    let Some(cluster) = block_in_place(|| cluster("programs::pods_by_node")) else { return Ok(()) };
    let write = Writer::of(&cluster).await?;
    for (name, node) in
        [("a", Some("node-1")), ("b", Some("node-2")), ("c", Some("node-2")), ("waiting", None)]
    {
        write.pod(name, node).await?;
    }
    let mut program = Program::start("pods_by_node", &cluster, &[]);
    program.until("4 pods in the cache").await;
    program.until("node-1 has 1 pods").await;
    program.until("node-2 has 2 pods").await;
    program.until("the late handler has heard of 4 pods").await;
    write.pod("d", Some("node-1")).await?;
    program.until("default/d came to node-1, which has 2 pods now").await;
    program.ended_by(Interrupt).await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn two_controllers() -> Result<()> {
    let Some(cluster) = block_in_place(|| cluster("programs::two_controllers")) else { return Ok(()) };
    let write = Writer::of(&cluster).await?;
    write.pod("a", Some("node-1")).await?;
    let before = cluster.watches("pods").await?;
    let mut program = Program::start("two_controllers", &cluster, &[]);
    program.until_all(&["one informer: pods with 1 objects", "census: 1 pods after default/a"]).await;
    write.patch::<Pod>("a", json!({ "status": { "phase": "Running" } })).await?;
    program.until("phases: a was \"Pending\" and is \"Running\"").await;
    write.pod("b", None).await?;
    program.until("census: 2 pods after default/b").await;
    eventually("there is one watch for both", || async {
        let now = cluster.watches("pods").await?;
        ensure!(now == before + 1, "{now} watches of pods, {before} before");
        Ok(())
    })
    .await?;
    program.ended_by(Interrupt).await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn node_pods() -> Result<()> {
    let Some(cluster) = block_in_place(|| cluster("programs::node_pods")) else { return Ok(()) };
    let write = Writer::of(&cluster).await?;
    write.pod("a", Some("node-1")).await?;
    write.pod("elsewhere", Some("node-2")).await?;
    let mut program = Program::start("node_pods", &cluster, &["node-1"]);
    program.until("node-1 runs 1 pods: default/a").await;
    write.pod("b", Some("node-1")).await?;
    program.until("node-1 runs 2 pods: default/a, default/b").await;
    write.delete::<Pod>("a").await?;
    program.until("node-1 runs 1 pods: default/b").await;
    program.ended_by(Interrupt).await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn with_kube_controller() -> Result<()> {
    let Some(cluster) = block_in_place(|| cluster("programs::with_kube_controller")) else { return Ok(()) };
    let write = Writer::of(&cluster).await?;
    let mut program = Program::start("with_kube_controller", &cluster, &[]);
    write.config_map("a", json!({ "one": "1" })).await?;
    program.until("reconciled a: 1 keys").await;
    write.patch::<ConfigMap>("a", json!({ "data": { "two": "2" } })).await?;
    program.until("reconciled a: 2 keys").await;
    program.ended_by(Interrupt).await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn custom_kind() -> Result<()> {
    let Some(cluster) = block_in_place(|| cluster("programs::custom_kind")) else { return Ok(()) };
    let write = Writer::of(&cluster).await?;
    write.certificates().await?;
    write.certificate("web", "example.com").await?;
    write.certificate("other", "example.org").await?;
    let mut program = Program::start("custom_kind", &cluster, &[]);
    program.until("default/web is in web-tls").await;
    program.ended().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn labelled_namespaces() -> Result<()> {
    let Some(cluster) = block_in_place(|| cluster("programs::labelled_namespaces")) else { return Ok(()) };
    let write = Writer::of(&cluster).await?;
    write.pod("unseen", None).await?;
    let mut program = Program::start("labelled_namespaces", &cluster, &["team=shop"]);
    program.until("using kubeconfig").await;
    let labels = json!({ "metadata": { "labels": { "team": "shop" } } });
    let namespaces: Api<Namespace> = Api::all(write.client.clone());
    namespaces.patch("default", &PatchParams::default(), &Patch::Merge(&labels)).await?;
    program.until("added   default/unseen").await;
    program.ended_by(Interrupt).await;
    Ok(())
}

/// Those that print what they found and end, and one that brings its own server.
#[tokio::test(flavor = "multi_thread")]
async fn the_small_ones_find_what_is_there_and_end() -> Result<()> {
    let Some(cluster) = block_in_place(|| cluster("programs::the_small_ones_find_what_is_there_and_end"))
    else {
        return Ok(());
    };
    let write = Writer::of(&cluster).await?;
    write.pod("a", Some("node-1")).await?;
    write.config_map("a", json!({})).await?;
    for (name, arguments, said) in [
        ("metadata_only", vec![], "0 secrets"),
        ("several_namespaces", vec!["default"], "1 config maps in default"),
        ("two_selectors", vec![], "0 pods of the control plane"),
        ("testing", vec![], "the handler knows [\"b\", \"c\"] after "),
    ] {
        let mut program = Program::start(name, &cluster, &arguments);
        program.until(said).await;
        program.ended().await;
    }
    Ok(())
}

/// Every program that runs until it is told to stop, told as the kubelet tells it.
#[tokio::test(flavor = "multi_thread")]
async fn those_that_run_on_end_in_order_on_sigterm() -> Result<()> {
    let Some(cluster) = block_in_place(|| cluster("programs::those_that_run_on_end_in_order_on_sigterm"))
    else {
        return Ok(());
    };
    let write = Writer::of(&cluster).await?;
    write.deployment("web").await?;
    write.pod("a", Some("node-1")).await?;
    write.config_map("a", json!({ "one": "1" })).await?;
    for (name, arguments, said) in [
        ("deployments", vec![], "in default: web, 0 ready"),
        ("dynamic", vec!["cm"], "configmaps is ConfigMap of v1"),
        ("labelled_namespaces", vec![], "using kubeconfig"),
        ("node_pods", vec![], "node-1 runs 1 pods"),
        ("pods_by_node", vec![], "the late handler has heard of 1 pods"),
        ("two_controllers", vec![], "one informer: pods with 1 objects"),
        ("watch_pods", vec![], "1 pods in the cache"),
        ("with_kube_controller", vec![], "reconciled a: 1 keys"),
    ] {
        let mut program = Program::start(name, &cluster, &arguments);
        program.until(said).await;
        program.ended_by(Terminate).await;
    }
    Ok(())
}
