//! The same writes to an object of each kind.

use serde_json::{Value, json};

use super::super::{JSON, MERGE, Story, apply};
use crate::kinds::Resource;

/// An object of each kind.
fn objects() -> Vec<(&'static str, Value)> {
    let labels = json!({ "app": "x" });
    let pod = json!({ "containers": [{ "name": "c", "image": "i" }] });
    let template = json!({ "metadata": { "labels": labels }, "spec": pod });
    let selector = json!({ "matchLabels": labels });
    let mut job = template.clone();
    job["spec"]["restartPolicy"] = json!("Never");
    let workload = json!({ "spec": { "selector": selector, "template": template } });
    let mut stateful = workload.clone();
    stateful["spec"]["volumeClaimTemplates"] = json!([{ "metadata": { "name": "v" }, "spec": {
        "resources": { "requests": { "storage": "1Gi" } }, "accessModes": ["ReadWriteOnce"],
    } }]);
    let webhook = json!({
        "name": "x.example.com", "admissionReviewVersions": ["v1"], "sideEffects": "None",
        "failurePolicy": "Ignore", "clientConfig": { "url": "https://127.0.0.1:1/" },
        "namespaceSelector": { "matchLabels": { "nobody": "has-this" } },
        "rules": [{ "apiGroups": ["example.com"], "apiVersions": ["v1"], "resources": ["foos"],
            "operations": ["CREATE"] }],
    });
    let storage =
        json!({ "resources": { "requests": { "storage": "1Gi" } }, "accessModes": ["ReadWriteOnce"] });
    let volume = json!({
        "capacity": { "storage": "1Gi" }, "accessModes": ["ReadWriteOnce"], "hostPath": { "path": "/x" },
    });
    let role = json!({ "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "x" });
    let subject = json!({ "kind": "User", "name": "u", "apiGroup": "rbac.authorization.k8s.io" });
    let rule = json!({ "apiGroups": [""], "resources": ["pods"], "verbs": ["get"] });
    let target = json!({ "kind": "Deployment", "name": "x", "apiVersion": "apps/v1" });
    let backend = json!({ "service": { "name": "x", "port": { "number": 80 } } });
    vec![
        ("/api/v1/namespaces", json!({})),
        // Before there is a limit range.
        ("/api/v1/namespaces/default/pods", json!({ "spec": pod })),
        ("/api/v1/nodes", json!({ "spec": { "taints": [{ "key": "a", "effect": "NoSchedule" }] } })),
        ("/api/v1/persistentvolumes", json!({ "spec": volume })),
        ("/api/v1/namespaces/default/secrets", json!({ "data": { "a": "YQ==" } })),
        (
            "/api/v1/namespaces/default/serviceaccounts",
            json!({ "secrets": [{ "name": "s" }], "imagePullSecrets": [{ "name": "p" }] }),
        ),
        ("/api/v1/namespaces/default/podtemplates", json!({ "template": template })),
        (
            "/api/v1/namespaces/default/limitranges",
            json!({ "spec": { "limits": [{ "type": "Pod", "max": { "cpu": "1" } }] } }),
        ),
        ("/api/v1/namespaces/default/resourcequotas", json!({ "spec": { "hard": { "cpu": "5" } } })),
        (
            "/api/v1/namespaces/default/replicationcontrollers",
            json!({ "spec": { "selector": labels, "template": template } }),
        ),
        ("/api/v1/namespaces/default/persistentvolumeclaims", json!({ "spec": storage })),
        ("/apis/apps/v1/namespaces/default/replicasets", workload.clone()),
        ("/apis/apps/v1/namespaces/default/daemonsets", workload),
        ("/apis/apps/v1/namespaces/default/statefulsets", stateful),
        (
            "/apis/apps/v1/namespaces/default/controllerrevisions",
            json!({ "revision": 1, "data": { "x": { "y": 1 } } }),
        ),
        ("/apis/batch/v1/namespaces/default/jobs", json!({ "spec": { "template": job } })),
        (
            "/apis/batch/v1/namespaces/default/cronjobs",
            json!({ "spec": { "schedule": "@daily", "jobTemplate": { "spec": { "template": job } } } }),
        ),
        (
            "/apis/coordination.k8s.io/v1/namespaces/default/leases",
            json!({ "spec": { "holderIdentity": "x", "renewTime": "2026-01-02T03:04:05.000006Z" } }),
        ),
        (
            "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
            json!({ "addressType": "IPv4", "endpoints": [{ "addresses": ["10.1.2.3"] }], "ports": [{ "port": 80, "name": "x" }] }),
        ),
        (
            "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies",
            json!({ "spec": { "podSelector": {} } }),
        ),
        (
            "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
            json!({ "spec": { "defaultBackend": backend } }),
        ),
        ("/apis/networking.k8s.io/v1/ingressclasses", json!({ "spec": { "controller": "example.com/x" } })),
        (
            "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
            json!({ "spec": { "selector": selector, "minAvailable": "50%" } }),
        ),
        ("/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles", json!({ "rules": [rule] })),
        (
            "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
            json!({ "roleRef": role, "subjects": [subject] }),
        ),
        ("/apis/rbac.authorization.k8s.io/v1/clusterroles", json!({ "rules": [rule] })),
        ("/apis/scheduling.k8s.io/v1/priorityclasses", json!({ "value": 7 })),
        ("/apis/node.k8s.io/v1/runtimeclasses", json!({ "handler": "x" })),
        (
            "/apis/storage.k8s.io/v1/storageclasses",
            json!({ "provisioner": "example.com/x", "parameters": { "a": "b" } }),
        ),
        ("/apis/storage.k8s.io/v1/csidrivers", json!({ "spec": {} })),
        (
            "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
            json!({ "spec": { "maxReplicas": 2, "scaleTargetRef": target } }),
        ),
        (
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
            json!({ "webhooks": [webhook] }),
        ),
    ]
}

/// Each is posted, labelled, applied whole by others, and applied first.
pub(crate) fn all() -> Vec<Story> {
    let mut stories = Vec::new();
    for (collection, object) in objects() {
        let collection = collection.to_owned();
        let label = json!({ "metadata": { "labels": { "a": "b" } } });
        let steps = vec![
            ("POST ?fieldManager=one", JSON, object.clone()),
            ("PATCH ?fieldManager=two", MERGE, label.clone()),
            apply("PATCH ?fieldManager=three", object.clone()),
            apply("PATCH ?fieldManager=three", label),
        ];
        stories.push(Story { collection: collection.clone(), steps });
        stories.push(Story { collection, steps: vec![apply("PATCH ?fieldManager=one", object)] });
    }
    stories
}

/// Removes what an object gets only when it is stored, or by admission, after it is known who owns what.
pub(crate) fn remove_late_fields(resource: &Resource, object: &mut Value) {
    let fields: &[&str] = match &*resource.kind {
        "Service" => &["/spec/clusterIP", "/spec/clusterIPs", "/spec/ipFamilies", "/spec/ipFamilyPolicy"],
        "Namespace" => &["/spec/finalizers"],
        "PersistentVolume" | "PersistentVolumeClaim" => &["/metadata/finalizers"],
        "Job" => &["/spec/selector"],
        "Pod" => &["/spec/priority", "/spec/preemptionPolicy", "/spec/tolerations"],
        _ => &[],
    };
    for field in fields {
        let (parent, name) = field.rsplit_once('/').unwrap();
        if let Some(parent) = object.pointer_mut(parent).and_then(Value::as_object_mut) {
            parent.remove(name);
        }
    }
    for labels in ["/metadata/labels", "/spec/template/metadata/labels"] {
        if let Some(labels) = object.pointer_mut(labels).and_then(Value::as_object_mut) {
            labels.retain(|name, _| !name.ends_with("controller-uid") && !name.ends_with("job-name"));
        }
    }
}
