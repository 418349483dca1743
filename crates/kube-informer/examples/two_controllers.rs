//! Two independent controllers look at pods. They ask the same factory, so there is one cache and one watch, and the slow
//! one does not hold up the other.
//!
//! Run with `cargo run --package kube-informer --example two_controllers`. Uses the cluster of your kubeconfig, or the one
//! it runs in.

mod stop;

use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube_informer::error::InformerError;
use kube_informer::{Cluster, Event, SharedInformerFactory, handler};

/// Says what becomes of each pod. It knows nothing of the other.
fn phases(factory: &SharedInformerFactory) -> Result<(), InformerError> {
    let phase = |pod: &Pod| pod.status.as_ref().and_then(|status| status.phase.clone()).unwrap_or_default();
    factory.kind::<Pod>().informer().add_event_handler(handler().named("phases").typed().on_update(
        move |old, new| {
            if phase(old) != phase(new) {
                let name = new.metadata.name.as_deref().unwrap_or_default();
                println!("phases: {name} was {:?} and is {:?}", phase(old), phase(new));
            }
        },
    ))?;
    Ok(())
}

/// Takes its time over every pod that comes or goes.
async fn census(factory: SharedInformerFactory) -> Result<(), InformerError> {
    let mut pods = factory.kind::<Pod>().informer().stream()?;
    let mut count = 0;
    while let Some(event) = pods.next().await {
        let pod = match event {
            Event::Added { object, .. } => {
                count += 1;
                object
            }
            Event::Deleted { object, .. } => {
                count -= 1;
                object
            }
            _ => continue,
        };
        println!("census: {count} pods after {}", pod.key());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let cluster = Cluster::find().await?;
    let factory = SharedInformerFactory::builder(cluster).build()?;
    phases(&factory)?;
    let counting = tokio::spawn(census(factory.clone()));

    factory.start();
    factory.wait_for_cache_sync(Duration::from_secs(30)).await?;
    for informer in factory.status() {
        println!("one informer: {} with {} objects", informer.kind, informer.objects);
    }

    stop::told_to_stop().await?;
    factory.shutdown().await;
    counting.await??;
    Ok(())
}
