//! The benchmark's pod: what a busy cluster holds thousands of, made in code so that every run measures the same.

use serde_json::{Value, json};

/// Pods of one ReplicaSet.
const REPLICAS: u64 = 40;

/// Different deployments before they repeat.
const APPS: u64 = 500;

/// The JSON of the `i`-th pod as an item of a list: about 8.6 KB with its managedFields, no kind and apiVersion.
///
/// Uids, container ids, IP addresses, node names and times are the pod's own; images, environment and owner are those
/// of its app.
pub fn benchmark_pod(i: u64) -> Vec<u8> {
    let app = (i / REPLICAS) % APPS;
    let names = [
        "checkout", "catalog", "payments", "search", "identity", "ledger", "gateway", "profile", "media",
        "orders",
    ];
    let word = names[usize::try_from(app % 10).expect("a digit")];
    let name = format!("{word}-{}", hex(app, 1, 4));
    let replica_set = format!("{name}-{}", hex(app, 2, 10));
    let pod = format!("{replica_set}-{}", hex(i, 3, 5));
    let team = format!("team-{}", app % 20);
    let node =
        format!("ip-10-{}-{}-{}.eu-west-1.compute.internal", mix(i, 4) % 8, mix(i, 5) % 256, mix(i, 6) % 256);
    let pod_ip = format!("10.{}.{}.{}", 128 + mix(i, 7) % 64, mix(i, 8) % 256, mix(i, 9) % 256);
    let host_ip = format!("10.{}.{}.{}", mix(i, 4) % 8, mix(i, 5) % 256, mix(i, 6) % 256);
    let (created, started) = (time(i, 0), time(i, 2 + mix(i, 10) % 5));
    let ready = time(i, 9 + mix(i, 11) % 20);
    let labels = json!({
        "app.kubernetes.io/instance": name, "app.kubernetes.io/name": word, "app.kubernetes.io/part-of": "shop",
        "app.kubernetes.io/managed-by": "Helm", "pod-template-hash": hex(app, 2, 10), "team": team, "tier": "backend",
    });
    let containers: Vec<Value> = (0..2 + app % 2).map(|c| container(app, c, word)).collect();
    let statuses: Vec<Value> = (0..2 + app % 2)
        .map(|c| {
            json!({
                "name": container_name(c, word), "image": image(app, c, word),
                "imageID": format!("registry.example.com/{word}/{}@sha256:{}", container_name(c, word), hex(app * 4 + c, 20, 64)),
                "containerID": format!("containerd://{}", hex(i * 4 + c, 21, 64)),
                "ready": true, "started": true, "restartCount": 0, "lastState": {},
                "state": { "running": { "startedAt": time(i, 5 + c) } },
            })
        })
        .collect();
    let condition = |kind: &str, at: &str| json!({ "type": kind, "status": "True", "lastProbeTime": null, "lastTransitionTime": at });
    let document = json!({
        "metadata": {
            "name": pod, "generateName": format!("{replica_set}-"), "namespace": team,
            "uid": uuid(i, 30), "resourceVersion": (700_000_000 + i * 13 + mix(i, 12) % 13).to_string(),
            "creationTimestamp": created, "labels": labels,
            "annotations": {
                "checksum/config": hex(app, 13, 64), "checksum/secret": hex(app, 14, 64),
                "cni.projectcalico.org/podIP": format!("{pod_ip}/32"), "cni.projectcalico.org/containerID": hex(i, 15, 64),
                "prometheus.io/path": "/metrics", "prometheus.io/port": "9090", "prometheus.io/scrape": "true",
                "kubectl.kubernetes.io/restartedAt": time(app, 0),
            },
            "ownerReferences": [{
                "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": replica_set, "uid": uuid(app, 31),
                "controller": true, "blockOwnerDeletion": true,
            }],
            "managedFields": managed_fields(&created, &ready, 2 + app % 2, word, &uuid(app, 31)),
        },
        "spec": {
            "volumes": [
                { "name": "config", "configMap": { "name": format!("{name}-config"), "defaultMode": 420 } },
                { "name": "tmp", "emptyDir": { "medium": "Memory", "sizeLimit": "64Mi" } },
                { "name": format!("kube-api-access-{}", hex(i, 16, 5)), "projected": { "defaultMode": 420, "sources": [
                    { "serviceAccountToken": { "expirationSeconds": 3607, "path": "token" } },
                    { "configMap": { "name": "kube-root-ca.crt", "items": [{ "key": "ca.crt", "path": "ca.crt" }] } },
                    { "downwardAPI": { "items": [{ "path": "namespace", "fieldRef": { "apiVersion": "v1", "fieldPath": "metadata.namespace" } }] } },
                ] } },
            ],
            "containers": containers, "restartPolicy": "Always", "terminationGracePeriodSeconds": 30,
            "dnsPolicy": "ClusterFirst", "serviceAccountName": name, "serviceAccount": name, "nodeName": node,
            "securityContext": { "runAsNonRoot": true, "fsGroup": 2000 }, "schedulerName": "default-scheduler",
            "tolerations": [
                { "key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300 },
                { "key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300 },
            ],
            "priority": 0, "enableServiceLinks": true, "preemptionPolicy": "PreemptLowerPriority",
        },
        "status": {
            "phase": "Running",
            "conditions": [
                condition("PodReadyToStartContainers", &started), condition("Initialized", &created),
                condition("Ready", &ready), condition("ContainersReady", &ready), condition("PodScheduled", &created),
            ],
            "hostIP": host_ip, "podIP": pod_ip, "podIPs": [{ "ip": pod_ip }],
            "startTime": created, "containerStatuses": statuses, "qosClass": "Burstable",
        },
    });
    document.to_string().into_bytes()
}

fn container_name(c: u64, word: &str) -> &str {
    match c {
        0 => word,
        1 => "proxy",
        _ => "log-shipper",
    }
}

fn image(app: u64, c: u64, word: &str) -> String {
    format!(
        "registry.example.com/{word}/{}:v{}.{}.{}",
        container_name(c, word),
        1 + app % 4,
        app % 30,
        mix(app, 17 + c) % 90
    )
}

fn container(app: u64, c: u64, word: &str) -> Value {
    let port = 8080 + c;
    let probe = |path: &str, period: u64| {
        json!({
            "httpGet": { "path": path, "port": port, "scheme": "HTTP" }, "initialDelaySeconds": 5,
            "timeoutSeconds": 1, "periodSeconds": period, "successThreshold": 1, "failureThreshold": 3,
        })
    };
    json!({
        "name": container_name(c, word), "image": image(app, c, word),
        "ports": [{ "name": "http", "containerPort": port, "protocol": "TCP" }],
        "env": [
            { "name": "POD_NAME", "valueFrom": { "fieldRef": { "apiVersion": "v1", "fieldPath": "metadata.name" } } },
            { "name": "DATABASE_HOST", "value": format!("{word}-{}.db.internal", hex(app, 18, 8)) },
            { "name": "LOG_LEVEL", "value": "info" },
            { "name": "GOMAXPROCS", "value": (1 + app % 4).to_string() },
        ],
        "resources": {
            "limits": { "memory": format!("{}Mi", 256 << (app % 3)) },
            "requests": { "cpu": format!("{}m", 100 + 50 * (app % 7)), "memory": format!("{}Mi", 128 << (app % 3)) },
        },
        "volumeMounts": [
            { "name": "config", "mountPath": "/etc/app", "readOnly": true },
            { "name": "tmp", "mountPath": "/tmp" },
        ],
        "livenessProbe": probe("/healthz", 10), "readinessProbe": probe("/readyz", 5),
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
    })
}

fn managed_fields(created: &str, ready: &str, containers: u64, word: &str, owner: &str) -> Value {
    let container = json!({
        ".": {}, "f:env": { ".": {}, "k:{\"name\":\"LOG_LEVEL\"}": { ".": {}, "f:name": {}, "f:value": {} },
            "k:{\"name\":\"POD_NAME\"}": { ".": {}, "f:name": {}, "f:valueFrom": { ".": {}, "f:fieldRef": {} } } },
        "f:image": {}, "f:imagePullPolicy": {}, "f:name": {}, "f:ports": {},
        "f:livenessProbe": { ".": {}, "f:failureThreshold": {}, "f:httpGet": {}, "f:periodSeconds": {} },
        "f:resources": {}, "f:terminationMessagePath": {}, "f:terminationMessagePolicy": {}, "f:volumeMounts": {},
    });
    let containers: serde_json::Map<_, _> = (0..containers)
        .map(|c| (format!("k:{{\"name\":\"{}\"}}", container_name(c, word)), container.clone()))
        .collect();
    json!([
        { "manager": "kube-controller-manager", "operation": "Update", "apiVersion": "v1", "time": created,
          "fieldsType": "FieldsV1", "fieldsV1": {
            "f:metadata": { "f:generateName": {}, "f:labels": { ".": {}, "f:pod-template-hash": {} },
                "f:ownerReferences": { ".": {}, (format!("k:{{\"uid\":\"{owner}\"}}")): {} } },
            "f:spec": { "f:containers": containers, "f:dnsPolicy": {}, "f:restartPolicy": {}, "f:volumes": {} } } },
        { "manager": "kubelet", "operation": "Update", "apiVersion": "v1", "time": ready, "subresource": "status",
          "fieldsType": "FieldsV1", "fieldsV1": { "f:status": { "f:conditions": {
            "k:{\"type\":\"ContainersReady\"}": { ".": {}, "f:lastProbeTime": {}, "f:lastTransitionTime": {}, "f:status": {}, "f:type": {} },
            "k:{\"type\":\"Ready\"}": { ".": {}, "f:lastProbeTime": {}, "f:lastTransitionTime": {}, "f:status": {}, "f:type": {} } },
            "f:containerStatuses": {}, "f:hostIP": {}, "f:phase": {}, "f:podIP": {}, "f:podIPs": {}, "f:startTime": {} } } },
    ])
}

/// A number that looks random but depends on `i` and the place it is used at only.
fn mix(i: u64, place: u64) -> u64 {
    let mut x = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ place.wrapping_mul(0xd1b5_4a32_d192_ed03);
    for _ in 0..2 {
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    }
    x ^ (x >> 31)
}

fn hex(i: u64, place: u64, len: usize) -> String {
    let mut text: String = (0..4).map(|part| format!("{:016x}", mix(i, place * 8 + part + 1_000))).collect();
    text.truncate(len);
    text
}

fn uuid(i: u64, place: u64) -> String {
    let digits = hex(i, place, 32);
    format!("{}-{}-4{}-a{}-{}", &digits[..8], &digits[8..12], &digits[13..16], &digits[17..20], &digits[20..])
}

/// Times of one pod lie close together; pods of one app were rolled out within an hour or so.
fn time(i: u64, plus: u64) -> String {
    let seconds = 1_760_000_000 + (i / REPLICAS % APPS) * 7_321 + mix(i, 40) % 4_000 + plus;
    jiff::Timestamp::from_second(seconds.try_into().expect("not that late")).expect("a time").to_string()
}
