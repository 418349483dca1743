//! Prints the nodes of pods, for as long as it runs.

use kube_informer::k8s_openapi::api::core::v1::Pod;
use kube_informer::{Cluster, Object, SharedInformerFactory, handler};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let factory = SharedInformerFactory::builder(Cluster::find().await?).build()?;
    let pods = factory.core().v1().pods().informer();
    pods.add_event_handler(handler().on_add(print).on_update(|_, pod| print(pod)))?;
    factory.start();
    tokio::signal::ctrl_c().await?;
    factory.shutdown().await;
    Ok(())
}

fn print(pod: &Object<Pod>) {
    let node = pod.get().ok().and_then(|pod| pod.spec.as_ref()?.node_name.clone());
    println!("{} is on {}", pod.key(), node.as_deref().unwrap_or("no node"));
}
