//! Whole controllers on the embedded server, on paused time.

#![allow(clippy::unwrap_used)]

mod echoes;
mod ends;
mod helpers;
mod hidden;
mod last_calls;
mod own_events;
mod owners;
mod parked;
mod recorder;
mod siblings;
mod triggers;
mod workers;
mod writes;
mod writes_bugs;
mod writes_more;
mod writes_reads;

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use embedded_apiserver::EmbeddedApiserver;
use informer_controller::controller::ControllerError;
use informer_controller::queue::RateLimit;
use informer_controller::{Controller, Ctx, Next, ReconcileError};
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube_client::Api;
use kube_client::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube_informer::{ObjectKey, SharedInformerFactory};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

const SECOND: Duration = Duration::from_secs(1);
/// Nothing here takes longer; on a paused clock it costs nothing.
const PATIENCE: Duration = Duration::from_secs(600);

struct Rig {
    server: EmbeddedApiserver,
    factory: SharedInformerFactory,
}

impl Rig {
    fn new() -> Self {
        Self::on(EmbeddedApiserver::new())
    }

    fn on(server: EmbeddedApiserver) -> Self {
        let factory = SharedInformerFactory::builder(server.client()).build().unwrap();
        Self { server, factory }
    }

    fn api<K>(&self) -> Api<K>
    where
        K: kube_client::Resource<Scope = kube_client::core::NamespaceResourceScope>,
        K::DynamicType: Default,
    {
        Api::namespaced(self.server.client(), "default")
    }

    /// Starts it, and gives what ends it.
    fn run<K: Send + Sync + 'static>(&self, controller: Controller<K>) -> Running {
        self.factory.start();
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(controller.run(async move { drop(stopped.await) }));
        Running { stop: Some(stop), task }
    }
}

struct Running {
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<Result<(), ControllerError>>,
}

impl Running {
    async fn stop(mut self) -> Result<(), ControllerError> {
        drop(self.stop.take());
        timeout(PATIENCE, self.task).await.expect("it ends").unwrap()
    }
}

fn object<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn config_map(name: &str) -> ConfigMap {
    object(json!({ "metadata": { "name": name, "namespace": "default" } }))
}

fn replica_set(name: &str) -> ReplicaSet {
    let template = json!({ "metadata": { "labels": { "app": name } }, "spec": { "containers": [{ "name": "c", "image": "i" }] } });
    object(json!({
        "metadata": { "name": name, "namespace": "default" },
        "spec": { "replicas": 1, "selector": { "matchLabels": { "app": name } }, "template": template },
    }))
}

fn owner(api_version: &str, kind: &str, name: &str, uid: &str) -> Value {
    json!([{ "apiVersion": api_version, "kind": kind, "name": name, "uid": uid, "controller": true }])
}

fn pod(name: &str, owners: &Value) -> Pod {
    object(json!({
        "metadata": { "name": name, "namespace": "default", "ownerReferences": owners },
        "spec": { "containers": [{ "name": "c", "image": "i" }] },
    }))
}

/// What a reconcile function says through a channel.
type Said = mpsc::UnboundedReceiver<String>;

/// Says the key and whether there is an object, and is done.
fn telling() -> (impl Fn(Ctx<ConfigMap>) -> std::future::Ready<Result<Next, ReconcileError>>, Said) {
    let (sender, said) = mpsc::unbounded_channel();
    let function = move |ctx: Ctx<ConfigMap>| {
        let state = match (ctx.object(), ctx.last()) {
            (Some(_), None) => "is",
            (Some(_), Some(_)) => "is again",
            (None, Some(_)) => "was",
            (None, None) => "is not",
        };
        sender.send(format!("{} {state}", ctx.key().name())).ok();
        std::future::ready(Ok(Next::Done))
    };
    (function, said)
}

async fn next(said: &mut Said) -> String {
    timeout(PATIENCE, said.recv()).await.expect("it says something").expect("it runs")
}

/// What was said, once nothing more is said for a while.
async fn all(said: &mut Said) -> Vec<String> {
    let mut all = Vec::new();
    while let Ok(Some(text)) = timeout(SECOND, said.recv()).await {
        all.push(text);
    }
    all.sort();
    all
}

#[tokio::test(start_paused = true)]
async fn what_is_there_what_happens_and_what_is_gone_is_reconciled() {
    let rig = Rig::new();
    rig.server.create(&config_map("a")).await.unwrap();
    rig.server.create(&config_map("b")).await.unwrap();
    let (function, mut said) = telling();
    let maps = rig.factory.core().v1().config_maps().informer();
    let running = rig.run(Controller::new("maps", maps).reconcile(function));
    assert_eq!(all(&mut said).await, ["a is", "b is"]);

    rig.server.create(&config_map("c")).await.unwrap();
    assert_eq!(next(&mut said).await, "c is");
    let patch = Patch::Merge(json!({ "data": { "x": "y" } }));
    rig.api::<ConfigMap>().patch("c", &PatchParams::default(), &patch).await.unwrap();
    assert_eq!(next(&mut said).await, "c is");
    rig.api::<ConfigMap>().delete("c", &DeleteParams::default()).await.unwrap();
    assert_eq!(next(&mut said).await, "c was");
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn only_updates_that_matter_are_reconciled() {
    let rig = Rig::new();
    rig.server.create(&config_map("a")).await.unwrap();
    let (function, mut said) = telling();
    let maps = rig.factory.core().v1().config_maps().informer();
    let controller = Controller::new("maps", maps)
        .only_if(|old, new| old.labels().get("seen") != new.labels().get("seen"))
        .reconcile(function);
    let running = rig.run(controller);
    assert_eq!(next(&mut said).await, "a is");
    for patch in [json!({ "data": { "x": "y" } }), json!({ "metadata": { "labels": { "seen": "yes" } } })] {
        rig.api::<ConfigMap>().patch("a", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
        pass(SECOND).await;
    }
    rig.api::<ConfigMap>().delete("a", &DeleteParams::default()).await.unwrap();
    assert_eq!(all(&mut said).await, ["a is", "a was"]);
    running.stop().await.unwrap();
}

async fn pass(time: Duration) {
    timeout(time, pending::<()>()).await.expect_err("nothing else is waited for");
}

#[tokio::test(start_paused = true)]
async fn owners_are_reconciled_for_their_children_the_old_and_the_new_one() {
    let rig = Rig::new();
    let mut uids = Vec::new();
    for name in ["a", "b"] {
        let made = rig.api::<ReplicaSet>().create(&PostParams::default(), &replica_set(name)).await.unwrap();
        uids.push(made.metadata.uid.unwrap());
    }
    let (sender, mut said) = mpsc::unbounded_channel();
    let sets = rig.factory.apps().v1().replica_sets().informer();
    let controller =
        Controller::new("sets", sets).owns(rig.factory.core().v1().pods().informer()).reconcile(move |ctx| {
            let pods: Vec<_> = ctx.owned::<Pod>().iter().map(|pod| pod.name().to_owned()).collect();
            sender.send(format!("{} has {}", ctx.key().name(), pods.join(","))).ok();
            async { Ok(Next::Done) }
        });
    let running = rig.run(controller);
    assert_eq!(all(&mut said).await, ["a has ", "b has "]);

    // By group and kind; the version may be another one.
    rig.server.create(&pod("x", &owner("apps/v1beta2", "ReplicaSet", "a", &uids[0]))).await.unwrap();
    assert_eq!(all(&mut said).await, ["a has x"]);
    let patch = json!({ "metadata": { "ownerReferences": owner("apps/v1", "ReplicaSet", "b", &uids[1]) } });
    rig.api::<Pod>().patch("x", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    assert_eq!(all(&mut said).await, ["a has ", "b has x"]);
    for (name, owners) in [
        ("of-another-group", owner("example.com/v1", "ReplicaSet", "a", &uids[0])),
        ("of-another-kind", owner("apps/v1", "Deployment", "a", &uids[0])),
        ("of-nobody", json!([])),
    ] {
        rig.server.create(&pod(name, &owners)).await.unwrap();
    }
    assert_eq!(all(&mut said).await, Vec::<String>::new());
    rig.api::<Pod>().delete("x", &DeleteParams::default()).await.unwrap();
    assert!(all(&mut said).await.contains(&"b has ".to_owned()));
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn others_lead_to_what_a_function_says() {
    let rig = Rig::new();
    rig.server.create(&config_map("a")).await.unwrap();
    let (function, mut said) = telling();
    let controller = Controller::new("maps", rig.factory.core().v1().config_maps().informer())
        .watches(rig.factory.core().v1().pods().informer(), |pod, keys| {
            keys.extend(pod.labels().get("map").map(|map| ObjectKey::namespaced("default", map)));
        })
        .reconcile(function);
    let running = rig.run(controller);
    assert_eq!(next(&mut said).await, "a is");
    let mut user = pod("user", &json!([]));
    user.metadata.labels = Some([("map".to_owned(), "a".to_owned())].into());
    rig.server.create(&user).await.unwrap();
    assert_eq!(next(&mut said).await, "a is");
    let patch = Patch::Merge(json!({ "metadata": { "labels": { "map": "b" } } }));
    rig.api::<Pod>().patch("user", &PatchParams::default(), &patch).await.unwrap();
    assert_eq!(all(&mut said).await, ["a is", "b is not"]);
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn failures_panics_and_timeouts_come_back_and_terminal_errors_do_not() {
    let rig = Rig::new();
    for name in ["after", "fails", "is-slow", "panics", "terminal"] {
        rig.server.create(&config_map(name)).await.unwrap();
    }
    let (sender, mut said) = mpsc::unbounded_channel();
    let begin = Instant::now();
    let function = move |ctx: Ctx<ConfigMap>| {
        let sender = sender.clone();
        async move {
            let (name, attempt) = (ctx.key().name().to_owned(), ctx.failures());
            sender.send((name.clone(), attempt, begin.elapsed())).ok();
            match (&*name, attempt) {
                ("after", _) => return Ok(Next::After(10 * SECOND)),
                ("terminal", _) => return Err(ReconcileError::terminal("never")),
                (_, 3) => return Ok(Next::Done),
                ("fails", _) => return Err(ReconcileError::msg("not yet")),
                ("panics", _) => panic!("as it was told"),
                _ => pending::<()>().await,
            }
            Ok(Next::Done)
        }
    };
    let controller = Controller::new("maps", rig.factory.core().v1().config_maps().informer())
        .rate_limit(RateLimit::exponential(SECOND, 100 * SECOND))
        .timeout(5 * SECOND)
        .reconcile(function);
    let running = rig.run(controller);
    let mut runs = std::collections::BTreeMap::<String, Vec<(u32, u64)>>::new();
    while let Ok(Some((name, attempt, at))) = timeout(PATIENCE, said.recv()).await {
        if at > 35 * SECOND {
            break;
        }
        runs.entry(name).or_default().push((attempt, at.as_secs()));
    }
    assert_eq!(runs["after"], [(0, 0), (0, 10), (0, 20), (0, 30)]);
    assert_eq!(runs["terminal"], [(0, 0)]);
    assert_eq!(runs["fails"], [(0, 0), (1, 1), (2, 3), (3, 7)]);
    assert_eq!(runs["panics"], runs["fails"]);
    assert_eq!(runs["is-slow"], [(0, 0), (1, 6), (2, 13), (3, 22)]);
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn workers_are_bounded_and_what_was_begun_is_done_at_the_end() {
    let rig = Rig::new();
    for number in 0..20 {
        rig.server.create(&config_map(&format!("map-{number}"))).await.unwrap();
    }
    let (running, most, done) =
        (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (now, peak, ended) = (running.clone(), most.clone(), done.clone());
    let controller = Controller::new("maps", rig.factory.core().v1().config_maps().informer())
        .workers(3)
        .reconcile(move |_| {
            let (now, peak, ended) = (now.clone(), peak.clone(), ended.clone());
            async move {
                peak.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                pass(SECOND).await;
                now.fetch_sub(1, Ordering::SeqCst);
                ended.fetch_add(1, Ordering::SeqCst);
                Ok(Next::Done)
            }
        });
    let controller = rig.run(controller);
    while running.load(Ordering::SeqCst) == 0 {
        pass(Duration::from_millis(10)).await;
    }
    controller.stop().await.unwrap();
    assert_eq!((most.load(Ordering::SeqCst), done.load(Ordering::SeqCst)), (3, 20));
}

#[tokio::test(start_paused = true)]
async fn a_run_that_does_not_end_is_dropped_and_said() {
    let rig = Rig::new();
    rig.server.create(&config_map("a")).await.unwrap();
    let (sender, mut said) = mpsc::unbounded_channel();
    let controller = Controller::new("maps", rig.factory.core().v1().config_maps().informer())
        .drain(2 * SECOND)
        .reconcile(move |_| {
            sender.send("began".to_owned()).ok();
            pending()
        });
    let running = rig.run(controller);
    assert_eq!(next(&mut said).await, "began");
    let error = running.stop().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "controller maps was not done within 2s of its end; what was running was dropped"
    );
    assert!(timeout(PATIENCE, said.recv()).await.unwrap().is_none(), "the function is gone");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_reconciled_before_all_is_known_and_an_end_before_that_is_fine() {
    let rig = Rig::new();
    rig.server.create(&config_map("a")).await.unwrap();
    let (function, mut said) = telling();
    let other = SharedInformerFactory::builder(rig.server.client()).build().unwrap();
    let controller = Controller::new("maps", rig.factory.core().v1().config_maps().informer())
        .reads(other.core().v1().pods().informer())
        .reconcile(function);
    let running = rig.run(controller);
    assert_eq!(all(&mut said).await, Vec::<String>::new());
    pass(100 * SECOND).await;
    other.start();
    assert_eq!(next(&mut said).await, "a is");
    running.stop().await.unwrap();

    let (function, _said) = telling();
    let never = SharedInformerFactory::builder(rig.server.client()).build().unwrap();
    let controller = Controller::new("maps", never.core().v1().config_maps().informer()).reconcile(function);
    rig.run(controller).stop().await.unwrap();
    let without = Controller::new("maps", never.core().v1().config_maps().informer());
    let error = without.run(pending()).await.unwrap_err();
    assert_eq!(error.to_string(), "controller maps has no function: call `reconcile` before `run`");
}
