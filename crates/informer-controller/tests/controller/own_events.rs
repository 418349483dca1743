//! What a key's own run has written leads to no further run of it, and what anybody else has written always does.

use std::future::Future;
use std::pin::Pin;

use embedded_apiserver::{ServerFault, Verb};
use informer_controller::WriteError;
use kube_informer::Object;
use serde_json::Value;

use super::writes::{child, controller};
use super::*;

type Write = Pin<Box<dyn Future<Output = Result<(), WriteError>> + Send>>;

fn key() -> ObjectKey {
    ObjectKey::namespaced("default", "set")
}

/// Writes into the object that is reconciled, something else each time.
type How = fn(Ctx<ReplicaSet>, usize) -> Write;

fn by_patch(ctx: Ctx<ReplicaSet>, number: usize) -> Write {
    let patch = Patch::Merge(json!({ "metadata": { "annotations": { "attempt": number.to_string() } } }));
    Box::pin(async move {
        ctx.objects(ctx.informer()).patch(&key(), &PatchParams::default(), &patch).await.map(drop)
    })
}

fn by_strategic_patch(ctx: Ctx<ReplicaSet>, number: usize) -> Write {
    let patch = Patch::Strategic(json!({ "metadata": { "annotations": { "attempt": number.to_string() } } }));
    Box::pin(async move {
        ctx.objects(ctx.informer()).patch(&key(), &PatchParams::default(), &patch).await.map(drop)
    })
}

fn by_patch_of_the_status(ctx: Ctx<ReplicaSet>, number: usize) -> Write {
    let patch = Patch::Merge(json!({ "status": { "replicas": number } }));
    Box::pin(async move {
        ctx.objects(ctx.informer()).patch_status(&key(), &PatchParams::default(), &patch).await.map(drop)
    })
}

fn by_apply(ctx: Ctx<ReplicaSet>, number: usize) -> Write {
    let patch = Patch::Apply(json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": { "name": "set", "annotations": { "attempt": number.to_string() } },
    }));
    let params = PatchParams::apply("me");
    Box::pin(async move { ctx.objects(ctx.informer()).patch(&key(), &params, &patch).await.map(drop) })
}

fn by_apply_of_the_status(ctx: Ctx<ReplicaSet>, number: usize) -> Write {
    let status = json!({ "replicas": number });
    Box::pin(async move { ctx.objects(ctx.informer()).apply_status(&key(), "me", &status).await.map(drop) })
}

fn by_replace_of_the_status(ctx: Ctx<ReplicaSet>, number: usize) -> Write {
    let mut set = ReplicaSet::clone(&ctx.object().unwrap().get().unwrap());
    set.status.get_or_insert_default().replicas = i32::try_from(number).unwrap();
    Box::pin(async move { ctx.objects(ctx.informer()).replace_status(&set).await.map(drop) })
}

const ALL: [(&str, How); 6] = [
    ("patch", by_patch),
    ("strategic patch", by_strategic_patch),
    ("patch of the status", by_patch_of_the_status),
    ("apply", by_apply),
    ("apply of the status", by_apply_of_the_status),
    ("replace of the status", by_replace_of_the_status),
];

/// How often a key runs in three seconds, if each run writes and ends like that.
async fn runs_in_three_seconds(rig: &Rig, write: How, end: fn() -> Result<Next, ReconcileError>) -> usize {
    rig.server.create(&replica_set("set")).await.unwrap();
    let (controller, _) = controller(rig);
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = runs.clone();
    let running = rig.run(controller.reconcile(move |ctx| {
        let number = counted.fetch_add(1, Ordering::SeqCst) + 1;
        async move {
            write(ctx, number).await?;
            end()
        }
    }));
    pass(3 * SECOND).await;
    running.stop().await.unwrap();
    runs.load(Ordering::SeqCst)
}

/// 5 ms, 10 ms, 20 ms and so on, and a tenth at random.
#[tokio::test(start_paused = true)]
async fn a_failing_run_that_says_so_in_its_object_runs_as_often_as_its_backoff_allows() {
    for (name, write) in ALL {
        let runs = runs_in_three_seconds(&Rig::new(), write, || Err(ReconcileError::msg("on purpose"))).await;
        assert!((9..=11).contains(&runs), "{name}: {runs}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_of_the_own_object_costs_no_further_run() {
    for (name, write) in ALL {
        let runs = runs_in_three_seconds(&Rig::new(), write, || Ok(Next::Done)).await;
        assert_eq!(runs, 1, "{name}");
    }
}

/// Fields that the informer leaves out make no difference: versions are compared, and not what is in them.
#[tokio::test(start_paused = true)]
async fn so_it_is_where_the_informer_keeps_only_a_part() {
    for (name, write) in ALL {
        let mut rig = Rig::new();
        let factory = SharedInformerFactory::builder(rig.server.client())
            .kind::<ReplicaSet>(|sets| sets.drop_field("status").drop_field("metadata.annotations"));
        rig.factory = factory.build().unwrap();
        let runs = runs_in_three_seconds(&rig, write, || Err(ReconcileError::msg("on purpose"))).await;
        assert!((9..=11).contains(&runs), "{name}: {runs}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_to_run_later_runs_all_the_same() {
    let again = || Ok(Next::After(SECOND));
    let runs = runs_in_three_seconds(&Rig::new(), by_patch_of_the_status, again).await;
    assert!((3..=4).contains(&runs), "{runs}");
}

/// Who is to write, and when.
#[derive(Clone, Copy, Debug)]
enum Foreign {
    Before,
    After,
    Both,
    Never,
}

/// How often a set and a child of it that its run makes and changes are looked at, if somebody else changes what `whose` says.
async fn runs_beside(rig: Rig, foreign: Foreign, whose: &'static str) -> Vec<String> {
    rig.server.create(&replica_set("set")).await.unwrap();
    let (controller, pods) = controller(&rig);
    let (sender, mut said) = mpsc::unbounded_channel();
    let (theirs, informer) = (rig.server.quiet_client(), pods.clone());
    let is_first = Arc::new(AtomicUsize::new(0));
    let running = rig.run(controller.reconcile(move |ctx| {
        let (sender, pods, theirs, is_first) =
            (sender.clone(), pods.clone(), theirs.clone(), is_first.clone());
        async move {
            let annotated = |object: Value| object["metadata"]["annotations"]["theirs"].to_string();
            let of = |object: Option<&[u8]>| {
                object.map_or("none".to_owned(), |json| annotated(serde_json::from_slice(json).unwrap()))
            };
            let set: &Object<ReplicaSet> = ctx.object().unwrap();
            let owned = ctx.owned::<Pod>();
            let pod = owned.first().map(Object::raw_json);
            sender.send(format!("{} {}", of(Some(&set.raw_json())), of(pod.as_deref()))).ok();
            if is_first.fetch_add(1, Ordering::SeqCst) > 0 {
                return Ok(Next::Done);
            }
            ctx.objects(&pods).create(&child(&ctx, "pod")).await?;
            let change = |text: &str| {
                let patch = json!({ "metadata": { "annotations": { "theirs": text } } });
                let (sets, pods) = (Api::<ReplicaSet>::namespaced(theirs.clone(), "default"), theirs.clone());
                async move {
                    let patch = Patch::Merge(patch);
                    match whose {
                        "set" => drop(sets.patch("set", &PatchParams::default(), &patch).await.unwrap()),
                        _ => {
                            let pods = Api::<Pod>::namespaced(pods, "default");
                            drop(pods.patch("pod", &PatchParams::default(), &patch).await.unwrap());
                        }
                    }
                }
            };
            if matches!(foreign, Foreign::Before | Foreign::Both) {
                change("before").await;
            }
            let mine = Patch::Merge(json!({ "metadata": { "annotations": { "mine": "x" } } }));
            ctx.objects(ctx.informer()).patch(&key(), &PatchParams::default(), &mine).await?;
            let pod = ObjectKey::namespaced("default", "pod");
            ctx.objects(&pods).patch(&pod, &PatchParams::default(), &mine).await?;
            if matches!(foreign, Foreign::After | Foreign::Both) {
                change("after").await;
            }
            Ok(Next::Done)
        }
    }));
    let mut all = vec![next(&mut said).await];
    pass(5 * SECOND).await;
    // Everything is read again: what has not been told yet is told in one event.
    rig.server.clear_faults();
    rig.factory.apps().v1().replica_sets().informer().refresh();
    informer.refresh();
    while let Ok(Some(text)) = timeout(60 * SECOND, said.recv()).await {
        all.push(text);
    }
    running.stop().await.unwrap();
    all
}

/// By a watch that works, by one that is late, and by lists and lookups where watches bring nothing.
fn rigs() -> [Rig; 3] {
    let blocked = Rig::on(EmbeddedApiserver::builder().streaming_lists(false).build());
    blocked.server.inject(ServerFault::stall_after(0).on(Verb::Watch));
    let late = Rig::new();
    late.server.inject(ServerFault::delay(SECOND).on(Verb::Watch));
    [Rig::new(), late, blocked]
}

#[tokio::test(start_paused = true)]
async fn what_it_has_written_costs_no_run_however_it_comes_back() {
    for rig in rigs() {
        let runs = runs_beside(rig, Foreign::Never, "set").await;
        assert_eq!(runs, ["null none"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_foreign_change_beside_it_leads_to_a_run_that_sees_it() {
    for whose in ["set", "pod"] {
        for foreign in [Foreign::Before, Foreign::After, Foreign::Both] {
            for (number, rig) in rigs().into_iter().enumerate() {
                let runs = runs_beside(rig, foreign, whose).await;
                let last = runs.last().unwrap();
                let seen = if matches!(foreign, Foreign::Before) { "\"before\"" } else { "\"after\"" };
                let expected = if whose == "set" { format!("{seen} null") } else { format!("null {seen}") };
                assert_eq!(*last, expected, "{foreign:?} of the {whose} in rig {number}: {runs:?}");
            }
        }
    }
}

/// Whoever asks for the deletion of the object that is reconciled has to clean up after it.
#[tokio::test(start_paused = true)]
async fn a_run_that_deletes_its_object_leads_to_the_run_that_cleans_up() {
    let rig = Rig::new();
    rig.server.create(&config_map("a")).await.unwrap();
    let (sender, mut said) = mpsc::unbounded_channel();
    let cleaning = sender.clone();
    let controller = Controller::new("maps", rig.factory.core().v1().config_maps().informer())
        .finalizer("example.com/cleanup", move |_| {
            cleaning.send("cleans".to_owned()).ok();
            std::future::ready(Ok(Next::Done))
        })
        .reconcile(move |ctx| {
            let sender = sender.clone();
            async move {
                sender.send(format!("is {}", ctx.object().is_some())).ok();
                if let Some(object) = ctx.object() {
                    ctx.objects(ctx.informer()).delete(object).await?;
                }
                Ok(Next::Done)
            }
        });
    let running = rig.run(controller);
    assert_eq!(next(&mut said).await, "is true");
    assert_eq!(next(&mut said).await, "cleans");
    assert_eq!(next(&mut said).await, "is false");
    running.stop().await.unwrap();
}

/// One key writes what another one is about.
#[tokio::test(start_paused = true)]
async fn what_another_key_has_written_is_news() {
    let rig = Rig::new();
    rig.server.create(&config_map("a")).await.unwrap();
    rig.server.create(&config_map("b")).await.unwrap();
    let (sender, mut said) = mpsc::unbounded_channel();
    let maps = rig.factory.core().v1().config_maps().informer();
    let running = rig.run(Controller::new("maps", maps).workers(1).reconcile(move |ctx| {
        let sender = sender.clone();
        async move {
            let labels = ctx.object().unwrap().labels().get("from").unwrap_or_default().to_owned();
            sender.send(format!("{} {labels}", ctx.key().name())).ok();
            if ctx.key().name() == "a" {
                let patch = Patch::Merge(json!({ "metadata": { "labels": { "from": "a" } } }));
                let b = ObjectKey::namespaced("default", "b");
                ctx.objects(ctx.informer()).patch(&b, &PatchParams::default(), &patch).await?;
            }
            Ok(Next::Done)
        }
    }));
    let all = all(&mut said).await;
    assert!(all.contains(&"b a".to_owned()) && all.iter().filter(|text| text.starts_with("a ")).count() == 1);
    running.stop().await.unwrap();
}

/// What a run has seen of its object: what others have written last, and what the other key has.
type Seen = Arc<parking_lot::Mutex<std::collections::BTreeMap<String, [Option<String>; 2]>>>;

fn annotations(map: &ConfigMap) -> [Option<String>; 2] {
    let all = map.metadata.annotations.clone().unwrap_or_default();
    ["theirs", "of-the-other"].map(|name| all.get(name).cloned())
}

/// A run of either of two keys writes into its own object, always something new, and into that of the other, what it has seen. It may
/// fail after that.
async fn write_both(ctx: Ctx<ConfigMap>, number: usize, seen: Seen) -> Result<Next, ReconcileError> {
    let Some(map) = ctx.object() else { return Ok(Next::Done) };
    let found = annotations(&*map.get()?);
    let theirs = found[0].clone();
    seen.lock().insert(ctx.key().name().to_owned(), found);
    let (maps, params) = (ctx.objects(ctx.informer()), PatchParams::default());
    let of =
        |name: &str, value: Value| Patch::Merge(json!({ "metadata": { "annotations": { name: value } } }));
    maps.patch(ctx.key(), &params, &of("runs", number.to_string().into())).await?;
    let other = if ctx.key().name() == "a" { "b" } else { "a" };
    let other = ObjectKey::namespaced("default", other);
    maps.patch(&other, &params, &of("of-the-other", theirs.into())).await?;
    if number.is_multiple_of(5) { Err(ReconcileError::msg("on purpose")) } else { Ok(Next::Done) }
}

/// Others write into both objects, watches and requests fail at random; in the end the last run of each key has seen all there is.
async fn tell_a_story(seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let rig = Rig::on(EmbeddedApiserver::builder().streaming_lists(random.bool()).seed(seed).build());
    for name in ["a", "b"] {
        rig.server.create(&config_map(name)).await.unwrap();
    }
    let (seen, runs) = (Seen::default(), Arc::new(AtomicUsize::new(0)));
    let (seeing, counted) = (seen.clone(), runs.clone());
    let maps = rig.factory.core().v1().config_maps().informer();
    let running =
        rig.run(Controller::new(format!("story {seed}"), maps).reconcile(move |ctx| {
            write_both(ctx, counted.fetch_add(1, Ordering::SeqCst) + 1, seeing.clone())
        }));
    let theirs: Api<ConfigMap> = Api::namespaced(rig.server.quiet_client(), "default");
    for step in 0..30 {
        let times = random.u64(1..4);
        match random.u8(..8) {
            0..=2 => {
                let name = if random.bool() { "a" } else { "b" };
                let patch = json!({ "metadata": { "annotations": { "theirs": step.to_string() } } });
                theirs.patch(name, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
            }
            3 => drop(rig.server.inject(match random.u8(..4) {
                0 => ServerFault::stall_after(random.u64(..5)).on(Verb::Watch).first(times),
                1 => ServerFault::cut_after(random.u64(..5)).on(Verb::Watch).first(times),
                2 => ServerFault::delay(random.u32(1..5) * SECOND).on(Verb::Watch).first(times),
                _ => ServerFault::expired_event_after(random.u64(..5)).on(Verb::Watch).first(times),
            })),
            4 => drop(rig.server.inject(match random.u8(..3) {
                0 => ServerFault::cut_after_bytes(1).on(Verb::Patch).first(times),
                1 => ServerFault::delay(SECOND).on(Verb::Patch).first(times),
                _ => ServerFault::status(500).on(Verb::Patch).first(times),
            })),
            _ => pass(Duration::from_millis(random.u64(..2_000))).await,
        }
    }
    rig.server.clear_faults();
    pass(120 * SECOND).await;
    for name in ["a", "b"] {
        let there = annotations(&theirs.get(name).await.unwrap());
        assert_eq!(seen.lock().get(name), Some(&there), "{name} of seed {seed}");
    }
    let all = runs.load(Ordering::SeqCst);
    assert!(all < 1_000, "seed {seed}: {all} runs");
    running.stop().await.unwrap();
}

#[test]
fn whatever_happens_the_last_run_has_seen_what_others_have_written() {
    for seed in 0..60 {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        runtime.unwrap().block_on(tell_a_story(seed));
    }
}
