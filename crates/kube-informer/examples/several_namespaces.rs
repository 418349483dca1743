//! Several namespaces as one: one informer and one lister for each kind, fed by a watch for each namespace.
//!
//! Run with `cargo run --package kube-informer --example several_namespaces -- default kube-system`. Uses the cluster of your kubeconfig, or the
//! one it runs in.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Node};
use kube_informer::{Cluster, SharedInformerFactory};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let namespaces: Vec<String> = std::env::args().skip(1).collect();
    let cluster = Cluster::find().await?;
    let mut builder = SharedInformerFactory::builder(cluster);
    for namespace in &namespaces {
        builder = builder.namespace(namespace);
    }
    let factory = builder.build()?;

    let maps = factory.kind::<ConfigMap>().lister();
    // Nodes live in no namespace, so they are all there.
    let nodes = factory.kind::<Node>().lister();
    factory.start();
    // A namespace that is denied is named here, while the others work.
    if let Err(error) = factory.wait_for_cache_sync(Duration::from_secs(30)).await {
        eprintln!("{error}");
    }
    for namespace in &namespaces {
        println!("{} config maps in {namespace}", maps.namespace(namespace.as_str()).list().len());
    }
    println!("{} config maps in all of them, {} nodes", maps.len(), nodes.len());
    factory.shutdown().await;
    Ok(())
}
