//! Prints pods as they come, change and go. Uses the cluster of your kubeconfig, or the one it runs in.
//!
//! Run with `cargo run --package kube-informer --example watch_pods`.

mod stop;

use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_informer::source::HttpSource;
use kube_informer::{Cluster, SharedInformer, handler};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let cluster = Cluster::find().await?;
    println!("using {}", cluster.origin().unwrap_or_default());
    let source = HttpSource::of::<Pod>(cluster)?;
    let pods = SharedInformer::<Pod>::builder(source).on_error(|failure| eprintln!("{failure}")).build()?;
    pods.add_event_handler(
        handler()
            .on_add(|pod| println!("added   {}", pod.key()))
            .on_update(|old, new| {
                println!("changed {} {} -> {}", new.key(), old.resource_version(), new.resource_version());
            })
            .on_delete(|pod| println!("deleted {}", pod.key())),
    )?;
    let by_node = pods.add_index("node", |pod| {
        pod.get().map(|pod| pod.spec.as_ref().and_then(|spec| spec.node_name.clone()))
    });

    let running = tokio::spawn({
        let pods = pods.clone();
        async move { pods.run(async { stop::told_to_stop().await.unwrap_or_default() }).await }
    });
    pods.wait_synced(Duration::from_secs(30)).await?;
    println!("{} pods in the cache", pods.lister().len());
    for node in by_node.values()? {
        println!("{} pods on {node}", by_node.get(&node)?.len());
    }
    running.await??;
    Ok(())
}
