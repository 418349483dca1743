//! Counts pods by the node they run on, from a typed index; then follows what moves.
//!
//! Run with `cargo run --package kube-informer --example pods_by_node`. Uses the cluster of your kubeconfig, or the one it
//! runs in.

mod stop;

use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_informer::error::ObjectError;
use kube_informer::{Cluster, Event, Object, SharedInformerFactory, handler};

/// The node, once there is one.
fn node(pod: &Object<Pod>) -> Result<Option<String>, ObjectError> {
    Ok(pod.get()?.spec.as_ref().and_then(|spec| spec.node_name.clone()))
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let cluster = Cluster::find().await?;
    let factory = SharedInformerFactory::builder(cluster).build()?;
    let pods = factory.kind::<Pod>().informer();
    let by_node = pods.add_index("node", node);

    factory.start();
    factory.wait_for_cache_sync(Duration::from_secs(30)).await?;
    println!("{} pods in the cache", pods.lister().len());
    let mut nodes = by_node.values()?;
    nodes.sort();
    for node in nodes {
        println!("{node} has {} pods", by_node.get(&node)?.len());
    }

    // A handler that joins late hears first of what is there, as adds, and then of what happens.
    let counted = by_node.clone();
    let moved = move |pod: &Object<Pod>, what: &str| {
        if let Ok(Some(node)) = node(pod) {
            let count = counted.get(&node).map_or(0, |pods| pods.len());
            println!("{} {what} {node}, which has {count} pods now", pod.key());
        }
    };
    let late = pods.add_event_handler(handler().on_event(move |event| match event {
        Event::Added { object, initial: false } => moved(object, "came to"),
        Event::Deleted { object, .. } => moved(object, "left"),
        _ => {}
    }))?;
    late.wait_synced(Duration::from_secs(30)).await?;
    println!("the late handler has heard of {} pods", late.status().delivered);

    stop::told_to_stop().await?;
    factory.shutdown().await;
    Ok(())
}
