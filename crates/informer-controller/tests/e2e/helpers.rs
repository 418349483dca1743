//! Finalizers and status, with the answers of the real server.

use std::time::Duration;

use informer_controller::{Controller, Ctx, Next};
use k8s_openapi::api::apps::v1::ReplicaSet;
use kube_client::Api;
use kube_client::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube_informer::SharedInformerFactory;
use serde_json::json;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(60);
const NAME: &str = "example.com/cleanup";

#[tokio::test(flavor = "multi_thread")]
async fn an_object_is_held_its_status_applied_once_and_it_is_cleaned_up_once() {
    let test = "helpers::an_object_is_held_its_status_applied_once_and_it_is_cleaned_up_once";
    let Some((cluster, client)) = super::cluster(test).await else { return };
    let factory = SharedInformerFactory::builder(client.clone()).keep_managed_fields().build().unwrap();
    let (sender, mut said) = mpsc::unbounded_channel();
    let cleaning = sender.clone();
    let controller = Controller::new("sets", factory.apps().v1().replica_sets().informer())
        .client(factory.client().unwrap())
        .finalizer(NAME, move |_| {
            cleaning.send("clean".to_owned()).ok();
            std::future::ready(Ok(Next::Done))
        })
        .reconcile(move |ctx: Ctx<ReplicaSet>| {
            let sender = sender.clone();
            async move {
                let Some(object) = ctx.object() else {
                    sender.send("gone".to_owned()).ok();
                    return Ok(Next::Done);
                };
                let finalizers: Vec<_> = object.finalizers().map(str::to_owned).collect();
                let status = json!({ "replicas": 0, "conditions": [{ "type": "Mine", "status": "True" }] });
                let sent = ctx.objects(ctx.informer()).apply_status(ctx.key(), "me", &status).await?;
                sender.send(format!("{} sent: {sent}", finalizers.join(","))).ok();
                Ok(Next::Done)
            }
        });
    factory.start();
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(controller.run(async move { drop(stopped.await) }));

    let sets: Api<ReplicaSet> = Api::namespaced(client, "default");
    let set: ReplicaSet = serde_json::from_value(json!({
        "metadata": { "name": "set" },
        "spec": {
            "replicas": 0, "selector": { "matchLabels": { "app": "x" } },
            "template": {
                "metadata": { "labels": { "app": "x" } }, "spec": { "containers": [{ "name": "c", "image": "i" }] },
            },
        },
    }))
    .unwrap();
    sets.create(&PostParams::default(), &set).await.unwrap();
    let mut next = async || timeout(PATIENCE, said.recv()).await.unwrap().unwrap();
    // Its own writes come back, and lead to nothing. What others write does.
    let mut told = vec![next().await];
    let label = Patch::Merge(json!({ "metadata": { "labels": { "x": "y" } } }));
    sets.patch("set", &PatchParams::default(), &label).await.unwrap();
    told.push(next().await);
    let theirs = Patch::Apply(json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": { "name": "set" },
        "status": { "conditions": [{ "type": "Theirs", "status": "True" }] },
    }));
    sets.patch_status("set", &PatchParams::apply("they").force(), &theirs).await.unwrap();
    told.push(next().await);
    sets.delete("set", &DeleteParams::default()).await.unwrap();
    while told.last().is_none_or(|last| last != "gone") {
        told.push(next().await);
    }
    // The same event may lead to two runs: how often it is told of is not what this is about.
    assert_eq!(told.iter().filter(|text| *text == "clean").count(), 1);
    told.dedup();
    assert_eq!(told, ["example.com/cleanup sent: true", "example.com/cleanup sent: false", "clean", "gone"]);
    assert!(sets.get_opt("set").await.unwrap().is_none());
    drop(stop);
    running.await.unwrap().unwrap();
    factory.shutdown().await;
    super::end(cluster).await;
}
