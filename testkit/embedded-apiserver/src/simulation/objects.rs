//! Namespaces, nodes, deployments and ReplicaSets as JSON.

use serde_json::{Value, json};

use super::pod;
use super::world::{Deployment, DeploymentId, NodeId, SetId, World};
use super::write::{UID_OF, Write};

/// Calls `store` with all objects in the state in which everything runs, owners before the objects that they own.
pub(super) fn all(world: &World, store: &mut dyn FnMut(Write)) {
    for name in &world.namespaces {
        let labels = json!({ "kubernetes.io/metadata.name": name });
        let body = json!({
            "metadata": { "name": name, "labels": labels },
            "spec": { "finalizers": ["kubernetes"] }, "status": { "phase": "Active" },
        });
        store(Write::create("/api/v1/namespaces".to_owned(), body));
    }
    for node in 0..world.nodes.len() {
        store(create_node(world, node));
    }
    for (id, deployment) in world.deployments.iter().enumerate() {
        store(create_deployment(world, id));
        for &set in &deployment.sets {
            let mut write = create_set(world, set);
            write.body["status"] = set_status(world, set).body["status"].take();
            store(write);
            for &id in &world.sets[set].pods {
                let mut write = pod::create(world, id);
                write.body["spec"]["nodeName"] = pod::node_name(world, id).into();
                write.body["status"] = pod::status(world, id).body["status"].take();
                store(write);
            }
        }
    }
}

fn create_node(world: &World, node: NodeId) -> Write {
    let name = &world.nodes[node].name;
    let zone = ["a", "b", "c"][node % 3];
    let body = json!({
        "metadata": {
            "name": name,
            "labels": {
                "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux", "kubernetes.io/hostname": name,
                "node.kubernetes.io/instance-type": "m6i.4xlarge",
                "topology.kubernetes.io/region": "eu-west-1",
                "topology.kubernetes.io/zone": format!("eu-west-1{zone}"),
            },
            "annotations": { "node.alpha.kubernetes.io/ttl": "0" },
        },
        "spec": { "podCIDR": format!("10.{}.{}.0/24", 64 + node / 256, node % 256) },
        "status": node_status(world, node).body["status"].take(),
    });
    Write::create("/api/v1/nodes".to_owned(), body)
}

/// The status of a node: whether it is ready, and the time of its heartbeat.
pub(super) fn node_status(world: &World, node: NodeId) -> Write {
    let this = &world.nodes[node];
    let condition = |name: &str, is: &str, reason: &str, message: &str| {
        json!({
            "type": name, "status": is, "reason": reason, "message": message,
            "lastHeartbeatTime": world.time, "lastTransitionTime": this.since,
        })
    };
    let ready = if this.is_ready {
        condition("Ready", "True", "KubeletReady", "kubelet is posting ready status")
    } else {
        condition("Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.")
    };
    let capacity =
        json!({ "cpu": "16", "ephemeral-storage": "104845292Ki", "memory": "64810412Ki", "pods": "234" });
    let status = json!({
        "capacity": capacity,
        "allocatable": capacity,
        "conditions": [
            condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
            condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
            condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
            ready,
        ],
        "addresses": [
            { "type": "InternalIP", "address": address(node) }, { "type": "Hostname", "address": this.name },
        ],
        "nodeInfo": {
            "architecture": "amd64", "operatingSystem": "linux", "osImage": "Linux", "kernelVersion": "6.12.0",
            "kubeletVersion": "v1.36.4", "containerRuntimeVersion": "containerd://2.1.0",
            "machineID": "", "systemUUID": "", "bootID": "", "kubeProxyVersion": "",
        },
    });
    Write::patch(format!("/api/v1/nodes/{}/status", this.name), json!({ "status": status }))
}

/// The IP address of a node.
pub(super) fn address(node: NodeId) -> String {
    format!("10.0.{}.{}", node / 250 % 256, 2 + node % 250)
}

/// The path of a deployment.
fn deployment_path(deployment: &Deployment) -> String {
    format!("/apis/apps/v1/namespaces/{}/deployments/{}", deployment.namespace, deployment.name)
}

/// The path of a ReplicaSet.
pub(super) fn set_path(world: &World, set: SetId) -> String {
    let set = &world.sets[set];
    let namespace = &world.deployments[set.deployment].namespace;
    format!("/apis/apps/v1/namespaces/{namespace}/replicasets/{}", set.name)
}

fn labels(deployment: &Deployment) -> Value {
    json!({
        "app.kubernetes.io/instance": deployment.name, "app.kubernetes.io/name": deployment.app,
        "app.kubernetes.io/part-of": "shop", "tier": "backend",
    })
}

fn selector(deployment: &Deployment) -> Value {
    json!({ "app.kubernetes.io/instance": deployment.name })
}

fn revision(deployment: &Deployment) -> Value {
    json!({ "deployment.kubernetes.io/revision": deployment.revision.to_string() })
}

fn create_deployment(world: &World, id: DeploymentId) -> Write {
    let deployment = &world.deployments[id];
    let body = json!({
        "metadata": {
            "name": deployment.name, "namespace": deployment.namespace, "labels": labels(deployment),
            "annotations": revision(deployment), "generation": deployment.generation,
        },
        "spec": {
            "replicas": deployment.replicas,
            "selector": { "matchLabels": selector(deployment) },
            "template": {
                "metadata": { "labels": labels(deployment) }, "spec": pod::spec(deployment, deployment.revision),
            },
            "strategy": { "type": "RollingUpdate", "rollingUpdate": { "maxUnavailable": 0, "maxSurge": "25%" } },
            "revisionHistoryLimit": 2, "progressDeadlineSeconds": 600,
        },
        "status": deployment_status(world, id).body["status"].take(),
    });
    Write::create(format!("/apis/apps/v1/namespaces/{}/deployments", deployment.namespace), body)
}

/// Sets a new image.
pub(super) fn deployment_template(deployment: &Deployment) -> Write {
    let body = json!({
        "metadata": { "annotations": revision(deployment) },
        "spec": { "template": { "spec": pod::spec(deployment, deployment.revision) } },
    });
    Write::patch(deployment_path(deployment), body)
}

pub(super) fn deployment_replicas(deployment: &Deployment) -> Write {
    Write::patch(deployment_path(deployment), json!({ "spec": { "replicas": deployment.replicas } }))
}

pub(super) fn deployment_status(world: &World, id: DeploymentId) -> Write {
    let deployment = &world.deployments[id];
    let [generation, here, ready, updated] = world.deployment_summary(id);
    let replicas = u64::from(deployment.replicas);
    let condition = |name: &str, is: bool, reason: &str| {
        let is = if is { "True" } else { "False" };
        json!({
            "type": name, "status": is, "reason": reason, "lastUpdateTime": world.time,
            "lastTransitionTime": world.time,
            "message": format!("Deployment {:?} is at revision {}.", deployment.name, deployment.revision),
        })
    };
    let progress =
        if updated == replicas && ready >= replicas { "NewReplicaSetAvailable" } else { "ReplicaSetUpdated" };
    let is_available = ready >= replicas;
    let availability = if is_available { "MinimumReplicasAvailable" } else { "MinimumReplicasUnavailable" };
    let status = json!({
        "observedGeneration": generation, "replicas": here, "updatedReplicas": updated,
        "readyReplicas": ready, "availableReplicas": ready,
        "unavailableReplicas": replicas.saturating_sub(ready),
        "conditions": [
            condition("Available", is_available, availability), condition("Progressing", true, progress),
        ],
    });
    Write::patch(format!("{}/status", deployment_path(deployment)), json!({ "status": status }))
}

/// The labels of a ReplicaSet's pods.
pub(super) fn set_labels(world: &World, set: SetId) -> Value {
    let set = &world.sets[set];
    let mut labels = labels(&world.deployments[set.deployment]);
    labels["pod-template-hash"] = set.hash.as_str().into();
    labels
}

pub(super) fn create_set(world: &World, id: SetId) -> Write {
    let set = &world.sets[id];
    let deployment = &world.deployments[set.deployment];
    let mut selector = selector(deployment);
    selector["pod-template-hash"] = set.hash.as_str().into();
    let body = json!({
        "metadata": {
            "name": set.name, "namespace": deployment.namespace, "labels": set_labels(world, id),
            "annotations": revision(deployment), "generation": set.generation,
            "ownerReferences": owner("Deployment", &deployment.name, &deployment_path(deployment)),
        },
        "spec": {
            "replicas": set.written_replicas,
            "selector": { "matchLabels": selector },
            "template": {
                "metadata": { "labels": set_labels(world, id) }, "spec": pod::spec(deployment, set.revision),
            },
        },
    });
    Write::create(format!("/apis/apps/v1/namespaces/{}/replicasets", deployment.namespace), body)
}

/// A reference to the owner at a path.
pub(super) fn owner(kind: &str, name: &str, path: &str) -> Value {
    json!([{
        "apiVersion": "apps/v1", "kind": kind, "name": name, "uid": format!("{UID_OF}{path}"),
        "controller": true, "blockOwnerDeletion": true,
    }])
}

pub(super) fn set_replicas(world: &World, set: SetId) -> Write {
    let replicas = world.sets[set].written_replicas;
    Write::patch(set_path(world, set), json!({ "spec": { "replicas": replicas } }))
}

pub(super) fn set_status(world: &World, set: SetId) -> Write {
    let [generation, here, ready, _] = world.set_summary(set);
    let status = json!({
        "observedGeneration": generation, "replicas": here, "fullyLabeledReplicas": here,
        "readyReplicas": ready, "availableReplicas": ready,
    });
    Write::patch(format!("{}/status", set_path(world, set)), json!({ "status": status }))
}

pub(super) fn delete_set(world: &World, set: SetId) -> Write {
    Write::delete(set_path(world, set), json!({ "propagationPolicy": "Background" }))
}
