//! Two informers of pods in one controller, on the real server and without any fault.

use std::time::Duration;

use informer_controller::{Controller, Ctx, Next, ReconcileError};
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Pod;
use kube_client::api::{ListParams, Patch, PatchParams, PostParams};
use kube_client::core::PartialObjectMeta;
use kube_client::{Api, Client, ResourceExt as _};
use kube_informer::{SharedInformer, SharedInformerFactory};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

const SETS: usize = 40;
const REPLICAS: usize = 3;
const PATIENCE: Duration = Duration::from_secs(60);

fn template(set: &str) -> Value {
    let spec =
        json!({ "containers": [{ "name": "c", "image": "i" }], "automountServiceAccountToken": false });
    json!({ "metadata": { "labels": { "app": "web", "set": set } }, "spec": spec })
}

type Owned = fn(&Ctx<ReplicaSet>) -> usize;

async fn keep_number(
    ctx: Ctx<ReplicaSet>,
    owned: Owned,
    pods: SharedInformer<Pod>,
) -> Result<Next, ReconcileError> {
    let Some(set) = ctx.object() else { return Ok(Next::Done) };
    for _ in owned(&ctx)..REPLICAS {
        let mut pod = template(set.name());
        pod["metadata"]["generateName"] = format!("{}-", set.name()).into();
        let (name, uid) = (set.name(), set.uid().to_string());
        pod["metadata"]["ownerReferences"] = json!([
            { "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": name, "uid": uid, "controller": true }
        ]);
        ctx.objects(&pods).create(&pod).await?;
    }
    // Each of these is an event of the set, and so one more run.
    let ready = json!({ "metadata": { "annotations": { "seen": owned(&ctx).to_string() } } });
    if set.annotations()?.get("seen").is_none_or(|seen| *seen != owned(&ctx).to_string()) {
        let patch = Patch::Merge(ready);
        ctx.objects(ctx.informer()).patch(ctx.key(), &PatchParams::default(), &patch).await?;
    }
    Ok(Next::Done)
}

/// How many pods there are once all sets have theirs, and nothing more happens.
async fn pods_of(client: &Client, round: usize) -> usize {
    let factory = SharedInformerFactory::builder(client.clone()).build().unwrap();
    let pods = factory.core().v1().pods();
    let sets = Controller::new("sets", factory.apps().v1().replica_sets().informer());
    let (sets, owned, written): (_, Owned, _) = match round % 2 {
        0 => {
            let web = pods.named("web", |pods| pods.labels("app=web")).unwrap().informer();
            (sets.owns(web), |ctx| ctx.owned::<Pod>().len(), pods.informer())
        }
        _ => {
            let whole = pods.named("whole", |pods| pods).unwrap().informer();
            let owned: Owned = |ctx| ctx.owned::<PartialObjectMeta<Pod>>().len();
            (sets.owns(pods.metadata().informer()), owned, whole)
        }
    };
    let controller = sets.reads(written.clone());
    let controller = controller.reconcile(move |ctx| keep_number(ctx, owned, written.clone()));
    factory.start();
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(controller.run(async move { drop(stopped.await) }));

    let sets: Api<ReplicaSet> = Api::namespaced(client.clone(), "default");
    for number in 0..SETS {
        let name = format!("set-{round}-{number}");
        let set = json!({
            "metadata": { "name": name },
            "spec": {
                "replicas": REPLICAS, "selector": { "matchLabels": { "set": name } }, "template": template(&name),
            },
        });
        sets.create(&PostParams::default(), &serde_json::from_value(set).unwrap()).await.unwrap();
    }
    let server: Api<Pod> = Api::namespaced(client.clone(), "default");
    let begin = Instant::now();
    let (mut before, mut quiet) = (0, 0);
    while quiet < 4 || before < SETS * REPLICAS {
        assert!(begin.elapsed() < PATIENCE, "{before} pods");
        sleep(Duration::from_millis(500)).await;
        let pods = server.list(&ListParams::default()).await.unwrap().items;
        let is_of_round = |pod: &&Pod| pod.labels()["set"].starts_with(&format!("set-{round}-"));
        let now = pods.iter().filter(is_of_round).count();
        quiet = if now == before { quiet + 1 } else { 0 };
        before = now;
    }
    drop(stop);
    running.await.unwrap().unwrap();
    factory.shutdown().await;
    before
}

#[tokio::test(flavor = "multi_thread")]
async fn two_informers_of_one_resource_make_no_pod_too_many() {
    let test = "siblings::two_informers_of_one_resource_make_no_pod_too_many";
    let Some((cluster, client)) = super::cluster(test).await else { return };
    for round in 0..4 {
        assert_eq!(pods_of(&client, round).await, SETS * REPLICAS, "round {round}");
    }
    super::end(cluster).await;
}
