//! Own writes, with the answers of the real server, and the tracker without a controller.

use std::time::Duration;

use informer_controller::{Objects, Tracker};
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Pod;
use kube_client::Api;
use kube_client::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube_informer::{ObjectKey, SharedInformerFactory};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);

fn pod(name: &str) -> Value {
    let mut pod = json!({
        "metadata": { "name": name, "namespace": "default", "labels": { "app": "web" } },
        "spec": { "containers": [{ "name": "c", "image": "i" }], "automountServiceAccountToken": false },
    });
    match name {
        "held" => pod["metadata"]["finalizers"] = json!(["example.com/held"]),
        "slow" => pod["spec"]["nodeName"] = "node".into(),
        "kept" => pod["metadata"]["labels"]["app"] = "other".into(),
        _ => {}
    }
    pod
}

fn key(name: &str) -> ObjectKey {
    ObjectKey::namespaced("default", name)
}

fn told(pods: &Objects<Pod>) -> String {
    let mut told: Vec<_> = pods
        .list()
        .iter()
        .map(|pod| match pod.deletion_timestamp() {
            Some(_) => format!("{} goes", pod.name()),
            None => pod.name().to_owned(),
        })
        .collect();
    told.sort_unstable();
    told.join(", ")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_server_answers_is_understood_whatever_it_is() {
    let test = "writes::what_the_server_answers_is_understood_whatever_it_is";
    let Some((cluster, client)) = super::cluster(test).await else { return };
    let factory = SharedInformerFactory::builder(client.clone()).build().unwrap();
    let pods = factory.core().v1().pods().informer();
    let sets = factory.apps().v1().replica_sets().informer();
    factory.start();
    pods.wait_synced(PATIENCE).await.unwrap();
    sets.wait_synced(PATIENCE).await.unwrap();
    let (tracker, owner) = (Tracker::new(), key("owner"));
    let run = tracker.run(&owner);
    let objects = run.objects(&pods);

    for name in ["a", "b", "held", "kept", "slow"] {
        objects.create(&pod(name)).await.unwrap();
    }
    assert_eq!(told(&objects), "a, b, held, kept, slow");
    let get = |name: &str| objects.get(&key(name)).unwrap();

    // Of one that no node has, nothing is left; another one goes.
    let a = get("a");
    objects.evict(&a).await.unwrap();
    objects.evict(&a).await.unwrap();
    objects.evict(&get("slow")).await.unwrap();
    assert_eq!(told(&objects), "b, held, kept, slow goes");

    // Another one of that name is left alone.
    let (old, api) = (get("b"), Api::<Pod>::namespaced(client.clone(), "default"));
    api.delete("b", &DeleteParams::default().grace_period(0)).await.unwrap();
    let new: Pod = serde_json::from_value(pod("b")).unwrap();
    let new = api.create(&PostParams::default(), &new).await.unwrap();
    objects.delete(&old).await.unwrap();
    objects.evict(&old).await.unwrap();
    objects.wrote(&new).unwrap();
    assert_eq!(api.get("b").await.unwrap().metadata.uid, new.metadata.uid);
    assert_eq!(told(&objects), "b, held, kept, slow goes");

    // Neither is answered with the object.
    let binding = json!({ "metadata": { "name": "kept" }, "target": { "kind": "Node", "name": "node" } });
    let bound = objects.create_subresource(&key("kept"), "binding", &binding).await.unwrap();
    let node = get("kept").get().unwrap().spec.clone().unwrap().node_name;
    assert_eq!((&bound["kind"], node.as_deref()), (&json!("Status"), Some("node")));
    let template = json!({ "metadata": { "labels": { "app": "x" } }, "spec": pod("x")["spec"] });
    let set = json!({
        "metadata": { "name": "set" },
        "spec": { "replicas": 0, "selector": { "matchLabels": { "app": "x" } }, "template": template },
    });
    let sets: Objects<ReplicaSet> = run.objects(&sets);
    sets.create(&set).await.unwrap();
    let patch = Patch::Merge(json!({ "spec": { "replicas": 3 } }));
    let scale = sets.patch_subresource(&key("set"), "scale", &PatchParams::default(), &patch).await.unwrap();
    let replicas = sets.get(&key("set")).unwrap().get().unwrap().spec.replicas;
    assert_eq!((&scale["kind"], replicas), (&json!("Scale"), Some(3)));

    let web = ListParams::default().labels("app=web");
    objects.delete_collection(Some("default"), &DeleteParams::default(), &web).await.unwrap();
    assert_eq!(told(&objects), "held goes, kept, slow goes");

    assert!(tracker.settled(&owner, PATIENCE).await);
    assert!(tracker.is_empty());
    assert_eq!(told(&tracker.run(&owner).objects(&pods)), "held goes, kept, slow goes");
    factory.shutdown().await;
    super::end(cluster).await;
}
