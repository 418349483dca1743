//! Tells of widgets that come, change and go. With `crd` as its argument, prints the definition of the kind.

/// Made by informer-gen from informers.toml.
pub mod informers;
pub mod kinds;

use std::time::Duration;

use kube::CustomResourceExt;
use kube_informer::{Cluster, SharedInformerFactory, handler};
use tokio::signal::unix::{SignalKind, signal};

use crate::informers::ExampleComFactory;
use crate::kinds::Widget;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt::init(); // shows what goes wrong
    if std::env::args().any(|argument| argument == "crd") {
        println!("{}", serde_json::to_string_pretty(&Widget::crd())?);
        return Ok(());
    }
    let cluster = Cluster::find().await?;
    let factory = SharedInformerFactory::builder(cluster).build()?;

    let widgets = factory.example_com().v1().widgets();
    widgets.informer().add_event_handler(
        handler()
            .on_add(|widget| println!("added {}", widget.key()))
            .on_update(|_, widget| println!("changed {}", widget.key()))
            .on_delete(|widget| println!("deleted {}", widget.key())),
    )?;
    let by_node = factory.example_com().v1().widgets_by_node();

    factory.start();
    factory.wait_for_cache_sync(Duration::from_secs(30)).await?;
    for widget in widgets.lister().namespace("default").list() {
        println!("{} has size {}", widget.name(), widget.get()?.spec.size);
    }
    println!("{} on node-1", by_node.get("node-1")?.len());

    let mut terminate = signal(SignalKind::terminate())?; // what the kubelet sends
    tokio::select! {
        pressed = tokio::signal::ctrl_c() => pressed?,
        _ = terminate.recv() => {}
    }
    factory.shutdown().await;
    Ok(())
}

#[cfg(test)]
mod tests;
