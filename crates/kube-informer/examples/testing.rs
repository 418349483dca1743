//! How to test a handler of your own: on the embedded API server, with a connection that breaks in the middle.
//! No cluster, no port, no waiting.
//!
//! Run with `cargo run --package kube-informer --example testing`. In your project this is a `#[tokio::test]`.

use std::sync::Arc;
use std::time::Duration;

use embedded_apiserver::{EmbeddedApiserver, ServerFault, Verb};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::api::{Api, DeleteParams};
use kube_informer::error::InformerError;
use kube_informer::object::Uid;
use kube_informer::{SharedInformer, SharedInformerFactory, handler};
use parking_lot::Mutex;
use serde_json::json;

/// What is tested: a handler that keeps the names of all maps in order.
fn keep_names(maps: &SharedInformer<ConfigMap>) -> Result<Arc<Mutex<Vec<String>>>, InformerError> {
    let names = Arc::new(Mutex::new(Vec::new()));
    let (added, deleted) = (names.clone(), names.clone());
    maps.add_event_handler(
        handler()
            .on_add(move |map| {
                let mut names = added.lock();
                names.push(map.name().to_owned());
                names.sort();
            })
            .on_delete(move |map| deleted.lock().retain(|name| name != map.name())),
    )?;
    Ok(names)
}

fn map(name: &str) -> anyhow::Result<ConfigMap> {
    Ok(serde_json::from_value(json!({ "metadata": { "name": name, "namespace": "default" } }))?)
}

// Time stands still but for the timers that somebody waits for: backoffs take no time.
#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    tokio::time::pause();
    let server = EmbeddedApiserver::new();
    let (patience, maps) =
        (Duration::from_secs(60), Api::<ConfigMap>::namespaced(server.quiet_client(), "default"));
    let first = server.create(&map("a")?).await?;

    let factory = SharedInformerFactory::builder(server.client()).build()?;
    let informer = factory.kind::<ConfigMap>().informer();
    let names = keep_names(&informer)?;
    // The first watch breaks after the first event that it brings; for a while nobody answers.
    let cut = server.inject(ServerFault::cut_after(1).resource("configmaps").on(Verb::Watch).once());
    factory.start();
    factory.wait_for_cache_sync(patience).await?;

    server.inject(ServerFault::refuse().resource("configmaps").first(3));
    maps.delete("a", &DeleteParams::default()).await?;
    let second = server.create(&map("b")?).await?;
    let third = server.create(&map("c")?).await?;
    cut.until_struck(1).await;

    // What was written while nobody listened has arrived, and so has the delete.
    for written in [&second, &third] {
        informer.wait_for(written, patience).await?;
    }
    let uid = Uid::new(first.metadata.uid.as_deref().unwrap_or_default());
    informer.wait_gone(&"default/a".parse()?, &uid, patience).await?;
    factory.shutdown().await;
    assert_eq!(*names.lock(), ["b", "c"]);
    println!("the handler knows {:?} after {} requests", names.lock(), server.journal().requests().len());
    Ok(())
}
