//! Own writes where several informers have objects of one resource: each knows what was written through another one.

use embedded_apiserver::{RecordedRequest, ServerFault, Verb};
use informer_controller::{Objects, Tracker};
use kube_client::core::PartialObjectMeta;
use kube_informer::kind::KindInfo;
use kube_informer::object::Labels;
use kube_informer::testing::ScriptedSource;
use kube_informer::{InformerBuilder, Object, SharedInformer};

use super::writes::{child, pods_at};
use super::*;

/// Two informers of pods.
struct Two {
    /// Of pods with the label that the children have.
    web: SharedInformer<Pod>,
    all: SharedInformer<Pod>,
}

impl Two {
    fn of(rig: &Rig) -> Self {
        let pods = rig.factory.core().v1().pods();
        Self { web: named(rig, |pods| pods.labels("app=web")), all: pods.informer() }
    }

    fn controller(&self, rig: &Rig) -> Controller<ReplicaSet> {
        sets(rig).owns(self.web.clone()).reads(self.all.clone())
    }
}

fn named(
    rig: &Rig,
    options: impl FnOnce(InformerBuilder<Pod>) -> InformerBuilder<Pod>,
) -> SharedInformer<Pod> {
    rig.factory.core().v1().pods().named("web", options).unwrap().informer()
}

fn sets(rig: &Rig) -> Controller<ReplicaSet> {
    Controller::new("sets", rig.factory.apps().v1().replica_sets().informer())
}

/// Whether it is a request of the informer with the label selector.
fn is_of_web(request: &RecordedRequest) -> bool {
    request.parameter("labelSelector").is_some()
}

fn is_of_all(request: &RecordedRequest) -> bool {
    !is_of_web(request)
}

/// A server whose watches of pods bring nothing to one informer, nor can it ask for a single object. The others live.
fn silent(which: fn(&RecordedRequest) -> bool) -> Rig {
    let rig = Rig::on(EmbeddedApiserver::builder().streaming_lists(false).build());
    rig.server.inject(ServerFault::stall_after(0).on(Verb::Watch).resource("pods").when(which));
    let is_look =
        move |request: &RecordedRequest| request.parameter("fieldSelector").is_some() && which(request);
    rig.server.inject(ServerFault::stall().on(Verb::List).resource("pods").when(is_look));
    rig
}

/// Without a name of its own, with the label.
fn unnamed(ctx: &Ctx<ReplicaSet>) -> Pod {
    let mut new = child(ctx, "");
    (new.metadata.name, new.metadata.generate_name) = (None, Some("pod-".to_owned()));
    new
}

/// How many pods there are after eleven minutes of a controller that creates one whenever it owns none.
async fn pods_of<C: Send + Sync + 'static>(
    rig: &Rig,
    controller: Controller<ReplicaSet>,
    written: SharedInformer<Pod>,
) -> usize {
    rig.server.create(&replica_set("set")).await.unwrap();
    let running = rig.run(controller.reconcile(move |ctx| {
        let written = written.clone();
        async move {
            if ctx.owned::<C>().is_empty() {
                ctx.objects(&written).create(&unnamed(&ctx)).await?;
            }
            Ok(Next::After(10 * SECOND))
        }
    }));
    pass(660 * SECOND).await;
    let pods = pods_at(rig).await;
    running.stop().await.unwrap();
    pods
}

#[tokio::test(start_paused = true)]
async fn no_pod_is_created_twice_though_the_informer_that_owns_them_is_silent() {
    let rig = silent(is_of_web);
    let two = Two::of(&rig);
    assert_eq!(pods_of::<Pod>(&rig, two.controller(&rig), two.all).await, 1);

    let rig = silent(is_of_all);
    let two = Two::of(&rig);
    let controller = sets(&rig).owns(two.all).reads(two.web.clone());
    assert_eq!(pods_of::<Pod>(&rig, controller, two.web).await, 1);
}

#[tokio::test(start_paused = true)]
async fn one_that_the_controller_was_not_told_of_is_known_from_when_it_is_written_through() {
    let rig = silent(is_of_web);
    let two = Two::of(&rig);
    assert_eq!(pods_of::<Pod>(&rig, sets(&rig).owns(two.web), two.all).await, 1);
}

#[tokio::test(start_paused = true)]
async fn what_is_owned_as_metadata_and_written_whole_is_not_created_twice() {
    let rig = silent(is_of_web);
    let web = rig.factory.core().v1().pods().named("web", |pods| pods.labels("app=web")).unwrap();
    let (metadata, whole) = (web.metadata().informer(), rig.factory.core().v1().pods().informer());
    let controller = sets(&rig).owns(metadata).reads(whole.clone());
    assert_eq!(pods_of::<PartialObjectMeta<Pod>>(&rig, controller, whole).await, 1);
}

#[tokio::test(start_paused = true)]
async fn the_next_run_waits_for_the_informer_that_is_behind() {
    let rig = silent(is_of_web);
    rig.server.create(&replica_set("set")).await.unwrap();
    let two = Two::of(&rig);
    let (sender, mut said) = mpsc::unbounded_channel();
    let (controller, all) = (two.controller(&rig).patience(PATIENCE), two.all.clone());
    let running = rig.run(controller.reconcile(move |ctx| {
        let (sender, all) = (sender.clone(), all.clone());
        async move {
            let before = ctx.owned::<Pod>().len();
            if before == 0 {
                ctx.objects(&all).create(&unnamed(&ctx)).await?;
            }
            sender.send(format!("{before} {} {}", ctx.owned::<Pod>().len(), ctx.is_stale())).ok();
            Ok(Next::After(SECOND))
        }
    }));
    assert_eq!(next(&mut said).await, "0 1 false");
    assert!(timeout(10 * SECOND, said.recv()).await.is_err(), "it is parked");
    assert_eq!((two.all.lister().len(), two.web.lister().len()), (1, 0));
    rig.server.clear_faults();
    assert_eq!(next(&mut said).await, "1 1 false");
    running.stop().await.unwrap();
}

fn names(pods: &[Object<Pod>]) -> String {
    let mut names: Vec<_> = pods.iter().map(Object::name).collect();
    names.sort_unstable();
    names.join(",")
}

/// What each of two informers has in one run, after each write through the other one.
#[tokio::test(start_paused = true)]
async fn each_has_it_as_its_own_options_make_it() {
    let rig = Rig::on(EmbeddedApiserver::builder().streaming_lists(false).build());
    rig.server.inject(ServerFault::stall_after(0).on(Verb::Watch).resource("pods"));
    let set = rig.server.create(&replica_set("set")).await.unwrap();
    let mut old = pod("old", &owner("apps/v1", "ReplicaSet", "set", set.metadata.uid.as_ref().unwrap()));
    old.metadata.labels = Some([("app".to_owned(), "web".to_owned())].into());
    rig.server.create(&old).await.unwrap();
    let web = named(&rig, |pods| pods.labels("app=web").namespace("default").drop_field("metadata.labels"));
    let two = Two { web, all: rig.factory.core().v1().pods().informer() };
    let (controller, (sender, mut said)) = (two.controller(&rig), mpsc::unbounded_channel());
    let running = rig.run(controller.reconcile(move |ctx| {
        let (sender, all, web) = (sender.clone(), ctx.objects(&two.all), ctx.objects(&two.web));
        async move {
            let look = |all: &Objects<Pod>, web: &Objects<Pod>| {
                sender.send(format!("{} {}", names(&all.list()), names(&web.list()))).ok();
            };
            let mut other = child(&ctx, "other");
            other.metadata.labels = None;
            all.create(&other).await?;
            let mut far = child(&ctx, "far");
            far.metadata.namespace = Some("kube-system".to_owned());
            all.create(&far).await?;
            let one = all.create(&child(&ctx, "one")).await?;
            look(&all, &web);
            let labels = [one.labels(), web.get(one.key()).unwrap().labels()].map(Labels::len);
            assert_eq!(labels, [1, 0], "each as its own options make it");
            let patch = Patch::Merge(json!({ "metadata": { "labels": null } }));
            all.patch(one.key(), &PatchParams::default(), &patch).await?;
            look(&all, &web);
            let old = web.get(&ObjectKey::namespaced("default", "old")).unwrap();
            web.delete(&old).await?;
            look(&all, &web);
            assert_eq!(names(&ctx.owned::<Pod>()), "", "those of the informer that it owns");
            Ok(Next::Done)
        }
    }));
    assert_eq!(next(&mut said).await, "far,old,one,other old,one");
    assert_eq!(next(&mut said).await, "far,old,one,other old");
    assert_eq!(next(&mut said).await, "far,one,other ");
    rig.server.clear_faults();
    running.stop().await.unwrap();
}

/// It was never there, so there is nothing of it that the other one could bring.
#[tokio::test(start_paused = true)]
async fn an_informer_that_does_not_select_what_is_new_is_not_waited_for() {
    let rig = silent(is_of_web);
    rig.server.create(&replica_set("set")).await.unwrap();
    let two = Two::of(&rig);
    let (sender, mut said) = mpsc::unbounded_channel();
    let all = two.all.clone();
    let controller = sets(&rig).owns(two.all).reads(two.web);
    let running = rig.run(controller.reconcile(move |ctx| {
        let (sender, all) = (sender.clone(), all.clone());
        async move {
            let before = ctx.owned::<Pod>().len();
            if before == 0 {
                let mut new = unnamed(&ctx);
                new.metadata.labels = None;
                ctx.objects(&all).create(&new).await?;
            }
            sender.send(format!("{before} {}", ctx.is_stale())).ok();
            Ok(Next::After(SECOND))
        }
    }));
    assert_eq!(next(&mut said).await, "0 false");
    let second = timeout(5 * SECOND, said.recv()).await;
    assert_eq!(second.unwrap().unwrap(), "1 false");
    running.stop().await.unwrap();
}

/// Versions of two clusters have nothing to do with each other. That two factories have one server is known of a controller with a
/// client.
#[tokio::test(start_paused = true)]
async fn what_is_written_in_one_cluster_is_not_waited_for_in_another() {
    for (is_same_server, has_client) in [(false, false), (true, false), (true, true)] {
        let rig = Rig::new();
        let server = if is_same_server { rig.server.clone() } else { EmbeddedApiserver::new() };
        rig.server.create(&replica_set("set")).await.unwrap();
        let far = SharedInformerFactory::builder(server.client()).build().unwrap();
        let (near, far_pods) = (rig.factory.core().v1().pods().informer(), far.core().v1().pods().informer());
        let mut controller = sets(&rig).owns(near.clone()).reads(far_pods.clone());
        if has_client {
            controller = controller.client(rig.server.client());
        }
        let (sender, mut said) = mpsc::unbounded_channel();
        let running = rig.run(controller.reconcile(move |ctx| {
            let (sender, near, far) = (sender.clone(), ctx.objects(&near), ctx.objects(&far_pods));
            async move {
                if ctx.owned::<Pod>().is_empty() {
                    // Of another factory nothing is known until its watch brings it.
                    near.create(&unnamed(&ctx)).await?;
                    sender.send(format!("near {} far {}", near.list().len(), far.list().len())).ok();
                }
                Ok(Next::Done)
            }
        }));
        far.start();
        assert_eq!(next(&mut said).await, format!("near 1 far {}", usize::from(has_client)));
        pass(60 * SECOND).await;
        assert_eq!((pods_at(&rig).await, far.core().v1().pods().lister().len()), (1, is_same_server.into()));
        running.stop().await.unwrap();
    }
}

/// A write of another client is told to all of them at once.
#[tokio::test(start_paused = true)]
async fn what_another_client_wrote_all_informers_are_told() {
    let rig = silent(is_of_web);
    rig.server.create(&replica_set("set")).await.unwrap();
    let two = Two::of(&rig);
    let (server, all) = (rig.api::<Pod>(), two.all.clone());
    let (sender, mut said) = mpsc::unbounded_channel();
    let running = rig.run(two.controller(&rig).reconcile(move |ctx| {
        let (sender, server, all) = (sender.clone(), server.clone(), ctx.objects(&all));
        async move {
            if ctx.owned::<Pod>().is_empty() {
                ctx.wrote(&server.create(&PostParams::default(), &unnamed(&ctx)).await?)?;
                sender.send(format!("{} {}", ctx.owned::<Pod>().len(), all.list().len())).ok();
            }
            Ok(Next::After(10 * SECOND))
        }
    }));
    assert_eq!(next(&mut said).await, "1 1");
    pass(300 * SECOND).await;
    assert_eq!(pods_at(&rig).await, 1);
    running.stop().await.unwrap();
}

/// One resource has several versions, and an informer is of one of them.
#[tokio::test(start_paused = true)]
async fn the_versions_of_a_resource_are_one_resource() {
    let factory = SharedInformerFactory::with_sources(|kind: &KindInfo| ScriptedSource::new(kind.clone()));
    let factory = factory.build().unwrap();
    let of = |version: &str| {
        let kind = KindInfo::new("example.com", version, "Widget", "widgets").namespaced(true);
        factory.kind_of(kind).informer()
    };
    let (one, two) = (of("v1"), of("v2"));
    factory.start();
    factory.wait_for_cache_sync(PATIENCE).await.unwrap();
    let (tracker, key) = (Tracker::new(), ObjectKey::namespaced("default", "owner"));
    let run = tracker.run(&key);
    let (one, two) = (run.objects(&one), run.objects(&two));
    let metadata = json!({ "name": "a", "namespace": "default", "uid": "u", "resourceVersion": "1000000" });
    two.wrote(&json!({ "apiVersion": "example.com/v2", "kind": "Widget", "metadata": metadata })).unwrap();
    for objects in [&one, &two] {
        let there = objects.list();
        assert_eq!(there.len(), 1);
        assert_eq!(
            there[0].get().unwrap().types.clone().unwrap().api_version,
            objects.informer().kind().api_version()
        );
    }
    assert!(!tracker.is_settled(&key));
    assert_eq!(tracker.hidden_writes(), 0);
    factory.shutdown().await;
}
