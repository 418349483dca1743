//! What leads to a run, also where much happens before anybody looks.

use kube_informer::SharedInformer;
use kube_informer::testing::ScriptedSource;

use super::*;

pub(super) fn informer<K>(source: &ScriptedSource) -> SharedInformer<K>
where
    K: kube_informer::Kind<Dynamic = ()> + DeserializeOwned + Send + Sync + 'static,
{
    let informer = SharedInformer::builder(source.clone()).build().unwrap();
    let running = informer.clone();
    tokio::spawn(async move { running.run(pending()).await });
    informer
}

pub(super) fn started<K: Send + Sync + 'static>(controller: Controller<K>) -> Running {
    let (stop, stopped) = oneshot::channel::<()>();
    Running { stop: Some(stop), task: tokio::spawn(controller.run(async move { drop(stopped.await) })) }
}

pub(super) fn metadata(name: &str, uid: &str) -> Value {
    json!({ "name": name, "namespace": "default", "uid": uid })
}

/// A controller of one set, which says what pods it has.
fn counting(sets: &ScriptedSource, pods: &ScriptedSource) -> (Controller<ReplicaSet>, Said) {
    sets.put_json(json!({ "metadata": metadata("web", "u"), "spec": {} })).unwrap();
    let (sender, said) = mpsc::unbounded_channel();
    let controller = Controller::new("sets", informer::<ReplicaSet>(sets))
        .owns(informer::<Pod>(pods))
        .reconcile(move |ctx| {
            let pods: Vec<_> = ctx.owned::<Pod>().iter().map(|pod| pod.name().to_owned()).collect();
            sender.send(format!("{} has {}", ctx.key().name(), pods.join(","))).ok();
            std::future::ready(Ok(Next::Done))
        });
    (controller, said)
}

#[tokio::test(start_paused = true)]
async fn a_child_that_came_and_went_before_anybody_looked_leads_to_a_run() {
    let (sets, pods) = (ScriptedSource::of::<ReplicaSet>(), ScriptedSource::of::<Pod>());
    let (controller, mut said) = counting(&sets, &pods);
    let running = started(controller);
    assert_eq!(next(&mut said).await, "web has ");
    // Both come with one commit. In general a run may have seen the pod in between, and counts on hearing that it is gone.
    let mut meta = metadata("p", "v");
    meta["ownerReferences"] = owner("apps/v1", "ReplicaSet", "web", "u");
    pods.put_json(json!({ "metadata": meta })).unwrap();
    pods.delete("default/p").unwrap();
    assert_eq!(next(&mut said).await, "web has ");
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn who_owned_it_for_a_moment_hears_of_it_as_well() {
    let (sets, pods) = (ScriptedSource::of::<ReplicaSet>(), ScriptedSource::of::<Pod>());
    let (controller, mut said) = counting(&sets, &pods);
    for name in ["a", "b"] {
        sets.put_json(json!({ "metadata": metadata(name, name), "spec": {} })).unwrap();
    }
    let running = started(controller);
    assert_eq!(all(&mut said).await, ["a has ", "b has ", "web has "]);
    // All of it comes with one commit.
    for name in ["web", "a", "b"] {
        let set = sets.objects().into_iter().find(|set| set["metadata"]["name"] == name).unwrap();
        let mut meta = metadata("p", "v");
        meta["ownerReferences"] =
            owner("apps/v1", "ReplicaSet", name, set["metadata"]["uid"].as_str().unwrap());
        pods.put_json(json!({ "metadata": meta })).unwrap();
    }
    assert_eq!(all(&mut said).await, ["a has ", "b has p", "web has "]);
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_says_which_objects_may_panic() {
    let (maps, pods) = (ScriptedSource::of::<ConfigMap>(), ScriptedSource::of::<Pod>());
    maps.put_json(json!({ "metadata": metadata("a", "u") })).unwrap();
    let (function, mut said) = telling();
    let controller = Controller::new("maps", informer::<ConfigMap>(&maps))
        .only_if(|_, _| panic!("on purpose"))
        .watches(informer::<Pod>(&pods), |pod, keys| {
            keys.push(ObjectKey::namespaced("default", pod.name().to_owned()));
            assert!(pod.labels().get("bad").is_none(), "on purpose");
        })
        .reconcile(function);
    let running = started(controller);
    assert_eq!(next(&mut said).await, "a is");
    maps.put_json(json!({ "metadata": metadata("a", "u"), "data": { "x": "y" } })).unwrap();
    assert_eq!(next(&mut said).await, "a is", "it may have been what matters");
    let mut bad = metadata("a", "v");
    bad["labels"] = json!({ "bad": "yes" });
    pods.put_json(json!({ "metadata": bad })).unwrap();
    assert_eq!(next(&mut said).await, "a is", "what was found before counts");
    running.stop().await.unwrap();
}
