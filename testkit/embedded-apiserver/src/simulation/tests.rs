use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use http::Method;
use http_body_util::BodyExt as _;
use serde_json::Value;

use super::world::Stage;
use super::write::Write;
use super::*;
use crate::api::Api;
use crate::kinds::Registry;
use crate::request::{Request, Route};
use crate::schema::{self, Flavour};

const TIME: &str = "2026-01-01T00:00:00Z";

fn small() -> Simulation {
    Simulation::new(42).nodes(4).namespaces(2).deployments(6).replicas(4)
}

/// The first `count` writes at 100 per second.
fn writes(simulation: &Simulation, count: u64) -> (World, Vec<Write>) {
    let mut world = World::new(simulation, TIME);
    let writes = (1..=count).map(|number| world.next(10 * number, TIME.to_owned())).collect();
    (world, writes)
}

/// Performs all scheduled actions, however late they are.
fn settle(world: &mut World) -> Vec<Write> {
    std::iter::from_fn(|| world.next_consequence(u64::MAX)).collect()
}

async fn got(api: &Api, path: &str) -> Value {
    let (parts, ()) = http::Request::get(path).body(()).unwrap().into_parts();
    let answer = api.answer(&Request::new(parts)).await;
    assert_eq!(answer.status(), 200, "{path}");
    serde_json::from_slice(&answer.into_body().collect().await.unwrap().to_bytes()).unwrap()
}

async fn items(api: &Api, path: &str) -> Vec<Value> {
    got(api, path).await["items"].as_array().unwrap().clone()
}

/// All objects, without the fields that the server sets.
async fn summary(api: &Api) -> BTreeMap<String, Value> {
    let mut summary = BTreeMap::new();
    for path in ["/api/v1/pods", "/api/v1/nodes", "/apis/apps/v1/deployments", "/apis/apps/v1/replicasets"] {
        for mut item in items(api, path).await {
            let metadata = item["metadata"].as_object_mut().unwrap();
            for name in [
                "uid",
                "resourceVersion",
                "creationTimestamp",
                "deletionTimestamp",
                "ownerReferences",
                "managedFields",
            ] {
                metadata.remove(name);
            }
            let key =
                format!("{path} {} {}", metadata.get("namespace").unwrap_or(&Value::Null), metadata["name"]);
            summary.insert(key, item);
        }
    }
    summary
}

#[test]
fn the_same_seed_makes_the_same_writes_and_another_one_others() {
    let (_, one) = writes(&small(), 3000);
    let (_, same) = writes(&small(), 3000);
    assert_eq!(one, same);
    let (_, other) = writes(&Simulation { seed: 43, ..small() }, 3000);
    assert_ne!(one, other);
}

#[test]
fn everything_that_happens_to_a_cluster_happens() {
    let (_, writes) = writes(&small(), 10_000);
    let count = |method: Method, part: &str| {
        writes.iter().filter(|write| write.method == method && write.path.contains(part)).count()
    };
    assert!(count(Method::POST, "/replicasets") > 30, "rollouts");
    assert!(count(Method::POST, "/binding") > 500, "pods that are scheduled");
    assert!(count(Method::DELETE, "/pods/") > 500, "and deleted");
    assert!(count(Method::DELETE, "/replicasets/") > 10, "old revisions that are forgotten");
    let crashed = |write: &&Write| {
        write.body["status"]["containerStatuses"][0]["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    };
    assert!(writes.iter().filter(crashed).count() > 50, "pods that crash");
    let lost = |write: &&Write| write.body["status"]["conditions"][3]["reason"] == "NodeStatusUnknown";
    assert!(writes.iter().any(|write| lost(&write)), "nodes that fail");
    let heartbeats = count(Method::PATCH, "/nodes/");
    assert!(heartbeats < writes.len() / 2, "{heartbeats} writes only to fill the time");
}

#[test]
fn every_pod_has_a_replica_set_and_a_deployment_never_less_than_it_can() {
    let mut world = World::new(&small(), TIME);
    for number in 1..=8000 {
        world.next(10 * number, TIME.to_owned());
        for (id, pod) in &world.pods {
            let set = &world.sets[pod.set];
            assert!(set.pods.contains(id));
            assert!(world.deployments[set.deployment].sets.contains(&pod.set), "an owner that is gone");
            assert!(pod.stage == Stage::Pending || pod.node.is_some(), "it runs nowhere");
            assert!(pod.node.is_none_or(|node| world.nodes[node].pods.contains(id)));
        }
        for deployment in &world.deployments {
            let all: u32 = deployment.sets.iter().map(|&set| world.sets[set].replicas).sum();
            assert!(all > 0, "nothing is left of {}", deployment.name);
        }
        assert!(world.nodes.iter().filter(|node| node.is_ready).count() >= 2);
    }
    assert!(world.sets.len() < 4 * 6 + 10, "the places of old ones are used again: {}", world.sets.len());
    let names: BTreeSet<&str> = world.pods.values().map(|pod| pod.name.as_str()).collect();
    assert_eq!(names.len(), world.pods.len(), "no name twice");
}

#[test]
fn what_is_begun_comes_to_its_end() {
    for seed in 0..10 {
        let (mut world, _) = writes(&Simulation { seed, ..small() }, 2000 + 100 * seed);
        settle(&mut world);
        assert!(world.nodes.iter().all(|node| node.is_ready), "seed {seed}");
        for (id, deployment) in world.deployments.iter().enumerate() {
            assert!(world.is_settled(id), "seed {seed}: {deployment:?}");
            let (newest, older) = deployment.sets.split_last().unwrap();
            assert_eq!(world.counts(*newest), (deployment.replicas, deployment.replicas), "seed {seed}");
            assert!(older.iter().all(|set| world.sets[*set].pods.is_empty()), "seed {seed}");
            assert!(older.len() <= 2, "seed {seed}: {} old revisions", older.len());
        }
        let wanted: u32 = world.deployments.iter().map(|deployment| deployment.replicas).sum();
        assert_eq!(world.pods.len(), wanted as usize, "seed {seed}");
    }
}

#[tokio::test]
async fn populating_makes_everything_at_once() {
    let server = EmbeddedApiserver::new();
    let before = server.version();
    small().populate(&server);
    assert_eq!(server.version() - before, 2 + 4 + 6 + 6 + 24, "one write for each object");
    let api = server.api();
    let sets = items(api, "/apis/apps/v1/replicasets").await;
    let pods = items(api, "/api/v1/pods").await;
    assert_eq!((sets.len(), pods.len()), (6, 24));
    for pod in &pods {
        let owner = &pod["metadata"]["ownerReferences"][0];
        let set = sets.iter().find(|set| set["metadata"]["uid"] == owner["uid"]).expect("the owner exists");
        assert_eq!((&set["metadata"]["name"], &owner["kind"]), (&owner["name"], &"ReplicaSet".into()));
        assert_eq!(pod["status"]["phase"], "Running");
        let size = pod.to_string().len();
        assert!((3000..9000).contains(&size), "{size} bytes");
    }
    let on_a_node =
        items(api, "/api/v1/pods?fieldSelector=spec.nodeName=node-000,status.phase=Running").await;
    assert!(!on_a_node.is_empty() && on_a_node.len() < pods.len());
    let deployments = items(api, "/apis/apps/v1/namespaces/team-0/deployments").await;
    assert_eq!(deployments.len(), 3);
    assert_eq!(deployments[0]["status"]["readyReplicas"], 4);
    assert_eq!(items(api, "/api/v1/nodes").await.len(), 4);
    let version = server.version();
    small().populate(&server);
    assert_eq!(server.version(), version, "what is there stays");
    // The objects can be decoded as the types that they are of.
    for pod in pods {
        serde_json::from_value::<k8s_openapi::api::core::v1::Pod>(pod).unwrap();
    }
    for deployment in deployments {
        serde_json::from_value::<k8s_openapi::api::apps::v1::Deployment>(deployment).unwrap();
    }
    for set in sets {
        serde_json::from_value::<k8s_openapi::api::apps::v1::ReplicaSet>(set).unwrap();
    }
    for node in items(api, "/api/v1/nodes").await {
        serde_json::from_value::<k8s_openapi::api::core::v1::Node>(node).unwrap();
    }
}

#[tokio::test]
async fn every_write_is_taken_and_the_server_has_what_the_simulation_thinks_it_has() {
    let server = EmbeddedApiserver::new();
    let (mut world, mut applier) = small().begin(&server);
    let mut version = server.version();
    for number in 1..=3000 {
        let write = world.next(10 * number, TIME.to_owned());
        applier.apply(server.api(), write.clone()).await;
        let is_heartbeat = write.path.starts_with("/api/v1/nodes/");
        assert!(is_heartbeat || server.version() > version, "not taken: {} {}", write.method, write.path);
        version = server.version();
    }
    for write in settle(&mut world) {
        applier.apply(server.api(), write).await;
    }
    let pods = items(server.api(), "/api/v1/pods").await;
    let names = |pods: &[Value]| -> BTreeSet<String> {
        pods.iter().map(|pod| pod["metadata"]["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&pods), world.pods.values().map(|pod| pod.name.clone()).collect());
    for pod in &pods {
        let is_ready = |condition: &Value| condition["type"] == "Ready" && condition["status"] == "True";
        assert!(pod["status"]["conditions"].as_array().unwrap().iter().any(is_ready), "{pod}");
        assert!(!pod["metadata"]["ownerReferences"][0]["uid"].as_str().unwrap().is_empty());
    }
    for deployment in items(server.api(), "/apis/apps/v1/deployments").await {
        let spec = &deployment["spec"];
        let status = &deployment["status"];
        assert_eq!(status["observedGeneration"], deployment["metadata"]["generation"], "{deployment}");
        for count in ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas"] {
            assert_eq!(status[count], spec["replicas"], "{count}: {deployment}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn it_runs_on_tokios_clock_at_its_rate_until_it_is_stopped() {
    let server = EmbeddedApiserver::new();
    let running = small().rate(50.0).run(&server);
    let populated = server.version();
    tokio::time::sleep(Duration::from_secs(60)).await;
    let writes = running.writes();
    assert!((2990..=3000).contains(&writes), "{writes} in a minute");
    assert!(server.version() > populated + 2000);
    assert!(server.journal().requests().is_empty(), "it is not seen");
    running.stop().await;
    let version = server.version();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(server.version(), version);

    let other = EmbeddedApiserver::new();
    let again = small().rate(50.0).run(&other);
    tokio::time::sleep(Duration::from_millis(60_010)).await;
    drop(again);
    let version = other.version();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(other.version(), version, "dropped, it ends too");
}

#[tokio::test]
async fn two_servers_with_the_same_seed_have_the_same_objects() {
    let mut summaries = Vec::new();
    for _ in 0..2 {
        let server = EmbeddedApiserver::new();
        let mut world = World::new(&small(), TIME);
        let mut applier = Applier::default();
        applier.populate(server.api(), &world);
        for number in 1..=1000 {
            let write = world.next(10 * number, TIME.to_owned());
            applier.apply(server.api(), write).await;
        }
        summaries.push(summary(server.api()).await);
    }
    assert!(summaries[0].len() > 30);
    assert_eq!(summaries[0], summaries[1]);
}

#[tokio::test(start_paused = true)]
async fn a_rate_of_nothing_changes_nothing() {
    let server = EmbeddedApiserver::new();
    for rate in [0.0, -1.0, f64::NAN] {
        let running = Simulation::new(1).deployments(0).rate(rate).run(&server);
        let version = server.version();
        tokio::time::sleep(Duration::from_secs(3600)).await;
        assert_eq!((running.writes(), server.version()), (0, version), "{rate}");
        running.stop().await;
    }
    // Without deployments there are heartbeats of nodes to write.
    let running = Simulation::new(1).nodes(0).deployments(0).rate(1.0).run(&server);
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert!(running.writes() >= 9);
}

#[test]
fn objects_have_only_fields_that_exist() {
    let (world, mut all) = writes(&small(), 500);
    objects::all(&world, &mut |write| all.push(write));
    let registry = Registry::new();
    let mut count = 0;
    for write in all.into_iter().filter(|write| write.created().is_some()) {
        let (parts, ()) = http::Request::get(&write.path).body(()).unwrap().into_parts();
        let Ok(Route::Objects(target)) = Route::find(&registry, &Request::new(parts)) else { continue };
        let of = schema::of(&target.resource).unwrap_or_else(|| panic!("{} has no type", write.path));
        let read = schema::decode(of, Flavour::Text, &write.body).unwrap();
        assert_eq!((read.strict, read.problem), (Vec::new(), None), "{}", write.body);
        count += 1;
    }
    assert!(count > 50, "{count}");
}
