//! The same faults met by our informer and client-go's at the same moment, both with their default settings: time from
//! the end of the fault until the cache is what the server has, and the requests made meanwhile.
//!
//! Ours has to get over each fault in time. What client-go does is measured, not judged.

mod observers;

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

use self::observers::{Observers, Plan};
use super::access::{Permission, until_refused};
use super::certificates::{self, Way};
use super::large::OBJECTS;
use super::link::Link;
use super::network::impatient;
use super::objects::{Objects, config_maps};
use super::{kinds, watched::Watched};
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
    let objects = Objects::new(config(&cluster).await?, config_maps())?;
    objects.seed().await?;
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn beside_client_go_the_way_and_the_servers() -> Result<()> {
    let test = "beside_client_go_the_way_and_the_servers";
    let Some((mut cluster, objects)) = with_objects(test).await? else { return Ok(()) };

    let observers = start(&cluster).await?;
    observers.links(Link::cut);
    let over = Instant::now();
    change(&objects, "cut").await?;
    let figures = observers.recovered("connection cut", over, objects.content().await?, BOTH).await?;
    ensure!(figures.ours.in_time(), "{figures}");

    let observers = start(&cluster).await?;
    observers.links(Link::refuse);
    change(&objects, "unreachable").await?;
    let content = objects.content().await?;
    fault_lasts(A_WHILE).await;
    observers.links(Link::restore);
    let figures = observers.recovered("unreachable for 5 s", Instant::now(), content, BOTH).await?;
    ensure!(figures.ours.in_time(), "{figures}");

    // Straight to the server: nobody listens there meanwhile.
    let direct = Plan { through_links: false, ..Plan::new(&cluster, &objects.resource) };
    let observers = direct.start().await?;
    cluster.kill_apiserver();
    fault_lasts(A_WHILE).await;
    block_in_place(|| cluster.start_apiserver())?;
    let over = Instant::now();
    change(&objects, "killed").await?;
    let fault = "API server killed, started after 5 s";
    let figures = observers.recovered(fault, over, objects.content().await?, BOTH).await?;
    ensure!(figures.ours.in_time(), "{figures}");

    let observers = start(&cluster).await?;
    block_in_place(|| {
        cluster.kill_etcd();
        cluster.start_etcd()
    })?;
    eventually("the API server writes again", || objects.label("changes", "after-etcd")).await?;
    // Until then nobody can know more than before.
    let over = Instant::now();
    change(&objects, "etcd").await?;
    let fault = "etcd killed and restarted";
    let figures = observers.recovered(fault, over, objects.content().await?, BOTH).await?;
    ensure!(figures.ours.in_time(), "{figures}");

    forgotten("history gone (410 Expired)", &mut cluster, &objects, 5).await?;
    objects.fill(OBJECTS).await?;
    forgotten("history gone, 10,000 objects", &mut cluster, &objects, 1).await
}

/// Both miss changes that the server, started anew, has no history of: they have to read everything again.
async fn forgotten(fault: &str, cluster: &mut Cluster, objects: &Objects, each: usize) -> Result<()> {
    let observers = Plan { each, ..Plan::new(cluster, &objects.resource) }.start().await?;
    observers.links(Link::refuse);
    change(objects, "unseen").await?;
    block_in_place(|| {
        cluster.kill_apiserver();
        cluster.start_apiserver()
    })?;
    let content = objects.content().await?;
    observers.links(Link::restore);
    let figures = observers.recovered(fault, Instant::now(), content, BOTH).await?;
    ensure!(figures.ours.in_time(), "{figures}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn beside_client_go_every_connection_stalls() -> Result<()> {
    let test = "beside_client_go_every_connection_stalls";
    let Some((cluster, objects)) = with_objects(test).await? else { return Ok(()) };
    let observers = start(&cluster).await?;
    // client-go quietly ignores watches shorter than five minutes; we do not.
    let (link, through_link) = Link::to(config(&cluster).await?).await?;
    let mut short = Watched::start(through_link, &objects.resource, impatient()).await?;
    let mut fault = short.fault("every connection stalled, short watches");
    observers.links(Link::stall);
    link.stall();
    change(&objects, "stalled").await?;
    let content = objects.content().await?;
    fault_lasts(A_WHILE).await;
    observers.links(Link::restore);
    link.restore();
    fault.is_over();
    let over = Instant::now();
    // client-go asks whether the connection lives after 30 s, and waits 15 s for an answer. We know by the silence of
    // the watch alone, after minutes: neither has to be in time.
    let patience = Duration::from_secs(55);
    let (short, both) = tokio::join!(
        short.recovered(fault, &objects),
        observers.recovered("every connection stalled", over, content, patience),
    );
    short?;
    both.map(drop)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn beside_client_go_rights_kinds_and_backups() -> Result<()> {
    let test = "beside_client_go_rights_kinds_and_backups";
    let authorities = [Authority::new("old")?, Authority::new("new")?];
    let options = Options::default().authorization_mode("RBAC").client_authorities(&[&authorities[0]]);
    let Some(mut cluster) = block_in_place(|| cluster_with(test, options)) else { return Ok(()) };
    let objects = Objects::new(config(&cluster).await?, config_maps())?;
    objects.seed().await?;

    permission_withdrawn(&cluster, &objects).await?;
    certificate_replaced(&cluster, &objects, &authorities).await?;
    let mut observers = start(&cluster).await?;
    let copied = objects.content().await?;
    block_in_place(|| {
        cluster.kill_etcd();
        cluster.backup_etcd()?;
        cluster.start_etcd()
    })?;
    eventually("the API server writes again", || objects.label("changes", "after-the-backup")).await?;
    change(&objects, "undone").await?;
    // Further than what the restored server writes by itself when it starts.
    objects.write(600).await?;
    observers.know(&objects.content().await?).await?;
    block_in_place(|| {
        cluster.kill_apiserver();
        cluster.kill_etcd();
        cluster.restore_etcd()?;
        cluster.start_etcd()?;
        cluster.start_apiserver()
    })?;
    let over = Instant::now();
    // client-go waits for a version that the server does not have yet.
    let figures = observers.recovered("etcd restored from an older backup", over, copied, BOTH).await?;
    ensure!(figures.ours.in_time(), "{figures}");

    kind_deleted(&cluster).await
}

async fn permission_withdrawn(cluster: &Cluster, objects: &Objects) -> Result<()> {
    let permission = Permission::new(Client::try_from(config(cluster).await?)?).await?;
    permission.grant().await?;
    let token = cluster.unprivileged_token();
    let mine = Objects::new(config_with_token(cluster, token).await?, config_maps())?;
    eventually("the server knows of the permission", || mine.content()).await?;
    let user = format!("token: {token}");
    let observers = Plan { user, ..Plan::new(cluster, &objects.resource) }.start().await?;
    permission.withdraw().await?;
    until_refused(&mine).await?;
    observers.links(Link::cut);
    change(objects, "unseen").await?;
    fault_lasts(A_WHILE).await;
    permission.grant().await?;
    let content = eventually("the server knows of the permission", || mine.content()).await?;
    let fault = "permission withdrawn for 5 s (403)";
    let figures = observers.recovered(fault, Instant::now(), content, BOTH).await?;
    ensure!(figures.ours.in_time(), "{figures}");
    Ok(())
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
    let observers = Plan { user: files.user(), ..Plan::new(cluster, &objects.resource) }.start().await?;
    cluster.trust_client_authorities(&[new])?;
    certificates::until_refused(cluster, old).await?;
    observers.links(Link::cut);
    change(objects, "unseen").await?;
    let content = objects.content().await?;
    fault_lasts(A_WHILE).await;
    files.put(&new.issue("unprivileged")?)?;
    let fault = "certificate replaced after 5 s (401)";
    let figures = observers.recovered(fault, Instant::now(), content, BOTH).await?;
    ensure!(figures.ours.in_time(), "{figures}");
    Ok(())
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
    let observers = Plan::new(cluster, &objects.resource).start().await?;

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
    // A kind that is gone is asked for every 30 to 60 s: ours does not have to be in time.
    observers.recovered("CRD deleted and re-created", over, objects.content().await?, BOTH).await.map(drop)
}
