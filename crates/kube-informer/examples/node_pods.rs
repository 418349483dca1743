//! What an agent on a node does: it is interested in the pods of its node alone, and wants all of them on each change.
//! The server selects them by field, so nothing else crosses the network.
//!
//! Run with `cargo run --package kube-informer --example node_pods -- node-1`. Uses the cluster of your kubeconfig, or the
//! one it runs in.

mod stop;

use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_informer::{Cluster, SharedInformerFactory};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let node = std::env::args().nth(1).unwrap_or_else(|| "node-1".to_owned());
    let cluster = Cluster::find().await?;
    let factory = SharedInformerFactory::builder(cluster).fields(format!("spec.nodeName={node}")).build()?;
    let pods = factory.kind::<Pod>().informer();

    // Called once the cache is filled, and after every change. Changes that come while it runs are one call.
    pods.add_full_state_handler(move |pods| {
        let mut names: Vec<_> = pods.iter().map(|pod| pod.key().to_string()).collect();
        names.sort();
        println!("{node} runs {} pods: {}", names.len(), names.join(", "));
    })?;

    factory.start();
    factory.wait_for_cache_sync(Duration::from_secs(30)).await?;
    stop::told_to_stop().await?;
    factory.shutdown().await;
    Ok(())
}
