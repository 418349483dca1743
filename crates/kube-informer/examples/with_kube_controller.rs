//! kube-runtime's `applier` fed by an informer: its queue, its concurrency per object and its retries, on our watch and our
//! deletes. Other parts of the program share the informer.
//!
//! Run with `cargo run --package kube-informer --example with_kube_controller`. Uses the cluster of your kubeconfig, or the
//! one it runs in.

mod stop;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt, Stream, StreamExt, future};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::{Cluster, Event, EventStream, SharedInformerFactory};
use kube_runtime::controller::{Action, Config};
use kube_runtime::reflector::{ObjectRef, store::Writer};
use kube_runtime::{applier, reflector, watcher};

async fn reconcile(map: Arc<ConfigMap>, _: Arc<()>) -> Result<Action, Infallible> {
    let keys = map.data.as_ref().map_or(0, std::collections::BTreeMap::len);
    println!("reconciled {}: {keys} keys", map.metadata.name.as_deref().unwrap_or_default());
    Ok(Action::await_change())
}

/// What to reconcile. The applier looks objects up in a store of its own, so that is kept up to date on the way.
fn queue(
    events: EventStream<ConfigMap>,
    mut store: Writer<ConfigMap>,
) -> impl Stream<Item = Result<ObjectRef<ConfigMap>, Infallible>> {
    store.apply_watcher_event(&watcher::Event::Init);
    store.apply_watcher_event(&watcher::Event::InitDone);
    events.filter_map(move |event| {
        let map = event.object().and_then(|object| object.get().ok());
        future::ready(map.map(|map| {
            store.apply_watcher_event(&match event {
                Event::Deleted { .. } => watcher::Event::Delete((*map).clone()),
                _ => watcher::Event::Apply((*map).clone()),
            });
            Ok(ObjectRef::from_obj(&*map))
        }))
    })
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let cluster = Cluster::find().await?;
    let factory = SharedInformerFactory::builder(cluster).build()?;
    let (reader, writer) = reflector::store();
    let queue = queue(factory.kind::<ConfigMap>().informer().stream()?, writer);
    let controller = applier(
        |map, context| reconcile(map, context).boxed(),
        |_, _: &Infallible, _| Action::requeue(Duration::from_secs(5)),
        Arc::new(()),
        reader,
        queue,
        Config::default().concurrency(4),
    );
    let controller = tokio::spawn(controller.for_each(|_| future::ready(())));

    factory.start();
    factory.wait_for_cache_sync(Duration::from_secs(30)).await?;
    stop::told_to_stop().await?;
    // The stream ends with the informers, and the applier with the stream.
    factory.shutdown().await;
    controller.await?;
    Ok(())
}
