//! Writes that are not answered with the object, and writes of others.

use embedded_apiserver::{ServerFault, Verb};
use informer_controller::{Objects, Tracker, WriteError};
use kube_client::Client;
use kube_client::api::ListParams;
use kube_client::client::Body;
use kube_informer::SharedInformer;
use kube_informer::testing::ScriptedSource;
use metrics_util::debugging::{DebugValue, DebuggingRecorder};

use super::writes::{blocked, blocked_for_good, child, controller, pods_at};
use super::*;

fn key(name: &str) -> ObjectKey {
    ObjectKey::namespaced("default", name)
}

/// A controller that says something in each run, and comes back after a second.
fn run<F, R>(
    rig: &Rig,
    controller: Controller<ReplicaSet>,
    informer: SharedInformer<Pod>,
    run: F,
) -> (Running, Said)
where
    F: Fn(Ctx<ReplicaSet>, Objects<Pod>) -> R + Send + Sync + 'static,
    R: Future<Output = Result<String, ReconcileError>> + Send + 'static,
{
    let (sender, said) = mpsc::unbounded_channel();
    let function = move |ctx: Ctx<ReplicaSet>| {
        let pods = ctx.objects(&informer);
        let (sender, run) = (sender.clone(), run(ctx, pods));
        async move {
            sender.send(run.await?).ok();
            Ok(Next::After(SECOND))
        }
    };
    (rig.run(controller.reconcile(function)), said)
}

fn told(ctx: &Ctx<ReplicaSet>) -> String {
    let told = ctx.owned::<Pod>();
    let mut told: Vec<_> = told
        .iter()
        .map(|pod| match pod.deletion_timestamp() {
            Some(_) => format!("{} goes", pod.name()),
            None => pod.name().to_owned(),
        })
        .collect();
    told.sort_unstable();
    told.join(", ")
}

/// Pods of the set: `a` and `held` by a finalizer, `slow` on a node, and `kept` without the label.
async fn four(rig: &Rig) {
    let set = rig.server.create(&replica_set("set")).await.unwrap();
    let owners = owner("apps/v1", "ReplicaSet", "set", set.metadata.uid.as_ref().unwrap());
    for name in ["a", "held", "kept", "slow"] {
        let mut pod = pod(name, &owners);
        match name {
            "held" => pod.metadata.finalizers = Some(vec!["example.com/held".to_owned()]),
            "slow" => pod.spec.as_mut().unwrap().node_name = Some("node".to_owned()),
            _ => {}
        }
        if name != "kept" {
            pod.metadata.labels = Some([("app".to_owned(), "web".to_owned())].into());
        }
        rig.server.create(&pod).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_collection_that_was_deleted_is_read_again() {
    let rig = blocked_for_good();
    four(&rig).await;
    let (controller, informer) = controller(&rig);
    let (running, mut said) = run(&rig, controller, informer, |ctx, pods| async move {
        let before = told(&ctx);
        if before == "a, held, kept, slow" {
            let (params, web) = (DeleteParams::default(), ListParams::default().labels("app=web"));
            let dry = DeleteParams { dry_run: true, ..DeleteParams::default() };
            pods.delete_collection(Some("default"), &dry, &web).await?;
            assert_eq!(told(&ctx), before, "nothing happened");
            pods.delete_collection(Some("default"), &params, &web).await?;
        }
        Ok(format!("{before}: {}", told(&ctx)))
    });
    let left = "held goes, kept, slow goes";
    assert_eq!(next(&mut said).await, format!("a, held, kept, slow: {left}"));
    // The watch brings nothing.
    assert_eq!(next(&mut said).await, format!("{left}: {left}"));
    rig.server.clear_faults();
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_was_evicted_or_is_gone_already_is_read_so_in_the_same_run() {
    let rig = blocked();
    four(&rig).await;
    let (controller, informer) = controller(&rig);
    let server = rig.api::<Pod>();
    let (running, mut said) = run(&rig, controller, informer, move |ctx, pods| {
        let server = server.clone();
        async move {
            let all: Vec<_> = ctx.owned::<Pod>();
            let named = |name: &str| all.iter().find(|pod| pod.name() == name).cloned();
            let mut said = vec![told(&ctx)];
            if let Some(a) = named("a") {
                pods.evict(&a).await?;
                said.push(told(&ctx));
                // A second time it is gone, and that is no error.
                pods.evict(&a).await?;
                pods.evict(&named("slow").unwrap()).await?;
                said.push(told(&ctx));
                let kept = named("kept").unwrap();
                server.delete("kept", &DeleteParams::default().grace_period(0)).await?;
                pods.delete(&kept).await?;
                said.push(told(&ctx));
            }
            Ok(said.join("; "))
        }
    });
    assert_eq!(
        next(&mut said).await,
        "a, held, kept, slow; held, kept, slow; held, kept, slow goes; held, slow goes"
    );
    assert_eq!(next(&mut said).await, "held, slow goes");
    rig.server.clear_faults();
    running.stop().await.unwrap();
}

/// Neither a `Binding` nor a `Scale` is answered with the object itself.
#[tokio::test(start_paused = true)]
async fn what_subresources_change_is_read_in_the_same_run() {
    let rig = blocked();
    rig.server.inject(ServerFault::stall_after(0).on(Verb::Watch).resource("replicasets.apps"));
    rig.server.create(&replica_set("set")).await.unwrap();
    let (controller, informer) = controller(&rig);
    let (running, mut said) = run(&rig, controller, informer, |ctx, pods| async move {
        if !ctx.owned::<Pod>().is_empty() {
            return Ok("again".to_owned());
        }
        pods.create(&child(&ctx, "pod")).await?;
        let target = json!({ "kind": "Node", "name": "node" });
        let binding =
            json!({ "apiVersion": "v1", "kind": "Binding", "metadata": { "name": "pod" }, "target": target });
        let bound = pods.create_subresource(&key("pod"), "binding", &binding).await?;
        let pod = pods.get(&key("pod")).unwrap().get()?;
        let sets = ctx.objects(ctx.informer());
        let patch = Patch::Merge(json!({ "spec": { "replicas": 3 } }));
        let scale = sets.patch_subresource(ctx.key(), "scale", &PatchParams::default(), &patch).await?;
        let set = sets.get(ctx.key()).unwrap().get()?;
        let node = pod.spec.as_ref().unwrap().node_name.clone();
        let replicas = set.spec.replicas;
        Ok(format!("{} {node:?} {} {replicas:?}", bound["kind"], scale["kind"]))
    });
    assert_eq!(next(&mut said).await, "\"Status\" Some(\"node\") \"Scale\" Some(3)");
    assert_eq!(next(&mut said).await, "again");
    rig.server.clear_faults();
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_write_of_another_client_counts_if_it_is_told() {
    let rig = blocked_for_good();
    rig.server.create(&replica_set("set")).await.unwrap();
    let (controller, informer) = controller(&rig);
    let (server, maps) = (rig.api::<Pod>(), rig.api::<ConfigMap>());
    let (running, mut said) = run(&rig, controller.patience(PATIENCE), informer, move |ctx, _| {
        let (server, maps) = (server.clone(), maps.clone());
        async move {
            let before = told(&ctx);
            if before.is_empty() {
                let params = PostParams::default();
                ctx.wrote(&server.create(&params, &child(&ctx, "one")).await?)?;
                let two = server.create(&params, &child(&ctx, "two")).await?;
                ctx.wrote(&two)?;
                server.delete("two", &DeleteParams::default().grace_period(0)).await?;
                // Of a deletion that is final the server answers this, for most kinds.
                ctx.wrote(&json!({ "kind": "Status", "details": { "kind": "pods", "name": "two" } }))?;
                let map = maps.create(&params, &config_map("a")).await?;
                let error = ctx.wrote(&map).unwrap_err();
                return Ok(format!("{}; {error}", ctx.owned::<Pod>().len()));
            }
            Ok(before)
        }
    });
    let text = next(&mut said).await;
    assert!(text.ends_with("no informer of the controller has objects of v1 ConfigMap; tell the `Objects` of one with `wrote`"), "{text}");
    assert!(timeout(10 * SECOND, said.recv()).await.is_err(), "it is parked");
    rig.server.clear_faults();
    assert_eq!(next(&mut said).await, "one");
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_is_only_rehearsed_changes_nothing_and_is_not_waited_for() {
    let rig = blocked_for_good();
    four(&rig).await;
    let (controller, informer) = controller(&rig);
    let (running, mut said) = run(&rig, controller, informer, |ctx, pods| async move {
        let patch = Patch::Merge(json!({ "metadata": { "labels": { "app": "other" } } }));
        let params = PatchParams { dry_run: true, ..PatchParams::default() };
        let changed = pods.patch(&key("a"), &params, &patch).await?;
        assert_eq!(changed.labels().get("app"), Some("other"));
        assert_eq!(pods.get(&key("a")).unwrap().labels().get("app"), Some("web"));
        pods.delete_with(&key("a"), &DeleteParams { dry_run: true, ..DeleteParams::default() }).await?;
        Ok(told(&ctx))
    });
    for _ in 0..2 {
        assert_eq!(timeout(5 * SECOND, said.recv()).await.unwrap().unwrap(), "a, held, kept, slow");
    }
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_says_no_namespace_is_in_that_of_the_key() {
    let rig = blocked();
    four(&rig).await;
    let (controller, informer) = controller(&rig);
    let (running, mut said) = run(&rig, controller, informer, |_, pods| async move {
        let mut a = Pod::clone(&*pods.get(&key("a")).unwrap().get()?);
        a.metadata.namespace = None;
        a.metadata.labels = Some([("app".to_owned(), "other".to_owned())].into());
        pods.replace(&a).await?;
        let mut status = json!({ "metadata": { "name": "a" }, "status": { "phase": "Running" } });
        status["spec"] = serde_json::to_value(&a.spec)?;
        let a = pods.replace_status(&status).await?;
        Ok(format!("{} {:?}", a.key(), pods.get(a.key()).unwrap().labels().get("app")))
    });
    assert!(next(&mut said).await.starts_with("default/a "));
    rig.server.clear_faults();
    running.stop().await.unwrap();
}

/// A request that a run did not wait for any longer may still arrive. If it had been looked for before that, in vain, it would be
/// made a second time, under another name.
#[tokio::test(start_paused = true)]
async fn a_create_that_took_longer_than_the_run_may_is_not_made_again() {
    let rig = Rig::new();
    rig.server.create(&replica_set("set")).await.unwrap();
    let (controller, informer) = controller(&rig);
    rig.server.inject(ServerFault::delay(20 * SECOND).on(Verb::Create).resource("pods").once());
    let runs = Arc::new(AtomicUsize::new(0));
    let count = runs.clone();
    let (running, mut said) = run(&rig, controller.timeout(5 * SECOND), informer, move |ctx, pods| {
        let count = count.clone();
        async move {
            count.fetch_add(1, Ordering::SeqCst);
            if ctx.owned::<Pod>().is_empty() {
                let mut new = child(&ctx, "");
                (new.metadata.name, new.metadata.generate_name) = (None, Some("pod-".to_owned()));
                pods.create(&new).await?;
            }
            Ok(format!("{}", ctx.owned::<Pod>().len()))
        }
    });
    assert_eq!(next(&mut said).await, "1");
    let creates = rig.server.journal().count(|request| request.is(Verb::Create, "pods"));
    assert_eq!((runs.load(Ordering::SeqCst), creates, pods_at(&rig).await), (2, 1, 1));
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn runs_that_could_not_wait_are_counted() {
    let metrics = DebuggingRecorder::new();
    let snapshotter = metrics.snapshotter();
    let _counted = metrics::set_default_local_recorder(&metrics);
    let rig = blocked_for_good();
    rig.server.create(&replica_set("set")).await.unwrap();
    let (controller, informer) = controller(&rig);
    let (running, mut said) = run(&rig, controller.patience(5 * SECOND), informer, |ctx, pods| async move {
        if ctx.owned::<Pod>().is_empty() {
            pods.create(&child(&ctx, "one")).await?;
        }
        Ok(format!("{} {}", ctx.is_stale(), told(&ctx)))
    });
    for expected in ["false one", "true one", "true one"] {
        assert_eq!(next(&mut said).await, expected);
    }
    let stale = snapshotter.snapshot().into_vec().into_iter().find_map(|(key, _, _, value)| match value {
        DebugValue::Counter(count) if key.key().name() == "reconcile_stale_total" => Some(count),
        _ => None,
    });
    assert_eq!(stale, Some(2));
    running.stop().await.unwrap();
}

/// A client of a server that answers every write with a `Status`, as some do for some kinds.
fn terse(client: Client) -> Client {
    let service = tower::service_fn(move |request: http::Request<Body>| {
        let client = client.clone();
        async move {
            let is_read = request.method() == http::Method::GET;
            let answer = client.send(request).await?;
            if is_read || !answer.status().is_success() {
                return Ok(answer);
            }
            let status = json!({ "kind": "Status", "apiVersion": "v1", "status": "Success" }).to_string();
            Ok::<_, kube_client::Error>(answer.map(|_| Body::from(status.into_bytes())))
        }
    });
    Client::new(service, "default")
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_a_status_is_no_error() {
    let rig = blocked();
    four(&rig).await;
    let (controller, informer) = controller(&rig);
    let controller = controller.client(terse(rig.server.client()));
    let (running, mut said) = run(&rig, controller, informer, |ctx, pods| async move {
        let before = told(&ctx);
        if let Some(a) = pods.get(&key("a")) {
            let made = pods.create(&child(&ctx, "new")).await?;
            let patch = Patch::Merge(json!({ "metadata": { "labels": { "app": "other" } } }));
            let changed = pods.patch(made.key(), &PatchParams::default(), &patch).await?;
            assert_eq!(changed.labels().get("app"), Some("other"));
            pods.delete(&a).await?;
            pods.evict(&pods.get(&key("kept")).unwrap()).await?;
        }
        Ok(format!("{before}: {}", told(&ctx)))
    });
    assert_eq!(next(&mut said).await, "a, held, kept, slow: held, new, slow");
    assert_eq!(next(&mut said).await, "held, new, slow: held, new, slow");
    rig.server.clear_faults();
    running.stop().await.unwrap();
}

/// Servers of other kinds may have versions that are no numbers.
#[tokio::test(start_paused = true)]
async fn of_versions_that_cannot_be_compared_ones_own_is_read() {
    let informer = SharedInformer::<Pod>::builder(ScriptedSource::of::<Pod>()).build().unwrap();
    let running = tokio::spawn({
        let informer = informer.clone();
        async move { informer.run(pending()).await }
    });
    informer.wait_synced(PATIENCE).await.unwrap();
    let tracker = Tracker::new();
    let pods = tracker.run(&key("owner")).objects(&informer);
    let mut written = pod("one", &json!([]));
    written.metadata.resource_version = Some("not-a-number".to_owned());
    pods.wrote(&written).unwrap();
    assert_eq!((pods.list().len(), pods.get(&key("one")).is_some()), (1, true));
    assert!(!tracker.settled(&key("owner"), SECOND).await, "the cache does not have this very one");
    let error = pods.create(&pod("two", &json!([]))).await.unwrap_err();
    assert!(matches!(error, WriteError::NoClient { .. }), "{error}");
    running.abort();
}
