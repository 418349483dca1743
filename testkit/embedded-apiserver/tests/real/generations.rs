//! When `metadata.generation` rises, kind by kind, on both servers.

use anyhow::Result;
use serde_json::{Value, json};

use crate::support::Servers;
use crate::support::compare::{Case, Differences, compare, named, serve_widgets};

const DIFFERENCES: Differences = &[];

/// When `metadata.generation` rises.
fn generations() -> Vec<Case> {
    let pod = json!({ "metadata": { "labels": { "app": "x" } }, "spec": { "containers": [{ "name": "c", "image": "i" }] } });
    let workload =
        json!({ "spec": { "replicas": 1, "selector": { "matchLabels": { "app": "x" } }, "template": pod } });
    let daemon = json!({ "spec": { "selector": { "matchLabels": { "app": "x" } }, "template": pod } });
    let widget = json!({ "apiVersion": "compare.example.com/v1", "kind": "Widget", "spec": { "a": 1 } });
    let pod_alone = json!({ "spec": pod["spec"] });
    let replicas = json!({ "spec": { "replicas": 3 } });
    let ready = json!({ "spec": { "minReadySeconds": 3 } });
    let kinds = [
        ("deployments", &workload, &replicas, true),
        ("replicasets", &workload, &replicas, true),
        ("statefulsets", &workload, &replicas, true),
        ("daemonsets", &daemon, &ready, false),
        ("widgets", &widget, &json!({ "spec": { "a": 2 } }), true),
        ("pods", &pod_alone, &json!({ "spec": { "activeDeadlineSeconds": 100 } }), true),
        ("maps", &json!({}), &json!({ "data": { "a": "b" } }), false),
        ("secrets", &json!({}), &json!({ "data": { "a": "eA==" } }), false),
        ("leases", &json!({ "spec": {} }), &json!({ "spec": { "holderIdentity": "a" } }), false),
        (
            "services",
            &json!({ "spec": { "ports": [{ "port": 80 }] } }),
            &json!({ "spec": { "selector": { "a": "b" } } }),
            false,
        ),
        ("nodes", &json!({}), &json!({ "spec": { "unschedulable": true } }), false),
    ];
    let mut cases = Vec::new();
    for (collection, object, change, has_status) in kinds {
        let name = if collection == "nodes" { "gen-{ns}" } else { "x" };
        let merge = format!("MERGE {collection}/{name}");
        let status = format!("MERGE {collection}/{name}/status");
        let conditions = json!({ "status": { "conditions": [{ "type": "A", "status": "True" }] } });
        let mut steps: Vec<(String, Value)> = vec![
            (format!("POST {collection}"), named(name, object)),
            (merge.clone(), json!({ "metadata": { "labels": { "a": "b" } } })),
            (merge.clone(), json!({ "metadata": { "annotations": { "a": "b" } } })),
            (merge.clone(), json!({ "metadata": { "finalizers": ["example.com/a"] } })),
            (merge.clone(), change.clone()),
            (merge.clone(), change.clone()),
            (merge.clone(), json!({ "metadata": { "generation": 77 } })),
        ];
        if has_status {
            let part =
                if collection == "pods" { json!({ "message": "x" }) } else { json!({ "replicas": 7 }) };
            steps.push((merge.clone(), json!({ "status": part })));
            if collection == "widgets" {
                steps.push((status.clone(), conditions));
                steps.push((status, json!({ "spec": { "a": 7 }, "metadata": { "labels": { "c": "d" } }, "status": { "b": 1 } })));
            }
        }
        steps.push((format!("DELETE {collection}/{name}"), json!({ "gracePeriodSeconds": 0 })));
        steps.push((format!("GET {collection}/{name}"), Value::Null));
        cases.push(Case::new(format!("generation of {collection}"), steps));
    }
    cases
}

/// The same for kinds that are written less often: their path, an object, and a change of it.
fn other_generations() -> Vec<Case> {
    let pod = json!({ "metadata": { "labels": { "app": "x" } }, "spec": { "containers": [{ "name": "c", "image": "i" }] } });
    let mut job_pod = pod.clone();
    job_pod["spec"]["restartPolicy"] = json!("Never");
    let backend =
        |port: u16| json!({ "defaultBackend": { "service": { "name": "x", "port": { "number": port } } } });
    let target = json!({ "kind": "Deployment", "name": "x", "apiVersion": "apps/v1" });
    let claim =
        json!({ "resources": { "requests": { "storage": "1Gi" } }, "accessModes": ["ReadWriteOnce"] });
    let kinds = [
        (
            "/apis/batch/v1/namespaces/{ns}/cronjobs",
            json!({ "spec": { "schedule": "@daily", "jobTemplate": { "spec": { "template": job_pod } } } }),
            json!({ "spec": { "schedule": "@hourly" } }),
        ),
        (
            "/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses",
            json!({ "spec": backend(80) }),
            json!({ "spec": backend(81) }),
        ),
        (
            "/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies",
            json!({ "spec": { "podSelector": {} } }),
            json!({ "spec": { "podSelector": { "matchLabels": { "a": "b" } } } }),
        ),
        (
            "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
            json!({ "spec": { "selector": { "matchLabels": { "a": "b" } } } }),
            json!({ "spec": { "minAvailable": 1 } }),
        ),
        (
            "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers",
            json!({ "spec": { "maxReplicas": 2, "scaleTargetRef": target } }),
            json!({ "spec": { "maxReplicas": 3 } }),
        ),
        (
            "/api/v1/namespaces/{ns}/persistentvolumeclaims",
            json!({ "spec": claim }),
            json!({ "spec": { "volumeName": "v" } }),
        ),
        (
            "/api/v1/namespaces/{ns}/replicationcontrollers",
            json!({ "spec": { "replicas": 1, "selector": { "app": "x" }, "template": pod } }),
            json!({ "spec": { "replicas": 2 } }),
        ),
        (
            "/api/v1/namespaces/{ns}/resourcequotas",
            json!({ "spec": {} }),
            json!({ "spec": { "hard": { "pods": "5" } } }),
        ),
        (
            "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices",
            json!({ "addressType": "IPv4", "endpoints": [] }),
            json!({ "endpoints": [{ "addresses": ["10.1.2.3"] }] }),
        ),
        (
            "/apis/apps/v1/namespaces/{ns}/controllerrevisions",
            json!({ "revision": 1, "data": {} }),
            json!({ "revision": 2 }),
        ),
        ("/apis/scheduling.k8s.io/v1/priorityclasses", json!({ "value": 7 }), json!({ "description": "d" })),
        (
            "/apis/storage.k8s.io/v1/storageclasses",
            json!({ "provisioner": "example.com/x" }),
            json!({ "allowVolumeExpansion": true }),
        ),
        ("/api/v1/namespaces", json!({}), json!({ "metadata": { "labels": { "c": "d" } } })),
    ];
    let generations = |(path, object, change): (&str, Value, Value)| {
        let merge = format!("MERGE {path}/gen-{{ns}}");
        let steps = vec![
            (format!("POST {path}"), named("gen-{ns}", &object)),
            (merge.clone(), json!({ "metadata": { "labels": { "a": "b" } } })),
            (merge.clone(), json!({ "metadata": { "annotations": { "a": "b" } } })),
            (merge.clone(), change.clone()),
            (merge.clone(), change),
            (merge, json!({ "metadata": { "generation": 77 } })),
        ];
        // Their defaults are another matter.
        Case::new(format!("generation of {path}"), steps).only("/body/metadata/generation")
    };
    kinds.into_iter().map(generations).collect()
}

#[tokio::test]
async fn generations_rise_when_they_do_on_the_real_server() -> Result<()> {
    let test = "generations_rise_when_they_do_on_the_real_server";
    let Some(servers) = Servers::start(test).await? else { return Ok(()) };
    serve_widgets(&servers).await?;
    let cases = [generations(), other_generations()].into_iter().flatten().collect();
    compare(&servers, cases, DIFFERENCES).await?;
    servers.stop().await
}
