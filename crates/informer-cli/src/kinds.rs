//! Finds the kinds that the command line names, and builds informers of them.

use std::time::Duration;

use kube_client::api::DynamicObject;
use kube_informer::status::Cause;
use kube_informer::{SharedInformer, SharedInformerFactory};

use crate::args::ObjectArgs;
use crate::cluster::Cluster;
use crate::failure::Failure;
use crate::refusal::Refusal;

/// One informer for each kind, even if it is named twice.
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

/// A synced informer of one kind.
pub(crate) async fn synced(
    cluster: &Cluster,
    objects: &ObjectArgs,
    name: &str,
    timeout: Duration,
) -> Result<(SharedInformerFactory, SharedInformer<DynamicObject>), Failure> {
    let refusal = Refusal::default();
    let hears = refusal.clone();
    // A list is enough to sync, so a refused watch is no error here.
    let on_error = move |failure: &kube_informer::status::Failure| {
        if matches!(failure.cause, Cause::List { .. }) {
            hears.hear(failure);
        }
    };
    let factory = cluster.factory(objects).on_error(on_error).build().map_err(Failure::usage)?;
    let informer = informer(&factory, name).await?;
    factory.start();
    tokio::select! {
        synced = factory.wait_for_cache_sync(timeout) => synced.map_err(Failure::cluster)?,
        refused = refusal.heard() => return Err(refused),
        _ = tokio::signal::ctrl_c() => return Err(Failure::interrupted()),
    }
    Ok((factory, informer))
}

async fn informer(
    factory: &SharedInformerFactory,
    name: &str,
) -> Result<SharedInformer<DynamicObject>, Failure> {
    let access = factory.for_resource(name).await.map_err(|error| match error.source_error() {
        Some(_unreached) => Failure::cluster(error),
        None => Failure::usage(error),
    })?;
    Ok(access.informer())
}
