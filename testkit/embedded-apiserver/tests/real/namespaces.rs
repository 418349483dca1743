//! The deletion of namespaces by the embedded server and by the real kube-controller-manager.

use anyhow::{Context as _, Result};
use futures::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::core::v1::Namespace;
use kube_client::Client;
use kube_client::api::{Api, WatchEvent, WatchParams};
use serde_json::{Value, json};

use crate::support::controllers::{change, create_namespace, get, send};
use crate::support::{Servers, ask_with};

/// A namespace that is deleted with these objects in it.
struct Case {
    name: &'static str,
    /// Each with its collection: plural or `group/version/plural`.
    objects: fn() -> Vec<(&'static str, Value)>,
    /// Finalizers of the namespace itself.
    finalizers: &'static [&'static str],
    query: &'static str,
    /// What lets go of it in the end.
    release: Release,
}

enum Release {
    /// Nothing has to.
    Itself,
    /// These objects lose their finalizers.
    Objects(&'static [&'static str]),
    /// This pod is deleted without a grace period.
    Pod(&'static str),
    /// The namespace loses its finalizers.
    Namespace,
}

fn map(name: &str, finalizers: &[&str]) -> (&'static str, Value) {
    ("v1/configmaps", json!({ "metadata": { "name": name, "finalizers": finalizers } }))
}

fn secret(name: &str, finalizers: &[&str]) -> (&'static str, Value) {
    ("v1/secrets", json!({ "metadata": { "name": name, "finalizers": finalizers } }))
}

fn pod(name: &str, more: &Value) -> (&'static str, Value) {
    let mut spec = json!({ "containers": [{ "name": "c", "image": "i" }] });
    for (name, value) in more.as_object().into_iter().flatten() {
        spec[name] = value.clone();
    }
    ("v1/pods", json!({ "metadata": { "name": name }, "spec": spec }))
}

const HOLD: &str = "example.com/hold";

const CASES: &[Case] = &[
    Case { name: "ns-empty", objects: Vec::new, finalizers: &[], query: "", release: Release::Itself },
    Case {
        name: "ns-full",
        objects: || vec![map("a", &[]), secret("s", &[]), pod("p", &json!({}))],
        finalizers: &[],
        query: "?propagationPolicy=Background",
        release: Release::Itself,
    },
    Case {
        name: "ns-held",
        objects: || {
            vec![
                map("a", &[HOLD]),
                map("b", &[HOLD, "example.com/other"]),
                secret("s", &[HOLD]),
                (
                    "compare.example.com/v1/widgets",
                    json!({
                        "apiVersion": "compare.example.com/v1", "kind": "Widget",
                        "metadata": { "name": "w", "finalizers": [HOLD] },
                    }),
                ),
            ]
        },
        finalizers: &[],
        query: "",
        release: Release::Objects(&[
            "v1/configmaps/a",
            "v1/configmaps/b",
            "v1/secrets/s",
            "compare.example.com/v1/widgets/w",
        ]),
    },
    Case {
        name: "ns-pod",
        objects: || {
            vec![map("a", &[]), pod("p", &json!({ "nodeName": "n", "terminationGracePeriodSeconds": 1 }))]
        },
        finalizers: &[],
        query: "",
        release: Release::Pod("p"),
    },
    Case {
        name: "ns-pod-in-time",
        objects: || vec![map("a", &[]), pod("p", &json!({ "nodeName": "n" }))],
        finalizers: &[],
        query: "",
        release: Release::Pod("p"),
    },
    Case {
        name: "ns-finalizers",
        objects: || vec![map("a", &[])],
        finalizers: &[HOLD],
        query: "",
        release: Release::Namespace,
    },
    Case {
        name: "ns-foreground",
        objects: || vec![map("a", &[HOLD])],
        finalizers: &[],
        query: "?propagationPolicy=Foreground",
        release: Release::Objects(&["v1/configmaps/a"]),
    },
    Case {
        name: "ns-orphan",
        objects: || vec![map("a", &[])],
        finalizers: &[],
        query: "?propagationPolicy=Orphan",
        release: Release::Itself,
    },
];

fn path(namespace: &str, what: &str) -> String {
    let (version, rest) = what.split_once("/").unwrap_or_default();
    match version {
        "v1" => format!("/api/v1/namespaces/{namespace}/{rest}"),
        group => {
            let (version, rest) = rest.split_once('/').unwrap_or_default();
            format!("/apis/{group}/{version}/namespaces/{namespace}/{rest}")
        }
    }
}

/// What is compared of a namespace; times are not.
fn tell(namespace: &Value) -> String {
    let mut conditions = namespace["status"]["conditions"].clone();
    for condition in conditions.as_array_mut().into_iter().flatten() {
        condition["lastTransitionTime"].take();
    }
    let terminating = namespace["metadata"]["deletionTimestamp"].is_string();
    json!({
        "phase": namespace["status"]["phase"], "terminating": terminating, "conditions": conditions,
        "spec": namespace["spec"], "finalizers": namespace["metadata"]["finalizers"],
    })
    .to_string()
}

/// Deletes the namespace and returns what was to be seen: the answer, a create that is refused, each state of the namespace
/// with the conditions, what is left in it, and its end.
async fn run(client: &Client, case: &Case) -> Result<Vec<String>> {
    let namespace = format!("/api/v1/namespaces/{}", case.name);
    create_namespace(client, case.name).await?;
    for (collection, object) in (case.objects)() {
        send(client, &format!("POST {}", path(case.name, collection)), &object).await?;
    }
    if !case.finalizers.is_empty() {
        change(client, &namespace, |object| object["metadata"]["finalizers"] = json!(case.finalizers))
            .await?;
    }
    let since = get(client, &namespace).await?.version;
    let mut told = Vec::new();
    let answer = send(client, &format!("DELETE {namespace}{}", case.query), &Value::Null).await?;
    told.push(tell(&answer.body));
    let (collection, object) = map("late", &[]);
    let refused = ask_with(client, &format!("POST {}", path(case.name, collection)), &object).await?;
    told.push(refused.body.to_string());

    let namespaces: Api<Namespace> = Api::all(client.clone());
    let params = WatchParams::default().fields(&format!("metadata.name={}", case.name));
    let mut events = namespaces.watch(&params, &since).await?.boxed();
    let mut released = matches!(case.release, Release::Itself);
    while let Some(event) = events.try_next().await? {
        let object = match event {
            WatchEvent::Modified(object) => serde_json::to_value(&object)?,
            WatchEvent::Deleted(_) => {
                told.push("gone".to_owned());
                return Ok(told);
            }
            _ => continue,
        };
        let is_emptied = object["spec"]["finalizers"].as_array().is_none_or(Vec::is_empty);
        let has_failed = object["status"]["conditions"][2]["status"] == "True";
        let is_due = match case.release {
            Release::Namespace => is_emptied,
            Release::Pod("p") if case.name == "ns-pod" => has_failed,
            _ => object["status"]["conditions"].is_array(),
        };
        if released || !is_due {
            continue;
        }
        released = true;
        told.push(tell(&object));
        for (collection, object) in (case.objects)() {
            let name = object["metadata"]["name"].as_str().context("a name")?;
            let left = get(client, &format!("{}/{name}", path(case.name, collection))).await?;
            let terminating = left.body["metadata"]["deletionTimestamp"].is_string();
            told.push(format!(
                "{name} {} {terminating} {}",
                left.status, left.body["metadata"]["finalizers"]
            ));
        }
        release(client, case).await?;
    }
    anyhow::bail!("the watch ended")
}

async fn release(client: &Client, case: &Case) -> Result<()> {
    let free = |object: &mut Value| object["metadata"]["finalizers"] = Value::Null;
    match &case.release {
        Release::Itself => {}
        Release::Objects(objects) => {
            for object in *objects {
                change(client, &path(case.name, object), free).await?;
            }
        }
        Release::Pod(name) => {
            let pod = format!("{}?gracePeriodSeconds=0", path(case.name, &format!("v1/pods/{name}")));
            send(client, &format!("DELETE {pod}"), &Value::Null).await?;
        }
        Release::Namespace => {
            change(client, &format!("/api/v1/namespaces/{}", case.name), free).await?;
        }
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn namespaces_are_deleted_as_by_the_real_controller() -> Result<()> {
    let Some(servers) =
        Servers::start_with_controllers("namespaces_are_deleted_as_by_the_real_controller").await?
    else {
        return Ok(());
    };
    let each = |case: &'static Case| {
        let (real, embedded) = (servers.real.clone(), servers.embedded.clone());
        async move {
            let outcome = (run(&real, case).await, run(&embedded, case).await);
            Ok::<_, anyhow::Error>((case.name, outcome.0.context(case.name)?, outcome.1.context(case.name)?))
        }
    };
    let outcomes = futures::future::try_join_all(CASES.iter().map(each)).await?;
    servers.stop().await?;
    let mut different = Vec::new();
    for (name, real, embedded) in outcomes {
        if real != embedded {
            let (real, embedded) = (real.join("\n    "), embedded.join("\n    "));
            different.push(format!("{name}\n  real:\n    {real}\n  embedded:\n    {embedded}"));
        }
    }
    assert!(different.is_empty(), "{} of {} differ:\n{}", different.len(), CASES.len(), different.join("\n"));
    Ok(())
}
