//! An informer of any resource of the server, by any of its names: plural, singular, short, kind, with group or version.
//!
//! Run with `cargo run --package kube-informer --example dynamic -- deploy`. Uses the cluster of your kubeconfig, or the one it runs in.

mod stop;

use std::time::Duration;

use kube_informer::{Cluster, SharedInformerFactory, handler};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "pods".into());
    let cluster = Cluster::find().await?;
    let factory = SharedInformerFactory::builder(cluster).build()?;

    // A name that the server does not know is an error that lists near ones.
    let informer = factory.for_resource(&name).await?.informer();
    println!("{} is {} of {}", informer.kind(), informer.kind().kind(), informer.kind().api_version());
    informer.add_event_handler(
        handler()
            .on_add(|object| println!("added   {}", object.key()))
            .on_update(|_, object| println!("changed {}", object.key()))
            .on_delete(|object| println!("deleted {}", object.key())),
    )?;

    factory.start();
    factory.wait_for_cache_sync(Duration::from_secs(30)).await?;
    if let Some(object) = informer.lister().list().first() {
        println!("one of them: {}", serde_json::to_string_pretty(&object.get()?.data)?);
    }
    stop::told_to_stop().await?;
    factory.shutdown().await;
    Ok(())
}
