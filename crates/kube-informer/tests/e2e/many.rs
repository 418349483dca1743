//! Two hundred informers at once, over one client.

use std::collections::BTreeSet;
use std::io::Write;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::api::{Patch, PatchParams, PostParams};
use kube_client::{Api, Client};
use kube_informer::source::HttpSource;
use kube_informer::{Event, Kind, SharedInformer, handler};
use serde_json::json;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinSet, block_in_place};
use tokio::time::timeout;

use super::{WATCHES_A_CONNECTION, cluster};
use crate::support::link::Link;
use crate::support::{PATIENCE, Server, config, eventually};

const INFORMERS: usize = 200;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_informers_share_a_client_and_leave_nothing_behind() -> Result<()> {
    let test = "two_hundred_informers_share_a_client_and_leave_nothing_behind";
    let Some(cluster) = block_in_place(|| cluster(test)) else { return Ok(()) };
    two_hundred_informers(&cluster, WATCHES_A_CONNECTION).await
}

/// On a server, and on how many connections.
pub(super) async fn two_hundred_informers(cluster: &impl Server, watches_a_connection: usize) -> Result<()> {
    let objects: Api<ConfigMap> = Api::namespaced(Client::try_from(config(cluster).await?)?, "default");
    let creates = stream::iter(0..INFORMERS).map(|number| create(&objects, number));
    creates.buffer_unordered(8).try_collect::<Vec<_>>().await?;
    let (link, through_link) = Link::to(config(cluster).await?).await?;
    let tasks_before = Handle::current().metrics().num_alive_tasks();

    let started = Instant::now();
    let source = HttpSource::of::<ConfigMap>(through_link)?;
    let (stop, _) = watch::channel(false);
    let (sender, mut told) = mpsc::unbounded_channel();
    let mut running = JoinSet::new();
    let mut informers = Vec::new();
    for number in 0..INFORMERS {
        let informer = SharedInformer::<ConfigMap>::builder(source.for_kind(ConfigMap::info(&())))
            .namespace("default")
            .labels(format!("informer={number}"))
            .build()?;
        let sender = sender.clone();
        informer.add_event_handler(handler().on_event(move |event: &Event<ConfigMap>| {
            sender.send((number, event.clone())).ok();
        }))?;
        let (run, mut stopped) = (informer.clone(), stop.subscribe());
        running.spawn(async move {
            run.run(async move { drop(stopped.wait_for(|stopped| *stopped).await) }).await
        });
        informers.push(informer);
    }
    for informer in &informers {
        informer.wait_synced(PATIENCE).await?;
        ensure!(informer.lister().list().len() == 1, "each has the object of its own");
    }
    let synced = started.elapsed();
    let mut added = BTreeSet::new();
    while added.len() < INFORMERS {
        let (number, event) = timeout(PATIENCE, told.recv()).await?.context("the handlers are gone")?;
        ensure!(matches!(event, Event::Added { .. }) && added.insert(number), "{number} was told {event:?}");
    }

    let started = Instant::now();
    let mut changed = BTreeSet::new();
    // Of all: who was told of a change has a watch, and so a connection that is to be closed.
    for number in 0..INFORMERS {
        let patch = Patch::Merge(json!({ "data": { "changed": "yes" } }));
        objects.patch(&name(number), &PatchParams::default(), &patch).await?;
        changed.insert(number);
    }
    while let Some(first) = changed.first() {
        let next = timeout(PATIENCE, told.recv()).await.with_context(|| format!("{first} was not told"))?;
        let (number, event) = next.context("the handlers are gone")?;
        ensure!(
            matches!(event, Event::Updated { .. }) && changed.remove(&number),
            "{number} was told {event:?}"
        );
    }
    let heard = started.elapsed();

    let started = Instant::now();
    let connections = link.connections();
    stop.send(true)?;
    while let Some(ended) = timeout(PATIENCE, running.join_next()).await.context("an informer runs on")? {
        ended??;
    }
    let needed = INFORMERS.div_ceil(watches_a_connection);
    ensure!((needed..=2 * needed + 2).contains(&connections.open), "{needed} are needed: {connections:?}");
    drop((informers, source, sender));
    link.until_open(0, PATIENCE).await?;
    let stopped = started.elapsed();
    ensure!(told.try_recv().is_err(), "nobody was told of anything else");
    eventually("no task is left", || async {
        let tasks = Handle::current().metrics().num_alive_tasks();
        ensure!(tasks <= tasks_before, "{tasks} tasks, {tasks_before} before");
        Ok(())
    })
    .await?;
    // The harness swallows what a test prints that passes.
    writeln!(
        std::io::stderr(),
        "many: {INFORMERS} informers synced after {synced:.2?} over {} connections ({} at once, {} made); as many changes \
         made and told in {heard:.2?}; stopped, all connections closed after {stopped:.2?}",
        connections.open,
        connections.peak,
        connections.made,
    )?;
    Ok(())
}

fn name(number: usize) -> String {
    format!("of-informer-{number}")
}

async fn create(objects: &Api<ConfigMap>, number: usize) -> Result<()> {
    let labels = json!({ "informer": number.to_string() });
    let object = json!({ "metadata": { "name": name(number), "labels": labels } });
    objects.create(&PostParams::default(), &serde_json::from_value(object)?).await?;
    Ok(())
}
