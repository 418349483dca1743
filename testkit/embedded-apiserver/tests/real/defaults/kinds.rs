//! Objects of the built-in kinds.

use serde_json::{Value, json};

use crate::support::with;

/// The collections and the objects that are created in them: of each kind as little as is allowed, and more.
pub(super) fn all() -> Vec<(&'static str, Value)> {
    let mut all = workloads();
    all.extend(core());
    all.extend(services());
    all.extend(others());
    all
}

fn object(api_version: &str, kind: &str, name: &str, fields: Value) -> Value {
    with(json!({ "apiVersion": api_version, "kind": kind, "metadata": { "name": name } }), fields)
}

fn little_pod() -> Value {
    json!({ "containers": [{ "name": "c", "image": "i" }] })
}

/// A spec of pods in which much is said and much is left to defaults.
fn much_pod() -> Value {
    let probe = |action: Value| with(json!({ "initialDelaySeconds": 5 }), action);
    let container = json!({
        "name": "c", "image": "registry.example.com:5000/team/app:1.2", "tty": false, "stdin": true,
        "ports": [{ "containerPort": 80 }, { "containerPort": 53, "name": "dns", "protocol": "UDP" }],
        "env": [
            { "name": "A", "value": "" }, { "name": "B", "valueFrom": { "fieldRef": { "fieldPath": "metadata.name" } } },
            { "name": "C", "valueFrom": { "secretKeyRef": { "name": "s", "key": "k" } } },
        ],
        "resources": { "limits": { "cpu": "1500m", "memory": "1024Mi" }, "requests": { "cpu": "0.5" } },
        "livenessProbe": probe(json!({ "httpGet": { "port": 80 } })),
        "readinessProbe": probe(json!({ "tcpSocket": { "port": "dns" } })),
        "startupProbe": probe(json!({ "grpc": { "port": 9 }, "failureThreshold": 0 })),
        "lifecycle": { "preStop": { "httpGet": { "port": 8080, "path": "/stop" } } },
        "volumeMounts": [{ "name": "config", "mountPath": "/c" }, { "name": "cache", "mountPath": "/d", "readOnly": false }],
        "securityContext": { "runAsNonRoot": true },
    });
    let sources = json!([
        { "serviceAccountToken": { "path": "token" } }, { "configMap": { "name": "m" } },
        { "downwardAPI": { "items": [{ "path": "labels", "fieldRef": { "fieldPath": "metadata.labels" } }] } },
    ]);
    json!({
        "containers": [container, { "name": "d", "image": "app@sha256:0123456789012345678901234567890123456789012345678901234567890123" }],
        "initContainers": [{ "name": "i", "image": "init:latest", "restartPolicy": "Always" }],
        "hostNetwork": false, "serviceAccountName": "robot", "terminationGracePeriodSeconds": 0,
        "nodeSelector": { "zone": "a" },
        "tolerations": [{ "key": "k", "operator": "Exists" }],
        "topologySpreadConstraints": [{ "maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule" }],
        "affinity": { "podAntiAffinity": { "preferredDuringSchedulingIgnoredDuringExecution": [
            { "weight": 1, "podAffinityTerm": { "topologyKey": "zone" } },
        ] } },
        "volumes": [
            { "name": "config", "configMap": { "name": "m" } }, { "name": "cache" },
            { "name": "secret", "secret": { "secretName": "s", "defaultMode": 256 } }, { "name": "path", "hostPath": { "path": "/x" } },
            { "name": "all", "projected": { "sources": sources } },
            { "name": "claim", "persistentVolumeClaim": { "claimName": "p" } },
            { "name": "own", "ephemeral": { "volumeClaimTemplate": { "spec": {
                "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } },
            } } } },
        ],
    })
}

fn template(spec: &Value) -> Value {
    json!({ "metadata": { "labels": { "app": "x" } }, "spec": spec })
}

fn once(mut spec: Value) -> Value {
    spec["restartPolicy"] = "Never".into();
    if let Some(Value::Object(init)) = spec.pointer_mut("/initContainers/0") {
        init.remove("restartPolicy");
    }
    spec
}

fn workloads() -> Vec<(&'static str, Value)> {
    let selector = json!({ "matchLabels": { "app": "x" } });
    let mut all = Vec::new();
    for (path, kind) in [
        ("/apis/apps/v1/namespaces/default/deployments", "Deployment"),
        ("/apis/apps/v1/namespaces/default/replicasets", "ReplicaSet"),
        ("/apis/apps/v1/namespaces/default/daemonsets", "DaemonSet"),
        ("/apis/apps/v1/namespaces/default/statefulsets", "StatefulSet"),
    ] {
        for (name, pod) in [("little", little_pod()), ("much", much_pod())] {
            let spec = json!({ "selector": selector, "template": template(&pod) });
            all.push((path, object("apps/v1", kind, name, json!({ "spec": spec }))));
        }
    }
    let deployments = "/apis/apps/v1/namespaces/default/deployments";
    for (name, strategy) in [
        ("recreate", json!({ "type": "Recreate" })),
        ("surge", json!({ "rollingUpdate": { "maxSurge": 1 } })),
        ("rolling", json!({ "type": "RollingUpdate" })),
    ] {
        let spec = json!({
            "selector": selector, "template": template(&little_pod()), "strategy": strategy, "replicas": 0,
            "minReadySeconds": 0, "paused": false, "revisionHistoryLimit": 0,
        });
        all.push((deployments, object("apps/v1", "Deployment", name, json!({ "spec": spec }))));
    }
    let claim = json!({ "metadata": { "name": "data" }, "spec": {
        "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } },
    } });
    for (name, strategy) in [
        ("ondelete", json!({ "type": "OnDelete" })),
        ("partition", json!({ "type": "RollingUpdate", "rollingUpdate": {} })),
    ] {
        let spec = json!({
            "selector": selector, "template": template(&little_pod()), "updateStrategy": strategy, "serviceName": "s",
            "volumeClaimTemplates": [claim], "persistentVolumeClaimRetentionPolicy": { "whenDeleted": "Delete" },
        });
        let path = "/apis/apps/v1/namespaces/default/statefulsets";
        all.push((path, object("apps/v1", "StatefulSet", name, json!({ "spec": spec }))));
    }
    let (jobs, cron) =
        ("/apis/batch/v1/namespaces/default/jobs", "/apis/batch/v1/namespaces/default/cronjobs");
    for (name, spec) in [
        ("little", json!({ "template": { "spec": once(little_pod()) } })),
        ("labelled", json!({ "template": template(&once(little_pod())) })),
        ("parallel", json!({ "parallelism": 2, "template": template(&once(much_pod())) })),
        (
            "indexed",
            json!({
                "completions": 3, "completionMode": "Indexed", "backoffLimitPerIndex": 1, "template": { "spec": once(little_pod()) },
                "podFailurePolicy": { "rules": [{ "action": "Ignore", "onPodConditions": [{ "type": "DisruptionTarget" }] }] },
            }),
        ),
    ] {
        all.push((jobs, object("batch/v1", "Job", name, json!({ "spec": spec }))));
        let cron_spec = json!({ "schedule": "* * * * *", "jobTemplate": { "spec": spec } });
        all.push((cron, object("batch/v1", "CronJob", name, json!({ "spec": cron_spec }))));
    }
    let pods = "/api/v1/namespaces/default/pods";
    let mut host = little_pod();
    host["hostNetwork"] = true.into();
    host["containers"][0]["ports"] = json!([{ "containerPort": 80 }]);
    host["containers"][0]["resources"] = json!({ "limits": { "cpu": "1" } });
    let mut much = much_pod();
    // Those who apply tolerations lose them to admission, which adds others to the list.
    if let Value::Object(much) = &mut much {
        much.remove("tolerations");
    }
    for (name, spec) in [("little", little_pod()), ("much", much), ("host", host)] {
        all.push((pods, object("v1", "Pod", name, json!({ "spec": spec }))));
    }
    let templates = "/api/v1/namespaces/default/podtemplates";
    for (name, spec) in [("little", little_pod()), ("much", much_pod())] {
        all.push((templates, object("v1", "PodTemplate", name, json!({ "template": template(&spec) }))));
    }
    let controllers = "/api/v1/namespaces/default/replicationcontrollers";
    let spec = json!({ "template": template(&little_pod()) });
    all.push((controllers, object("v1", "ReplicationController", "little", json!({ "spec": spec }))));
    all
}

fn core() -> Vec<(&'static str, Value)> {
    let volumes = "/api/v1/persistentvolumes";
    let claims = "/api/v1/namespaces/default/persistentvolumeclaims";
    let claim =
        json!({ "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1024Mi" } } });
    let limits = json!([
        { "type": "Container", "max": { "cpu": "2" }, "min": { "memory": "1Mi" }, "default": { "memory": "2Mi" } },
        { "type": "Pod", "max": { "cpu": "4" } },
    ]);
    vec![
        ("/api/v1/namespaces/default/configmaps", object("v1", "ConfigMap", "little", json!({}))),
        (
            "/api/v1/namespaces/default/configmaps",
            object("v1", "ConfigMap", "much", json!({ "data": { "a": "b" } })),
        ),
        ("/api/v1/namespaces/default/secrets", object("v1", "Secret", "little", json!({}))),
        (
            "/api/v1/namespaces/default/secrets",
            object("v1", "Secret", "much", json!({ "stringData": { "a": "b" } })),
        ),
        ("/api/v1/namespaces/default/serviceaccounts", object("v1", "ServiceAccount", "little", json!({}))),
        (
            "/api/v1/namespaces/default/serviceaccounts",
            object(
                "v1",
                "ServiceAccount",
                "much",
                json!({ "imagePullSecrets": [{ "name": "s" }], "secrets": [{ "name": "s" }] }),
            ),
        ),
        ("/api/v1/namespaces", object("v1", "Namespace", "little", json!({}))),
        ("/api/v1/nodes", object("v1", "Node", "little", json!({}))),
        (
            "/api/v1/nodes",
            object(
                "v1",
                "Node",
                "much",
                json!({
                    "spec": { "podCIDR": "10.1.0.0/24", "taints": [{ "key": "k", "effect": "NoSchedule" }] },
                    "status": { "capacity": { "cpu": "4", "memory": "1024Ki" } },
                }),
            ),
        ),
        (
            volumes,
            object(
                "v1",
                "PersistentVolume",
                "little",
                json!({ "spec": {
                "accessModes": ["ReadWriteOnce"], "capacity": { "storage": "1Gi" }, "hostPath": { "path": "/x" },
            } }),
            ),
        ),
        (claims, object("v1", "PersistentVolumeClaim", "little", json!({ "spec": claim }))),
        (
            "/api/v1/namespaces/default/limitranges",
            object("v1", "LimitRange", "much", json!({ "spec": { "limits": limits } })),
        ),
        (
            "/api/v1/namespaces/default/resourcequotas",
            object("v1", "ResourceQuota", "little", json!({ "spec": { "hard": { "pods": "1" } } })),
        ),
        (
            "/api/v1/namespaces/default/endpoints",
            object(
                "v1",
                "Endpoints",
                "much",
                json!({ "subsets": [{ "addresses": [{ "ip": "10.0.0.1" }], "ports": [{ "port": 80 }] }] }),
            ),
        ),
    ]
}

fn services() -> Vec<(&'static str, Value)> {
    let ports = json!([{ "port": 80 }]);
    let service = |name: &str, more: Value| {
        let spec = with(json!({ "selector": { "a": "b" }, "ports": ports }), more);
        ("/api/v1/namespaces/default/services", object("v1", "Service", name, json!({ "spec": spec })))
    };
    vec![
        service("little", json!({})),
        service(
            "named",
            json!({ "ports": [{ "port": 53, "protocol": "UDP", "targetPort": "dns" }], "type": "ClusterIP" }),
        ),
        service("affine", json!({ "sessionAffinity": "ClientIP" })),
        service("node", json!({ "type": "NodePort" })),
        service("balanced", json!({ "type": "LoadBalancer" })),
        service("headless", json!({ "clusterIP": "None" })),
        service(
            "elsewhere",
            json!({ "type": "ExternalName", "externalName": "h.example.com", "sessionAffinity": "None" }),
        ),
    ]
}

fn others() -> Vec<(&'static str, Value)> {
    let target = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "name": "x" });
    let scaler = |name: &str, more: Value| {
        let spec = with(json!({ "maxReplicas": 3, "scaleTargetRef": target }), more);
        let path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
        (path, object("autoscaling/v2", "HorizontalPodAutoscaler", name, json!({ "spec": spec })))
    };
    let policy = |name: &str, spec: Value| {
        let path = "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies";
        (path, object("networking.k8s.io/v1", "NetworkPolicy", name, json!({ "spec": spec })))
    };
    let budget = |name: &str, spec: Value| {
        let path = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
        (path, object("policy/v1", "PodDisruptionBudget", name, json!({ "spec": spec })))
    };
    let rbac = "rbac.authorization.k8s.io/v1";
    let role = json!({ "kind": "ClusterRole", "name": "x" });
    let subjects = json!([{ "kind": "User", "name": "u" }, { "kind": "ServiceAccount", "name": "s", "namespace": "default" }]);
    let backend = json!({ "service": { "name": "s", "port": { "number": 80 } } });
    let rules = json!([{ "host": "h.example.com", "http": { "paths": [{ "path": "/", "pathType": "Prefix", "backend": backend }] } }]);
    let webhook = json!({
        "name": "a.example.com", "sideEffects": "None", "admissionReviewVersions": ["v1"],
        "clientConfig": { "service": { "name": "s", "namespace": "default" } },
        "rules": [{ "apiGroups": ["never.example.com"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["x"] }],
    });
    vec![
        scaler("little", json!({})),
        scaler(
            "much",
            json!({ "behavior": { "scaleDown": { "stabilizationWindowSeconds": 5 } }, "minReplicas": 2 }),
        ),
        (
            "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers",
            object(
                "autoscaling/v1",
                "HorizontalPodAutoscaler",
                "older",
                json!({ "spec": { "maxReplicas": 3, "scaleTargetRef": target } }),
            ),
        ),
        policy("little", json!({ "podSelector": {} })),
        policy(
            "much",
            json!({ "podSelector": {}, "egress": [{ "ports": [{ "port": 53 }] }], "ingress": [{}] }),
        ),
        budget("little", json!({ "selector": { "matchLabels": { "a": "b" } }, "minAvailable": 1 })),
        budget(
            "much",
            json!({ "selector": {}, "maxUnavailable": "25%", "unhealthyPodEvictionPolicy": "AlwaysAllow" }),
        ),
        (
            "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
            object(
                "networking.k8s.io/v1",
                "Ingress",
                "little",
                json!({ "spec": { "defaultBackend": backend } }),
            ),
        ),
        (
            "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
            object(
                "networking.k8s.io/v1",
                "Ingress",
                "much",
                json!({ "spec": { "rules": rules, "tls": [{ "hosts": ["h.example.com"] }] } }),
            ),
        ),
        (
            "/apis/networking.k8s.io/v1/ingressclasses",
            object(
                "networking.k8s.io/v1",
                "IngressClass",
                "much",
                json!({ "spec": { "controller": "a/b", "parameters": { "kind": "k", "name": "n" } } }),
            ),
        ),
        (
            "/apis/storage.k8s.io/v1/storageclasses",
            object("storage.k8s.io/v1", "StorageClass", "little", json!({ "provisioner": "a/b" })),
        ),
        (
            "/apis/storage.k8s.io/v1/csidrivers",
            object("storage.k8s.io/v1", "CSIDriver", "a.b", json!({ "spec": {} })),
        ),
        (
            "/apis/scheduling.k8s.io/v1/priorityclasses",
            object("scheduling.k8s.io/v1", "PriorityClass", "little", json!({ "value": 0 })),
        ),
        (
            "/apis/coordination.k8s.io/v1/namespaces/default/leases",
            object(
                "coordination.k8s.io/v1",
                "Lease",
                "little",
                json!({ "spec": { "holderIdentity": "me", "leaseTransitions": 0 } }),
            ),
        ),
        (
            "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
            object(
                "discovery.k8s.io/v1",
                "EndpointSlice",
                "much",
                json!({
                    "addressType": "IPv4", "endpoints": [{ "addresses": ["10.0.0.1"] }], "ports": [{ "port": 80 }],
                }),
            ),
        ),
        (
            "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
            object(rbac, "Role", "little", json!({})),
        ),
        (
            "/apis/rbac.authorization.k8s.io/v1/clusterroles",
            object(
                rbac,
                "ClusterRole",
                "much",
                json!({ "rules": [{ "verbs": ["get"], "resources": ["pods"], "apiGroups": [""] }] }),
            ),
        ),
        (
            "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
            object(rbac, "RoleBinding", "much", json!({ "roleRef": role, "subjects": subjects })),
        ),
        (
            "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
            object(rbac, "ClusterRoleBinding", "much", json!({ "roleRef": role, "subjects": subjects })),
        ),
        (
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
            object(
                "admissionregistration.k8s.io/v1",
                "ValidatingWebhookConfiguration",
                "much",
                json!({ "webhooks": [webhook] }),
            ),
        ),
        (
            "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
            object(
                "admissionregistration.k8s.io/v1",
                "MutatingWebhookConfiguration",
                "much",
                json!({ "webhooks": [webhook] }),
            ),
        ),
    ]
}
