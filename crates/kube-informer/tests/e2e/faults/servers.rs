//! The server ends, forgets, or goes back in time.

use anyhow::Result;
use kube_informer::Options;
use kube_informer::status::{Phase, RelistReason};
use tokio::task::block_in_place;

use super::{Setup, setup};
use crate::support::metered::What;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn apiserver_killed_and_restarted() -> Result<()> {
    let Some(setup) = setup("apiserver_killed_and_restarted", Options::default()).await? else {
        return Ok(());
    };
    let Setup { mut watched, link: _link, objects, mut cluster } = setup;
    let before = watched.cached();
    let mut fault = watched.fault("API server killed and restarted");
    cluster.kill_apiserver();
    watched.until_failures(&fault, 1).await?;
    watched.until("it waits", |status| status.phase == Phase::Unreachable).await?;
    assert_eq!(watched.cached(), before, "the cache is kept while the server is away");
    block_in_place(|| cluster.start_apiserver())?;
    fault.is_over();
    objects.change(1).await?;

    let recovery = watched.recovered(fault, &objects).await?;
    assert!(recovery.reported(&["cannot watch configmaps in namespace \"default\""]), "{recovery:#?}");
    assert!(recovery.asked_at_most(20), "{recovery:#?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn history_expired() -> Result<()> {
    let Some(setup) = setup("history_expired", Options::default()).await? else { return Ok(()) };
    let Setup { mut watched, link, objects, mut cluster } = setup;
    let mut fault = watched.fault("history gone (410 Expired)");
    link.refuse();
    objects.change(1).await?;
    objects.change(2).await?;
    // A server that starts has no history: changes before its start cannot be asked for.
    block_in_place(|| cluster.crash_apiserver())?;
    link.restore();
    fault.is_over();

    let recovery = watched.recovered(fault, &objects).await?;
    assert_eq!(watched.relists(RelistReason::Expired), 1);
    // Deleted twice and created twice while nobody looked: one delete with the state known last, one add.
    assert_eq!((recovery.told.deleted, recovery.told.found_missing), (3, 3), "{recovery:#?}");
    assert_eq!((recovery.told.added, recovery.told.updated), (3, 1), "{recovery:#?}");
    let expired = recovery.failures.iter().find(|failure| failure.cause.http_status() == Some(410));
    assert!(expired.is_none(), "history that is gone is no failure: {expired:?}");
    assert!(recovery.asked_at_most(20), "{recovery:#?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn etcd_restored_from_an_older_backup() -> Result<()> {
    let test = "etcd_restored_from_an_older_backup";
    let Some(setup) = setup(test, Options::default()).await? else { return Ok(()) };
    let Setup { mut watched, link: _link, objects, mut cluster } = setup;
    block_in_place(|| cluster.backup_etcd())?;
    let at_backup = watched.cached();
    objects.label_again("changes", "after-the-backup").await?;
    objects.change(1).await?;
    // Further than what the restored server writes by itself when it starts.
    let last = objects.write(600).await?;
    watched.informer.wait_for(&last, crate::support::PATIENCE).await?;

    let mut fault = watched.fault("etcd restored from an older backup");
    block_in_place(|| cluster.restore_etcd())?;
    fault.is_over();
    assert_eq!(objects.content().await?, at_backup, "the server went back in time");

    let recovery = watched.recovered(fault, &objects).await?;
    assert_eq!(watched.relists(RelistReason::Rewound), 1);
    let lists = recovery.requests.iter().filter(|asked| asked.what != What::Watch);
    assert!(lists.clone().any(|asked| asked.phase == Phase::Rewound), "{recovery:#?}");
    assert!(recovery.asked_at_most(24), "{recovery:#?}");

    let mut fault = watched.fault("(changes after that)");
    fault.is_over();
    objects.change(1).await?;
    watched.recovered(fault, &objects).await?;
    Ok(())
}
