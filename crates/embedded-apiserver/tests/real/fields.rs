//! Unknown, duplicated and ill-typed fields: the same writes to both servers, with each `fieldValidation`.

use anyhow::Result;
use kube_client::Client;
use serde_json::{Value, json};

use crate::support::{Servers, ask_with, write};

const PODS: &str = "/api/v1/namespaces/default/pods";
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
const SECRETS: &str = "/api/v1/namespaces/default/secrets";
const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const JSON: &str = "application/json";
const PATCHES: [&str; 3] =
    ["application/strategic-merge-patch+json", "application/merge-patch+json", "application/json-patch+json"];

/// Bodies of POST, as text where the order of fields or a repeated one matters.
fn bodies() -> Vec<(&'static str, String)> {
    let container = json!({ "name": "c", "image": "i" });
    let pod = |spec: Value, container_fields: Value| {
        let mut container = container.clone();
        for (name, value) in container_fields.as_object().unwrap() {
            container[name] = value.clone();
        }
        let mut pod = json!({ "metadata": { "name": "x" }, "spec": { "containers": [container] } });
        for (name, value) in spec.as_object().unwrap() {
            pod["spec"][name] = value.clone();
        }
        (PODS, pod.to_string())
    };
    let deployment = |spec: Value| {
        let template =
            json!({ "metadata": { "labels": { "a": "b" } }, "spec": { "containers": [container] } });
        let mut deployment = json!({ "metadata": { "name": "x" }, "spec": {
            "selector": { "matchLabels": { "a": "b" } }, "template": template,
        } });
        for (name, value) in spec.as_object().unwrap() {
            deployment["spec"][name] = value.clone();
        }
        (DEPLOYMENTS, deployment.to_string())
    };
    let none = || json!({});
    let text = |metadata: &str, spec: &str, rest: &str| {
        let spec = format!(r#"{{{spec}"containers":[{{"name":"c","image":"i"}}]}}"#);
        (PODS, format!(r#"{{"metadata":{{"name":"x"{metadata}}},"spec":{spec}{rest}}}"#))
    };
    let secret = |data: Value| (SECRETS, json!({ "metadata": { "name": "x" }, "data": data }).to_string());
    let lease = |time: &str| {
        (LEASES, json!({ "metadata": { "name": "x" }, "spec": { "renewTime": time } }).to_string())
    };
    vec![
        // Unknown and repeated.
        text(r#","foo":1"#, r#""b":1,"a":{"x":1,"x":2},"#, r#","z":1,"y":[],"z":2"#),
        text(
            r#","name":"x","labels":{"a":"b","a":"c"}"#,
            r#""nodeSelector":{"a":"b","a":"c"},"nodeName":"","nodeName":"","#,
            "",
        ),
        text("", r#""NodeName":"x","#, r#","Spec":{},"kind":"Pod","apiVersion":"v1","kind":"Pod""#),
        text(r#","managedFields":[{"manager":"m","other":1,"fieldsV1":{"x":1,"x":2}}]"#, "", ""),
        pod(
            none(),
            json!({ "imag": "i", "env": [{ "name": "a", "valu": "b" }], "resources": { "limit": {} } }),
        ),
        pod(json!({ "volumes": [{ "name": "v", "emptyDir": { "foo": 1 }, "bar": 1 }] }), none()),
        // Of a wrong type.
        pod(json!({ "nodeName": 5 }), none()),
        pod(json!({ "nodeName": 5, "foo": 1 }), none()),
        pod(json!({ "nodeName": true }), none()),
        pod(json!({ "hostNetwork": "true" }), none()),
        pod(json!({ "priority": "1" }), none()),
        pod(json!({ "priority": 1.5 }), none()),
        pod(json!({ "priority": 1.0 }), none()),
        pod(json!({ "priority": 3_000_000_000_u64 }), none()),
        pod(json!({ "terminationGracePeriodSeconds": "3" }), none()),
        pod(json!({ "terminationGracePeriodSeconds": u64::MAX }), none()),
        pod(json!({ "nodeSelector": { "a": 1 } }), none()),
        pod(json!({ "nodeSelector": [1] }), none()),
        pod(json!({ "nodeSelector": { "a": null } }), none()),
        pod(json!({ "containers": {} }), none()),
        pod(json!({ "containers": "x" }), none()),
        pod(json!({ "containers": ["x"] }), none()),
        pod(json!({ "securityContext": { "runAsUser": "x" } }), none()),
        pod(none(), json!({ "image": 5 })),
        pod(none(), json!({ "image": ["i"] })),
        pod(none(), json!({ "ports": [{ "containerPort": "80" }] })),
        pod(none(), json!({ "args": [1] })),
        pod(none(), json!({ "args": [null] })),
        pod(none(), json!({ "resources": { "limits": { "cpu": "abc" } } })),
        pod(none(), json!({ "resources": { "limits": { "cpu": "1x" } } })),
        pod(none(), json!({ "resources": { "limits": { "cpu": "1ki" } } })),
        pod(none(), json!({ "resources": { "limits": { "cpu": {} } } })),
        pod(none(), json!({ "resources": { "limits": { "cpu": true } } })),
        pod(none(), json!({ "resources": { "limits": { "cpu": "" } } })),
        pod(none(), json!({ "resources": { "limits": { "cpu": 1, "memory": "1Gi" } } })),
        text(r#","creationTimestamp":"abc""#, "", ""),
        text(r#","creationTimestamp":5"#, "", ""),
        text(r#","labels":{"a":5}"#, "", ""),
        text(r#","finalizers":"a""#, "", ""),
        (PODS, r#"{"metadata":{"name":"x"},"spec":"x"}"#.to_owned()),
        (PODS, r#"{"metadata":{"name":"x"},"spec":[]}"#.to_owned()),
        (PODS, r#"{"metadata":[],"spec":{}}"#.to_owned()),
        deployment(json!({ "replicas": "3" })),
        deployment(json!({ "replicas": 1, "replica": 1 })),
        deployment(json!({ "strategy": { "rollingUpdate": { "maxSurge": [] } } })),
        deployment(json!({ "strategy": { "rollingUpdate": { "maxSurge": true } } })),
        secret(json!({ "a": "!!" })),
        secret(json!({ "a": "YQ" })),
        secret(json!({ "a": "YQ==" })),
        secret(json!({ "a": 5 })),
        secret(json!([])),
        lease("2026-01-01T00:00:00Z"),
        lease("abc"),
    ]
}

/// Patches of a pod, each in the three forms.
fn patches() -> Vec<[String; 3]> {
    let merge = |patch: &str, operations: &str| [patch.to_owned(), patch.to_owned(), operations.to_owned()];
    vec![
        merge(
            r#"{"foo":1,"metadata":{"zap":1},"spec":{"zip":{"a":1},"bar":2}}"#,
            r#"[{"op":"add","path":"/spec/foo","value":1},{"op":"add","path":"/foo","value":1}]"#,
        ),
        merge(
            r#"{"metadata":{"labels":{"x":"1","x":"2"},"foo":1}}"#,
            r#"[{"op":"add","path":"/metadata/labels","value":{"x":"1","x":"2"},"value":{"x":"2"},"zip":1}]"#,
        ),
        merge(r#"{"spec":{"nodeName":5}}"#, r#"[{"op":"add","path":"/spec/nodeName","value":5}]"#),
        merge(r#"{"spec":{"hostNetwork":"x"}}"#, r#"[{"op":"add","path":"/spec/hostNetwork","value":"x"}]"#),
        merge(r#"{"spec":{"containers":{}}}"#, r#"[{"op":"add","path":"/spec/containers","value":{}}]"#),
        merge(
            r#"{"metadata":{"creationTimestamp":"abc"}}"#,
            r#"[{"op":"add","path":"/metadata/creationTimestamp","value":"abc"}]"#,
        ),
        merge(
            r#"{"metadata":{"labels":{"a":"b"}}}"#,
            r#"[{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]"#,
        ),
    ]
}

/// Status, warnings, reason and message. A message about a patch shows the whole object, which the real server fills with
/// defaults and managedFields: only its end is compared.
async fn outcome(client: &Client, request: &str, media_type: &str, body: &str) -> Result<Value> {
    let answer = write(client, request, media_type, body).await?;
    let mut message = answer.body["message"].as_str().unwrap_or_default().to_owned();
    if media_type != PATCHES[0]
        && let Some((before, after)) = message.split_once("Invalid value: \"{")
    {
        let end = after.rfind("}\": ").map_or(0, |end| end + 1);
        message = format!("{before}…{}", &after[end..]);
    }
    Ok(json!([answer.status, answer.warnings, answer.body["reason"], message]))
}

#[tokio::test]
async fn unknown_and_ill_typed_fields_are_treated_as_on_the_real_server() -> Result<()> {
    let test = "unknown_and_ill_typed_fields_are_treated_as_on_the_real_server";
    let Some(servers) = Servers::start(test).await? else { return Ok(()) };
    let mut problems = Vec::new();
    let mut compare = async |request: &str, media_type: &str, body: &str| -> Result<()> {
        let real = outcome(&servers.real, request, media_type, body).await?;
        let embedded = outcome(&servers.embedded, request, media_type, body).await?;
        if real != embedded {
            problems.push(format!("{request} {body}\n  real     {real}\n  embedded {embedded}"));
        }
        Ok(())
    };
    for validation in ["", "Ignore", "Warn", "Strict", "Other"] {
        for (collection, body) in bodies() {
            let request = format!("POST {collection}?dryRun=All&fieldValidation={validation}");
            compare(&request, JSON, &body).await?;
        }
    }
    let pod =
        json!({ "metadata": { "name": "p" }, "spec": { "containers": [{ "name": "c", "image": "i" }] } });
    for client in [&servers.real, &servers.embedded] {
        ask_with(client, &format!("POST {PODS}"), &pod).await?;
    }
    for validation in ["", "Ignore", "Strict", "Other"] {
        for forms in patches() {
            for (media_type, body) in PATCHES.into_iter().zip(&forms) {
                let request = format!("PATCH {PODS}/p?dryRun=All&fieldValidation={validation}");
                compare(&request, media_type, body).await?;
            }
        }
    }
    assert!(problems.is_empty(), "{} differ:\n{}", problems.len(), problems.join("\n"));
    servers.stop().await
}
