//! Unknown, duplicated and ill-typed fields: the same writes to both servers, with each `fieldValidation`.

use anyhow::Result;
use kube_client::Client;
use serde_json::{Value, json};

use crate::support::{DEFINITIONS, Servers, ask, ask_with, eventually, with, write};

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
    let pod = |spec: Value, more: Value| {
        let spec = with(json!({ "containers": [with(container.clone(), more)] }), spec);
        (PODS, json!({ "metadata": { "name": "x" }, "spec": spec }).to_string())
    };
    let deployment = |more: Value| {
        let template =
            json!({ "metadata": { "labels": { "a": "b" } }, "spec": { "containers": [container] } });
        let spec = json!({ "selector": { "matchLabels": { "a": "b" } }, "template": template });
        (DEPLOYMENTS, json!({ "metadata": { "name": "x" }, "spec": with(spec, more) }).to_string())
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

/// Bodies of POST of a custom resource.
fn custom_bodies() -> Vec<String> {
    let begin = r#"{"apiVersion":"example.com/v1","kind":"Widget""#;
    [
        r#""spec":{"x":{"a":1,"a":2}},"metadata":{"name":"x","zip":1,"name":"x","labels":{"a":"b","a":"c"}},"foo":1,"foo":2"#,
        r#""metadata":{"name":"x","labels":{"a":null},"annotations":{},"creationTimestamp":null}"#,
        r#""metadata":{"name":"x","labels":{"a":5}}"#,
        r#""metadata":{"name":"x","labels":"a"}"#,
        r#""metadata":{"name":5}"#,
        r#""metadata":"x""#,
        r#""metadata":[]"#,
        r#""metadata":{"name":"x","creationTimestamp":"abc"}"#,
        r#""metadata":{"name":"x","finalizers":{}}"#,
    ]
    .map(|rest| format!("{begin},{rest}}}"))
    .to_vec()
}

const WIDGETS: &str = "/apis/example.com/v1/namespaces/default/widgets";

/// Both servers get a kind that takes any fields.
async fn define_widgets(servers: &Servers) -> Result<()> {
    let schema = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    let version =
        json!({ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } });
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "widgets.example.com" },
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": { "plural": "widgets", "kind": "Widget" },
            "versions": [version],
        },
    });
    for client in [&servers.real, &servers.embedded] {
        let made = write(client, &format!("POST {DEFINITIONS}"), JSON, &definition.to_string()).await?;
        assert_eq!(made.status, 201, "{made:?}");
        eventually(async || Ok(ask(client, &format!("GET {WIDGETS}")).await?.status == 200)).await?;
    }
    Ok(())
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
    define_widgets(&servers).await?;
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
    for validation in ["", "Ignore", "Strict"] {
        for body in custom_bodies() {
            compare(&format!("POST {WIDGETS}?dryRun=All&fieldValidation={validation}"), JSON, &body).await?;
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

#[tokio::test]
async fn quantities_are_written_as_by_the_real_server() -> Result<()> {
    let Some(servers) = Servers::start("quantities_are_written_as_by_the_real_server").await? else {
        return Ok(());
    };
    let pods = "POST /api/v1/namespaces/default/pods?dryRun=All";
    let mut problems = Vec::new();
    for quantity in [
        "0",
        "1",
        "1000",
        "1500",
        "1000000",
        "0.5",
        "0.1m",
        "1000m",
        "1500m",
        "100u",
        "1.5",
        "00.50",
        "5.",
        ".5",
        "1k",
        "1000k",
        "1e3",
        "1E3",
        "1.5e3",
        "15e2",
        "1e-3",
        "12e4",
        "1Ki",
        "1024Ki",
        "1000Ki",
        "1024Mi",
        "0.5Gi",
        "1.5Gi",
        "0.3Ki",
        "1023Ki",
        "0.0001Ki",
        "512",
        "1E",
        "9E",
        "10E",
        "8Ei",
        "1P",
        "1000P",
        "123456789n",
        "0.0000000001",
        "1n",
        "1.1n",
        "1e0",
        "1e1",
        "1e18",
        "1e19",
        "9223372036854775807",
        "9223372036854775808",
        "",
        "1ki",
        "1i",
        "1e",
        "1e+3",
        "1e 3",
        " 1",
        "1Kii",
        "1 Gi",
        "+1",
        "--1",
        "1..2",
        "abc",
        "e3",
        "1mi",
        "1.0Mi",
    ] {
        let volume = json!({ "name": "v", "emptyDir": { "sizeLimit": quantity } });
        let container = json!({ "name": "c", "image": "i" });
        let body = json!({
            "metadata": { "name": "q" }, "spec": { "containers": [container], "volumes": [volume] },
        });
        let mut answers = Vec::new();
        for client in [&servers.real, &servers.embedded] {
            let answer = write(client, pods, JSON, &body.to_string()).await?;
            let written = answer.body["spec"]["volumes"][0]["emptyDir"]["sizeLimit"].clone();
            answers.push(json!([answer.status, written, answer.body["message"]]));
        }
        if answers[0] != answers[1] {
            problems.push(format!("{quantity:?}\n  real     {}\n  embedded {}", answers[0], answers[1]));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    servers.stop().await
}
