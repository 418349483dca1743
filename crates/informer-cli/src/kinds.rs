//! From what a user calls a kind to an informer of it.

use std::time::Duration;

use kube_client::api::{ApiResource, DynamicObject};
use kube_informer::{KindInfo, ResourceError, SharedInformer, SharedInformerFactory};

use crate::args::ObjectArgs;
use crate::cluster::Cluster;
use crate::failure::Failure;

/// One informer for each name; two names of one kind are one.
pub(crate) async fn informers(
    factory: &SharedInformerFactory,
    names: &[String],
) -> Result<Vec<SharedInformer<DynamicObject>>, Failure> {
    let mut informers: Vec<SharedInformer<DynamicObject>> = Vec::new();
    for name in names {
        let informer = informer(factory, name).await?;
        if !informers.iter().any(|known| known.kind() == informer.kind()) {
            informers.push(informer);
        }
    }
    Ok(informers)
}

/// The informer of one kind, with its cache filled.
pub(crate) async fn synced(
    cluster: &Cluster,
    objects: &ObjectArgs,
    name: &str,
    timeout: Duration,
) -> Result<(SharedInformerFactory, SharedInformer<DynamicObject>), Failure> {
    let factory = cluster.factory(objects).build().map_err(Failure::usage)?;
    let informer = informer(&factory, name).await?;
    factory.start();
    tokio::select! {
        synced = factory.wait_for_cache_sync(timeout) => synced.map_err(Failure::cluster)?,
        _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted()),
    }
    Ok((factory, informer))
}

/// The kind as kube-client names it.
pub(crate) fn api_resource(kind: &KindInfo) -> ApiResource {
    ApiResource {
        group: kind.group().into(),
        version: kind.version().into(),
        api_version: kind.api_version(),
        kind: kind.kind().into(),
        plural: kind.plural().into(),
    }
}

async fn informer(
    factory: &SharedInformerFactory,
    name: &str,
) -> Result<SharedInformer<DynamicObject>, Failure> {
    factory.for_resource(name).await.map_err(|error| match error {
        unknown @ (ResourceError::Unknown { .. } | ResourceError::NotWatchable { .. }) => {
            Failure::usage(unknown)
        }
        unreached => Failure::cluster(unreached),
    })
}
