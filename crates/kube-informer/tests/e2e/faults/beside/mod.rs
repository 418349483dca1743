//! The same faults met by our informer and client-go's at the same moment, both with their default settings: time from
//! the end of the fault until the cache is what the server has, and the requests made meanwhile.
//!
//! With the variable `DISABLE_HTTP2`, which client-go knows, both speak HTTP/1.1.
//!
//! Ours has to get over each fault in time. What client-go does is measured, not judged.

mod many;
mod observers;

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_client::api::{DeleteParams, PostParams};
use kube_client::core::{ApiResource, GroupVersionKind};
use kube_client::{Api, Client};
use serde_json::json;
use test_cluster::{Authority, Cluster, Options};
use tokio::task::block_in_place;
use tokio::time::timeout;

use self::observers::{Figures, Observers, Plan};
use super::access::{Permission, until_refused};
use super::certificates::{self, Way};
use super::kinds;
use super::large::OBJECTS;
use super::network::impatient;
use crate::support::link::Link;
use crate::support::objects::{Objects, config_maps};
use crate::support::watched::Watched;
use crate::support::{cluster, cluster_with, config, config_with_token, eventually};

/// How long either may take.
const BOTH: Duration = Duration::from_secs(45);
/// How long a fault lasts that has no length of its own: long enough for both to fail more than once.
const A_WHILE: Duration = Duration::from_secs(5);

/// The length of a fault is part of what is measured; nothing is synchronised by it.
async fn fault_lasts(long: Duration) {
    timeout(long, std::future::pending::<()>()).await.ok();
}

/// A cluster with some ConfigMaps.
async fn with_objects(test: &str) -> Result<Option<(Cluster, Objects)>> {
    let Some(cluster) = block_in_place(|| cluster(test)) else { return Ok(None) };
    let objects = Objects::seeded(&cluster).await?;
    Ok(Some((cluster, objects)))
}

/// An update, and a delete of what is created again.
async fn change(objects: &Objects, step: &str) -> Result<()> {
    objects.label("changes", step).await?;
    objects.delete("again").await?;
    objects.create("again").await.map(drop)
}

async fn start(cluster: &Cluster) -> Result<Observers> {
    Plan::new(cluster, &config_maps()).start().await
}

/// How often each fault is met by the same informers, one time after the other.
fn rounds() -> usize {
    std::env::var("KUBE_INFORMER_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(2)
}

/// Prints how they did in all rounds of a fault, and checks that ours were in time in each.
fn in_all(fault: &str, all: &Figures) -> Result<()> {
    writeln!(std::io::stderr(), "beside, in all: {fault:<36} {all}").ok();
    ensure!(all.ours.in_time(), "{fault}: {all}");
    Ok(())
}

/// The same informers meet the same cut again and again, so long apart.
async fn cuts(cluster: &Cluster, objects: &Objects, apart: Duration, fault: &str) -> Result<()> {
    let mut observers = start(cluster).await?;
    let mut all = Figures::default();
    for round in 0..rounds() {
        fault_lasts(apart).await;
        observers.links(Link::cut);
        let over = Instant::now();
        change(objects, &format!("cut-{round}")).await?;
        all = all.and(observers.recovered(fault, over, objects.content().await?, BOTH).await?);
    }
    in_all(fault, &all)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn beside_client_go_the_way_and_the_servers() -> Result<()> {
    let test = "beside_client_go_the_way_and_the_servers";
    let Some((mut cluster, objects)) = with_objects(test).await? else { return Ok(()) };

    cuts(&cluster, &objects, Duration::ZERO, "connection cut, one after the other").await?;
    cuts(&cluster, &objects, Duration::from_secs(10), "connection cut, every 10 s").await?;

    let (mut observers, mut all) = (start(&cluster).await?, Figures::default());
    for round in 0..rounds() {
        observers.links(Link::refuse);
        change(&objects, &format!("unreachable-{round}")).await?;
        let content = objects.content().await?;
        fault_lasts(A_WHILE).await;
        observers.links(Link::restore);
        all = all.and(observers.recovered("unreachable for 5 s", Instant::now(), content, BOTH).await?);
    }
    in_all("unreachable for 5 s", &all)?;

    // Straight to the server: nobody listens there meanwhile.
    let direct = Plan { through_links: false, ..Plan::new(&cluster, &objects.resource) };
    let (mut observers, mut all) = (direct.start().await?, Figures::default());
    let fault = "API server killed, started after 5 s";
    for round in 0..rounds() {
        cluster.kill_apiserver();
        fault_lasts(A_WHILE).await;
        block_in_place(|| cluster.start_apiserver())?;
        let over = Instant::now();
        change(&objects, &format!("killed-{round}")).await?;
        all = all.and(observers.recovered(fault, over, objects.content().await?, BOTH).await?);
    }
    in_all(fault, &all)?;

    let (mut observers, mut all) = (start(&cluster).await?, Figures::default());
    let fault = "etcd killed and restarted";
    for round in 0..rounds() {
        block_in_place(|| cluster.crash_etcd())?;
        objects.label_again("changes", "after-etcd").await?;
        // Until then nobody can know more than before.
        let over = Instant::now();
        change(&objects, &format!("etcd-{round}")).await?;
        all = all.and(observers.recovered(fault, over, objects.content().await?, BOTH).await?);
    }
    in_all(fault, &all)?;

    forgotten("history gone (410 Expired)", &mut cluster, &objects, 5).await?;
    objects.fill(OBJECTS).await?;
    forgotten("history gone, 10,000 objects", &mut cluster, &objects, 1).await
}

/// Both miss changes that the server, started anew, has no history of: they have to read everything again.
async fn forgotten(fault: &str, cluster: &mut Cluster, objects: &Objects, each: usize) -> Result<()> {
    let mut observers = Plan { each, ..Plan::new(cluster, &objects.resource) }.start().await?;
    let mut all = Figures::default();
    for round in 0..rounds() {
        observers.links(Link::refuse);
        change(objects, &format!("unseen-{round}")).await?;
        block_in_place(|| cluster.crash_apiserver())?;
        let content = objects.content().await?;
        observers.links(Link::restore);
        all = all.and(observers.recovered(fault, Instant::now(), content, BOTH).await?);
    }
    in_all(fault, &all)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn beside_client_go_every_connection_stalls() -> Result<()> {
    let test = "beside_client_go_every_connection_stalls";
    let Some((cluster, objects)) = with_objects(test).await? else { return Ok(()) };
    let (mut observers, mut all) = (start(&cluster).await?, Figures::default());
    // client-go quietly ignores watches shorter than five minutes; we do not.
    let (link, through_link) = Link::to(config(&cluster).await?).await?;
    let mut short = Watched::start(through_link, &objects.resource, impatient()).await?;
    for round in 0..rounds() {
        let mut fault = short.fault("every connection stalled, short watches");
        observers.links(Link::stall);
        link.stall();
        change(&objects, &format!("stalled-{round}")).await?;
        let content = objects.content().await?;
        fault_lasts(A_WHILE).await;
        observers.links(Link::restore);
        link.restore();
        fault.is_over();
        let over = Instant::now();
        // Both ask over HTTP/2 whether the peer lives after 30 s without a byte, and wait 15 s for an answer; over HTTP/1.1
        // ours moves a silent watch within 45 s.
        let (short, both) = tokio::join!(
            short.recovered(fault, &objects),
            observers.recovered("every connection stalled", over, content, BOTH),
        );
        short?;
        all = all.and(both?);
    }
    in_all("every connection stalled", &all)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn beside_client_go_rights_kinds_and_backups() -> Result<()> {
    let test = "beside_client_go_rights_kinds_and_backups";
    let authorities = [Authority::new("old")?, Authority::new("new")?];
    let options = Options::default().authorization_mode("RBAC").client_authorities(&[&authorities[0]]);
    let Some(mut cluster) = block_in_place(|| cluster_with(test, options)) else { return Ok(()) };
    let objects = Objects::seeded(&cluster).await?;

    permission_withdrawn(&cluster, &objects).await?;
    certificate_replaced(&cluster, &objects, &authorities).await?;
    backup_restored(&mut cluster, &objects).await?;
    kind_deleted(&cluster).await
}

async fn backup_restored(cluster: &mut Cluster, objects: &Objects) -> Result<()> {
    let fault = "etcd restored from an older backup";
    let (mut observers, mut all) = (start(cluster).await?, Figures::default());
    for round in 0..rounds() {
        let copied = objects.content().await?;
        block_in_place(|| cluster.backup_etcd())?;
        objects.label_again("changes", "after-the-backup").await?;
        change(objects, &format!("undone-{round}")).await?;
        // Further than what the restored server writes by itself when it starts.
        objects.write(600).await?;
        if all.theirs.in_time() {
            observers.know(&objects.content().await?).await?;
        }
        block_in_place(|| cluster.restore_etcd())?;
        let over = Instant::now();
        // client-go waits for a version that the server does not have yet, so it is not waited for long.
        all = all.and(observers.recovered(fault, over, copied, Duration::from_secs(20)).await?);
    }
    in_all(fault, &all)
}

async fn permission_withdrawn(cluster: &Cluster, objects: &Objects) -> Result<()> {
    let permission = Permission::new(Client::try_from(config(cluster).await?)?).await?;
    permission.grant().await?;
    let token = cluster.unprivileged_token();
    let mine = Objects::new(config_with_token(cluster, token).await?, config_maps())?;
    eventually("the server knows of the permission", || mine.content()).await?;
    let user = format!("token: {token}");
    let mut observers = Plan { user, ..Plan::new(cluster, &objects.resource) }.start().await?;
    let fault = "permission withdrawn for 5 s (403)";
    let mut all = Figures::default();
    for round in 0..rounds() {
        permission.withdraw().await?;
        until_refused(&mine).await?;
        observers.links(Link::cut);
        change(objects, &format!("unseen-{round}")).await?;
        fault_lasts(A_WHILE).await;
        permission.grant().await?;
        let content = eventually("the server knows of the permission", || mine.content()).await?;
        all = all.and(observers.recovered(fault, Instant::now(), content, BOTH).await?);
    }
    in_all(fault, &all)
}

/// The certificate in the file is replaced five seconds after the server ceased to accept it. Its user is the one that was
/// permitted to read before.
async fn certificate_replaced(
    cluster: &Cluster,
    objects: &Objects,
    [old, new]: &[Authority; 2],
) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let files = Way::files(folder.path());
    files.put(&old.issue("unprivileged")?)?;
    let mut observers = Plan { user: files.user(), ..Plan::new(cluster, &objects.resource) }.start().await?;
    let fault = "certificate replaced after 5 s (401)";
    let mut all = Figures::default();
    for round in 0..rounds() {
        let (from, to) = if round % 2 == 0 { (old, new) } else { (new, old) };
        cluster.trust_client_authorities(&[to])?;
        certificates::until_refused(cluster, from).await?;
        observers.links(Link::cut);
        change(objects, &format!("unseen-{round}")).await?;
        let content = objects.content().await?;
        fault_lasts(A_WHILE).await;
        files.put(&to.issue("unprivileged")?)?;
        all = all.and(observers.recovered(fault, Instant::now(), content, BOTH).await?);
    }
    in_all(fault, &all)
}

async fn kind_deleted(cluster: &Cluster) -> Result<()> {
    let definitions: Api<CustomResourceDefinition> = Api::all(Client::try_from(config(cluster).await?)?);
    let definition = kinds::definition(&json!([kinds::version("v1", true)]));
    let definition: CustomResourceDefinition = serde_json::from_value(definition)?;
    let kind = GroupVersionKind::gvk("example.com", "v1", "Widget");
    let objects = Objects::new(config(cluster).await?, ApiResource::from_gvk_with_plural(&kind, "widgets"))?;
    definitions.create(&PostParams::default(), &definition).await?;
    eventually("the kind is served", || objects.content()).await?;
    objects.seed().await?;
    let (mut observers, mut all) = (Plan::new(cluster, &objects.resource).start().await?, Figures::default());
    let fault = "CRD deleted, re-created after 5 s";
    for _ in 0..rounds() {
        definitions.delete(kinds::CRD, &DeleteParams::default()).await?;
        eventually("the CRD is gone", || async {
            ensure!(definitions.get_opt(kinds::CRD).await?.is_none(), "the CRD is still there");
            Ok(())
        })
        .await?;
        fault_lasts(A_WHILE).await;
        definitions.create(&PostParams::default(), &definition).await?;
        eventually("the kind is served", || objects.content()).await?;
        let over = Instant::now();
        objects.seed().await?;
        all = all.and(observers.recovered(fault, over, objects.content().await?, BOTH).await?);
    }
    in_all(fault, &all)
}
