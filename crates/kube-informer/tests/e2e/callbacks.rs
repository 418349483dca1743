//! Handlers of every sort: typed, with a filter, called by the informer itself, told everything again from time to time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::Pod;
use kube_client::Api;
use kube_client::api::{Patch, PatchParams};
use kube_informer::source::HttpSource;
use kube_informer::{Event, SharedInformer, SharedInformerFactory, handler};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::block_in_place;
use tokio::time::timeout;

use super::cluster;
use crate::support::{Heard, PATIENCE, config, create, delete, label, pods};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_typed_handler_with_a_filter_hears_objects_come_into_view_and_leave_it() -> Result<()> {
    let test = "a_typed_handler_with_a_filter_hears_objects_come_into_view_and_leave_it";
    let Some(cluster) = block_in_place(|| cluster(test)) else { return Ok(()) };
    let pods = pods(&cluster).await?;
    create(&pods, "never").await?;
    create(&pods, "there").await?;
    label(&pods, "there", "in").await?;

    let factory = SharedInformerFactory::builder(config(&cluster).await?).namespace("default").build()?;
    let (sender, mut heard) = mpsc::unbounded_channel();
    let (added, updated, deleted) = (sender.clone(), sender.clone(), sender);
    factory.kind::<Pod>().informer().add_event_handler(
        handler::<Pod>()
            .filter(|pod| pod.labels().get("step") == Some("in"))
            .typed()
            .on_add(move |pod| drop(added.send(format!("add {}", described(pod)))))
            .on_update(move |old, new| {
                drop(updated.send(format!("update {} {}", described(old), described(new))));
            })
            .on_delete(move |pod| drop(deleted.send(format!("delete {}", described(pod)))))
            .build(),
    )?;
    factory.start();
    let mut next = async || timeout(PATIENCE, heard.recv()).await?.context("the handler is gone");
    assert_eq!(next().await?, "add there:example/app:1");
    create(&pods, "later").await?;
    label(&pods, "later", "in").await?;
    assert_eq!(next().await?, "add later:example/app:1", "by a change of the object");
    image(&pods, "later", "example/app:2").await?;
    assert_eq!(next().await?, "update later:example/app:1 later:example/app:2");
    label(&pods, "later", "out").await?;
    assert!(next().await?.starts_with("delete later:"), "though it is in the cache");
    image(&pods, "later", "example/app:3").await?;
    delete(&pods, "there").await?;
    let mut last = next().await?;
    if last.starts_with("update there:") {
        // A pod may be told that it has to go before it does.
        last = next().await?;
    }
    assert!(last.starts_with("delete there:"), "and nothing of the one out of view: {last}");
    assert_eq!(factory.kind::<Pod>().informer().lister().len(), 2);
    factory.shutdown().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unshared_informer_tells_every_change_in_order() -> Result<()> {
    let Some(cluster) = block_in_place(|| cluster("an_unshared_informer_tells_every_change_in_order")) else {
        return Ok(());
    };
    let pods = pods(&cluster).await?;
    create(&pods, "before").await?;
    let (sender, events) = mpsc::unbounded_channel();
    let source = HttpSource::of::<Pod>(config(&cluster).await?)?;
    let builder = SharedInformer::<Pod>::builder(source).namespace("default");
    let informer = Arc::new(builder.exclusive().build()?);
    informer.add_event_handler(handler().on_event(move |event| drop(sender.send(event.clone()))))?;
    let running = tokio::spawn({
        let informer = informer.clone();
        async move { informer.run(std::future::pending()).await }
    });
    informer.wait_synced(PATIENCE).await?;
    let mut heard = Heard::new(events);
    assert_eq!(heard.next().await?, "add before");
    create(&pods, "one").await?;
    for step in ["a", "b", "c"] {
        label(&pods, "one", step).await?;
    }
    let last = create(&pods, "two").await?;
    informer.wait_for(&last, PATIENCE).await?;
    for told in ["add one", "update one", "update one", "update one", "add two"] {
        assert_eq!(heard.next().await?, told);
    }
    delete(&pods, "before").await?;
    heard.until("delete before").await?;
    informer.shutdown(PATIENCE).await;
    running.await??;
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_resync_tells_everything_again_without_asking_the_server() -> Result<()> {
    let test = "a_resync_tells_everything_again_without_asking_the_server";
    let Some(cluster) = block_in_place(|| cluster(test)) else { return Ok(()) };
    let pods = pods(&cluster).await?;
    create(&pods, "a").await?;
    create(&pods, "b").await?;

    let factory = SharedInformerFactory::builder(config(&cluster).await?).namespace("default").build()?;
    let informer = factory.kind::<Pod>().informer();
    let (sender, mut events) = mpsc::unbounded_channel();
    let resynced = handler::<Pod>().resync(Duration::from_secs(1));
    informer.add_event_handler(resynced.on_event(move |event| drop(sender.send(event.clone()))))?;
    factory.start();
    factory.wait_for_cache_sync(PATIENCE).await?;
    let asked = asked(&informer);
    let mut again: BTreeMap<String, usize> = BTreeMap::new();
    while again.values().filter(|times| **times >= 2).count() < 2 {
        match timeout(PATIENCE, events.recv()).await?.context("the handler is gone")? {
            Event::Added { .. } => {}
            Event::Updated { old, new, resync } => {
                assert!(resync && old.same_version(&new), "nothing has changed: {old} {new}");
                *again.entry(new.name().to_owned()).or_default() += 1;
            }
            other => panic!("unexpected {other:?}"),
        }
    }
    assert_eq!(again.into_keys().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(self::asked(&informer), asked, "it is told from the cache");
    factory.shutdown().await;
    Ok(())
}

/// How often the server was asked for lists and watches.
fn asked(informer: &SharedInformer<Pod>) -> (u64, u64) {
    let scope = &informer.status().scopes[0];
    (scope.lists, scope.watches)
}

/// Its name and what it runs.
fn described(pod: &Pod) -> String {
    let image = pod.spec.as_ref().and_then(|spec| spec.containers.first()?.image.clone());
    format!("{}:{}", pod.metadata.name.as_deref().unwrap_or_default(), image.unwrap_or_default())
}

async fn image(pods: &Api<Pod>, name: &str, image: &str) -> Result<()> {
    let patch = json!({ "spec": { "containers": [{ "name": "main", "image": image }] } });
    pods.patch(name, &PatchParams::default(), &Patch::Strategic(&patch)).await?;
    Ok(())
}
