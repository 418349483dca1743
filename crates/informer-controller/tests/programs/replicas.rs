//! `replication_manager`.

use std::collections::BTreeMap;

use futures::StreamExt as _;
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::{Pod, ReplicationController};
use kube_client::api::{WatchEvent, WatchParams};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::support::{PATIENCE, Program, Server, eventually, stories};

stories!(keeps_the_number, adopts_and_releases, survives_restarts, killed_right_after_a_create);

fn template(app: &str) -> Value {
    let spec = json!({ "containers": [{ "name": "c", "image": "i" }] });
    json!({ "metadata": { "labels": { "app": app } }, "spec": spec })
}

pub(crate) fn replica_set(name: &str, replicas: u32) -> Value {
    json!({
        "metadata": { "name": name },
        "spec": { "replicas": replicas, "selector": { "matchLabels": { "app": name } }, "template": template(name) },
    })
}

/// The names of the pods of an owner that are not being deleted.
pub(crate) async fn pods_of(server: &Server, owner: &str) -> Vec<String> {
    let is_its = |pod: &Pod| {
        let owners = pod.metadata.owner_references.iter().flatten();
        pod.metadata.deletion_timestamp.is_none() && owners.clone().any(|it| it.name == owner)
    };
    let pods = server.list::<Pod>().await.into_iter().filter(is_its);
    pods.filter_map(|pod| pod.metadata.name).collect()
}

pub(crate) async fn has(server: &Server, owner: &str, count: usize) {
    eventually(&format!("{owner} has {count} pods"), || async {
        let found = pods_of(server, owner).await.len();
        if found == count { Ok(()) } else { Err(format!("{found}")) }
    })
    .await;
}

async fn keeps_the_number(server: &Server) {
    server.create::<ReplicaSet>(replica_set("web", 5)).await;
    let controller = json!({
        "metadata": { "name": "old" },
        "spec": { "replicas": 2, "selector": { "app": "old" }, "template": template("old") },
    });
    server.create::<ReplicationController>(controller).await;
    let mut program = Program::start("replication_manager", server);
    program.until("looks after replicas").await;
    has(server, "web", 5).await;
    has(server, "old", 2).await;
    // The status follows.
    eventually("the status says so", || async {
        let set = server.api::<ReplicaSet>().get_status("web").await.map_err(|error| error.to_string())?;
        let replicas = set.status.map(|status| status.replicas);
        if replicas == Some(5) { Ok(()) } else { Err(format!("{replicas:?}")) }
    })
    .await;
    let lost = pods_of(server, "web").await.remove(0);
    server.delete::<Pod>(&lost).await;
    has(server, "web", 5).await;
    assert!(!pods_of(server, "web").await.contains(&lost));

    // The pod that is ready stays, those that are not go.
    let kept = pods_of(server, "web").await.remove(3);
    let ready = json!({ "type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z" });
    server
        .patch_status::<Pod>(&kept, json!({ "status": { "phase": "Running", "conditions": [ready] } }))
        .await;
    eventually("a pod is ready", || async {
        let set = server.api::<ReplicaSet>().get_status("web").await.map_err(|error| error.to_string())?;
        let ready = set.status.and_then(|status| status.ready_replicas);
        if ready == Some(1) { Ok(()) } else { Err(format!("{ready:?}")) }
    })
    .await;
    server.patch::<ReplicaSet>("web", json!({ "spec": { "replicas": 1 } })).await;
    has(server, "web", 1).await;
    assert_eq!(pods_of(server, "web").await, [kept]);
    program.ended_by_sigterm().await;
}

async fn adopts_and_releases(server: &Server) {
    let mut orphan = template("web");
    orphan["metadata"]["name"] = "orphan".into();
    server.create::<Pod>(orphan).await;
    server.create::<ReplicaSet>(replica_set("web", 2)).await;
    let mut program = Program::start("replication_manager", server);
    program.until("looks after replicas").await;
    has(server, "web", 2).await;
    assert!(pods_of(server, "web").await.contains(&"orphan".to_owned()), "it was adopted");
    server.patch::<Pod>("orphan", json!({ "metadata": { "labels": { "app": "other" } } })).await;
    eventually("it was released and replaced", || async {
        let pods = pods_of(server, "web").await;
        let is_so = pods.len() == 2 && !pods.contains(&"orphan".to_owned());
        if is_so { Ok(()) } else { Err(format!("{pods:?}")) }
    })
    .await;
    assert_eq!(server.list::<Pod>().await.len(), 3, "it was not deleted");
    // One that comes back is one too many, and one of the three goes.
    server.patch::<Pod>("orphan", json!({ "metadata": { "labels": { "app": "web" } } })).await;
    eventually("one of three went", || async {
        let pods = server.list::<Pod>().await.len();
        if pods == 2 { Ok(()) } else { Err(format!("{pods}")) }
    })
    .await;
    has(server, "web", 2).await;
    program.ended_by_sigterm().await;
}

async fn survives_restarts(server: &Server) {
    for round in 0..3 {
        let mut program = Program::start("replication_manager", server);
        program.until("looks after replicas").await;
        server.create::<ReplicaSet>(replica_set(&format!("set-{round}"), 10)).await;
        has(server, &format!("set-{round}"), 10).await;
        if round == 1 {
            // Without a chance to end in order.
            drop(program);
        } else {
            program.ended_by_sigterm().await;
        }
    }
    for round in 0..3 {
        assert_eq!(pods_of(server, &format!("set-{round}")).await.len(), 10);
    }
    assert_eq!(server.list::<Pod>().await.len(), 30);
}

/// The pods that were created, as the server has them: how many each owner got in all.
struct Creations {
    owners: mpsc::UnboundedReceiver<String>,
    counted: BTreeMap<String, usize>,
    _task: JoinSet<()>,
}

impl Creations {
    async fn of(server: &Server) -> Self {
        let (api, (sender, owners)) = (server.api::<Pod>(), mpsc::unbounded_channel());
        let mut version = api.list(&Default::default()).await.unwrap().metadata.resource_version.unwrap();
        let mut task = JoinSet::new();
        task.spawn(async move {
            loop {
                let Ok(events) = api.watch(&WatchParams::default(), &version).await else { continue };
                let mut events = events.boxed();
                while let Some(Ok(event)) = events.next().await {
                    let (WatchEvent::Added(pod) | WatchEvent::Modified(pod) | WatchEvent::Deleted(pod)) =
                        &event
                    else {
                        continue;
                    };
                    version = pod.metadata.resource_version.clone().unwrap();
                    if let WatchEvent::Added(pod) = event {
                        sender.send(pod.metadata.owner_references.unwrap()[0].name.clone()).unwrap();
                    }
                }
            }
        });
        Self { owners, counted: BTreeMap::new(), _task: task }
    }

    /// Waits until an owner got so many.
    async fn until(&mut self, owner: &str, count: usize) {
        while self.counted.get(owner).is_none_or(|counted| *counted < count) {
            let owner = timeout(PATIENCE, self.owners.recv()).await.expect("pods are created").unwrap();
            *self.counted.entry(owner).or_default() += 1;
        }
    }
}

/// Killed as soon as the server has its first, second, … pod of a set, while others are under way. `KUBE_INFORMER_ROUNDS` says how
/// often.
async fn killed_right_after_a_create(server: &Server) {
    let rounds = std::env::var("KUBE_INFORMER_ROUNDS").map_or(3, |text| text.parse().unwrap());
    let mut creations = Creations::of(server).await;
    let name = |round: usize| format!("set-{round}");
    for round in 0..rounds {
        let mut program = Program::start("replication_manager", server);
        program.until("looks after replicas").await;
        server.create::<ReplicaSet>(replica_set(&name(round), 10)).await;
        creations.until(&name(round), 1 + round % 9).await;
        program.signal("KILL");
    }
    let mut program = Program::start("replication_manager", server);
    program.until("looks after replicas").await;
    for round in 0..rounds {
        has(server, &name(round), 10).await;
        creations.until(&name(round), 10).await;
    }
    program.ended_by_sigterm().await;
    // The last creation of all.
    let last =
        json!({ "kind": "ConfigMap", "apiVersion": "v1", "name": "nobody", "uid": "0", "controller": true });
    let mut pod = template("last");
    pod["metadata"]["name"] = "last".into();
    pod["metadata"]["ownerReferences"] = json!([last]);
    server.create::<Pod>(pod).await;
    creations.until("nobody", 1).await;
    let mut expected: BTreeMap<_, _> = (0..rounds).map(|round| (name(round), 10)).collect();
    expected.insert("nobody".to_owned(), 1);
    assert_eq!(creations.counted, expected);
}
