//! HTTP/2 as the real server speaks it.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::Api;
use kube_client::api::PostParams;
use kube_informer::SharedInformerFactory;
use serde_json::json;
use test_cluster::Options;
use tokio::task::block_in_place;

use crate::many::two_hundred_informers;
use crate::support::link::Link;
use crate::support::{PATIENCE, cluster, cluster_with, config};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d18_two_hundred_informers_on_a_server_that_allows_three_streams_a_connection() -> Result<()> {
    let test = "d18_two_hundred_informers_on_a_server_that_allows_three_streams_a_connection";
    let options = Options::default().apiserver_arg("--http2-max-streams-per-connection=3");
    let Some(cluster) = block_in_place(|| cluster_with(test, options)) else { return Ok(()) };
    two_hundred_informers(&cluster, 2).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d18_the_factorys_client_writes_over_the_connection_of_its_informers() -> Result<()> {
    let test = "d18_the_factorys_client_writes_over_the_connection_of_its_informers";
    let Some(cluster) = block_in_place(|| cluster(test)) else { return Ok(()) };
    let (link, through_link) = Link::to(config(&cluster).await?).await?;
    let factory = SharedInformerFactory::builder(through_link).build()?;
    let config_maps = factory.core().v1().config_maps().informer();
    factory.start();
    factory.wait_for_cache_sync(PATIENCE).await?;
    let client = factory.client().expect("it has a cluster");
    let api: Api<ConfigMap> = Api::namespaced(client, "default");
    let object = serde_json::from_value(json!({ "metadata": { "name": "written" } }))?;
    let written = api.create(&PostParams::default(), &object).await?;
    config_maps.wait_for(&written, PATIENCE).await?;
    let connections = link.connections();
    ensure!(connections.made == 1, "{connections:?}");
    factory.shutdown().await;
    Ok(())
}

/// On a kind to which nothing happens servers send no bookmark by themselves, and a dead stream looks like a living one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d15_a_question_about_an_idle_kind_is_followed_by_a_bookmark_on_its_watch() -> Result<()> {
    let test = "d15_a_question_about_an_idle_kind_is_followed_by_a_bookmark_on_its_watch";
    let Some(cluster) = block_in_place(|| cluster(test)) else { return Ok(()) };
    let factory = SharedInformerFactory::builder(config(&cluster).await?)
        .options(|options| options.tuning(|tuning| tuning.idle_watch(Duration::from_secs(1))))
        .build()?;
    let informer = factory.core().v1().resource_quotas().informer();
    factory.start();
    factory.wait_for_cache_sync(PATIENCE).await?;
    let scope = || informer.status().scopes.swap_remove(0);
    let (before, began) = (scope().bookmarks, Instant::now());
    while scope().bookmarks == before {
        let now = informer.progress();
        let next = informer.wait_progress(&now, Duration::from_secs(80)).await;
        next.with_context(|| format!("no bookmark came: {:?}", scope()))?;
    }
    let (took, status) = (began.elapsed(), scope());
    ensure!(status.probes >= 1 && status.reconnects == 0, "{status:?}");
    ensure!(took <= Duration::from_secs(68), "{took:?} and not a minute: {status:?}");
    writeln!(std::io::stderr(), "idle: a bookmark after {took:.1?} and {} questions", status.probes)?;
    factory.shutdown().await;
    Ok(())
}
