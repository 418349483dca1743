//! Prints deployments as they come, change and go, and every 30 s all of them again; lists those of `default`.
//!
//! Run with `cargo run --package kube-informer --example deployments`. Uses the cluster of your kubeconfig, or the one it
//! runs in.

mod stop;

use std::time::Duration;

use kube_informer::{Cluster, SharedInformerFactory, handler};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let cluster = Cluster::find().await?;
    let factory = SharedInformerFactory::builder(cluster).resync(Duration::from_secs(30)).build()?;

    let deployments = factory.apps().v1().deployments();
    let registration = deployments.informer().add_event_handler(
        handler()
            .on_add(|d| println!("add a deployment: {}", d.name()))
            .on_update(|old, new| println!("update deployment: {} {}", old.name(), new.name()))
            .on_delete(|d| println!("delete a deployment: {}", d.name())),
    )?;

    factory.start();
    factory.wait_for_cache_sync(Duration::from_secs(30)).await?;
    registration.wait_synced(Duration::from_secs(30)).await?; // the handler has heard of all that was there
    for d in deployments.lister().namespace("default").list() {
        let status = d.get()?.status.clone().unwrap_or_default();
        println!("in default: {}, {} ready", d.name(), status.ready_replicas.unwrap_or(0));
    }

    stop::told_to_stop().await?;
    factory.shutdown().await;
    Ok(())
}
