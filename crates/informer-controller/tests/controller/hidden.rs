//! Writes that an informer never shows, labels that it does not keep, and what a stale run knows of its own object.

use embedded_apiserver::{RecordedRequest, ServerFault, Verb};
use informer_controller::Tracker;
use kube_informer::{InformerBuilder, SharedInformer};
use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};

use super::workers::Told;
use super::writes::{child, pods_at};
use super::*;

/// A rig whose informer of pods has these options.
fn with(
    options: impl FnOnce(InformerBuilder<Pod>) -> InformerBuilder<Pod> + Send + 'static,
) -> (Rig, SharedInformer<Pod>) {
    let server = EmbeddedApiserver::new();
    let factory = SharedInformerFactory::builder(server.client()).kind::<Pod>(options).build().unwrap();
    let pods = factory.core().v1().pods().informer();
    (Rig { server, factory }, pods)
}

fn controller(rig: &Rig, pods: &SharedInformer<Pod>) -> Controller<ReplicaSet> {
    Controller::new("sets", rig.factory.apps().v1().replica_sets().informer()).owns(pods.clone())
}

fn unnamed(ctx: &Ctx<ReplicaSet>) -> Pod {
    let mut new = child(ctx, "");
    (new.metadata.name, new.metadata.generate_name) = (None, Some("pod-".to_owned()));
    new
}

/// The server's selector is about the labels that the server has, also where the cache has none.
#[tokio::test(start_paused = true)]
async fn labels_that_the_informer_drops_or_changes_hide_no_own_write() {
    type Options = fn(InformerBuilder<Pod>) -> InformerBuilder<Pod>;
    let drops: Options = |pods| pods.labels("app=web").drop_field("metadata.labels");
    let transforms: Options = |pods| {
        pods.labels("app=web").transform(|pod: &mut Pod| {
            pod.metadata.labels = None;
            Ok::<_, String>(())
        })
    };
    for options in [drops, transforms] {
        let (rig, pods) = with(options);
        rig.server.create(&replica_set("set")).await.unwrap();
        let (sender, mut said) = mpsc::unbounded_channel();
        let controller = controller(&rig, &pods);
        let running = rig.run(controller.reconcile(move |ctx| {
            let (sender, pods) = (sender.clone(), ctx.objects(&pods));
            async move {
                for _ in 0..5 {
                    if ctx.owned::<Pod>().len() < 2 {
                        pods.create(&unnamed(&ctx)).await?;
                    }
                }
                let key = ctx.owned::<Pod>()[0].key().clone();
                let patch = Patch::Merge(json!({ "metadata": { "annotations": { "x": "y" } } }));
                pods.patch(&key, &PatchParams::default(), &patch).await?;
                let patched = pods.get(&key).map(|pod| pod.annotations().unwrap().len());
                sender.send(format!("{} {patched:?}", ctx.owned::<Pod>().len())).ok();
                Ok(Next::Done)
            }
        }));
        assert_eq!(next(&mut said).await, "2 Some(1)");
        pass(10 * SECOND).await;
        assert_eq!(pods_at(&rig).await, 2);
        running.stop().await.unwrap();
    }
}

fn hidden(snapshotter: &Snapshotter) -> u64 {
    let all = snapshotter.snapshot().into_vec().into_iter();
    let counts = all.filter_map(|(key, _, _, value)| match value {
        DebugValue::Counter(count) if key.key().name() == "reconcile_hidden_writes_total" => Some(count),
        _ => None,
    });
    counts.sum()
}

#[tokio::test(start_paused = true)]
async fn a_write_that_a_selector_hides_is_said_once_and_each_is_counted() {
    // Through the informer that hides it, and through another one where what is owned is looked for in the first.
    for is_through_other in [false, true] {
        let (metrics, told) = (DebuggingRecorder::new(), Told::default());
        let snapshotter = metrics.snapshotter();
        let _counted = metrics::set_default_local_recorder(&metrics);
        let _told = told.listens();
        let rig = Rig::new();
        rig.server.create(&replica_set("set")).await.unwrap();
        let all = rig.factory.core().v1().pods();
        let web = all.named("web", |pods| pods.labels("app=other")).unwrap().informer();
        let written = if is_through_other { all.informer() } else { web.clone() };
        let (sender, mut said) = mpsc::unbounded_channel();
        let running = rig.run(controller(&rig, &web).reconcile(move |ctx| {
            let (sender, written) = (sender.clone(), written.clone());
            async move {
                if ctx.owned::<Pod>().is_empty() {
                    ctx.objects(&written).create(&unnamed(&ctx)).await?;
                }
                sender.send(String::new()).ok();
                Ok(Next::After(SECOND))
            }
        }));
        for _ in 0..3 {
            next(&mut said).await;
        }
        running.stop().await.unwrap();
        let pods = pods_at(&rig).await;
        assert!(pods >= 3, "nothing keeps it from that");
        assert_eq!(hidden(&snapshotter), pods as u64);
        let said: Vec<_> =
            told.all().into_iter().filter(|text| text.contains("is in no list of this informer")).collect();
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains("informer=\"web\""), "{said:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_selector_shows_elsewhere_is_not_hidden() {
    let metrics = DebuggingRecorder::new();
    let snapshotter = metrics.snapshotter();
    let _counted = metrics::set_default_local_recorder(&metrics);
    let rig = Rig::new();
    rig.server.create(&replica_set("set")).await.unwrap();
    let all = rig.factory.core().v1().pods();
    let other = all.named("other", |pods| pods.labels("app=other")).unwrap().informer();
    let (all, (sender, mut said)) = (all.informer(), mpsc::unbounded_channel());
    let controller = controller(&rig, &all).reads(other);
    let running = rig.run(controller.reconcile(move |ctx| {
        let (sender, all) = (sender.clone(), all.clone());
        async move {
            if ctx.owned::<Pod>().is_empty() {
                ctx.objects(&all).create(&unnamed(&ctx)).await?;
            }
            sender.send(String::new()).ok();
            Ok(Next::Done)
        }
    }));
    next(&mut said).await;
    running.stop().await.unwrap();
    assert_eq!(hidden(&snapshotter), 0);
}

#[tokio::test(start_paused = true)]
async fn a_tracker_without_a_controller_counts_what_is_hidden_too() {
    let (rig, pods) = with(|pods| pods.labels("app=other"));
    rig.factory.start();
    let (tracker, key) = (Tracker::new(), ObjectKey::namespaced("default", "owner"));
    let pods = tracker.run(&key).objects(&pods);
    for name in ["one", "two"] {
        let made = pods.create(&pod(name, &json!([]))).await.unwrap();
        assert!(pods.get(made.key()).is_none());
    }
    assert_eq!(tracker.hidden_writes(), 2);
    assert!(tracker.settled(&key, PATIENCE).await);
}

/// The pod is there. Who is told otherwise tries again, and there is one more.
#[tokio::test(start_paused = true)]
async fn a_create_that_the_transform_refuses_is_no_failure() {
    let (rig, pods) = with(|pods| pods.transform(|_| Err::<(), _>("not this one")));
    rig.server.create(&replica_set("set")).await.unwrap();
    let (sender, mut said) = mpsc::unbounded_channel();
    let controller = controller(&rig, &pods);
    let running = rig.run(controller.reconcile(move |ctx| {
        let (sender, pods) = (sender.clone(), ctx.objects(&pods));
        async move {
            let new = unnamed(&ctx);
            let dry = PatchParams { dry_run: true, ..PatchParams::default() };
            let made = pods.create(&new).await?;
            let patch = Patch::Merge(json!({ "metadata": { "labels": { "x": "y" } } }));
            let rehearsed = pods.patch(made.key(), &dry, &patch).await?;
            let labels = [&made, &rehearsed].map(|pod| pod.labels().len());
            sender.send(format!("{} {labels:?} {}", made.get()?.spec.is_some(), ctx.failures())).ok();
            Ok(Next::Done)
        }
    }));
    assert_eq!(next(&mut said).await, "true [1, 2] 0");
    pass(600 * SECOND).await;
    assert_eq!((pods_at(&rig).await, all(&mut said).await), (1, Vec::new()));
    running.stop().await.unwrap();
}

/// What a stale run says of its own object.
async fn stale(write: impl Fn(&Ctx<ReplicaSet>) -> Option<Value> + Send + Sync + 'static) -> String {
    let rig = Rig::on(EmbeddedApiserver::builder().streaming_lists(false).build());
    rig.server.inject(ServerFault::stall_after(0).on(Verb::Watch).resource("replicasets.apps"));
    let is_look = |request: &RecordedRequest| request.parameter("fieldSelector").is_some();
    rig.server.inject(ServerFault::stall().on(Verb::List).resource("replicasets.apps").when(is_look));
    rig.server.create(&replica_set("set")).await.unwrap();
    let (sender, mut said) = mpsc::unbounded_channel();
    let controller = Controller::new("sets", rig.factory.apps().v1().replica_sets().informer());
    let (write, pods) = (Arc::new(write), rig.factory.core().v1().pods().informer());
    let running = rig.run(controller.owns(pods).patience(5 * SECOND).reconcile(move |ctx| {
        let (sender, write) = (sender.clone(), write.clone());
        async move {
            let sets = ctx.objects(ctx.informer());
            if !ctx.is_stale() {
                let set = ctx.object().unwrap();
                match write(&ctx) {
                    Some(patch) => {
                        drop(sets.patch(ctx.key(), &PatchParams::default(), &Patch::Merge(patch)).await?);
                    }
                    None => sets.delete(set).await?,
                }
                return Ok(Next::After(SECOND));
            }
            let labels = ctx.object().map(|set| set.labels().len());
            let last = ctx.last().map(|set| set.name().to_owned());
            sender.send(format!("{labels:?} {last:?} {}", ctx.owned::<Pod>().len())).ok();
            Ok(Next::After(SECOND))
        }
    }));
    let text = next(&mut said).await;
    running.stop().await.unwrap();
    text
}

#[tokio::test(start_paused = true)]
async fn the_object_of_a_stale_run_is_as_the_runs_before_it_left_it() {
    let patched = stale(|_| Some(json!({ "metadata": { "labels": { "x": "y" } } })));
    assert_eq!(patched.await, "Some(1) None 0");
    assert_eq!(stale(|_| None).await, "None Some(\"set\") 0");
}
