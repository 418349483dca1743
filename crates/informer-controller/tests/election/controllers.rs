//! Controllers that run as the leader.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use informer_controller::election::Clock;
use informer_controller::{Controller, Ctx, Next, ReconcileError, WriteError};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::SharedInformerFactory;
use tokio::sync::mpsc;

use super::*;

fn config_map(name: &str) -> ConfigMap {
    serde_json::from_value(json!({ "metadata": { "name": name, "namespace": "default" } })).unwrap()
}

fn is_patch(request: &RecordedRequest) -> bool {
    request.is(Verb::Patch, "configmaps")
}

/// Patches its object, and says how that went.
fn writer(
    server: &EmbeddedApiserver,
) -> (Controller<ConfigMap>, SharedInformerFactory, mpsc::UnboundedReceiver<Result<(), WriteError>>) {
    let factory = SharedInformerFactory::builder(server.client()).build().unwrap();
    let (sender, said) = mpsc::unbounded_channel();
    let sender = Arc::new(sender);
    let controller = Controller::new("writer", factory.core().v1().config_maps().informer())
        .client(factory.client().unwrap())
        .reconcile(move |ctx: Ctx<ConfigMap>| {
            let sender = sender.clone();
            async move {
                let patch =
                    Patch::Merge(json!({ "data": { "term": ctx.leadership().unwrap().term().to_string() } }));
                let objects = ctx.objects(ctx.informer());
                let answer = objects.patch(ctx.key(), &PatchParams::default(), &patch).await;
                sender.send(answer.map(drop)).ok();
                Ok::<_, ReconcileError>(Next::After(SECOND))
            }
        });
    factory.start();
    (controller, factory, said)
}

#[tokio::test(start_paused = true)]
async fn b_585_nothing_is_sent_after_the_leadership_has_ended() {
    let server = EmbeddedApiserver::new();
    server.create(&config_map("a")).await.unwrap();
    let (controller, _factory, mut said) = writer(&server);
    let run = election(&server, "it").run(pending(), |leadership| controller.run_as(leadership));
    let run = tokio::spawn(run);
    for _ in 0..5 {
        said.recv().await.unwrap().unwrap();
    }
    // It is cut off from the Lease only.
    let sent = server.journal().matching(writes_lease).last().unwrap().at;
    server.inject(ServerFault::stall().resource("leases.coordination.k8s.io"));
    assert!(matches!(run.await.unwrap(), Err(ElectionError::Lost { .. })));
    let last = server.journal().matching(is_patch).last().unwrap().at;
    let after = last.duration_since(sent);
    assert!(8 * SECOND < after && after < 10 * SECOND, "it writes for as long as it may: {after:?}");
    pass(60 * SECOND).await;
    assert_eq!(server.journal().matching(is_patch).last().unwrap().at, last);
}

#[tokio::test(start_paused = true)]
async fn a_write_that_is_under_way_is_not_waited_for_once_the_leadership_is_over() {
    let server = EmbeddedApiserver::new();
    server.create(&config_map("a")).await.unwrap();
    server.inject(ServerFault::stall().on(Verb::Patch).resource("configmaps"));
    let (controller, _factory, mut said) = writer(&server);
    let run = election(&server, "it").run(pending(), |leadership| controller.run_as(leadership));
    let run = tokio::spawn(run);
    server.journal().until(1, is_patch).await;
    server.inject(ServerFault::stall().resource("leases.coordination.k8s.io"));
    let begin = Instant::now();
    assert!(matches!(run.await.unwrap(), Err(ElectionError::Lost { .. })));
    assert!(begin.elapsed() < 11 * SECOND, "{:?}", begin.elapsed());
    assert!(said.recv().await.is_none(), "the run was dropped where it waited");
}

/// A clock that goes on while timers stand still, as in a suspended machine.
#[derive(Clone, Default)]
struct Sleeper {
    timers: TokioClock,
    slept: Arc<AtomicU64>,
}

impl Clock for Sleeper {
    fn now(&self) -> Duration {
        self.timers.now() + Duration::from_secs(self.slept.load(Ordering::SeqCst))
    }
}

#[tokio::test(start_paused = true)]
async fn who_wakes_up_late_knows_it_before_any_timer_does() {
    let server = EmbeddedApiserver::new();
    server.create(&config_map("a")).await.unwrap();
    let (controller, _factory, mut said) = writer(&server);
    let clock = Sleeper::default();
    let (sender, leads) = oneshot::channel();
    let run = election(&server, "it").clock(clock.clone()).run(pending(), |leadership| {
        sender.send(leadership.clone()).ok();
        controller.run_as(leadership)
    });
    let run = tokio::spawn(run);
    let leadership = leads.await.unwrap();
    for _ in 0..5 {
        said.recv().await.unwrap().unwrap();
    }
    assert!(leadership.is_valid());
    let (before, writes) = (server.journal().count(is_patch), server.journal().count(writes_lease));
    clock.slept.store(11, Ordering::SeqCst);
    assert!(!leadership.is_valid(), "no timer has fired");
    assert!(matches!(run.await.unwrap(), Err(ElectionError::Lost { .. })));
    assert_eq!((server.journal().count(is_patch), server.journal().count(writes_lease)), (before, writes));
}

/// What the predecessor wrote is not in the cache of the next one, because its watch hangs.
#[tokio::test(start_paused = true)]
async fn a_new_leader_begins_with_all_that_was_written_before_it() {
    let server = EmbeddedApiserver::new();
    let factory = SharedInformerFactory::builder(server.client()).build().unwrap();
    let stalled = server.inject(ServerFault::stall_after(0).on(Verb::Watch).resource("configmaps"));
    let maps = factory.core().v1().config_maps().informer();
    let (sender, mut said) = mpsc::unbounded_channel();
    let controller = Controller::new("reader", maps.clone()).reconcile(move |ctx: Ctx<ConfigMap>| {
        sender.send((ctx.key().name().to_owned(), ctx.informer().lister().list().len())).ok();
        async { Ok(Next::Done) }
    });
    factory.start();
    factory.wait_for_cache_sync(PATIENCE).await.unwrap();
    assert!(stalled.struck() > 0);
    for name in ["a", "b", "c"] {
        server.create(&config_map(name)).await.unwrap();
    }
    let (stop, stopped) = oneshot::channel::<()>();
    let shutdown = async move { drop(stopped.await) };
    let begin = Instant::now();
    let run = election(&server, "it").run(shutdown, |leadership| controller.run_as(leadership));
    let run = tokio::spawn(run);
    for _ in 0..3 {
        let (_, known) = timeout(PATIENCE, said.recv()).await.unwrap().unwrap();
        assert_eq!(known, 3, "the first run has seen all");
    }
    let took = begin.elapsed();
    assert!(SECOND <= took && took < 3 * SECOND, "the watch has a second: {took:?}");
    drop(stop);
    assert!(matches!(run.await.unwrap(), Ok(Some(led)) if led.is_released));
}

/// Says when it is dropped.
struct Dropped(mpsc::UnboundedSender<Instant>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.send(Instant::now()).ok();
    }
}

#[tokio::test(start_paused = true)]
async fn what_runs_is_dropped_when_the_leadership_is_lost_and_finished_when_it_is_to_end() {
    for is_lost in [true, false] {
        let server = EmbeddedApiserver::new();
        for name in ["a", "b", "c"] {
            server.create(&config_map(name)).await.unwrap();
        }
        let factory = SharedInformerFactory::builder(server.client()).build().unwrap();
        let (sender, mut dropped) = mpsc::unbounded_channel();
        let (begins, mut begun) = mpsc::unbounded_channel();
        let controller = Controller::new("slow", factory.core().v1().config_maps().informer())
            .workers(1)
            .reconcile(move |ctx: Ctx<ConfigMap>| {
                let dropped = Dropped(sender.clone());
                begins.send(ctx.key().clone()).ok();
                async move {
                    let _dropped = dropped;
                    // A call to something that knows nothing of leaders.
                    pass(15 * SECOND).await;
                    Ok::<_, ReconcileError>(Next::Done)
                }
            });
        factory.start();
        let (stop, stopped) = oneshot::channel::<()>();
        let run = election(&server, "it")
            .run(async move { drop(stopped.await) }, |leadership| controller.run_as(leadership));
        let run = tokio::spawn(run);
        begun.recv().await.unwrap();
        let begin = Instant::now();
        if is_lost {
            server.inject(ServerFault::stall().resource("leases.coordination.k8s.io"));
            let end = dropped.recv().await.unwrap();
            assert!(end - begin < 11 * SECOND, "{:?}", end - begin);
            assert!(matches!(run.await.unwrap(), Err(ElectionError::Lost { .. })));
        } else {
            drop(stop);
            run.await.unwrap().unwrap();
            assert_eq!(dropped.recv().await.unwrap() - begin, 15 * SECOND);
        }
        assert!(begun.recv().await.is_none(), "the others are left to the next leader");
    }
}
