//! One test per fault of the real server or the way to it. After each the cache equals a fresh list, the handler has
//! heard a legal history, the informer has said what was wrong, and there was no hot loop.

mod access;
mod beside;
mod history;
pub(crate) mod kinds;
mod large;
pub(crate) mod link;
mod metered;
mod network;
mod objects;
mod servers;
mod watched;

use anyhow::Result;
use kube_informer::Settings;
use test_cluster::Cluster;

use self::link::Link;
use self::objects::{Objects, config_maps};
use self::watched::Watched;
use crate::support::{cluster, config};

/// A cluster with some ConfigMaps, and an informer that reaches it through a link and has heard of them.
struct Setup {
    // Dropped in this order: nobody should meet the end of the cluster as one more fault.
    watched: Watched,
    link: Link,
    objects: Objects,
    cluster: Cluster,
}

async fn setup(test: &str, settings: Settings) -> Result<Option<Setup>> {
    let Some(cluster) = tokio::task::block_in_place(|| cluster(test)) else { return Ok(None) };
    let objects = Objects::new(config(&cluster).await?, config_maps())?;
    objects.seed().await?;
    let (link, through_link) = Link::to(config(&cluster).await?).await?;
    let watched = Watched::start(through_link, &objects.resource, settings).await?;
    Ok(Some(Setup { watched, link, objects, cluster }))
}
