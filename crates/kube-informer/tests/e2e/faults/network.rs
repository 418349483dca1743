//! The way to the server is gone, or swallows everything.

use std::time::Duration;

use anyhow::Result;
use kube_informer::Options;
use kube_informer::status::{Phase, RelistReason};

use super::{Setup, setup};
use crate::support::metered::What;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unreachable_for_a_while() -> Result<()> {
    let Some(setup) = setup("unreachable_for_a_while", Options::default()).await? else { return Ok(()) };
    let Setup { mut watched, link, objects, cluster: _cluster } = setup;
    let before = watched.cached();
    let mut fault = watched.fault("unreachable for a while");
    link.refuse();
    objects.change(1).await?;
    watched.until_failures(&fault, 3).await?;
    watched.until("it waits", |status| status.phase == Phase::Unreachable).await?;
    assert_eq!(watched.cached(), before, "the cache is kept meanwhile");
    objects.change(2).await?;
    link.restore();
    fault.is_over();

    let recovery = watched.recovered(fault, &objects).await?;
    assert_eq!(recovery.count(What::Watch), recovery.requests.len(), "resumed, not listed: {recovery:#?}");
    assert_eq!(recovery.told.found_missing, 0, "every delete was told by the server: {recovery:#?}");
    assert!(recovery.asked_at_most(5), "{recovery:#?}");
    assert!(recovery.reported(&["cannot watch configmaps in namespace \"default\": "]), "{recovery:#?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connection_cut() -> Result<()> {
    let Some(setup) = setup("connection_cut", Options::default()).await? else { return Ok(()) };
    let Setup { mut watched, link, objects, cluster: _cluster } = setup;
    for round in 1..=3 {
        let mut fault = watched.fault("connection cut");
        link.cut();
        fault.is_over();
        watched.until_failures(&fault, 1).await?;
        objects.change(round).await?;
        let recovery = watched.recovered(fault, &objects).await?;
        assert_eq!((recovery.requests.len(), recovery.failures.len()), (1, 1), "{recovery:#?}");
    }
    Ok(())
}

/// Watches of a second or two, so that silence is noticed soon, but not that of a machine that is busy with other things.
pub(super) fn impatient() -> Options {
    let silence = Duration::from_secs(4);
    Options::default().tuning(|tuning| {
        tuning
            .min_watch_timeout(Duration::from_secs(1))
            .watch_grace(silence)
            .bookmark_silence(silence)
            .streaming_timeout(silence)
            .list_silence(silence)
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_connection_stalls_without_a_close() -> Result<()> {
    let Some(setup) = setup("one_connection_stalls_without_a_close", impatient()).await? else {
        return Ok(());
    };
    let Setup { mut watched, link, objects, cluster: _cluster } = setup;
    let mut fault = watched.fault("one connection stalled");
    link.stall_open_connections();
    fault.is_over();
    objects.change(1).await?;

    let recovery = watched.recovered(fault, &objects).await?;
    assert!(recovery.reported(&["cannot watch configmaps", "nothing came for"]), "{recovery:#?}");
    assert_eq!(watched.relists(RelistReason::Dead), 0, "reopened at the same version: {recovery:#?}");
    assert!(recovery.requests.iter().any(|asked| asked.phase == Phase::Stalled), "{recovery:#?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_connection_stalls_without_a_close() -> Result<()> {
    let Some(setup) = setup("every_connection_stalls_without_a_close", impatient()).await? else {
        return Ok(());
    };
    let Setup { mut watched, link, objects, cluster: _cluster } = setup;
    let before = watched.cached();
    let mut fault = watched.fault("every connection stalled");
    link.stall();
    objects.change(1).await?;
    watched.until("two connections died", |status| status.scopes[0].relists(RelistReason::Dead) > 0).await?;
    assert_eq!(watched.cached(), before, "the cache is kept meanwhile");
    objects.change(2).await?;
    link.restore();
    fault.is_over();

    let recovery = watched.recovered(fault, &objects).await?;
    assert!(recovery.reported(&["cannot watch configmaps", "nothing came for"]), "{recovery:#?}");
    assert!(recovery.requests.iter().any(|asked| asked.phase == Phase::Stalled), "{recovery:#?}");
    assert!(recovery.count(What::List) + recovery.count(What::StreamedList) > 0, "{recovery:#?}");
    assert_eq!(recovery.told.found_missing, 3, "the list was compared with the cache: {recovery:#?}");
    assert!(recovery.asked_at_most(10), "{recovery:#?}");
    Ok(())
}
