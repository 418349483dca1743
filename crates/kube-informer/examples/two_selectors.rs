//! Two selections of one kind in one factory: pods of the control plane, and pods that are running.
//!
//! Run with `cargo run --package kube-informer --example two_selectors`. Uses the cluster of your kubeconfig, or the one it runs in.

use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_informer::{Cluster, SharedInformerFactory};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let cluster = Cluster::find().await?;
    let factory = SharedInformerFactory::builder(cluster).build()?;

    let control_plane =
        factory.kind::<Pod>().named("control-plane", |pods| pods.labels("tier=control-plane"))?.informer();
    let running =
        factory.kind::<Pod>().named("running", |pods| pods.fields("status.phase=Running"))?.informer();
    // The same name with other settings is refused, and the error names both.
    if let Err(error) = factory.kind::<Pod>().named("running", |pods| pods.fields("status.phase=Pending")) {
        println!("refused: {error}");
    }

    factory.start();
    factory.wait_for_cache_sync(Duration::from_secs(30)).await?;
    println!(
        "{} pods of the control plane, {} running",
        control_plane.lister().len(),
        running.lister().len()
    );
    factory.shutdown().await;
    Ok(())
}
