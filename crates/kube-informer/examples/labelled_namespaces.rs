//! Prints the pods of all namespaces that carry a label. Namespaces come and go, and so do the watches of their pods.
//!
//! Run with `cargo run --package kube-informer --example labelled_namespaces -- team=shop`.

mod stop;

use std::time::Duration;

use k8s_openapi::api::core::v1::{Namespace, Pod};
use kube_informer::source::HttpSource;
use kube_informer::{Cluster, Kind, SharedInformer, handler};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let label = std::env::args().nth(1).unwrap_or_else(|| "team=shop".to_owned());
    let cluster = Cluster::find().await?;
    println!("using {}", cluster.origin().unwrap_or_default());
    let source = HttpSource::of::<Namespace>(cluster)?;

    // It looks at no namespace at first. One that is denied is reported, and the others work.
    let pods = SharedInformer::<Pod>::builder(source.for_kind(Pod::info(&())))
        .namespaces(Vec::<String>::new())
        .on_error(|failure| eprintln!("{failure}"))
        .build()?;
    pods.add_event_handler(
        handler()
            .on_add(|pod| println!("added   {}", pod.key()))
            .on_delete(|pod| println!("deleted {}", pod.key())),
    )?;

    let namespaces = SharedInformer::<Namespace>::builder(source).labels(label).build()?;
    let (follow, leave) = (pods.clone(), pods.clone());
    namespaces.add_event_handler(
        handler()
            .on_add(move |namespace| {
                if let Err(error) = follow.add_namespace(namespace.name()) {
                    eprintln!("{error}");
                }
            })
            // A namespace that loses the label is deleted as far as this informer can see.
            .on_delete(move |namespace| {
                if let Err(error) = leave.remove_namespace(namespace.name()) {
                    eprintln!("{error}");
                }
            }),
    )?;

    let (run_pods, run_namespaces) = (pods.clone(), namespaces.clone());
    let running = tokio::spawn(async move { run_pods.run(std::future::pending()).await });
    let running_too = tokio::spawn(async move { run_namespaces.run(std::future::pending()).await });
    stop::told_to_stop().await?;
    println!("{} pods in {:?}", pods.lister().len(), pods.namespaces().unwrap_or_default());
    namespaces.shutdown(Duration::from_secs(5)).await;
    pods.shutdown(Duration::from_secs(5)).await;
    running.await??;
    running_too.await??;
    Ok(())
}
