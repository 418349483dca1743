//! Finalizers, and a status that is sent only if it changes.

use embedded_apiserver::{ServerFault, Verb};
use serde_json::Value;

use super::*;

const NAME: &str = "example.com/cleanup";

/// A controller that says what it sees, holds its objects, and lets them go at the second attempt.
fn holding(rig: &Rig) -> (Controller<ConfigMap>, Said) {
    let (sender, said) = mpsc::unbounded_channel();
    let (cleaning, attempts) = (sender.clone(), AtomicUsize::new(0));
    let controller = Controller::new("maps", rig.factory.core().v1().config_maps().informer())
        .client(rig.server.client())
        .only_if(|_, _| false)
        .finalizer(NAME, move |ctx| {
            cleaning.send(format!("clean {}", ctx.key().name())).ok();
            let is_done = attempts.fetch_add(1, Ordering::SeqCst) > 0;
            std::future::ready(Ok(if is_done { Next::Done } else { Next::After(SECOND) }))
        })
        .reconcile(move |ctx| {
            let state = match ctx.object() {
                Some(object) => object.finalizers().collect::<Vec<_>>().join(","),
                None => "gone".to_owned(),
            };
            sender.send(format!("{} {state}", ctx.key().name())).ok();
            std::future::ready(Ok(Next::Done))
        });
    (controller, said)
}

#[tokio::test(start_paused = true)]
async fn an_object_is_held_before_it_is_reconciled_and_let_go_when_it_is_clean() {
    let rig = Rig::new();
    let mut map = config_map("a");
    map.metadata.finalizers = Some(vec!["example.com/other".to_owned()]);
    rig.server.create(&map).await.unwrap();
    let (controller, mut said) = holding(&rig);
    let running = rig.run(controller);
    assert_eq!(all(&mut said).await, ["a example.com/other,example.com/cleanup"]);
    rig.api::<ConfigMap>().delete("a", &DeleteParams::default()).await.unwrap();
    assert_eq!(next(&mut said).await, "clean a");
    assert_eq!(next(&mut said).await, "clean a");
    assert_eq!(all(&mut said).await, Vec::<String>::new(), "others hold it still");
    let left = rig.api::<ConfigMap>().get("a").await.unwrap();
    assert_eq!(left.metadata.finalizers, Some(vec!["example.com/other".to_owned()]));
    let nobody = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
    rig.api::<ConfigMap>().patch("a", &PatchParams::default(), &nobody).await.unwrap();
    assert_eq!(next(&mut said).await, "a gone");
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_others_change_meanwhile_is_kept_and_the_object_is_let_go_all_the_same() {
    let rig = Rig::new();
    rig.server.create(&config_map("a")).await.unwrap();
    let (sender, mut said) = mpsc::unbounded_channel();
    let (cleaning, maps) = (sender.clone(), rig.api::<ConfigMap>());
    let controller = Controller::new("maps", rig.factory.core().v1().config_maps().informer())
        .client(rig.server.client())
        .finalizer(NAME, move |ctx| {
            let (cleaning, maps) = (cleaning.clone(), maps.clone());
            async move {
                if ctx.failures() == 0 {
                    // Nobody can add a finalizer now, but everything else can change.
                    let patch = Patch::Merge(json!({ "data": { "x": "y" } }));
                    maps.patch("a", &PatchParams::default(), &patch).await?;
                }
                cleaning.send(format!("clean {}", ctx.failures())).ok();
                Ok(Next::Done)
            }
        })
        .reconcile(move |ctx| {
            sender.send(format!("is {}", ctx.object().is_some())).ok();
            std::future::ready(Ok(Next::Done))
        });
    let running = rig.run(controller);
    assert!(all(&mut said).await.iter().all(|text| text == "is true"));
    rig.api::<ConfigMap>().delete("a", &DeleteParams::default()).await.unwrap();
    let mut told = vec![next(&mut said).await, next(&mut said).await, next(&mut said).await];
    told.dedup();
    assert_eq!(told, ["clean 0", "clean 1", "is false"]);
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn it_is_not_cleaned_up_again_though_the_cache_has_not_seen_that_it_is_gone() {
    let rig = Rig::on(EmbeddedApiserver::builder().streaming_lists(false).build());
    rig.server.create(&config_map("a")).await.unwrap();
    // The finalizer and the wish to delete it are seen, and nothing after that.
    rig.server.inject(ServerFault::stall_after(2).on(Verb::Watch).resource("configmaps"));
    let (controller, mut said) = holding(&rig);
    let pods = rig.factory.core().v1().pods().informer();
    let controller = controller.watches(pods, |_, keys| keys.push(ObjectKey::namespaced("default", "a")));
    let running = rig.run(controller);
    assert_eq!(next(&mut said).await, "a example.com/cleanup");
    rig.api::<ConfigMap>().delete("a", &DeleteParams::default()).await.unwrap();
    assert_eq!(next(&mut said).await, "clean a");
    assert_eq!(next(&mut said).await, "clean a");
    rig.server.create(&pod("trigger", &json!([]))).await.unwrap();
    assert_eq!(next(&mut said).await, "a gone");
    running.stop().await.unwrap();
}

/// Applies a status whenever something happens, and says whether it was sent.
fn applying(rig: &Rig, status: Value) -> (Controller<ReplicaSet>, mpsc::UnboundedReceiver<bool>) {
    let (sender, said) = mpsc::unbounded_channel();
    let controller = Controller::new("sets", rig.factory.apps().v1().replica_sets().informer())
        .client(rig.server.client())
        .reconcile(move |ctx| {
            let (sender, status) = (sender.clone(), status.clone());
            async move {
                let sent = ctx.objects(ctx.informer()).apply_status(ctx.key(), "me", &status).await?;
                sender.send(sent).ok();
                Ok(Next::Done)
            }
        });
    (controller, said)
}

async fn sent(said: &mut mpsc::UnboundedReceiver<bool>) -> Vec<bool> {
    let mut sent = Vec::new();
    while let Ok(Some(one)) = timeout(SECOND, said.recv()).await {
        sent.push(one);
    }
    sent
}

#[tokio::test(start_paused = true)]
async fn a_status_is_not_sent_if_nothing_would_change() {
    let rig = Rig::on(EmbeddedApiserver::builder().managed_fields(true).build());
    rig.server.create(&replica_set("set")).await.unwrap();
    let (controller, mut said) = applying(&rig, json!({ "replicas": 3, "readyReplicas": 1 }));
    let running = rig.run(controller);
    assert_eq!(sent(&mut said).await, [true], "once, and its own change is no reason to look again");
    let sets = rig.api::<ReplicaSet>();
    let patch = Patch::Merge(json!({ "metadata": { "labels": { "x": "y" } } }));
    sets.patch("set", &PatchParams::default(), &patch).await.unwrap();
    assert_eq!(sent(&mut said).await, [false]);
    let patch = Patch::Merge(json!({ "status": { "readyReplicas": 2 } }));
    sets.patch_status("set", &PatchParams::default(), &patch).await.unwrap();
    assert_eq!(sent(&mut said).await, [true]);
    assert_eq!(sets.get("set").await.unwrap().status.unwrap().ready_replicas, Some(1));
    let is_patch = |request: &embedded_apiserver::RecordedRequest| {
        request.subresource == "status" && request.parameter("fieldManager").as_deref() == Some("me")
    };
    assert_eq!(rig.server.journal().count(is_patch), 2);
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn one_condition_of_several_is_not_sent_again_because_of_the_others() {
    let mut rig = Rig::on(EmbeddedApiserver::builder().managed_fields(true).build());
    rig.factory = SharedInformerFactory::builder(rig.server.client()).keep_managed_fields().build().unwrap();
    rig.server.create(&replica_set("set")).await.unwrap();
    let mine = json!({ "type": "Mine", "status": "True" });
    let (controller, mut said) = applying(&rig, json!({ "conditions": [mine] }));
    let running = rig.run(controller);
    assert_eq!(sent(&mut said).await, [true]);
    let theirs = |status: &str| {
        Patch::Apply(json!({
            "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": { "name": "set" },
            "status": { "conditions": [{ "type": "Theirs", "status": status }] },
        }))
    };
    let sets = rig.api::<ReplicaSet>();
    let they = PatchParams::apply("they").force();
    sets.patch_status("set", &they, &theirs("True")).await.unwrap();
    assert_eq!(sent(&mut said).await, [false]);
    let all = sets.get("set").await.unwrap().status.unwrap().conditions.unwrap();
    assert_eq!(all.len(), 2);
    let taken = Patch::Apply(json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": { "name": "set" },
        "status": { "conditions": [{ "type": "Mine", "status": "False" }] },
    }));
    sets.patch_status("set", &they, &taken).await.unwrap();
    assert_eq!(sent(&mut said).await, [true]);
    running.stop().await.unwrap();
}
