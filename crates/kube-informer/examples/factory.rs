//! A factory: handlers and a lister of deployments, and everything started, awaited and stopped together.
//!
//! Run with `cargo run --example factory`. Uses the cluster of your kubeconfig, or the one it runs in.

use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use kube_informer::{SharedInformerFactory, find_cluster, handler};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let config = find_cluster(None, None).await?.config;
    let factory = SharedInformerFactory::builder(config).resync(Duration::from_secs(30)).build()?;

    let deployments = factory.access::<Deployment>();
    deployments.informer().add_event_handler(
        handler()
            .on_add(|d| println!("add a deployment: {}", d.name()))
            .on_update(|old, new| println!("update deployment: {} {}", old.name(), new.name()))
            .on_delete(|d| println!("delete a deployment: {}", d.name())),
    )?;

    factory.start();
    factory.wait_for_cache_sync(Duration::from_secs(30)).await?;
    for d in deployments.lister().namespace("default").list() {
        println!("{} {:?}", d.name(), d.get()?.status);
    }

    tokio::signal::ctrl_c().await?;
    factory.shutdown().await;
    Ok(())
}
