//! A controller of ReplicaSets that own pods. Each run reads two fields of the ReplicaSet and of each of its pods.

use std::hint::black_box;
use std::sync::Arc;

use anyhow::{Result, bail, ensure};
use bench_meter::{Begun, Heap, List, Meter, Options, Reconciles, Server, Work};
use informer_controller::{Controller, Ctx, Next, ReconcileError};
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Pod;
use kube_client::Config;
use kube_informer::source::StreamingList;
use kube_informer::{Object, SharedInformerFactory};
use serde::Deserialize;

use crate::handlers::version;

/// What is read of a ReplicaSet.
#[derive(Deserialize)]
struct SetView {
    spec: SetSpec,
    status: SetStatus,
}

#[derive(Deserialize)]
struct SetSpec {
    replicas: Option<i32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SetStatus {
    ready_replicas: Option<i32>,
}

/// What is read of a pod.
#[derive(Deserialize)]
struct PodView {
    spec: PodSpec,
    status: PodStatus,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PodSpec {
    node_name: Option<String>,
}

#[derive(Deserialize)]
struct PodStatus {
    phase: Option<String>,
}

pub(crate) async fn run(options: &Options, kind: &str, heap: Heap) -> Result<()> {
    let pods_change = match kind {
        "pods" => true,
        "replicasets" => false,
        _ => bail!("the controller has no {kind}"),
    };
    ensure!(options.work != Work::None, "--work=view or --work=get");
    let server = Server::new(options)?;
    let mut config = Config::new(options.server.parse()?);
    config.root_cert = options.root_cert()?;
    let streaming = match options.list {
        List::Stream => StreamingList::Always,
        List::List => StreamingList::Never,
    };
    let is_decoded = options.mode == "decoded";
    let factory = SharedInformerFactory::builder(config)
        .options(|options| {
            let options = options.tuning(|tuning| tuning.streaming_list(streaming));
            if is_decoded { options.decoded() } else { options }
        })
        .on_error(|failure| eprintln!("{failure}"))
        .build()?;
    let (sets, pods) = (factory.apps().v1().replica_sets(), factory.core().v1().pods());
    let reconciles = Arc::new(Reconciles::new(options)?);
    let (work, noted) = (options.work, reconciles.clone());
    let meter = Meter::start(heap)?;
    let controller = Controller::new("replicasets", sets.informer()).owns(pods.informer()).reconcile(
        move |ctx: Ctx<ReplicaSet>| {
            let noted = noted.clone();
            async move { reconcile(&ctx, work, pods_change, &noted) }
        },
    );
    factory.start();
    let controller = tokio::spawn(controller.run(std::future::pending()));
    let mut report = reconciles.measure(options, &server, heap, meter).await?;
    ensure!(!controller.is_finished(), "the controller has ended");
    let (sets, pods) = (sets.lister().list(), pods.lister().list());
    let versions = sets.iter().map(version).chain(pods.iter().map(version));
    (report.objects, report.version_sum) = versions.fold((0, 0), |(count, sum), it| (count + 1, sum + it));
    report.print()
}

fn reconcile(
    ctx: &Ctx<ReplicaSet>,
    work: Work,
    pods_change: bool,
    noted: &Reconciles,
) -> Result<Next, ReconcileError> {
    let begun = Begun::now();
    let Some(set) = ctx.object() else { return Ok(Next::Done) };
    let pods = ctx.owned::<Pod>();
    match work {
        Work::Get => get(set, &pods)?,
        Work::View | Work::None => view(set, &pods)?,
    }
    let newest = if pods_change { pods.iter().map(version).max() } else { Some(version(set)) };
    noted.note(begun, &set.uid().to_string(), pods.len(), newest.unwrap_or_default());
    Ok(Next::Done)
}

fn get(set: &Object<ReplicaSet>, pods: &[Object<Pod>]) -> Result<(), ReconcileError> {
    let set = set.get()?;
    black_box(set.spec.replicas);
    black_box(set.status.as_ref().and_then(|status| status.ready_replicas));
    for pod in pods {
        let pod = pod.get()?;
        black_box(pod.spec.as_ref().map(|spec| &spec.node_name));
        black_box(pod.status.as_ref().map(|status| &status.phase));
    }
    Ok(())
}

fn view(set: &Object<ReplicaSet>, pods: &[Object<Pod>]) -> Result<(), ReconcileError> {
    let set: SetView = set.view()?;
    black_box((set.spec.replicas, set.status.ready_replicas));
    for pod in pods {
        let pod: PodView = pod.view()?;
        black_box((pod.spec.node_name, pod.status.phase));
    }
    Ok(())
}
