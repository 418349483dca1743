//! Pods as JSON: some 4 KB each, with two containers.

use serde_json::{Value, json};

use super::objects;
use super::world::{Deployment, Pod, PodId, Stage, World};
use super::write::Write;

const REGISTRY: &str = "registry.example.com";

/// The spec of the pods of a revision of a deployment.
pub(super) fn spec(deployment: &Deployment, revision: u32) -> Value {
    json!({
        "containers": [
            container(deployment, deployment.app, &image(deployment.app, revision), 8080),
            container(deployment, "proxy", &image("proxy", 1), 15_001),
        ],
        "volumes": [
            { "name": "config", "configMap": { "name": format!("{}-config", deployment.name), "defaultMode": 420 } },
            { "name": "scratch", "emptyDir": { "medium": "Memory", "sizeLimit": "64Mi" } },
        ],
        "restartPolicy": "Always", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst",
        "serviceAccountName": deployment.app, "serviceAccount": deployment.app,
        "securityContext": { "runAsNonRoot": true, "fsGroup": 2000 }, "schedulerName": "default-scheduler",
        "priority": 0, "enableServiceLinks": true, "preemptionPolicy": "PreemptLowerPriority",
    })
}

fn image(name: &str, revision: u32) -> String {
    format!("{REGISTRY}/shop/{name}:v1.{revision}.0")
}

fn container(deployment: &Deployment, name: &str, image: &str, port: u32) -> Value {
    let probe = |path: &str, period: u32| {
        json!({
            "httpGet": { "path": path, "port": port, "scheme": "HTTP" }, "initialDelaySeconds": 5,
            "timeoutSeconds": 1, "periodSeconds": period, "successThreshold": 1, "failureThreshold": 3,
        })
    };
    json!({
        "name": name, "image": image,
        "ports": [{ "name": "http", "containerPort": port, "protocol": "TCP" }],
        "env": [
            { "name": "POD_NAME", "valueFrom": { "fieldRef": { "apiVersion": "v1", "fieldPath": "metadata.name" } } },
            { "name": "DATABASE_HOST", "value": format!("{}.db.internal", deployment.name) },
            { "name": "LOG_LEVEL", "value": "info" },
        ],
        "resources": {
            "limits": { "memory": "512Mi" }, "requests": { "cpu": "250m", "memory": "256Mi" },
        },
        "volumeMounts": [
            { "name": "config", "mountPath": "/etc/app", "readOnly": true },
            { "name": "scratch", "mountPath": "/var/scratch" },
        ],
        "livenessProbe": probe("/healthz", 10), "readinessProbe": probe("/readyz", 5),
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
    })
}

fn collection(world: &World, pod: &Pod) -> String {
    let deployment = world.sets[pod.set].deployment;
    format!("/api/v1/namespaces/{}/pods", world.deployments[deployment].namespace)
}

fn path(world: &World, pod: &Pod) -> String {
    format!("{}/{}", collection(world, pod), pod.name)
}

/// The name of the node of a pod; empty if it has none.
pub(super) fn node_name(world: &World, id: PodId) -> String {
    world.pods[&id].node.map(|node| world.nodes[node].name.clone()).unwrap_or_default()
}

pub(super) fn create(world: &World, id: PodId) -> Write {
    let pod = &world.pods[&id];
    let set = &world.sets[pod.set];
    let deployment = &world.deployments[set.deployment];
    let mut spec = spec(deployment, set.revision);
    spec["tolerations"] = ["not-ready", "unreachable"]
        .map(|what| {
            json!({
                "key": format!("node.kubernetes.io/{what}"), "operator": "Exists", "effect": "NoExecute",
                "tolerationSeconds": 300,
            })
        })
        .to_vec()
        .into();
    let body = json!({
        "metadata": {
            "name": pod.name, "generateName": format!("{}-", set.name), "namespace": deployment.namespace,
            "labels": objects::set_labels(world, pod.set), "generation": 1,
            "annotations": {
                "checksum/config": hex(u64::from(set.revision), 64), "prometheus.io/path": "/metrics",
                "prometheus.io/port": "9090", "prometheus.io/scrape": "true",
            },
            "ownerReferences": objects::owner("ReplicaSet", &set.name, &objects::set_path(world, pod.set)),
        },
        "spec": spec,
    });
    Write::create(collection(world, pod), body)
}

/// Binds a pod to its node.
pub(super) fn binding(world: &World, id: PodId) -> Write {
    let pod = &world.pods[&id];
    let target = json!({ "apiVersion": "v1", "kind": "Node", "name": node_name(world, id) });
    let body = json!({ "metadata": { "name": pod.name }, "target": target });
    Write::create(format!("{}/binding", path(world, pod)), body)
}

/// The status that the kubelet writes for a pod.
pub(super) fn status(world: &World, id: PodId) -> Write {
    let pod = &world.pods[&id];
    let is_ready = pod.stage == Stage::Running;
    let has_started = matches!(pod.stage, Stage::Running | Stage::Crashed | Stage::Terminating);
    let condition = |name: &str, is: bool, since: &str| {
        let is = if is { "True" } else { "False" };
        json!({ "type": name, "status": is, "lastProbeTime": null, "lastTransitionTime": since })
    };
    let mut status = json!({
        "phase": if has_started { "Running" } else { "Pending" },
        "conditions": [
            condition("PodReadyToStartContainers", has_started, &pod.placed),
            condition("Initialized", true, &pod.placed),
            condition("Ready", is_ready, &pod.since),
            condition("ContainersReady", is_ready, &pod.since),
            condition("PodScheduled", true, &pod.placed),
        ],
        "startTime": pod.placed, "qosClass": "Burstable",
        "containerStatuses": container_statuses(world, id, pod),
    });
    if let Some(node) = pod.node {
        status["hostIP"] = objects::address(node).into();
    }
    if has_started {
        let ip = format!("10.{}.{}.{}", 64 + (id >> 16) % 64, (id >> 8) % 256, id % 256);
        status["podIPs"] = json!([{ "ip": ip }]);
        status["podIP"] = ip.into();
    }
    Write::patch(format!("{}/status", path(world, pod)), json!({ "status": status }))
}

fn container_statuses(world: &World, id: PodId, pod: &Pod) -> Vec<Value> {
    let set = &world.sets[pod.set];
    let app = world.deployments[set.deployment].app;
    let containers = [(app, set.revision, pod.stage), ("proxy", 1, pod.stage)];
    let status = |(name, revision, stage): (&str, u32, Stage)| {
        // The proxy container never crashes.
        let stage = if name == "proxy" && stage == Stage::Crashed { Stage::Running } else { stage };
        let restarts = if name == "proxy" { 0 } else { pod.restarts };
        let state = match stage {
            Stage::Running | Stage::Terminating => json!({ "running": { "startedAt": pod.since } }),
            Stage::Crashed => json!({ "waiting": {
                "reason": "CrashLoopBackOff", "message": format!("back-off restarting failed container {name}") } }),
            Stage::Pending | Stage::Starting => json!({ "waiting": { "reason": "ContainerCreating" } }),
        };
        let last = match restarts {
            0 => json!({}),
            _ => json!({ "terminated": { "exitCode": 1, "reason": "Error", "finishedAt": pod.since } }),
        };
        let runs = stage == Stage::Running;
        let mut status = json!({
            "name": name, "image": image(name, revision), "imageID": "", "ready": runs, "started": runs,
            "restartCount": restarts, "state": state, "lastState": last,
        });
        if stage != Stage::Pending && stage != Stage::Starting {
            let digest = hex(u64::from(revision) << 8 | name.len() as u64, 64);
            status["imageID"] = format!("{REGISTRY}/shop/{name}@sha256:{digest}").into();
            let container = hex(id << 8 | u64::from(restarts) << 1 | u64::from(name == "proxy"), 64);
            status["containerID"] = format!("containerd://{container}").into();
        }
        status
    };
    containers.map(status).to_vec()
}

/// Deletes a pod with a grace period, so that the kubelet stops it first.
pub(super) fn delete(world: &World, id: PodId) -> Write {
    Write::delete(path(world, &world.pods[&id]), json!({}))
}

/// Deletes a pod that the kubelet has stopped, without a grace period.
pub(super) fn gone(world: &World, id: PodId) -> Write {
    Write::delete(path(world, &world.pods[&id]), json!({ "gracePeriodSeconds": 0 }))
}

/// Hexadecimal digits that look like a digest. They depend on `number` alone.
fn hex(number: u64, digits: usize) -> String {
    let mut rng = fastrand::Rng::with_seed(number);
    (0..digits).map(|_| char::from_digit(rng.u32(..16), 16).unwrap_or('0')).collect()
}
