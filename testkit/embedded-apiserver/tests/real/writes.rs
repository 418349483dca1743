//! How kinds differ in writes: the same writes to one object of each kind, on both servers.

use anyhow::Result;
use kube_client::Client;
use serde_json::{Value, json};

use crate::support::{Servers, ask, ask_with};

/// One object of each kind: its path, and its fields besides the name. There is no job: the real server gives a job a
/// selector that a PUT has to repeat, and its deletion waits for a garbage collector, which neither server has.
fn objects() -> Vec<(&'static str, Value)> {
    let labels = json!({ "app": "x" });
    let pod = json!({ "containers": [{ "name": "c", "image": "i" }] });
    let template = json!({ "metadata": { "labels": labels }, "spec": pod });
    let selector = json!({ "matchLabels": labels });
    let mut job_template = template.clone();
    job_template["spec"]["restartPolicy"] = json!("Never");
    let workload = json!({ "spec": { "selector": selector, "template": template } });
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
    let cluster_role = json!({ "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "x" });
    let scale_target = json!({ "kind": "Deployment", "name": "x", "apiVersion": "apps/v1" });
    vec![
        ("/api/v1/namespaces/default/configmaps", json!({ "data": { "a": "b" } })),
        ("/api/v1/namespaces/default/secrets", json!({ "type": "Opaque" })),
        ("/api/v1/namespaces/default/serviceaccounts", json!({})),
        ("/api/v1/namespaces/default/pods", json!({ "spec": pod })),
        ("/api/v1/namespaces/default/podtemplates", json!({ "template": template })),
        ("/api/v1/namespaces/default/limitranges", json!({ "spec": { "limits": [] } })),
        ("/api/v1/namespaces/default/resourcequotas", json!({ "spec": {} })),
        ("/api/v1/namespaces/default/endpoints", json!({})),
        ("/api/v1/namespaces/default/persistentvolumeclaims", json!({ "spec": storage })),
        (
            "/api/v1/namespaces/default/services",
            json!({ "spec": { "ports": [{ "port": 80 }], "selector": labels } }),
        ),
        ("/api/v1/persistentvolumes", json!({ "spec": volume })),
        ("/api/v1/nodes", json!({})),
        ("/apis/apps/v1/namespaces/default/deployments", workload.clone()),
        ("/apis/apps/v1/namespaces/default/replicasets", workload.clone()),
        ("/apis/apps/v1/namespaces/default/daemonsets", workload.clone()),
        ("/apis/apps/v1/namespaces/default/statefulsets", workload),
        ("/apis/apps/v1/namespaces/default/controllerrevisions", json!({ "revision": 1, "data": {} })),
        (
            "/apis/batch/v1/namespaces/default/cronjobs",
            json!({ "spec": { "schedule": "@daily", "jobTemplate": { "spec": { "template": job_template } } } }),
        ),
        ("/apis/coordination.k8s.io/v1/namespaces/default/leases", json!({ "spec": {} })),
        (
            "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
            json!({ "addressType": "IPv4", "endpoints": [] }),
        ),
        (
            "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies",
            json!({ "spec": { "podSelector": {} } }),
        ),
        (
            "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
            json!({ "spec": { "defaultBackend": { "service": { "name": "x", "port": { "number": 80 } } } } }),
        ),
        ("/apis/networking.k8s.io/v1/ingressclasses", json!({ "spec": { "controller": "example.com/x" } })),
        (
            "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
            json!({ "spec": { "selector": selector } }),
        ),
        ("/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles", json!({ "rules": [] })),
        ("/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", json!({ "roleRef": role })),
        ("/apis/rbac.authorization.k8s.io/v1/clusterroles", json!({ "rules": [] })),
        ("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", json!({ "roleRef": cluster_role })),
        ("/apis/scheduling.k8s.io/v1/priorityclasses", json!({ "value": 7 })),
        ("/apis/node.k8s.io/v1/runtimeclasses", json!({ "handler": "x" })),
        ("/apis/storage.k8s.io/v1/storageclasses", json!({ "provisioner": "example.com/x" })),
        ("/apis/storage.k8s.io/v1/csidrivers", json!({ "spec": {} })),
        ("/apis/storage.k8s.io/v1/csinodes", json!({ "spec": { "drivers": [] } })),
        (
            "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
            json!({ "spec": { "maxReplicas": 2, "scaleTargetRef": scale_target } }),
        ),
        (
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
            json!({ "webhooks": [webhook] }),
        ),
    ]
}

/// The answers to the writes, step by step.
async fn course(client: &Client, collection: &str, object: &Value) -> Result<Vec<Value>> {
    let mut object = object.clone();
    object["metadata"] = json!({ "name": "x" });
    let (post, put) = (format!("POST {collection}"), format!("PUT {collection}/x"));
    let missing = ask_with(client, &put, &object).await?;
    let mut course = vec![json!({ "PUT of what is missing": [missing.status, missing.body["reason"]] })];
    if missing.status == 404 {
        let made = ask_with(client, &post, &object).await?;
        course.push(json!({ "POST": [made.status, made.body["message"]] }));
    }
    let made = ask(client, &format!("GET {collection}/x")).await?.body;
    course.push(json!({ "generation": made["metadata"]["generation"] }));
    object["metadata"]["labels"] = json!({ "changed": "yes" });
    let labelled = ask_with(client, &put, &object).await?;
    course.push(json!({ "PUT without a version": [labelled.status, labelled.body["reason"]] }));
    let mut current = ask(client, &format!("GET {collection}/x")).await?;
    // `ask` has moved the resourceVersion out of the body.
    current.body["metadata"]["resourceVersion"] = current.version.into();
    current.body["metadata"]["annotations"] = json!({ "changed": "yes" });
    let annotated = ask_with(client, &put, &current.body).await?;
    course.push(json!({ "with annotations": [annotated.status, annotated.body["metadata"]["generation"]] }));
    let deleted = ask(client, &format!("DELETE {collection}/x")).await?;
    course.push(json!({ "DELETE": [deleted.status, deleted.body["kind"]] }));
    Ok(course)
}

#[tokio::test]
async fn kinds_are_written_and_deleted_as_on_the_real_server() -> Result<()> {
    let test = "kinds_are_written_and_deleted_as_on_the_real_server";
    let Some(servers) = Servers::start(test).await? else { return Ok(()) };
    let mut problems = Vec::new();
    for (collection, object) in objects() {
        let real = course(&servers.real, collection, &object).await?;
        let embedded = course(&servers.embedded, collection, &object).await?;
        if real != embedded {
            let (real, embedded) = (Value::from(real), Value::from(embedded));
            problems.push(format!("{collection}\n  real     {real}\n  embedded {embedded}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    servers.stop().await
}
