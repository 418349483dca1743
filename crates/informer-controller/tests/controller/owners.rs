//! Which objects belong to an owner, and which owner is reconciled for them.

use k8s_openapi::api::core::v1::Namespace;
use kube_client::core::{ApiResource, DynamicObject};
use kube_informer::testing::ScriptedSource;

use super::triggers::{informer, metadata, started};
use super::*;

fn child(name: &str, namespace: &str, owners: Value) -> Value {
    let mut meta = metadata(name, name);
    meta["namespace"] = namespace.into();
    meta["ownerReferences"] = owners;
    json!({ "metadata": meta })
}

/// What the source says, whatever it was told.
fn uid_of(source: &ScriptedSource, name: &str) -> String {
    let named = source.objects().into_iter().find(|object| object["metadata"]["name"] == name).unwrap();
    named["metadata"]["uid"].as_str().unwrap().to_owned()
}

/// Says the key and what it owns.
fn telling<K: Send + Sync + 'static, C: Send + Sync + 'static>(
    controller: Controller<K>,
) -> (Controller<K>, Said) {
    let (sender, said) = mpsc::unbounded_channel();
    let controller = controller.reconcile(move |ctx| {
        let mut owned: Vec<_> = ctx.owned::<C>().iter().map(|it| it.key().to_string()).collect();
        owned.sort();
        sender.send(format!("{} has {}", ctx.key(), owned.join(","))).ok();
        std::future::ready(Ok(Next::Done))
    });
    (controller, said)
}

#[tokio::test(start_paused = true)]
async fn what_several_informers_have_is_owned_once_and_in_its_latest_state() {
    let rig = Rig::new();
    let set = rig.server.create(&replica_set("set")).await.unwrap();
    let owners = owner("apps/v1", "ReplicaSet", "set", set.metadata.uid.as_ref().unwrap());
    for name in ["a", "b"] {
        let mut pod = pod(name, &owners);
        pod.metadata.labels = Some([("app".to_owned(), name.to_owned())].into());
        rig.server.create(&pod).await.unwrap();
    }
    let pods = rig.factory.core().v1().pods();
    let some = pods.named("some", |pods| pods.labels("app=a")).unwrap().informer();
    let controller = Controller::new("sets", rig.factory.apps().v1().replica_sets().informer())
        .owns(pods.informer())
        .owns(some)
        .owns(pods.informer());
    let (controller, mut said) = telling::<_, Pod>(controller);
    let running = rig.run(controller);
    assert_eq!(all(&mut said).await.last().unwrap(), "default/set has default/a,default/b");
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_child_in_another_namespace_leads_to_its_owner_and_to_no_key_that_is_made_up() {
    let (sets, pods) = (ScriptedSource::of::<ReplicaSet>(), ScriptedSource::of::<Pod>());
    sets.put_json(json!({ "metadata": metadata("web", "u"), "spec": {} })).unwrap();
    let controller = Controller::new("sets", informer::<ReplicaSet>(&sets)).owns(informer::<Pod>(&pods));
    let (controller, mut said) = telling::<_, Pod>(controller);
    let running = started(controller);
    assert_eq!(all(&mut said).await, ["default/web has "]);
    pods.put_json(child("p", "far", owner("apps/v1", "ReplicaSet", "web", &uid_of(&sets, "web")))).unwrap();
    assert_eq!(all(&mut said).await, ["default/web has far/p"]);
    // There is nothing to reconcile.
    for (name, namespace) in [("q", "default"), ("r", "far")] {
        let owners = owner("apps/v1", "ReplicaSet", "nobody", "of-before");
        pods.put_json(child(name, namespace, owners)).unwrap();
    }
    pods.put_json(child("s", "far", owner("apps/v1", "ReplicaSet", "web", "of-before"))).unwrap();
    assert_eq!(all(&mut said).await, Vec::<String>::new());
    pods.delete("far/p").unwrap();
    assert_eq!(all(&mut said).await, ["default/web has "]);
    running.stop().await.unwrap();
}

/// An owner that is seen after its child finds it when it comes.
#[tokio::test(start_paused = true)]
async fn a_child_that_is_known_before_its_owner_is_not_lost() {
    let (sets, pods) = (ScriptedSource::of::<ReplicaSet>(), ScriptedSource::of::<Pod>());
    let controller = Controller::new("sets", informer::<ReplicaSet>(&sets)).owns(informer::<Pod>(&pods));
    let (controller, mut said) = telling::<_, Pod>(controller);
    let running = started(controller);
    sets.stall_watches();
    sets.put_json(json!({ "metadata": metadata("web", "u"), "spec": {} })).unwrap();
    let owners = owner("apps/v1", "ReplicaSet", "web", &uid_of(&sets, "web"));
    pods.put_json(child("p", "default", owners)).unwrap();
    assert_eq!(all(&mut said).await, Vec::<String>::new());
    sets.unstall_watches();
    assert_eq!(all(&mut said).await, ["default/web has default/p"]);
    running.stop().await.unwrap();
}

/// Nobody has said whether they are in namespaces.
#[tokio::test(start_paused = true)]
async fn an_owner_of_the_whole_cluster_whose_kind_is_known_at_run_time_is_reconciled_for_its_children() {
    let rig = Rig::new();
    let shop = json!({ "metadata": { "name": "shop" } });
    let shop = rig.server.create::<Namespace>(&object(shop)).await.unwrap();
    let uid = shop.metadata.uid.unwrap();
    let owners = rig.factory.kind_of(ApiResource::erase::<Namespace>(&())).informer();
    assert_eq!(owners.kind().is_namespaced(), None);
    let controller =
        Controller::new("namespaces", owners).owns(rig.factory.core().v1().config_maps().informer());
    let (controller, mut said) = telling::<DynamicObject, ConfigMap>(controller);
    let running = rig.run(controller);
    assert!(all(&mut said).await.contains(&"shop has ".to_owned()));
    let mut map = config_map("a");
    map.metadata.owner_references = Some(object(owner("v1", "Namespace", "shop", &uid)));
    rig.server.create(&map).await.unwrap();
    assert_eq!(all(&mut said).await, ["shop has default/a"]);
    rig.api::<ConfigMap>().delete("a", &DeleteParams::default()).await.unwrap();
    assert_eq!(all(&mut said).await, ["shop has "]);
    running.stop().await.unwrap();
}
