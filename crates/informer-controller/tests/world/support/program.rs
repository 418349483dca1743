//! Programs that run in a world: the manager of replicas of `examples/`, alone or as one of several replicas, and one that does not
//! know of its own writes.

use std::future::pending;
use std::time::Duration;

use informer_controller::election::TokioClock;
use informer_controller::{Controller, Ctx, Election, Next, ReconcileError};
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Pod;
use kube_client::Client;
use kube_client::api::{Api, PostParams};
use kube_informer::SharedInformerFactory;
use serde_json::json;
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

async fn create_missing(ctx: Ctx<ReplicaSet>, pods: Api<Pod>) -> Result<Next, ReconcileError> {
    let Some(set) = ctx.object() else { return Ok(Next::Done) };
    let wanted = set.get()?.spec.replicas.unwrap_or(1);
    for _ in ctx.owned::<Pod>().len()..wanted.try_into()? {
        let mut pod = super::template(set.name());
        pod["metadata"]["generateName"] = format!("{}-", set.name()).into();
        pod["metadata"]["ownerReferences"] = json!([replicas::owner(set)]);
        pods.create(&PostParams::default(), &serde_json::from_value(pod)?).await?;
    }
    Ok(Next::Done)
}

/// Lets time pass, which is tokio's.
pub(crate) async fn pass(time: Duration) {
    timeout(time, pending::<()>()).await.expect_err("nothing else is waited for");
}
