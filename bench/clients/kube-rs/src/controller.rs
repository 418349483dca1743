//! A controller of ReplicaSets that own pods. Each run reads two fields of the ReplicaSet and of each of its pods.
//!
//! Pods come from one watch, which fills a store and triggers the controller. The store has no indexes, so the program keeps
//! one of its own: a run that looks through all pods takes milliseconds.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::hint::black_box;
use std::sync::{Arc, PoisonError, RwLock};

use anyhow::{Result, bail, ensure};
use bench_meter::{Begun, Heap, List, Meter, Options, Reconciles, Server};
use futures::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Pod;
use kube_client::{Api, Client};
use kube_core::Resource as _;
use kube_runtime::controller::{Action, Controller};
use kube_runtime::reflector::{ObjectRef, Store};
use kube_runtime::{WatchStreamExt as _, reflector, watcher};
use tokio::sync::watch;

use crate::version;

/// What a run uses.
struct Context {
    pods: Store<Pod>,
    /// The pods of each owner.
    index: Arc<Index>,
    /// Whether all pods are in the store. Many runs wait for that at once, and `Store::wait_until_ready` wakes only one of them.
    ready: watch::Receiver<bool>,
    pods_change: bool,
    reconciles: Arc<Reconciles>,
}

#[derive(Default)]
struct Index(RwLock<HashMap<String, HashSet<ObjectRef<Pod>>>>);

impl Index {
    fn note(&self, event: &watcher::Event<Pod>) {
        let (pod, is_there) = match event {
            watcher::Event::Apply(pod) | watcher::Event::InitApply(pod) => (pod, true),
            watcher::Event::Delete(pod) => (pod, false),
            watcher::Event::Init | watcher::Event::InitDone => return,
        };
        let Some(owner) = owner(pod) else { return };
        let mut index = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let pods = index.entry(owner.to_owned()).or_default();
        match is_there {
            true => pods.insert(ObjectRef::from_obj(pod)),
            false => pods.remove(&ObjectRef::from_obj(pod)),
        };
    }

    fn pods(&self, owner: &str, store: &Store<Pod>) -> Vec<Arc<Pod>> {
        let index = self.0.read().unwrap_or_else(PoisonError::into_inner);
        index.get(owner).into_iter().flatten().filter_map(|pod| store.get(pod)).collect()
    }
}

/// The uid of the object that controls a pod.
fn owner(pod: &Pod) -> Option<&str> {
    let mut owners = pod.meta().owner_references.iter().flatten();
    owners.find(|owner| owner.controller == Some(true)).map(|owner| owner.uid.as_str())
}

pub(crate) async fn run(options: &Options, kind: &str, heap: Heap, client: Client) -> Result<()> {
    let pods_change = match kind {
        "pods" => true,
        "replicasets" => false,
        _ => bail!("the controller has no {kind}"),
    };
    let server = Server::new(options)?;
    let config = match options.list {
        List::Stream => watcher::Config::default().streaming_lists(),
        List::List => watcher::Config::default(),
    };
    let reconciles = Arc::new(Reconciles::new(options)?);
    let index = Arc::<Index>::default();
    let (pods, writer) = reflector::store();
    let (is_ready, ready) = watch::channel(false);
    let filled = pods.clone();
    tokio::spawn(async move {
        filled.wait_until_ready().await.ok();
        is_ready.send_replace(true);
    });
    let context = Arc::new(Context {
        pods: pods.clone(),
        index: index.clone(),
        ready,
        pods_change,
        reconciles: reconciles.clone(),
    });
    let meter = Meter::start(heap)?;
    let owned = reflector(writer, watcher(Api::<Pod>::all(client.clone()), config.clone()).default_backoff())
        .inspect_ok(move |event| index.note(event))
        .touched_objects();
    let controller = Controller::new(Api::<ReplicaSet>::all(client), config).owns_stream(owned);
    let sets = controller.store();
    let runs = controller.run(reconcile, |_, error: &Infallible, _| match *error {}, context);
    let controller = tokio::spawn(runs.for_each(|run| async {
        if let Err(error) = run {
            eprintln!("{error}");
        }
    }));
    let mut report = reconciles.measure(options, &server, heap, meter).await?;
    ensure!(!controller.is_finished(), "the controller has ended");
    let (sets, pods) = (sets.state(), pods.state());
    let versions = sets.iter().map(|set| version(&**set)).chain(pods.iter().map(|pod| version(&**pod)));
    (report.objects, report.version_sum) = versions.fold((0, 0), |(count, sum), it| (count + 1, sum + it));
    report.print()
}

async fn reconcile(set: Arc<ReplicaSet>, context: Arc<Context>) -> Result<Action, Infallible> {
    let begun = Begun::now();
    // A store that is being filled shows no pods, and nothing triggers another run when it is full.
    context.ready.clone().wait_for(|is_ready| *is_ready).await.ok();
    let uid = set.meta().uid.as_deref().unwrap_or_default();
    let pods = context.index.pods(uid, &context.pods);
    black_box(set.spec.replicas);
    black_box(set.status.as_ref().and_then(|status| status.ready_replicas));
    for pod in &pods {
        black_box(pod.spec.as_ref().map(|spec| &spec.node_name));
        black_box(pod.status.as_ref().map(|status| &status.phase));
    }
    let newest = match context.pods_change {
        true => pods.iter().map(|pod| version(&**pod)).max(),
        false => Some(version(&*set)),
    };
    context.reconciles.note(begun, uid, pods.len(), newest.unwrap_or_default());
    Ok(Action::await_change())
}
