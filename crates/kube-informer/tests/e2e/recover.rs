//! What happens to the server happens to the informer, and it gets over it.

use anyhow::{Result, ensure};

use super::cluster;
use crate::support::{PATIENCE, Running, create, delete, eventually, label, pods};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restarted_server_is_followed_without_loss() -> Result<()> {
    let Some(mut cluster) = cluster("a_restarted_server_is_followed_without_loss") else { return Ok(()) };
    let pods = pods(&cluster).await?;
    for name in ["stays", "changes", "goes"] {
        create(&pods, name).await?;
    }
    let mut running = Running::start(&cluster).await?;
    for _ in 0..3 {
        assert!(running.heard.next().await?.starts_with("add "));
    }

    cluster.kill_apiserver();
    // Only then it is back: a server that is back at once may be found again without a request that fails.
    eventually("the lost connection is reported", || async {
        ensure!(running.informer.status().failures > 0);
        Ok(())
    })
    .await?;
    tokio::task::block_in_place(|| cluster.start_apiserver())?;
    label(&pods, "changes", "two").await?;
    delete(&pods, "goes").await?;
    let last = create(&pods, "comes").await?;

    running.informer.wait_for(&last, PATIENCE).await?;
    running.heard.until("add comes").await?;
    // What was waited for is one object; the others follow with the watch.
    let lister = running.informer.lister();
    eventually("the cache has what the server has", || async {
        let mut names: Vec<_> = lister.list().iter().map(|pod| pod.name().to_owned()).collect();
        names.sort();
        ensure!(names == ["changes", "comes", "stays"], "{names:?}");
        Ok(())
    })
    .await?;
    assert_eq!(lister.namespace("default").get("changes")?.labels().get("step"), Some("two"));
    Ok(())
}
