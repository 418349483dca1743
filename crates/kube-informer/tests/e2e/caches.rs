//! What a cache gives beside its objects: indexes, the whole of it after every change, and less of each object.

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::Pod;
use kube_informer::object::Uid;
use kube_informer::{IndexKey, Object, SharedInformer, SharedInformerFactory};
use tokio::sync::mpsc;
use tokio::task::block_in_place;
use tokio::time::timeout;

use super::cluster;
use crate::support::{PATIENCE, config, create, delete, eventually, label, pods};

const BY_STEP: IndexKey<Pod, String> = IndexKey::new("step", "metadata.labels.step");

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn indexes_follow_objects_from_value_to_value() -> Result<()> {
    let Some(cluster) = block_in_place(|| cluster("indexes_follow_objects_from_value_to_value")) else {
        return Ok(());
    };
    let pods = pods(&cluster).await?;
    let first = create(&pods, "a").await?;
    create(&pods, "other").await?;
    label(&pods, "a", "one").await?;

    let factory = SharedInformerFactory::builder(config(&cluster).await?).namespace("default").build()?;
    let informer = factory.kind::<Pod>().informer();
    let by_length = informer.add_index("length", |pod| Some(pod.name().len()));
    factory.start();
    factory.wait_for_cache_sync(PATIENCE).await?;
    // On a cache that is filled already.
    let by_step = informer.index_by(BY_STEP);
    by_step.wait_ready(PATIENCE).await?;
    assert_eq!((names(&by_step.get("one")?), names(&by_length.get(&5)?)), (vec!["a"], vec!["other"]));

    let moved = label(&pods, "a", "two").await?;
    informer.wait_for(&moved, PATIENCE).await?;
    assert_eq!((names(&by_step.get("one")?), names(&by_step.get("two")?)), (vec![], vec!["a"]));
    let joined = label(&pods, "other", "two").await?;
    informer.wait_for(&joined, PATIENCE).await?;
    assert_eq!(
        (names(&by_step.get("two")?), by_step.values()?),
        (vec!["a", "other"], vec!["two".to_owned()])
    );

    delete(&pods, "a").await?;
    gone(&informer, &first).await?;
    assert_eq!((names(&by_step.get("two")?), names(&by_length.get(&1)?)), (vec!["other"], vec![]));
    factory.shutdown().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_full_state_is_told_once_it_is_whole_and_after_changes() -> Result<()> {
    let test = "the_full_state_is_told_once_it_is_whole_and_after_changes";
    let Some(cluster) = block_in_place(|| cluster(test)) else { return Ok(()) };
    let pods = pods(&cluster).await?;
    create(&pods, "a").await?;
    create(&pods, "b").await?;

    let factory = SharedInformerFactory::builder(config(&cluster).await?).namespace("default").build()?;
    let (sender, mut states) = mpsc::unbounded_channel();
    factory.kind::<Pod>().informer().add_full_state_handler(move |pods| {
        let names: Vec<String> = names(pods).into_iter().map(str::to_owned).collect();
        sender.send(names).ok();
    })?;
    factory.start();
    let mut state = async || timeout(PATIENCE, states.recv()).await?.context("the function is gone");
    assert_eq!(state().await?, ["a", "b"], "never a part of it");
    create(&pods, "c").await?;
    while state().await? != ["a", "b", "c"] {}
    delete(&pods, "a").await?;
    while state().await? != ["b", "c"] {}
    factory.shutdown().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn named_informers_of_a_kind_have_selectors_and_transforms_of_their_own() -> Result<()> {
    let test = "named_informers_of_a_kind_have_selectors_and_transforms_of_their_own";
    let Some(cluster) = block_in_place(|| cluster(test)) else { return Ok(()) };
    let pods = pods(&cluster).await?;
    for name in ["a", "b", "refused"] {
        create(&pods, name).await?;
    }
    label(&pods, "a", "one").await?;

    let factory = SharedInformerFactory::builder(config(&cluster).await?).namespace("default").build()?;
    let all = factory.kind::<Pod>().informer();
    let first_step = factory.kind::<Pod>().named("first-step", |pods| pods.labels("step=one"))?.informer();
    let slim = factory
        .kind::<Pod>()
        .named("slim", |pods| {
            pods.transform(|pod: &mut Pod| {
                pod.spec = None;
                if pod.metadata.name.as_deref() == Some("refused") { Err("not this one") } else { Ok(()) }
            })
        })?
        .informer();
    factory.start();
    factory.wait_for_cache_sync(PATIENCE).await?;
    assert_eq!(names(&all.lister().list()), ["a", "b", "refused"]);
    assert_eq!(names(&first_step.lister().list()), ["a"]);
    assert_eq!(names(&slim.lister().list()), ["a", "b"]);
    assert_eq!(has_spec(&all, "a")?, (true, true));
    assert_eq!(has_spec(&slim, "a")?, (true, false), "it is stored without");
    let failure = slim.status().last_failure.context("what was left out is reported")?;
    assert_eq!(
        failure.to_string(),
        "pods default/refused is left out: the transform refused it: not this one"
    );

    // What no longer matches a selector is gone for the one who has that selector, and changed for the others.
    let moved = label(&pods, "a", "two").await?;
    all.wait_for(&moved, PATIENCE).await?;
    slim.wait_for(&moved, PATIENCE).await?;
    assert_eq!(slim.lister().namespace("default").get("a")?.labels().get("step"), Some("two"));
    assert_eq!(has_spec(&slim, "a")?, (true, false), "changes are transformed as well");
    eventually("it has left the selector", || async {
        ensure!(first_step.lister().is_empty(), "{:?}", first_step.lister().keys());
        Ok(())
    })
    .await?;
    assert_eq!(factory.status().len(), 3);
    factory.shutdown().await;
    Ok(())
}

/// The names of objects, sorted.
fn names(objects: &[Object<Pod>]) -> Vec<&str> {
    let mut names: Vec<_> = objects.iter().map(Object::name).collect();
    names.sort_unstable();
    names
}

/// Whether the decoded object has a uid, and a spec.
fn has_spec(informer: &SharedInformer<Pod>, name: &str) -> Result<(bool, bool)> {
    let pod = informer.lister().namespace("default").get(name)?.get()?;
    Ok((pod.metadata.uid.is_some(), pod.spec.is_some()))
}

async fn gone(informer: &SharedInformer<Pod>, pod: &Pod) -> Result<()> {
    let uid = Uid::new(pod.metadata.uid.as_deref().unwrap_or_default());
    let key = format!("default/{}", pod.metadata.name.as_deref().unwrap_or_default());
    Ok(informer.wait_gone(&key.parse()?, &uid, PATIENCE).await?)
}
