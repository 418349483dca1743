//! Finds the kinds that the command line names, and builds informers of them.

use std::time::Duration;

use kube_client::api::DynamicObject;
use kube_informer::error::ResourceError;
use kube_informer::status::Cause;
use kube_informer::{Access, Object, SharedInformer, SharedInformerFactory};

use crate::args::ObjectArgs;
use crate::cluster::Cluster;
use crate::ending::{asked_to_end, within};
use crate::failure::Failure;
use crate::refusal::Refusal;
use crate::targets::Target;

/// Up to so many objects of a kind are selected by the server, with a watch each. Of more the whole kind is read.
const SINGLY: usize = 10;

/// An informer, and which of its objects are wanted.
pub(crate) struct Selected {
    pub(crate) informer: SharedInformer<DynamicObject>,
    /// All if there are none.
    pub(crate) names: Vec<String>,
}

impl Selected {
    pub(crate) fn wants(&self, object: &Object<DynamicObject>) -> bool {
        self.names.is_empty() || self.names.iter().any(|name| name == object.name())
    }

    /// The objects in the cache that are wanted, sorted by key.
    pub(crate) fn objects(&self) -> Vec<Object<DynamicObject>> {
        let mut objects = self.informer.lister().list();
        objects.retain(|object| self.wants(object));
        objects.sort_by(|a, b| a.key().cmp(b.key()));
        objects
    }

    /// For the user: `pods`, or `pods web-0` if it is about one.
    pub(crate) fn label(&self) -> String {
        match self.names.as_slice() {
            [name] => format!("{} {name}", self.informer.kind()),
            _ => self.informer.kind().to_string(),
        }
    }
}

/// The informers for what the command line names. A kind that is named twice has one.
pub(crate) async fn select(
    factory: &SharedInformerFactory,
    targets: &[Target],
    objects: &ObjectArgs,
) -> Result<Vec<Selected>, Failure> {
    let mut selected: Vec<Selected> = Vec::new();
    for target in targets {
        let access = access(factory, &target.kind).await?;
        let whole = |known: &&mut Selected| known.names.is_empty() && known.informer.kind() == access.kind();
        if selected.iter_mut().find(whole).is_some() {
            continue;
        }
        if target.names.is_empty() {
            selected.retain(|known| known.informer.kind() != access.kind());
        }
        match target.names.len() {
            1..=SINGLY => {
                for name in &target.names {
                    let informer = one(&access, name, objects)?;
                    selected.push(Selected { informer, names: vec![name.clone()] });
                }
            }
            _ => selected.push(Selected { informer: access.informer(), names: target.names.clone() }),
        }
    }
    Ok(selected)
}

/// An informer of one object. The server selects it, because there may be very many of its kind.
fn one(
    access: &Access<DynamicObject>,
    name: &str,
    objects: &ObjectArgs,
) -> Result<SharedInformer<DynamicObject>, Failure> {
    let named = format!("metadata.name={}", escaped(name));
    let fields = match &objects.fields {
        Some(fields) => format!("{fields},{named}"),
        None => named,
    };
    let label = format!("{} {name}", access.kind().resource());
    let access = access.named(&label, |builder| builder.fields(fields)).map_err(Failure::usage)?;
    Ok(access.informer())
}

/// Escapes a value for a field selector.
fn escaped(value: &str) -> String {
    value.chars().flat_map(|c| [Some('\\').filter(|_| ",=\\".contains(c)), Some(c)]).flatten().collect()
}

/// A factory for a command that reads caches once: a refusal ends it.
pub(crate) fn reading(
    cluster: &Cluster,
    objects: &ObjectArgs,
) -> Result<(SharedInformerFactory, Refusal), Failure> {
    let refusal = Refusal::default();
    let hears = refusal.clone();
    // A list is enough to sync, so a refused watch is no error here.
    let on_error = move |failure: &kube_informer::status::Failure| {
        if matches!(failure.cause, Cause::List { .. }) {
            hears.hear(failure);
        }
    };
    let factory = cluster.factory(objects).on_error(on_error).build().map_err(Failure::unbuilt)?;
    Ok((factory, refusal))
}

/// Starts the informers of a factory and waits until their caches are filled.
pub(crate) async fn sync(
    factory: &SharedInformerFactory,
    refusal: &Refusal,
    timeout: Duration,
) -> Result<(), Failure> {
    factory.start();
    tokio::select! {
        synced = factory.wait_for_cache_sync(timeout) => synced.map_err(Failure::cluster),
        refused = refusal.heard() => Err(refused),
        () = asked_to_end() => Err(Failure::interrupted()),
    }
}

/// A synced informer of one kind.
pub(crate) async fn synced(
    cluster: &Cluster,
    objects: &ObjectArgs,
    name: &str,
    timeout: Duration,
) -> Result<(SharedInformerFactory, SharedInformer<DynamicObject>), Failure> {
    let (factory, refusal) = reading(cluster, objects)?;
    let informer = within(Some(timeout), cluster, access(&factory, name)).await?.informer();
    sync(&factory, &refusal, timeout).await?;
    Ok((factory, informer))
}

async fn access(factory: &SharedInformerFactory, name: &str) -> Result<Access<DynamicObject>, Failure> {
    factory.for_resource(name).await.map_err(unknown)
}

/// Why a name was not resolved: the server has no such kind, or was not reached.
pub(crate) fn unknown(error: ResourceError) -> Failure {
    match error.source_error() {
        // Mostly a kubeconfig of a cluster that is no more.
        Some(unreached) if unreached.http_status().is_none() => {
            Failure::cluster(format!("{error}; --embedded runs on a simulated cluster"))
        }
        Some(_refused) => Failure::cluster(error),
        None => Failure::usage(error),
    }
}
