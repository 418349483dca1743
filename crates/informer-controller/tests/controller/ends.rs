//! What keeps a controller from beginning, what ends it, and what it leaves.

use embedded_apiserver::{ServerFault, Verb};
use informer_controller::writes::WriteError;
use kube_informer::testing::ScriptedSource;
use kube_informer::{IndexKey, SharedInformer};

use super::writes::{blocked_for_good, child, controller};
use super::*;

#[tokio::test(start_paused = true)]
async fn an_informer_that_stops_ends_it_with_an_error() {
    let rig = Rig::new();
    rig.server.create(&config_map("a")).await.unwrap();
    let (function, mut said) = telling();
    let maps = rig.factory.core().v1().config_maps().informer();
    let running = rig.run(Controller::new("maps", maps.clone()).reconcile(function));
    assert_eq!(next(&mut said).await, "a is");
    maps.shutdown(SECOND).await;
    let error = timeout(PATIENCE, running.task).await.unwrap().unwrap().unwrap_err();
    assert!(matches!(error, ControllerError::Stopped { .. }), "{error}");
    assert!(error.to_string().starts_with("controller maps cannot go on: informer "), "{error}");
}

#[tokio::test(start_paused = true)]
async fn without_the_index_by_owner_it_does_not_begin() {
    let rig = Rig::new();
    let pods = rig.factory.core().v1().pods().informer();
    pods.index_by(IndexKey::<Pod, String>::new("owner-uid", "spec.nodeName"));
    let sets = rig.factory.apps().v1().replica_sets().informer();
    let controller =
        Controller::new("sets", sets).owns(pods).reconcile(|_| std::future::ready(Ok(Next::Done)));
    let running = rig.run(controller);
    let error = timeout(PATIENCE, running.task).await.unwrap().unwrap().unwrap_err();
    assert!(error.to_string().contains("owner-uid"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn to_ask_for_what_it_does_not_own_is_a_failure() {
    let rig = Rig::new();
    rig.server.create(&config_map("a")).await.unwrap();
    let (sender, mut said) = mpsc::unbounded_channel();
    let controller =
        Controller::new("maps", rig.factory.core().v1().config_maps().informer()).reconcile(move |ctx| {
            sender.send(format!("failures {}", ctx.failures())).ok();
            let pods = ctx.owned::<Pod>();
            std::future::ready(Ok(Next::After(SECOND * u32::try_from(pods.len()).unwrap())))
        });
    let running = rig.run(controller);
    assert_eq!(next(&mut said).await, "failures 0");
    assert_eq!(next(&mut said).await, "failures 1");
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn with_a_finalizer_and_nothing_to_write_with_it_does_not_begin() {
    let maps = SharedInformer::<ConfigMap>::builder(ScriptedSource::of::<ConfigMap>()).build().unwrap();
    let done = |_| std::future::ready(Ok(Next::Done));
    let controller = Controller::new("maps", maps).finalizer("example.com/x", done).reconcile(done);
    let error = controller.run(pending()).await.unwrap_err();
    assert!(matches!(error, ControllerError::NoClient { .. }), "{error}");
}

/// Two clusters, whose informers have the same names.
#[tokio::test(start_paused = true)]
async fn each_informer_is_written_to_where_it_comes_from() {
    let (rig, other) = (Rig::new(), Rig::new());
    rig.server.create(&config_map("a")).await.unwrap();
    let (here, there) =
        (rig.factory.core().v1().pods().informer(), other.factory.core().v1().pods().informer());
    assert_eq!(here.name(), there.name());
    other.factory.start();
    let (sender, mut said) = mpsc::unbounded_channel();
    let informers = (here.clone(), there.clone());
    let controller = Controller::new("maps", rig.factory.core().v1().config_maps().informer())
        .reads(here)
        .reads(there)
        .reconcile(move |ctx| {
            let (sender, (here, there)) = (sender.clone(), informers.clone());
            async move {
                let (here, there) = (ctx.objects(&here), ctx.objects(&there));
                there.create(&pod("one", &json!([]))).await?;
                sender.send(format!("here {}, there {}", here.list().len(), there.list().len())).ok();
                Ok(Next::Done)
            }
        });
    let running = rig.run(controller);
    assert_eq!(next(&mut said).await, "here 0, there 1");
    assert!(other.api::<Pod>().get_opt("one").await.unwrap().is_some());
    running.stop().await.unwrap();
}

/// A controller whose only key waits for a write that its cache does not get to see.
async fn parked(rig: &Rig) -> (Running, Said) {
    rig.server.create(&replica_set("set")).await.unwrap();
    let (controller, pods) = controller(rig);
    let (sender, mut said) = mpsc::unbounded_channel();
    let function = move |ctx: Ctx<ReplicaSet>| {
        let (sender, pods) = (sender.clone(), pods.clone());
        async move {
            ctx.objects(&pods).create(&child(&ctx, "one")).await?;
            sender.send("ran".to_owned()).ok();
            Ok(Next::After(SECOND))
        }
    };
    let running = rig.run(controller.reconcile(function));
    assert_eq!(next(&mut said).await, "ran");
    assert!(timeout(10 * SECOND, said.recv()).await.is_err(), "it is parked");
    (running, said)
}

/// As when its task is aborted: keys that wait for their own writes must not keep it in memory.
#[tokio::test(start_paused = true)]
async fn a_controller_that_is_dropped_leaves_nothing() {
    let rig = blocked_for_good();
    let (running, mut said) = parked(&rig).await;
    running.task.abort();
    assert!(timeout(PATIENCE, said.recv()).await.unwrap().is_none(), "the function is gone");
}

/// A lease that is released only after an end in time would not be released because of a cache that lags.
#[tokio::test(start_paused = true)]
async fn the_end_does_not_wait_for_a_cache_that_lags() {
    let rig = blocked_for_good();
    let (running, _said) = parked(&rig).await;
    let begin = Instant::now();
    running.stop().await.unwrap();
    assert_eq!(begin.elapsed(), Duration::ZERO);
}

/// A request of a run that took too long is waited for at the end, or the next leader would write beside it.
#[tokio::test(start_paused = true)]
async fn the_end_waits_for_what_is_being_written_and_a_drop_does_not() {
    for is_dropped in [false, true] {
        let rig = Rig::new();
        rig.server.create(&replica_set("set")).await.unwrap();
        let (controller, pods) = controller(&rig);
        rig.server.inject(ServerFault::delay(20 * SECOND).on(Verb::Create).resource("pods"));
        let (sender, mut said) = mpsc::unbounded_channel();
        let function = move |ctx: Ctx<ReplicaSet>| {
            let (sender, pods) = (sender.clone(), pods.clone());
            async move {
                sender.send("runs".to_owned()).ok();
                ctx.objects(&pods).create(&child(&ctx, "one")).await?;
                Ok(Next::Done)
            }
        };
        let running = rig.run(controller.timeout(SECOND).reconcile(function));
        assert_eq!(next(&mut said).await, "runs");
        pass(5 * SECOND).await;
        let begin = Instant::now();
        if is_dropped {
            running.task.abort();
            pass(60 * SECOND).await;
        } else {
            running.stop().await.unwrap();
            assert_eq!(begin.elapsed(), 15 * SECOND);
        }
        assert_eq!(rig.api::<Pod>().get_opt("one").await.unwrap().is_none(), is_dropped);
    }
}

/// Somebody keeps the objects of a run longer than the controller lasts. Others may work by then.
#[tokio::test(start_paused = true)]
async fn nothing_is_written_after_the_end() {
    let rig = Rig::new();
    rig.server.create(&config_map("a")).await.unwrap();
    let pods = rig.factory.core().v1().pods().informer();
    let (sender, mut kept) = mpsc::unbounded_channel();
    let function = {
        let pods = pods.clone();
        move |ctx: Ctx<ConfigMap>| {
            sender.send(ctx.objects(&pods)).ok();
            std::future::ready(Ok(Next::Done))
        }
    };
    let maps = rig.factory.core().v1().config_maps().informer();
    let running = rig.run(Controller::new("maps", maps).reads(pods).reconcile(function));
    let pods = timeout(PATIENCE, kept.recv()).await.unwrap().unwrap();
    pods.create(&pod("one", &json!([]))).await.unwrap();
    running.stop().await.unwrap();
    let error = pods.create(&pod("two", &json!([]))).await.unwrap_err();
    assert!(matches!(error, WriteError::Ended { .. }), "{error}");
    assert_eq!(error.to_string(), "pods default/two is not written: the controller has ended");
    assert!(rig.api::<Pod>().get_opt("two").await.unwrap().is_none());
}

/// What is only read from is waited for, and nothing that happens there is a reason to reconcile.
#[tokio::test(start_paused = true)]
async fn what_is_only_read_is_waited_for() {
    let rig = Rig::new();
    rig.server.create(&config_map("a")).await.unwrap();
    rig.server.create(&pod("one", &json!([]))).await.unwrap();
    rig.server.inject(ServerFault::delay(20 * SECOND).on(Verb::Watch).resource("pods"));
    let pods = rig.factory.core().v1().pods().informer();
    let (sender, mut said) = mpsc::unbounded_channel();
    let function = {
        let pods = pods.clone();
        move |ctx: Ctx<ConfigMap>| {
            sender.send(format!("{} pods", ctx.objects(&pods).list().len())).ok();
            std::future::ready(Ok(Next::Done))
        }
    };
    let maps = rig.factory.core().v1().config_maps().informer();
    let begin = Instant::now();
    let running = rig.run(Controller::new("maps", maps).reads(pods).reconcile(function));
    assert_eq!(next(&mut said).await, "1 pods");
    assert!(begin.elapsed() >= 20 * SECOND, "{:?}", begin.elapsed());
    rig.server.create(&pod("two", &json!([]))).await.unwrap();
    assert!(timeout(60 * SECOND, said.recv()).await.is_err(), "not for what is only read");
    running.stop().await.unwrap();
}

/// Whoever keeps the objects and waits for an answer is told that it does not come.
#[tokio::test(start_paused = true)]
async fn who_waits_for_an_answer_beyond_the_end_is_told() {
    let rig = Rig::new();
    rig.server.create(&config_map("a")).await.unwrap();
    rig.server.inject(ServerFault::delay(600 * SECOND).on(Verb::Create).resource("pods"));
    let pods = rig.factory.core().v1().pods().informer();
    let (sender, mut told) = mpsc::unbounded_channel();
    let function = {
        let pods = pods.clone();
        move |ctx: Ctx<ConfigMap>| {
            let (pods, sender) = (ctx.objects(&pods), sender.clone());
            tokio::spawn(async move { sender.send(pods.create(&pod("one", &json!([]))).await) });
            std::future::ready(Ok(Next::Done))
        }
    };
    let maps = rig.factory.core().v1().config_maps().informer();
    let running = rig.run(Controller::new("maps", maps).reads(pods).drain(5 * SECOND).reconcile(function));
    pass(SECOND).await;
    let error = running.stop().await.unwrap_err();
    assert!(matches!(error, ControllerError::NotDrained { .. }), "{error}");
    let error = timeout(SECOND, told.recv()).await.unwrap().unwrap().unwrap_err();
    assert!(matches!(error, WriteError::Ended { .. }), "{error}");
}
