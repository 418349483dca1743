//! etcd ends and starts beneath an API server that goes on.

use anyhow::Result;
use kube_informer::Options;
use tokio::task::block_in_place;

use super::{Setup, setup};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn etcd_restarted() -> Result<()> {
    let Some(setup) = setup("etcd_restarted", Options::default()).await? else { return Ok(()) };
    let Setup { mut watched, link: _link, objects, mut cluster } = setup;
    let before = watched.cached();
    let mut fault = watched.fault("etcd killed and restarted");
    block_in_place(|| cluster.crash_etcd())?;
    fault.is_over();
    // The API server answers with errors until it has found its etcd again.
    objects.label_again("changes", "after-etcd").await?;
    assert_eq!(watched.cached().len(), before.len());
    objects.change(1).await?;

    let recovery = watched.recovered(fault, &objects).await?;
    assert!(recovery.asked_at_most(16), "{recovery:#?}");
    Ok(())
}
