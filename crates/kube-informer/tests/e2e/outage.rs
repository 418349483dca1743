//! A server that cannot be reached: one informer finds out for all of them.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::status::Phase;
use kube_informer::{SharedInformer, SharedInformerFactory};
use tokio::task::block_in_place;

use super::cluster;
use crate::support::link::Link;
use crate::support::{PATIENCE, config, eventually};

const INFORMERS: usize = 30;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d15_one_informer_finds_out_for_all_that_the_server_is_back() -> Result<()> {
    let test = "d15_one_informer_finds_out_for_all_that_the_server_is_back";
    let Some(cluster) = block_in_place(|| cluster(test)) else { return Ok(()) };
    let (link, through_link) = Link::to(config(&cluster).await?).await?;
    let factory = SharedInformerFactory::builder(through_link).build()?;
    let informers: Vec<SharedInformer<ConfigMap>> = (0..INFORMERS)
        .map(|number| {
            let name = format!("number-{number}");
            let labels = format!("number={number}");
            let access = factory.kind::<ConfigMap>().named(&name, |builder| builder.labels(labels))?;
            Ok(access.informer())
        })
        .collect::<Result<_>>()?;
    factory.start();
    factory.wait_for_cache_sync(PATIENCE).await?;

    let all_are = |phase: Phase| {
        let others = informers.iter().map(|informer| informer.status().phase).filter(|now| *now != phase);
        let others: Vec<_> = others.collect();
        async move {
            ensure!(others.is_empty(), "not {phase}: {others:?}");
            Ok(())
        }
    };
    eventually("all are watching", || all_are(Phase::Watching)).await?;
    link.refuse();
    eventually("all know of it", || all_are(Phase::Unreachable)).await?;
    let before = link.connections().made;
    // As long as it takes for four attempts; there is nothing that could be waited for.
    let refused = Instant::now();
    eventually("some attempts are made", || {
        let attempts = link.connections().made - before;
        async move {
            ensure!(attempts >= 4, "{attempts}");
            Ok(())
        }
    })
    .await?;
    let (attempts, took) = (link.connections().made - before, refused.elapsed());
    ensure!(attempts < INFORMERS, "one tries for all: {attempts} in {took:?}");
    ensure!(took >= Duration::from_millis(600), "{attempts} attempts within {took:?}");
    let restored = Instant::now();
    link.restore();
    eventually("all are watching again", || all_are(Phase::Watching)).await?;
    let back = restored.elapsed();
    ensure!(back < Duration::from_secs(5), "{back:?}");
    writeln!(
        std::io::stderr(),
        "outage: {INFORMERS} informers, {attempts} attempts in {took:.2?}; all back after {back:.2?}"
    )?;
    factory.shutdown().await;
    Ok(())
}
