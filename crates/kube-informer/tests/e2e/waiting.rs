//! Waiting for what was written and for what was deleted, also where no event of it comes.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use k8s_openapi::api::core::v1::Pod;
use kube_client::api::{DeleteParams, PostParams};
use kube_informer::SharedInformer;
use kube_informer::object::Uid;
use kube_informer::source::HttpSource;

use super::cluster;
use crate::support::{PATIENCE, Running, config, create, label, pod, pods};

/// Far below the time to the next bookmark, which is what would end the wait otherwise.
const AT_ONCE: Duration = Duration::from_secs(10);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_written_or_deleted_is_known_soon_also_where_no_event_comes() -> Result<()> {
    let Some(cluster) = cluster("what_was_written_or_deleted_is_known_soon_also_where_no_event_comes") else {
        return Ok(());
    };
    let pods = pods(&cluster).await?;
    let source = HttpSource::of::<Pod>(config(&cluster).await?)?;
    let builder = SharedInformer::<Pod>::builder(source).namespace("default").labels("step=shown");
    let running = Running::of(builder.build()?)?;
    let informer = &running.informer;
    informer.wait_synced(PATIENCE).await?;
    let lister = informer.lister().namespace("default");

    let hidden = create(&pods, "hidden").await?;
    let began = Instant::now();
    informer.wait_for(&hidden, PATIENCE).await?;
    ensure!(began.elapsed() < AT_ONCE, "it took {:?}", began.elapsed());
    assert!(lister.get("hidden").is_err());

    let shown = label(&pods, "hidden", "shown").await?;
    informer.wait_for(&shown, PATIENCE).await?;
    assert_eq!(lister.get("hidden")?.labels().get("step"), Some("shown"));
    let hidden = label(&pods, "hidden", "other").await?;
    informer.wait_for(&hidden, PATIENCE).await?;
    assert!(lister.get("hidden").is_err());

    let now = DeleteParams::default().grace_period(0);
    let uid = Uid::new(hidden.metadata.uid.as_deref().unwrap_or_default());
    pods.delete("hidden", &now).await?;
    let began = Instant::now();
    informer.wait_gone(&"default/hidden".parse()?, &uid, PATIENCE).await?;
    ensure!(began.elapsed() < AT_ONCE, "it took {:?}", began.elapsed());

    // Created and deleted in one go: whatever the cache has seen of it when it is asked, it is never seen after that.
    for round in 0..10 {
        let mut new = pod(&format!("short-{round}"));
        new.metadata.labels = Some([("step".to_owned(), "shown".to_owned())].into());
        let created = pods.create(&PostParams::default(), &new).await?;
        let name = created.metadata.name.clone().unwrap_or_default();
        pods.delete(&name, &now).await?;
        let uid = Uid::new(created.metadata.uid.as_deref().unwrap_or_default());
        informer.wait_gone(&format!("default/{name}").parse()?, &uid, PATIENCE).await?;
        ensure!(lister.get(&name).is_err(), "{name} is still shown");
    }
    assert!(informer.lister().is_empty());
    Ok(())
}
