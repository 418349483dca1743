//! A recording of a real kube-apiserver under load, run with `cargo xtask e2e`.
//!
//! With `KUBE_INFORMER_RECORD=1` the test also writes the recording that `tests/replay` replays:
//! `KUBE_INFORMER_RECORD=1 cargo xtask e2e under_load_is_recorded`.

mod support;

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use informer_recording::{Recorder, Recording, Speed};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::source::HttpSource;
use kube_informer::{Kind as _, SharedInformer};
use test_cluster::{Cluster, Options};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::support::{PATIENCE, Seen, api, client, config, config_map, eventually, write};

/// How many tasks write at the same time, and how often each.
const WRITERS: u64 = 4;
const WRITES: u64 = 60;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_under_load_is_recorded_and_replayed() -> Result<()> {
    if let Err(why) = test_cluster::available() {
        test_cluster::print_skip("a_server_under_load_is_recorded_and_replayed", &why);
        return Ok(());
    }
    let mut cluster = Cluster::start(Options::default())?;
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("under-load.recording");
    let recorder = Recorder::create(&file)?;
    let maps = api(&client(&cluster).await?);
    for n in 0..30 {
        maps.create(&Default::default(), &config_map(&format!("first-{n}"), 0)).await?;
    }
    let source = HttpSource::of::<ConfigMap>(config(&cluster).await?)?;
    let source = recorder.source(ConfigMap::info(&()), source);
    let seen = Seen::start(SharedInformer::builder(source).namespace("default"))?;
    seen.informer.wait_synced(PATIENCE).await?;

    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let maps = maps.clone();
        writers.spawn(async move { write(&maps, writer, 0..WRITES).await });
    }
    while let Some(written) = writers.join_next().await {
        written??;
    }
    cluster.kill_apiserver();
    eventually("the lost connection is reported", || async {
        ensure!(seen.informer.status().failures > 0);
        Ok(())
    })
    .await?;
    tokio::task::block_in_place(|| cluster.start_apiserver())?;
    let maps = api(&client(&cluster).await?);
    write(&maps, WRITERS, 0..WRITES).await?;
    eventually("the cache has what the server has", || async {
        let listed = maps.list(&Default::default()).await?;
        let mut server: Vec<_> = listed.iter().map(|map| map.metadata.resource_version.clone()).collect();
        let listed = seen.informer.lister().list();
        let mut cache: Vec<_> = listed.iter().map(|map| Some(map.resource_version().to_string())).collect();
        server.sort();
        cache.sort();
        ensure!(server == cache, "{} objects and {}", server.len(), cache.len());
        Ok(())
    })
    .await?;
    let recorded = recorder.finish()?;
    let outcome = seen.stop().await?;
    assert!(outcome.heard.len() > 200, "{} calls", outcome.heard.len());
    assert!(recorded.written < 200_000 && recorded.failures > 0, "{recorded:?}");

    let recording = Recording::open(&file)?.speed(Speed::Fastest);
    for _ in 0..2 {
        let recording = recording.again();
        let replayed = Seen::start(SharedInformer::builder(recording.clone()).namespace("default"))?;
        timeout(PATIENCE, recording.wait_ended()).await.context("the replay ends")?;
        eventually("the replay has told everything", || async {
            ensure!(replayed.outcome().heard.len() >= outcome.heard.len());
            Ok(())
        })
        .await?;
        let replayed = replayed.stop().await?;
        assert_eq!(replayed.heard, outcome.heard);
        assert_eq!(replayed.objects, outcome.objects);
    }
    if std::env::var_os("KUBE_INFORMER_RECORD").is_some() {
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replay");
        std::fs::copy(&file, kept.join("under-load.recording"))?;
        std::fs::write(kept.join("under-load.txt"), outcome.to_string())?;
    }
    Ok(())
}
