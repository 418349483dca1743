//! What went wrong with own writes elsewhere, each on a cache that lags.

use embedded_apiserver::{ServerFault, Verb};
use informer_controller::Objects;
use kube_client::api::{EvictParams, Preconditions};
use kube_informer::object::ResourceVersion;

use super::writes::{blocked, blocked_for_good, child, controller, pods_at};
use super::*;

/// How a controller keeps from creating what it has created already.
#[derive(Clone, Copy)]
enum Design {
    Ours,
    /// A plain client, and client-go's expectations: nothing is created until the last creation has been observed, or five minutes
    /// have passed.
    Expectations,
}

/// How many pods a set of one has after eleven minutes in which the watch brings nothing.
async fn pods_of_a_lagging_cache(design: Design) -> usize {
    let rig = blocked_for_good();
    rig.server.create(&replica_set("set")).await.unwrap();
    let (controller, pods) = controller(&rig);
    let (server, expected) = (rig.api::<Pod>(), Arc::new(parking_lot::Mutex::new(None::<Instant>)));
    let function = move |ctx: Ctx<ReplicaSet>| {
        let (server, pods, expected) = (server.clone(), pods.clone(), expected.clone());
        async move {
            let mut new = child(&ctx, "");
            (new.metadata.name, new.metadata.generate_name) = (None, Some("pod-".to_owned()));
            let is_none = ctx.owned::<Pod>().is_empty();
            match design {
                Design::Ours if is_none => drop(ctx.objects(&pods).create(&new).await?),
                Design::Expectations if is_none => {
                    let is_awaited = expected.lock().is_some_and(|since| since.elapsed() < 300 * SECOND);
                    if !is_awaited {
                        *expected.lock() = Some(Instant::now());
                        server.create(&PostParams::default(), &new).await?;
                    }
                }
                _ => {}
            }
            Ok(Next::After(30 * SECOND))
        }
    };
    let running = rig.run(controller.reconcile(function));
    pass(660 * SECOND).await;
    let pods = pods_at(&rig).await;
    running.stop().await.unwrap();
    pods
}

/// kubernetes #129795: expectations expire after five minutes while the cache lags, and pods are created again. Ours has no such
/// end: also a run that waits no longer reads what the runs before it wrote, whether the function asks `is_stale` or not.
#[tokio::test(start_paused = true)]
async fn however_long_the_cache_lags_no_pod_is_created_twice() {
    assert_eq!(pods_of_a_lagging_cache(Design::Ours).await, 1);
    assert_eq!(pods_of_a_lagging_cache(Design::Expectations).await, 3, "the others' design");
}

/// How often a pod is evicted whose place another one takes at once, while the cache lags, and whether that one is left alone.
async fn evictions(is_ours: bool) -> (usize, bool) {
    let rig = blocked();
    let set = rig.server.create(&replica_set("set")).await.unwrap();
    let owners = owner("apps/v1", "ReplicaSet", "set", set.metadata.uid.as_ref().unwrap());
    rig.server.create(&pod("one", &owners)).await.unwrap();
    let (controller, pods) = controller(&rig);
    let (sender, mut said) = mpsc::unbounded_channel();
    let server = rig.api::<Pod>();
    let function = move |ctx: Ctx<ReplicaSet>| {
        let (sender, pods, server) = (sender.clone(), pods.clone(), server.clone());
        async move {
            let objects: Objects<Pod> = ctx.objects(&pods);
            let is_old = |pod: &kube_informer::Object<Pod>| !pod.labels().contains("new");
            let old: Vec<_> = ctx.owned::<Pod>().into_iter().filter(is_old).collect();
            sender.send(old.len()).ok();
            for pod in &old {
                if is_ours {
                    objects.evict(pod).await?;
                } else {
                    let answer = server.evict(pod.name(), &EvictParams::default()).await?;
                    return Err(ReconcileError::msg(format!("that is not a pod: {answer:?}")));
                }
            }
            Ok(Next::After(SECOND))
        }
    };
    let running = rig.run(controller.rate_limit(RateLimit::exponential(SECOND, SECOND)).reconcile(function));
    assert_eq!(timeout(PATIENCE, said.recv()).await.unwrap().unwrap(), 1);
    // Its grace period ends, and another one comes in its place.
    rig.api::<Pod>().delete("one", &DeleteParams::default().grace_period(0)).await.ok();
    let mut new = pod("one", &owners);
    new.metadata.labels = Some([("new".to_owned(), "yes".to_owned())].into());
    let new = rig.server.create(&new).await.unwrap();
    for _ in 0..3 {
        let old = timeout(PATIENCE, said.recv()).await.unwrap().unwrap();
        assert!(old == 0 || !is_ours, "it is evicted again");
    }
    let evictions = rig.server.journal().count(|request| request.subresource == "eviction");
    let left = rig.api::<Pod>().get_opt("one").await.unwrap();
    let is_left = left.is_some_and(|left| {
        left.metadata.uid == new.metadata.uid && left.metadata.deletion_timestamp.is_none()
    });
    rig.server.clear_faults();
    running.stop().await.unwrap();
    (evictions, is_left)
}

/// controller-runtime #3590: the answer to an eviction is a Status, which was taken for a failure after it had succeeded; the next
/// attempt evicted the pod that had taken its place.
#[tokio::test(start_paused = true)]
async fn a_pod_is_evicted_once_and_the_one_that_takes_its_place_is_left_alone() {
    assert_eq!(evictions(true).await, (1, true));
    let (evictions, is_left) = evictions(false).await;
    assert!(evictions > 1 && !is_left, "the others' design");
}

/// controller-runtime 0.25: a delete by name asked the cache, which did not know the object yet, and said that it was not found.
#[tokio::test(start_paused = true)]
async fn a_delete_by_name_deletes_what_the_cache_does_not_know() {
    let rig = blocked_for_good();
    rig.server.create(&replica_set("set")).await.unwrap();
    let (controller, pods) = controller(&rig);
    let (sender, mut said) = mpsc::unbounded_channel();
    let server = rig.api::<Pod>();
    let function = move |ctx: Ctx<ReplicaSet>| {
        let (sender, pods, server) = (sender.clone(), pods.clone(), server.clone());
        async move {
            let objects: Objects<Pod> = ctx.objects(&pods);
            let made = server.create(&PostParams::default(), &child(&ctx, "unseen")).await?;
            let key = ObjectKey::namespaced("default", "unseen");
            let is_known = objects.get(&key).is_some();
            let other = Preconditions { uid: Some("another".to_owned()), resource_version: None };
            let params = DeleteParams { preconditions: Some(other), ..DeleteParams::default() };
            let refused = objects.delete_with(&key, &params).await.unwrap_err();
            let this = Preconditions { uid: made.metadata.uid, resource_version: None };
            let params = DeleteParams { preconditions: Some(this), ..DeleteParams::default() };
            let deleted = objects.delete_with(&key, &params).await.is_ok();
            sender.send((is_known, refused.is_conflict(), deleted, server.get_opt("unseen").await?)).ok();
            Ok(Next::Done)
        }
    };
    let running = rig.run(controller.reconcile(function));
    assert_eq!(timeout(PATIENCE, said.recv()).await.unwrap().unwrap(), (false, true, true, None));
    rig.server.clear_faults();
    running.stop().await.unwrap();
}

/// The other way round: the cache has one that is gone, and the server another one of that name.
#[tokio::test(start_paused = true)]
async fn a_delete_of_what_the_cache_has_does_not_delete_another_one_of_that_name() {
    let rig = blocked_for_good();
    let set = rig.server.create(&replica_set("set")).await.unwrap();
    let owners = owner("apps/v1", "ReplicaSet", "set", set.metadata.uid.as_ref().unwrap());
    rig.server.create(&pod("one", &owners)).await.unwrap();
    let (controller, pods) = controller(&rig);
    let (sender, mut said) = mpsc::unbounded_channel();
    let server = rig.api::<Pod>();
    let function = move |ctx: Ctx<ReplicaSet>| {
        let (sender, pods, server) = (sender.clone(), pods.clone(), server.clone());
        async move {
            let [old] = <[_; 1]>::try_from(ctx.owned::<Pod>()).map_err(|_| ReconcileError::msg("not one"))?;
            server.delete("one", &DeleteParams::default().grace_period(0)).await?;
            let new = server.create(&PostParams::default(), &child(&ctx, "one")).await?;
            ctx.objects(&pods).delete(&old).await?;
            sender.send(server.get("one").await?.metadata.uid == new.metadata.uid).ok();
            Ok(Next::Done)
        }
    };
    let running = rig.run(controller.reconcile(function));
    assert!(timeout(PATIENCE, said.recv()).await.unwrap().unwrap());
    rig.server.clear_faults();
    running.stop().await.unwrap();
}

/// Whether a change that somebody else makes beside an own write is reconciled: before or after it, one that changes something or
/// nothing. With `is_filtered`, events up to the version of the own write are taken for its own.
async fn is_foreign_change_seen(foreign_first: bool, is_noop: bool, is_filtered: bool) -> bool {
    let rig = Rig::new();
    rig.server.create(&config_map("a")).await.unwrap();
    let (sender, mut said) = mpsc::unbounded_channel();
    let server = rig.api::<ConfigMap>();
    let own = Arc::new(parking_lot::Mutex::new(ResourceVersion::new("0")));
    let written = own.clone();
    let function = move |ctx: Ctx<ConfigMap>| {
        let (sender, server, written) = (sender.clone(), server.clone(), written.clone());
        async move {
            let object = ctx.object().unwrap();
            if object.raw_json().windows(7).any(|text| text == b"foreign") {
                sender.send(()).ok();
                return Ok(Next::Done);
            }
            let own = if is_noop { json!({}) } else { json!({ "metadata": { "labels": { "own": "x" } } }) };
            let foreign = Patch::Merge(json!({ "data": { "foreign": "x" } }));
            let params = PatchParams::default();
            if foreign_first {
                server.patch("a", &params, &foreign).await?;
            }
            let own = ctx.objects(ctx.informer()).patch(ctx.key(), &params, &Patch::Merge(own)).await?;
            *written.lock() = own.resource_version().clone();
            if !foreign_first {
                server.patch("a", &params, &foreign).await?;
            }
            Ok(Next::Done)
        }
    };
    // The events are held back until the run has ended, as they are under load.
    rig.server.inject(ServerFault::delay(SECOND).on(Verb::Watch).resource("configmaps"));
    let controller = Controller::new("maps", rig.factory.core().v1().config_maps().informer())
        .only_if(move |_, new| !is_filtered || own.lock().is_older_than(new.resource_version()))
        .reconcile(function);
    let running = rig.run(controller);
    let is_seen = timeout(60 * SECOND, said.recv()).await.is_ok();
    running.stop().await.unwrap();
    is_seen
}

/// java-operator-sdk #3398: what a controller wrote itself was kept from it, and with it what somebody else had changed at the
/// same time, or in between, or after a write that changed nothing.
#[tokio::test(start_paused = true)]
async fn a_foreign_change_beside_an_own_write_is_reconciled() {
    for (foreign_first, is_noop) in [(true, false), (false, false), (true, true), (false, true)] {
        assert!(is_foreign_change_seen(foreign_first, is_noop, false).await, "{foreign_first} {is_noop}");
    }
    for is_noop in [false, true] {
        assert!(!is_foreign_change_seen(true, is_noop, true).await, "the others' design");
    }
}

/// A backup is restored: what was written is no more, and to wait for it would be to wait for ever.
#[tokio::test(start_paused = true)]
async fn a_server_that_goes_back_in_time_drops_what_is_waited_for() {
    let rig = blocked_for_good();
    rig.server.create(&replica_set("set")).await.unwrap();
    let version = rig.server.version();
    let (controller, pods) = controller(&rig);
    let (sender, mut said) = mpsc::unbounded_channel();
    let begin = Instant::now();
    let function = move |ctx: Ctx<ReplicaSet>| {
        let (sender, pods) = (sender.clone(), pods.clone());
        async move {
            let seen = ctx.owned::<Pod>().len();
            if seen == 0 {
                ctx.objects(&pods).create(&child(&ctx, "one")).await?;
            }
            sender.send((seen, ctx.is_stale(), begin.elapsed())).ok();
            Ok(Next::After(SECOND))
        }
    };
    let running = rig.run(controller.patience(PATIENCE).reconcile(function));
    let (seen, ..) = timeout(PATIENCE, said.recv()).await.unwrap().unwrap();
    assert_eq!(seen, 0);
    assert!(timeout(10 * SECOND, said.recv()).await.is_err(), "it is parked");
    rig.server.rewind(version).unwrap();
    rig.server.clear_faults();
    let (seen, is_stale, at) = timeout(PATIENCE, said.recv()).await.unwrap().unwrap();
    assert_eq!((seen, is_stale), (0, false), "the pod is gone, and nothing is waited for");
    assert!(at < 60 * SECOND, "{at:?}");
    assert!(rig.api::<Pod>().get_opt("one").await.unwrap().is_some(), "it was made again");
    running.stop().await.unwrap();
}

/// The same for a controller that waits for nothing: no event ever tells that what it wrote is undone.
#[tokio::test(start_paused = true)]
async fn what_a_server_that_goes_back_in_time_undid_is_done_again() {
    let rig = blocked_for_good();
    let set = rig.server.create(&replica_set("set")).await.unwrap();
    let owners = owner("apps/v1", "ReplicaSet", "set", set.metadata.uid.as_ref().unwrap());
    rig.server.create(&pod("old", &owners)).await.unwrap();
    let version = rig.server.version();
    let (controller, pods) = controller(&rig);
    let (sender, mut said) = mpsc::unbounded_channel();
    let function = move |ctx: Ctx<ReplicaSet>| {
        let (sender, pods) = (sender.clone(), pods.clone());
        async move {
            let pods = ctx.objects(&pods);
            let names: Vec<_> = ctx.owned::<Pod>().iter().map(|pod| pod.name().to_owned()).collect();
            if names == ["old"] {
                pods.create(&child(&ctx, "new")).await?;
                pods.delete(&ctx.owned::<Pod>().into_iter().find(|pod| pod.name() == "old").unwrap()).await?;
            }
            sender.send(names.join(",")).ok();
            Ok(Next::Done)
        }
    };
    let running = rig.run(controller.reconcile(function));
    assert_eq!(next(&mut said).await, "old");
    assert!(timeout(10 * SECOND, said.recv()).await.is_err(), "nothing happens");
    rig.server.rewind(version).unwrap();
    rig.server.clear_faults();
    assert_eq!(next(&mut said).await, "old");
    assert!(rig.api::<Pod>().get_opt("new").await.unwrap().is_some(), "it was made again");
    running.stop().await.unwrap();
}
