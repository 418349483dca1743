//! The whole pipeline on a server: list, watch, store, handler, lister.

use anyhow::Result;
use kube_informer::object::Uid;

use super::cluster;
use crate::support::{PATIENCE, Running, create, delete, label, pods};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pods_are_listed_watched_stored_and_told() -> Result<()> {
    let Some(cluster) = cluster("pods_are_listed_watched_stored_and_told") else { return Ok(()) };
    let pods = pods(&cluster).await?;
    create(&pods, "before").await?;

    let mut running = Running::start(&cluster).await?;
    assert_eq!(running.heard.next().await?, "add before");
    let lister = running.informer.lister().namespace("default");
    assert_eq!(lister.get("before")?.get()?.spec.as_ref().map(|spec| spec.containers.len()), Some(1));

    let created = create(&pods, "after").await?;
    running.informer.wait_for(&created, PATIENCE).await?;
    assert_eq!(running.heard.next().await?, "add after");

    let labelled = label(&pods, "after", "one").await?;
    running.informer.wait_for(&labelled, PATIENCE).await?;
    assert_eq!(lister.get("after")?.labels().get("step"), Some("one"));
    assert_eq!(running.heard.next().await?, "update after");

    let uid = Uid::new(created.metadata.uid.as_deref().unwrap_or_default());
    delete(&pods, "after").await?;
    running.informer.wait_gone(&"default/after".parse()?, &uid, PATIENCE).await?;
    running.heard.until("delete after").await?;
    let missing = lister.get("after").unwrap_err();
    assert_eq!(missing.to_string(), "pods \"default/after\" not found");
    assert_eq!(running.informer.lister().len(), 1);
    Ok(())
}
