//! What most faults begin with.

use anyhow::Result;
use kube_informer::Options;

use super::{Cluster, cluster};
use crate::support::config;
use crate::support::link::Link;
use crate::support::objects::Objects;
use crate::support::watched::Watched;

/// A cluster with some ConfigMaps, and an informer that reaches it through a link and has heard of them.
pub(super) struct Setup {
    // Dropped in this order: nobody should meet the end of the cluster as one more fault.
    pub(super) watched: Watched,
    pub(super) link: Link,
    pub(super) objects: Objects,
    pub(super) cluster: Cluster,
}

pub(super) async fn setup(test: &str, settings: Options) -> Result<Option<Setup>> {
    let Some(cluster) = tokio::task::block_in_place(|| cluster(test)) else { return Ok(None) };
    let objects = Objects::seeded(&cluster).await?;
    let (link, through_link) = Link::to(config(&cluster).await?).await?;
    let watched = Watched::start(through_link, &objects.resource, settings).await?;
    Ok(Some(Setup { watched, link, objects, cluster }))
}
