//! Which pods go first when there are too many.

use std::collections::BTreeSet;

use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kube_client::api::{Api, ListParams, Patch, PatchParams, PostParams};
use serde_json::{Value, json};
use test_cluster::{Cluster, Options};

use super::{Manager, client, start};
use crate::support::eventually;

/// A pod on a node, with a phase, ready for some hours, so many restarts and a cost.
type Case = (&'static str, &'static str, &'static str, Option<i64>, i32, Option<&'static str>);

/// In the order in which they go.
const CASES: [Case; 10] = [
    ("on-no-node", "", "Running", Some(1), 0, None),
    ("pending", "a", "Pending", None, 0, None),
    ("unknown", "a", "Unknown", None, 0, None),
    ("not-ready", "a", "Running", None, 0, None),
    ("cheap", "b", "Running", Some(7000), 0, Some("-5")),
    ("one-of-two", "c", "Running", Some(700), 0, None),
    ("young", "d", "Running", Some(1), 0, None),
    ("the-other", "c", "Running", Some(1500), 0, None),
    ("restarted", "e", "Running", Some(7000), 5, None),
    ("expensive", "f", "Running", Some(1), 0, Some("10")),
];

fn pod((name, node, _, _, _, cost): Case) -> Pod {
    let annotations = cost.map(|cost| json!({ "controller.kubernetes.io/pod-deletion-cost": cost }));
    let mut pod = json!({
        "metadata": { "name": name, "labels": { "app": "ranked" }, "annotations": annotations },
        "spec": { "containers": [{ "name": "c", "image": "i" }] },
    });
    if !node.is_empty() {
        pod["spec"]["nodeName"] = node.into();
    }
    serde_json::from_value(pod).unwrap()
}

fn status((_, _, phase, ready, restarts, _): Case) -> Value {
    let since = |hours| Timestamp::now() - SignedDuration::from_hours(hours);
    let ready = ready.map(|hours| {
        json!({ "type": "Ready", "status": "True", "lastTransitionTime": since(hours).strftime("%Y-%m-%dT%H:%M:%SZ").to_string() })
    });
    let container =
        json!({ "name": "c", "image": "i", "imageID": "i", "ready": true, "restartCount": restarts });
    json!({ "status": { "phase": phase, "conditions": Vec::from_iter(ready), "containerStatuses": [container] } })
}

#[tokio::test(flavor = "multi_thread")]
async fn both_delete_in_the_same_order() {
    if let Err(why) = test_cluster::available() {
        test_cluster::print_skip("beside::ranking::both_delete_in_the_same_order", &why);
        return;
    }
    for manager in [Manager::Ours, Manager::Theirs] {
        assert_eq!(order(manager).await, CASES.map(|case| case.0), "{manager:?}");
    }
}

async fn order(manager: Manager) -> Vec<String> {
    let cluster = tokio::task::spawn_blocking(|| Cluster::start(Options::default())).await.unwrap().unwrap();
    let client = client(&cluster).await;
    let pods: Api<Pod> = Api::namespaced(client.clone(), "default");
    for case in CASES {
        pods.create(&PostParams::default(), &pod(case)).await.unwrap();
        pods.patch_status(case.0, &PatchParams::default(), &Patch::Strategic(status(case))).await.unwrap();
    }
    let template = json!({
        "metadata": { "labels": { "app": "ranked" } }, "spec": { "containers": [{ "name": "c", "image": "i" }] },
    });
    // Only in the hands of a Deployment it counts how many are on the same node.
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "name": "ranked", "uid": "1", "controller": true,
    });
    let set = json!({
        "metadata": { "name": "ranked", "ownerReferences": [deployment] },
        "spec": { "replicas": CASES.len(), "selector": { "matchLabels": { "app": "ranked" } }, "template": template },
    });
    let sets: Api<ReplicaSet> = Api::namespaced(client, "default");
    sets.create(&PostParams::default(), &serde_json::from_value(set).unwrap()).await.unwrap();
    let (cluster, running) = start(manager, cluster).await;
    let mut order = Vec::new();
    let mut before = remaining(&pods, CASES.len()).await;
    while !before.is_empty() {
        let patch = Patch::Merge(json!({ "spec": { "replicas": before.len() - 1 } }));
        sets.patch("ranked", &PatchParams::default(), &patch).await.unwrap();
        let after = remaining(&pods, before.len() - 1).await;
        order.extend(before.difference(&after).cloned());
        before = after;
    }
    if let Some(program) = running {
        program.ended_by_sigterm().await;
    }
    tokio::task::spawn_blocking(move || drop(cluster)).await.unwrap();
    order
}

/// Those that are not being deleted, as soon as there are so many. Nobody ends those that are on a node.
async fn remaining(pods: &Api<Pod>, count: usize) -> BTreeSet<String> {
    let list = async || {
        let pods = pods.list(&ListParams::default()).await.unwrap().items.into_iter();
        let pods = pods.filter(|pod| {
            pod.metadata.deletion_timestamp.is_none() && pod.metadata.owner_references.is_some()
        });
        pods.filter_map(|pod| pod.metadata.name).collect::<BTreeSet<_>>()
    };
    eventually(&format!("there are {count}"), || async {
        let found = list().await;
        if found.len() == count { Ok(()) } else { Err(format!("{found:?}")) }
    })
    .await;
    list().await
}
