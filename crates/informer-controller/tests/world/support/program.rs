//! Programs that run in a world: the manager of replicas of `examples/`, alone or as one of several replicas, smaller ones with two
//! informers of pods, and one that does not know of its own writes.

use std::future::pending;
use std::time::Duration;

use informer_controller::election::TokioClock;
use informer_controller::{Controller, Ctx, Election, Next, ReconcileError};
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Pod;
use kube_client::Client;
use kube_client::api::{Api, PostParams};
use kube_client::core::PartialObjectMeta;
use kube_informer::{Object, SharedInformer, SharedInformerFactory};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::replicas;

/// Informers, and a controller.
pub(crate) struct Program {
    factory: SharedInformerFactory,
    task: JoinHandle<()>,
}

impl Program {
    pub(crate) fn start(client: Client) -> Self {
        let (factory, controller) = manager(client);
        let task = tokio::spawn(async move { controller.run(pending()).await.unwrap() });
        Self { factory, task }
    }

    /// Owns its pods through one informer, which selects them by their label, and writes them through another one.
    pub(crate) fn start_with_a_selection(client: Client) -> Self {
        let factory = SharedInformerFactory::builder(client).build().unwrap();
        let pods = factory.core().v1().pods();
        let labelled = pods.named("labelled", |pods| pods.labels("app")).unwrap().informer();
        Self::start_with_two(factory.clone(), |sets| sets.owns(labelled), Ctx::owned, pods.informer())
    }

    /// Owns its pods by their metadata, and writes them whole through another informer.
    pub(crate) fn start_with_metadata(client: Client) -> Self {
        let factory = SharedInformerFactory::builder(client).build().unwrap();
        let pods = factory.core().v1().pods();
        let (metadata, whole) = (pods.metadata().informer(), pods.named("whole", |pods| pods).unwrap());
        let owned = |ctx: &Ctx<ReplicaSet>| {
            let owned = ctx.owned::<PartialObjectMeta<Pod>>();
            owned.iter().map(Object::as_kind).collect()
        };
        Self::start_with_two(factory.clone(), |sets| sets.owns(metadata), owned, whole.informer())
    }

    fn start_with_two(
        factory: SharedInformerFactory,
        owns: impl FnOnce(Controller<ReplicaSet>) -> Controller<ReplicaSet>,
        owned: fn(&Ctx<ReplicaSet>) -> Vec<Object<Pod>>,
        pods: SharedInformer<Pod>,
    ) -> Self {
        let sets = factory.apps().v1().replica_sets().informer();
        let controller = owns(Controller::new("two", sets))
            .reads(pods.clone())
            .reconcile(move |ctx| keep_number(ctx, owned, pods.clone()));
        factory.start();
        let task = tokio::spawn(async move { controller.run(pending()).await.unwrap() });
        Self { factory, task }
    }

    /// Works when it leads.
    pub(crate) fn start_as_replica(client: Client, name: &str) -> Self {
        let (factory, controller) = manager(client.clone());
        let election =
            Election::new(client, "default", "manager").identity(name).clock(TokioClock::default());
        let task = tokio::spawn(async move {
            election.run(pending(), |leadership| controller.run_as(leadership)).await.unwrap();
        });
        Self { factory, task }
    }

    /// Counts the pods in its cache, and creates what is missing: with a client of its own, which nobody is told of.
    pub(crate) fn start_without_own_writes(client: Client) -> Self {
        let factory = SharedInformerFactory::builder(client.clone()).build().unwrap();
        let pods: Api<Pod> = Api::namespaced(client, "default");
        let controller = Controller::new("naive", factory.apps().v1().replica_sets().informer())
            .owns(factory.core().v1().pods().informer())
            .reconcile(move |ctx: Ctx<ReplicaSet>| create_missing(ctx, pods.clone()));
        factory.start();
        let task = tokio::spawn(async move { controller.run(pending()).await.unwrap() });
        Self { factory, task }
    }

    /// Ends it wherever it is, without a chance to do anything more.
    pub(crate) async fn kill(self) {
        self.task.abort();
        self.task.await.ok();
        drop(self.factory);
    }
}

fn manager(client: Client) -> (SharedInformerFactory, Controller<ReplicaSet>) {
    let factory = SharedInformerFactory::builder(client.clone()).build().unwrap();
    let pods = replicas::Pods::new(factory.core().v1().pods().informer(), client);
    let sets = factory.apps().v1().replica_sets().informer();
    let controller = replicas::controller("replicaset", sets, &pods);
    factory.start();
    (factory, controller)
}

/// Creates and deletes, and neither adopts nor lets go.
async fn keep_number(
    ctx: Ctx<ReplicaSet>,
    owned: fn(&Ctx<ReplicaSet>) -> Vec<Object<Pod>>,
    pods: SharedInformer<Pod>,
) -> Result<Next, ReconcileError> {
    let Some(set) = ctx.object() else { return Ok(Next::Done) };
    if ctx.is_stale() {
        return Ok(Next::After(Duration::from_secs(1)));
    }
    let wanted = usize::try_from(set.get()?.spec.replicas.unwrap_or(1))?;
    let (pods, mut own) = (ctx.objects(&pods), owned(&ctx));
    own.retain(|pod| pod.deletion_timestamp().is_none());
    for _ in own.len()..wanted {
        pods.create(&pod_of(set)).await?;
    }
    for pod in own.iter().skip(wanted) {
        pods.delete(pod).await?;
    }
    Ok(Next::Done)
}

fn pod_of(set: &Object<ReplicaSet>) -> Value {
    let mut pod = super::template(set.name());
    pod["metadata"]["generateName"] = format!("{}-", set.name()).into();
    pod["metadata"]["ownerReferences"] = json!([replicas::owner(set)]);
    pod
}

async fn create_missing(ctx: Ctx<ReplicaSet>, pods: Api<Pod>) -> Result<Next, ReconcileError> {
    let Some(set) = ctx.object() else { return Ok(Next::Done) };
    let wanted = set.get()?.spec.replicas.unwrap_or(1);
    for _ in ctx.owned::<Pod>().len()..wanted.try_into()? {
        pods.create(&PostParams::default(), &serde_json::from_value(pod_of(set))?).await?;
    }
    Ok(Next::Done)
}

/// Lets time pass, which is tokio's.
pub(crate) async fn pass(time: Duration) {
    timeout(time, pending::<()>()).await.expect_err("nothing else is waited for");
}
