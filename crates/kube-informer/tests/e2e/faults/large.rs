//! A kind with ten thousand objects is read again.

use anyhow::Result;
use kube_informer::Options;
use kube_informer::status::RelistReason;

use super::cluster;
use crate::support::config;
use crate::support::history::Counts;
use crate::support::link::Link;
use crate::support::metered::What;
use crate::support::objects::Objects;
use crate::support::watched::Watched;

pub(super) const OBJECTS: usize = 10_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_objects_relisted() -> Result<()> {
    let Some(cluster) = tokio::task::block_in_place(|| cluster("ten_thousand_objects_relisted")) else {
        return Ok(());
    };
    let objects = Objects::seeded(&cluster).await?;
    objects.fill(OBJECTS).await?;
    let (link, through_link) = Link::to(config(&cluster).await?).await?;
    let mut watched = Watched::start(through_link, &objects.resource, Options::default()).await?;

    let mut fault = watched.fault("10,000 objects, refresh()");
    watched.informer.refresh();
    fault.is_over();
    watched.until("it was read again", |status| status.scopes[0].relists(RelistReason::Refresh) == 1).await?;
    objects.change(1).await?;
    let recovery = watched.recovered(fault, &objects).await?;
    let one_round = Counts { added: 2, updated: 1, deleted: 2, found_missing: recovery.told.found_missing };
    assert_eq!(recovery.told, one_round, "nothing is told of what did not change: {recovery:#?}");
    assert!(recovery.requests.len() - recovery.count(What::Page) <= 3, "{recovery:#?}");

    let mut fault = watched.fault("10,000 objects, relist after a cut");
    link.refuse();
    watched.until_failures(&fault, 1).await?;
    objects.change(2).await?;
    // Instead of going on where the watch ended.
    watched.informer.refresh();
    link.restore();
    fault.is_over();
    let recovery = watched.recovered(fault, &objects).await?;
    let one_round = Counts { added: 2, updated: 1, deleted: 2, found_missing: 2 };
    assert_eq!(recovery.told, one_round, "nothing is told of what did not change: {recovery:#?}");
    assert!(recovery.requests.len() - recovery.count(What::Page) <= 5, "{recovery:#?}");
    Ok(())
}
