//! Only the metadata of objects: the server sends nothing else, which takes a fraction of the traffic and memory.
//!
//! Run with `cargo run --package kube-informer --example metadata_only`. Uses the cluster of your kubeconfig, or the one it runs in.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::core::v1::{Pod, Secret};
use kube_informer::{Cluster, SharedInformerFactory};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let cluster = Cluster::find().await?;
    let factory = SharedInformerFactory::builder(cluster).build()?;

    let pods = factory.kind::<Pod>().metadata().informer();
    // What is in the secrets never comes here.
    let secrets = factory.kind::<Secret>().metadata().informer();
    factory.start();
    factory.wait_for_cache_sync(Duration::from_secs(30)).await?;

    let mut by_owner: BTreeMap<String, usize> = BTreeMap::new();
    for pod in pods.lister().list() {
        let owner = pod.owners().first().map_or("nobody".to_owned(), |owner| owner.kind.to_string());
        *by_owner.entry(owner).or_default() += 1;
    }
    println!("pods by owner: {by_owner:?}");
    println!("{} secrets", secrets.lister().len());
    factory.shutdown().await;
    Ok(())
}
