//! Each way of reading has what the run wrote, though the watch is blocked, and has it as the informer would.

use std::pin::Pin;

use embedded_apiserver::{ServerFault, Verb};
use informer_controller::Objects;
use kube_client::core::labels::{Expression, Selector};
use kube_informer::{IndexKey, InformerBuilder, Object, SharedInformer};

use super::writes::{blocked, child, controller};
use super::*;

type Read = dyn Fn(&Ctx<ReplicaSet>, &Objects<Pod>) -> Vec<Object<Pod>> + Send + Sync;

fn told(pods: &[Object<Pod>]) -> String {
    let mut told: Vec<_> = pods
        .iter()
        .map(|pod| format!("{}={}", pod.name(), pod.labels().get("app").unwrap_or_default()))
        .collect();
    told.sort_unstable();
    told.join(" ")
}

fn key(name: &str) -> ObjectKey {
    ObjectKey::namespaced("default", name)
}

/// What a way of reading finds in one run: at first, when there is one pod; after three have been created, one of them in another
/// namespace; after one has been patched to be another's; after the old one has been replaced likewise; after one, and
/// then the old one, has been deleted.
async fn found(
    read: impl Fn(&Ctx<ReplicaSet>, &Objects<Pod>) -> Vec<Object<Pod>> + Send + Sync + 'static,
) -> Vec<String> {
    let rig = blocked();
    let set = rig.server.create(&replica_set("set")).await.unwrap();
    let mut old = pod("old", &owner("apps/v1", "ReplicaSet", "set", set.metadata.uid.as_ref().unwrap()));
    old.metadata.labels = Some([("app".to_owned(), "web".to_owned())].into());
    rig.server.create(&old).await.unwrap();
    let (controller, informer) = controller(&rig);
    informer.index_by(IndexKey::<Pod, String>::new("image", "spec.containers[*].image"));
    let (sender, mut said) = mpsc::unbounded_channel();
    let read: Arc<Read> = Arc::new(read);
    let running = rig.run(controller.reconcile(move |ctx| {
        let (sender, informer, read) = (sender.clone(), informer.clone(), read.clone());
        async move {
            sender.send(one_run(&ctx, &informer, &*read).await?).ok();
            Ok(Next::Done)
        }
    }));
    let found = timeout(PATIENCE, said.recv()).await.unwrap().unwrap();
    rig.server.clear_faults();
    running.stop().await.unwrap();
    found
}

async fn one_run(
    ctx: &Ctx<ReplicaSet>,
    informer: &SharedInformer<Pod>,
    read: &Read,
) -> Result<Vec<String>, ReconcileError> {
    let pods = ctx.objects(informer);
    let mut found = Vec::new();
    let mut look = || found.push(told(&read(ctx, &pods)));
    look();
    pods.create(&child(ctx, "one")).await?;
    let two = pods.create(&child(ctx, "two")).await?;
    let mut far = pod("far", &json!([]));
    far.metadata.namespace = Some("kube-system".to_owned());
    far.spec.as_mut().unwrap().containers[0].image = Some("far".to_owned());
    pods.create(&far).await?;
    look();
    let other = json!({
        "metadata": { "labels": { "app": "other" }, "ownerReferences": null },
        "spec": { "containers": [{ "name": "c", "image": "j" }] },
    });
    pods.patch(&key("one"), &PatchParams::default(), &Patch::Merge(other)).await?;
    look();
    let mut old = Pod::clone(&*pods.get(&key("old")).unwrap().get()?);
    old.metadata.labels = Some([("app".to_owned(), "other".to_owned())].into());
    old.metadata.owner_references = None;
    old.spec.as_mut().unwrap().containers[0].image = Some("j".to_owned());
    let old = pods.replace(&old).await?;
    look();
    pods.delete(&two).await?;
    look();
    pods.delete(&old).await?;
    look();
    assert_eq!(told(&informer.lister().list()), "old=web", "the cache has seen nothing of it");
    Ok(found)
}

#[tokio::test(start_paused = true)]
async fn get() {
    let found =
        found(|_, pods| ["old", "one", "two"].iter().filter_map(|name| pods.get(&key(name))).collect());
    let expected = [
        "old=web",
        "old=web one=web two=web",
        "old=web one=other two=web",
        "old=other one=other two=web",
        "old=other one=other",
        "one=other",
    ];
    assert_eq!(found.await, expected);
}

#[tokio::test(start_paused = true)]
async fn list() {
    let found = found(|_, pods| pods.list());
    let expected = [
        "old=web",
        "far= old=web one=web two=web",
        "far= old=web one=other two=web",
        "far= old=other one=other two=web",
        "far= old=other one=other",
        "far= one=other",
    ];
    assert_eq!(found.await, expected);
}

#[tokio::test(start_paused = true)]
async fn list_of_a_namespace() {
    let expected = [
        "old=web",
        "old=web one=web two=web",
        "old=web one=other two=web",
        "old=other one=other two=web",
        "old=other one=other",
        "one=other",
    ];
    assert_eq!(found(|_, pods| pods.in_namespace("default")).await, expected);
    let far = found(|_, pods| pods.in_namespace("kube-system"));
    assert_eq!(far.await, ["", "far=", "far=", "far=", "far=", "far="]);
}

/// What belongs to the set, by any means.
const THOSE: [&str; 6] = ["old=web", "old=web one=web two=web", "old=web two=web", "two=web", "", ""];

#[tokio::test(start_paused = true)]
async fn selector() {
    let web: Selector = Expression::Equal("app".into(), "web".into()).into();
    assert_eq!(found(move |_, pods| pods.matching(&web)).await, THOSE);
}

#[tokio::test(start_paused = true)]
async fn owner_index() {
    assert_eq!(found(|ctx, _| ctx.owned::<Pod>()).await, THOSE);
}

#[tokio::test(start_paused = true)]
async fn named_index() {
    let by_image = |image: &'static str| {
        move |_: &Ctx<ReplicaSet>, pods: &Objects<Pod>| {
            let index = pods.informer().index::<String>("image").unwrap();
            pods.by_index(&index, image).unwrap()
        }
    };
    assert_eq!(found(by_image("i")).await, THOSE);
    let others = ["", "", "one=other", "old=other one=other", "old=other one=other", "one=other"];
    assert_eq!(found(by_image("j")).await, others);
}

type Step = Pin<Box<dyn Future<Output = Result<String, ReconcileError>> + Send>>;

/// What a run says, of a controller whose pods have these options.
async fn one_run_with(
    options: impl FnOnce(InformerBuilder<Pod>) -> InformerBuilder<Pod> + Send + 'static,
    run: impl Fn(Ctx<ReplicaSet>, SharedInformer<Pod>) -> Step + Send + Sync + 'static,
) -> String {
    let server = EmbeddedApiserver::builder().streaming_lists(false).build();
    server.inject(ServerFault::stall_after(0).on(Verb::Watch).resource("pods"));
    let factory = SharedInformerFactory::builder(server.client()).kind::<Pod>(options).build().unwrap();
    let rig = Rig { server, factory };
    rig.server.create(&replica_set("set")).await.unwrap();
    let (controller, informer) = controller(&rig);
    let (sender, mut said) = mpsc::unbounded_channel();
    let running = rig.run(controller.reconcile(move |ctx| {
        let (sender, run) = (sender.clone(), run(ctx, informer.clone()));
        async move {
            sender.send(run.await?).ok();
            Ok(Next::Done)
        }
    }));
    let text = next(&mut said).await;
    rig.server.clear_faults();
    running.stop().await.unwrap();
    text
}

#[tokio::test(start_paused = true)]
async fn a_field_selector_that_cannot_be_judged_keeps_what_was_written_out_of_lists_and_it_is_said() {
    for (fields, lists, left_out) in [
        ("spec.nodeName=one", "", "pod=web"),
        ("metadata.name=pod", "pod=web", ""),
        ("metadata.name=other", "", ""),
    ] {
        let text = one_run_with(
            move |options| options.fields(fields),
            |ctx, informer| {
                Box::pin(async move {
                    let pods = ctx.objects(&informer);
                    let mut new = child(&ctx, "pod");
                    new.spec.as_mut().unwrap().node_name = Some("one".to_owned());
                    pods.create(&new).await?;
                    let web: Selector = Expression::Equal("app".into(), "web".into()).into();
                    let lists =
                        [pods.list(), pods.in_namespace("default"), pods.matching(&web), ctx.owned::<Pod>()];
                    let lists: std::collections::BTreeSet<_> = lists.iter().map(|list| told(list)).collect();
                    Ok(format!("lists {lists:?}, left out {:?}", told(&pods.left_out())))
                })
            },
        );
        assert_eq!(text.await, format!("lists {{{lists:?}}}, left out {left_out:?}"), "{fields}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_written_is_made_as_the_informer_makes_its_objects() {
    let options = |options: InformerBuilder<Pod>| {
        options.drop_field("spec.dnsPolicy").transform(|pod: &mut Pod| {
            pod.metadata.labels.get_or_insert_default().insert("app".to_owned(), "made".to_owned());
            Ok::<_, String>(())
        })
    };
    let text = one_run_with(options, |ctx, informer| {
        Box::pin(async move {
            let pods = ctx.objects(&informer);
            let mut new = child(&ctx, "pod");
            new.metadata.annotations = Some([("x".to_owned(), "y".to_owned())].into());
            let made = pods.create(&new).await?;
            let listed = pods.list().remove(0);
            let json: Value = serde_json::from_slice(&listed.raw_json())?;
            assert_eq!(made.raw_json(), listed.raw_json());
            Ok(format!(
                "{} policy {} managed {} annotated {}",
                told(&[listed]),
                json["spec"]["dnsPolicy"].is_string(),
                json["metadata"]["managedFields"].is_array(),
                json["metadata"]["annotations"]["x"] == "y",
            ))
        })
    });
    assert_eq!(text.await, "pod=made policy false managed false annotated true");
}

/// It has been written, and the informer never shows it: the next run does not wait for it to be shown.
#[tokio::test(start_paused = true)]
async fn what_the_transform_refuses_has_been_written() {
    let options = |options: InformerBuilder<Pod>| options.transform(|_| Err::<(), _>("not this one"));
    let text = one_run_with(options, |ctx, informer| {
        Box::pin(async move {
            let pods = ctx.objects(&informer);
            let made = pods.create(&child(&ctx, "pod")).await?;
            Ok(format!("{} {}", made.name(), pods.list().len()))
        })
    });
    assert_eq!(text.await, "pod 0");
}

/// What was changed so that the informer does not look at it any more is nowhere, as it will be.
#[tokio::test(start_paused = true)]
async fn what_the_informer_does_not_select_is_not_found() {
    let text = one_run_with(
        |options| options.labels("app=web"),
        |ctx, informer| {
            Box::pin(async move {
                let pods = ctx.objects(&informer);
                let made = pods.create(&child(&ctx, "pod")).await?;
                let found = |pods: &Objects<Pod>| (pods.get(made.key()).is_some(), pods.list().len());
                let before = found(&pods);
                let patch = Patch::Merge(json!({ "metadata": { "labels": { "app": "other" } } }));
                pods.patch(made.key(), &PatchParams::default(), &patch).await?;
                Ok(format!("{before:?} {:?}", found(&pods)))
            })
        },
    );
    assert_eq!(text.await, "(true, 1) (false, 0)");
}
