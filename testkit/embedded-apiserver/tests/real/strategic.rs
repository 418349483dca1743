//! Strategic merge patches: the same patch of the same object on both servers.

use anyhow::Result;
use kube_client::Client;
use serde_json::{Value, json};

use crate::support::{Servers, ask_with, with, write};

const STRATEGIC: &str = "application/strategic-merge-patch+json";

const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";
const CONFIGMAPS: &str = "/api/v1/namespaces/default/configmaps";
const PODS: &str = "/api/v1/namespaces/default/pods";
const SERVICES: &str = "/api/v1/namespaces/default/services";
const SLICES: &str = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
const NODES: &str = "/api/v1/nodes";

/// A patch, and the parts of the result that are compared: those that the real server gives no defaults to.
struct Case {
    collection: &'static str,
    object: Value,
    /// `/status` or nothing.
    part: &'static str,
    patch: Value,
    compared: &'static [&'static str],
}

/// A container that has all that the real server would set by default.
fn container(name: &str) -> Value {
    json!({
        "name": name, "image": "i:1", "imagePullPolicy": "Always", "resources": {},
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
    })
}

fn deployment(pod: &Value) -> Value {
    let template = json!({ "metadata": { "labels": { "app": "x" } }, "spec": pod });
    json!({ "spec": { "selector": { "matchLabels": { "app": "x" } }, "template": template } })
}

/// Patches of the containers of a deployment with the containers `one`, `two` and `three`.
fn of_containers() -> Vec<Case> {
    let port = |number: u16, name: &str| json!({ "containerPort": number, "name": name, "protocol": "TCP" });
    let one = with(
        container("one"),
        json!({
            "env": [{ "name": "A", "value": "1" }, { "name": "B", "value": "2" }],
            "ports": [port(80, "http"), port(443, "https")],
            "args": ["x", "y"],
            "volumeMounts": [{ "name": "v", "mountPath": "/a" }, { "name": "v", "mountPath": "/b" }],
        }),
    );
    let volumes =
        json!([{ "name": "v", "emptyDir": {} }, { "name": "w", "hostPath": { "path": "/w", "type": "" } }]);
    let patches = vec![
        json!({ "containers": [{ "name": "two", "image": "i:2" }] }),
        json!({ "containers": [container("new")] }),
        json!({ "containers": [container("new"), { "name": "two", "image": "i:2" }] }),
        json!({ "containers": [{ "name": "three", "image": "i:3" }, container("new"), { "name": "one", "image": "i:2" }] }),
        json!({ "containers": [{ "name": "two", "$patch": "delete" }] }),
        json!({ "containers": [{ "name": "none", "$patch": "delete" }] }),
        json!({ "containers": [{ "$patch": "replace" }, container("new")] }),
        json!({ "containers": [container("new"), { "$patch": "replace" }, { "name": "one", "$patch": "delete" }] }),
        json!({ "containers": [{ "name": "two", "$patch": "merge" }] }),
        json!({ "containers": [{ "name": "two", "$patch": "other" }] }),
        json!({ "containers": [{ "$patch": "delete" }] }),
        json!({ "containers": [{ "image": "i:2" }] }),
        json!({ "containers": ["two"] }),
        json!({ "containers": {} }),
        json!({ "containers": "two" }),
        json!({ "containers": [{ "name": "one", "env": [{ "name": "B", "value": "3" }, { "name": "C", "value": "4" }] }] }),
        json!({ "containers": [{ "name": "one", "env": [{ "name": "A", "$patch": "delete" }] }] }),
        json!({ "containers": [{ "name": "one", "env": null }] }),
        json!({ "containers": [{ "name": "one", "ports": [port(8080, "more"), { "containerPort": 80, "name": "web" }] }] }),
        json!({ "containers": [{ "name": "one", "args": ["z"] }] }),
        json!({ "containers": [{ "name": "one", "args": null, "volumeMounts": null }] }),
        json!({ "containers": [{ "name": "one", "volumeMounts": [{ "name": "v", "mountPath": "/b", "readOnly": true }] }] }),
        json!({ "containers": [{ "name": "one", "resources": { "limits": { "cpu": "1" }, "requests": { "cpu": "1" } } }] }),
        json!({ "$setElementOrder/containers": [{ "name": "three" }, { "name": "two" }, { "name": "one" }] }),
        json!({ "$setElementOrder/containers": [{ "name": "three" }, { "name": "one" }] }),
        json!({
            "$setElementOrder/containers": [{ "name": "new" }, { "name": "two" }],
            "containers": [container("new"), { "name": "two", "image": "i:2" }],
        }),
        json!({
            "$setElementOrder/containers": [{ "name": "two" }, { "name": "new" }],
            "containers": [container("new"), { "name": "two", "image": "i:2" }],
        }),
        json!({
            "$setElementOrder/containers": [{ "name": "three" }, { "name": "one" }],
            "containers": [{ "name": "two", "$patch": "delete" }, { "name": "one", "image": "i:2" }],
        }),
        json!({ "$setElementOrder/containers": [{ "name": "two" }], "containers": [{ "name": "one" }] }),
        json!({ "$setElementOrder/containers": [], "containers": [container("new")] }),
        json!({ "$setElementOrder/containers": [{ "image": "two" }] }),
        json!({ "$setElementOrder/containers": "two" }),
        json!({ "$setElementOrder/nodeName": ["two"] }),
        json!({ "$setElementOrder/nothing": [{ "name": "two" }] }),
        json!({ "$setElementOrder": [{ "name": "two" }] }),
        json!({ "volumes": [{ "name": "w", "hostPath": { "path": "/x" } }, { "name": "new", "emptyDir": {} }] }),
        json!({ "volumes": [{ "name": "w", "$retainKeys": ["name", "emptyDir"], "emptyDir": {} }] }),
        json!({ "volumes": [{ "name": "w", "$retainKeys": ["name"], "emptyDir": {} }] }),
        json!({ "volumes": [{ "name": "w", "$retainKeys": "name", "emptyDir": {} }] }),
        json!({ "tolerations": [{ "key": "b", "operator": "Exists" }] }),
        json!({ "hostAliases": [{ "ip": "10.0.0.1", "hostnames": ["b"] }, { "ip": "10.0.0.2", "hostnames": ["c"] }] }),
        json!({ "imagePullSecrets": [{ "name": "q" }] }),
        json!({ "nodeSelector": { "$patch": "replace", "c": "d" } }),
        json!({ "nodeSelector": { "$patch": "delete" } }),
        json!({ "nodeSelector": { "$patch": "merge", "c": "d" } }),
        json!({ "nodeSelector": { "a": null, "c": "d", "e": null } }),
        json!({ "nodeSelector": null }),
        json!({ "securityContext": { "supplementalGroups": [2] } }),
        json!({ "dnsConfig": { "nameservers": ["10.0.0.9"], "options": [{ "name": "n", "$patch": "delete" }] } }),
        json!({ "$patch": "other" }),
        json!({ "nodeName": 5 }),
        json!({ "hostNetwork": "yes" }),
        json!({ "priority": 1.5 }),
        json!({ "terminationGracePeriodSeconds": "5" }),
        json!({ "nodeSelector": "a" }),
        json!({ "nodeSelector": { "a": 5 } }),
        json!({ "securityContext": [] }),
    ];
    let more = json!({
        "volumes": volumes, "nodeSelector": { "a": "b" }, "imagePullSecrets": [{ "name": "p" }],
        "tolerations": [{ "key": "a", "operator": "Exists" }], "securityContext": { "supplementalGroups": [1] },
        "hostAliases": [{ "ip": "10.0.0.1", "hostnames": ["a"] }],
    });
    let pod = json!({ "containers": [one, container("two"), container("three")] });
    let object = deployment(&with(pod, more));
    let compared: &[&str] = &[
        "/spec/template/spec/containers",
        "/spec/template/spec/volumes",
        "/spec/template/spec/nodeSelector",
        "/spec/template/spec/imagePullSecrets",
        "/spec/template/spec/tolerations",
        "/spec/template/spec/hostAliases",
        "/spec/template/spec/securityContext",
        "/spec/template/spec/dnsConfig",
        "/metadata/generation",
    ];
    let case = |patch: Value| {
        let (object, patch) = (object.clone(), json!({ "spec": { "template": { "spec": patch } } }));
        Case { collection: DEPLOYMENTS, object, part: "", patch, compared }
    };
    patches.into_iter().map(case).collect()
}

/// Lists that are called alike in several kinds and are not merged alike, and lists of strings.
fn of_other_kinds() -> Vec<Case> {
    let account =
        json!({ "secrets": [{ "name": "a" }, { "name": "b" }], "imagePullSecrets": [{ "name": "p" }] });
    let slice = json!({
        "addressType": "IPv4", "endpoints": [], "ports": [{ "name": "a", "port": 80, "protocol": "TCP" }],
    });
    let port =
        |port: u16, name: &str| json!({ "name": name, "port": port, "protocol": "TCP", "targetPort": port });
    let service = json!({ "spec": { "ports": [port(80, "http"), port(443, "https")] } });
    let taint = |key: &str| json!({ "key": key, "effect": "NoSchedule" });
    let node = json!({ "spec": { "taints": [taint("a"), taint("b")] } });
    let finalizers = json!({ "metadata": { "finalizers": ["x.io/a", "x.io/b", "x.io/c"] } });
    let containers = json!({ "containers": [container("one"), container("two")] });
    let pod = json!({ "spec": containers });
    let status = |name: &str| json!({ "name": name, "image": "i", "imageID": "", "ready": true, "restartCount": 0, "state": {}, "lastState": {} });
    let condition = |kind: &str, reason: &str| {
        let time = "2026-01-01T00:00:00Z";
        json!({
            "type": kind, "status": "True", "reason": reason, "message": "m",
            "lastTransitionTime": time, "lastHeartbeatTime": time,
        })
    };
    let pod_condition = |kind: &str, status: &str| json!({ "type": kind, "status": status, "lastProbeTime": "2026-01-01T00:00:00Z", "lastTransitionTime": "2026-01-01T00:00:00Z" });
    let whole: &[&str] = &[""];
    let (taints, ports, meta) = (&["/spec/taints"][..], &["/spec/ports"][..], &["/metadata/finalizers"][..]);
    let case = |collection, object: &Value, part, compared, patch| Case {
        collection,
        object: object.clone(),
        part,
        patch,
        compared,
    };
    let owner = |uid: &str| json!({ "apiVersion": "v1", "kind": "ConfigMap", "name": uid, "uid": uid });
    let owned = json!({ "metadata": { "ownerReferences": [owner("1"), owner("2")] } });
    vec![
        case(ACCOUNTS, &account, "", whole, json!({ "imagePullSecrets": [{ "name": "q" }] })),
        case(ACCOUNTS, &account, "", whole, json!({ "secrets": [{ "name": "c" }] })),
        case(ACCOUNTS, &account, "", whole, json!({ "secrets": [{ "name": "a", "$patch": "delete" }] })),
        case(ACCOUNTS, &account, "", whole, json!({ "secrets": [] })),
        case(ACCOUNTS, &account, "", whole, json!({ "secrets": null, "imagePullSecrets": [] })),
        case(
            SLICES,
            &slice,
            "",
            &["/ports"],
            json!({ "ports": [{ "name": "b", "port": 90, "protocol": "TCP" }] }),
        ),
        case(
            SLICES,
            &slice,
            "",
            &["/ports"],
            json!({ "ports": [{ "name": "a", "port": 90, "protocol": "TCP" }] }),
        ),
        case(SERVICES, &service, "", ports, json!({ "spec": { "ports": [port(81, "more")] } })),
        case(SERVICES, &service, "", ports, json!({ "spec": { "ports": [{ "port": 80, "name": "web" }] } })),
        case(
            SERVICES,
            &service,
            "",
            ports,
            json!({ "spec": { "ports": [{ "port": 80, "$patch": "delete" }] } }),
        ),
        case(NODES, &node, "", taints, json!({ "spec": { "taints": [taint("c")] } })),
        case(NODES, &node, "", taints, json!({ "spec": { "taints": null } })),
        case(
            NODES,
            &node,
            "/status",
            &["/status/conditions"],
            json!({ "status": { "conditions": [condition("Ready", "a")] } }),
        ),
        case(
            PODS,
            &pod,
            "/status",
            &["/status/containerStatuses"],
            json!({ "status": { "containerStatuses": [status("one")] } }),
        ),
        case(
            PODS,
            &pod,
            "/status",
            &["/status/conditions"],
            json!({ "status": { "conditions": [pod_condition("Ready", "False")] } }),
        ),
        case(
            CONFIGMAPS,
            &owned,
            "",
            &["/metadata/ownerReferences"],
            json!({ "metadata": { "ownerReferences": [owner("3")] } }),
        ),
        case(
            CONFIGMAPS,
            &owned,
            "",
            &["/metadata/ownerReferences"],
            json!({ "metadata": { "ownerReferences": [{ "uid": "1", "$patch": "delete" }] } }),
        ),
        case(
            CONFIGMAPS,
            &owned,
            "",
            &["/metadata/ownerReferences"],
            json!({ "metadata": { "ownerReferences": [{ "name": "1" }] } }),
        ),
        case(
            CONFIGMAPS,
            &finalizers,
            "",
            meta,
            json!({ "metadata": { "finalizers": ["x.io/d", "x.io/b"] } }),
        ),
        case(
            CONFIGMAPS,
            &finalizers,
            "",
            meta,
            json!({ "metadata": { "$deleteFromPrimitiveList/finalizers": ["x.io/b"] } }),
        ),
        case(
            CONFIGMAPS,
            &finalizers,
            "",
            meta,
            json!({ "metadata": { "$deleteFromPrimitiveList/finalizers": "x.io/b" } }),
        ),
        case(
            CONFIGMAPS,
            &finalizers,
            "",
            meta,
            json!({ "metadata": { "$deleteFromPrimitiveList": ["x.io/b"] } }),
        ),
        case(
            CONFIGMAPS,
            &finalizers,
            "",
            meta,
            json!({ "metadata": {
            "$setElementOrder/finalizers": ["x.io/c", "x.io/d", "x.io/a"], "finalizers": ["x.io/d"],
            "$deleteFromPrimitiveList/finalizers": ["x.io/b"],
        } }),
        ),
        case(CONFIGMAPS, &finalizers, "", meta, json!({ "metadata": { "finalizers": [5] } })),
        case(CONFIGMAPS, &finalizers, "", meta, json!({ "metadata": { "finalizers": ["x.io/a", 5] } })),
        case(
            CONFIGMAPS,
            &json!({ "data": { "a": "b" } }),
            "",
            whole,
            json!({ "data": { "a": null, "c": "d" } }),
        ),
        case(
            CONFIGMAPS,
            &json!({ "data": { "a": "b" } }),
            "",
            whole,
            json!({ "kind": "Other", "apiVersion": "v9" }),
        ),
        case(CONFIGMAPS, &json!({ "data": { "a": "b" } }), "", whole, json!({ "$patch": "delete" })),
        case(CONFIGMAPS, &json!({ "data": { "a": "b" } }), "", whole, json!(null)),
        case(CONFIGMAPS, &json!({ "data": { "a": "b" } }), "", whole, json!([])),
    ]
}

/// Status, warnings, message, and the compared parts of the result.
async fn outcome(client: &Client, number: usize, case: &Case) -> Result<Value> {
    let mut object = case.object.clone();
    if !object["metadata"].is_object() {
        object["metadata"] = json!({});
    }
    let name = format!("x{number}");
    object["metadata"]["name"] = name.clone().into();
    let made = ask_with(client, &format!("POST {}", case.collection), &object).await?;
    assert_eq!(made.status, 201, "{made:?}");
    let path = format!("PATCH {}/{name}{}", case.collection, case.part);
    let patched = write(client, &path, STRATEGIC, &case.patch.to_string()).await?;
    let parts: Vec<Value> = match patched.status {
        200 => case.compared.iter().map(|part| patched.body.pointer(part).cloned().into()).collect(),
        _ => vec![
            patched.body["reason"].clone(),
            patched.body["message"].clone(),
            patched.body["details"].clone(),
        ],
    };
    Ok(json!([patched.status, patched.warnings, parts]))
}

#[tokio::test]
async fn strategic_merge_patches_have_the_results_of_the_real_server() -> Result<()> {
    let test = "strategic_merge_patches_have_the_results_of_the_real_server";
    let Some(servers) = Servers::start(test).await? else { return Ok(()) };
    let mut problems = Vec::new();
    for (number, case) in of_containers().iter().chain(&of_other_kinds()).enumerate() {
        let mut real = outcome(&servers.real, number, case).await?;
        let mut embedded = outcome(&servers.embedded, number, case).await?;
        for outcome in [&mut real, &mut embedded] {
            // Messages show lists as they are stored, with the defaults that only the real server sets.
            if let Some(message) = outcome.pointer_mut("/2/1").filter(|message| message.is_string()) {
                let text = message.as_str().unwrap_or_default();
                if let Some((start, _)) = text.split_once(": [[map[") {
                    *message = start.into();
                }
            }
        }
        if real != embedded {
            let (collection, part, patch) = (case.collection, case.part, &case.patch);
            problems.push(format!("{collection}{part} {patch}\n  real     {real}\n  embedded {embedded}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    servers.stop().await
}
