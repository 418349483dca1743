//! How many writes a second there are, one after the other on one core that does nothing else. In release builds the numbers
//! mean something:
//! `cargo test --release -p embedded-apiserver --test server writing -- --nocapture`

use std::time::{Duration, Instant};

use embedded_apiserver::EmbeddedApiserver;
use http::Request;
use serde_json::{Value, json};

const MANY: usize = if cfg!(debug_assertions) { 50 } else { 5_000 };

fn deployment(name: &str) -> Value {
    let probe = json!({ "httpGet": { "port": 80 } });
    let container = json!({
        "name": "c", "image": "registry.example.com/app:1", "ports": [{ "containerPort": 80 }], "livenessProbe": probe,
        "env": [{ "name": "A", "value": "b" }], "resources": { "limits": { "cpu": "1", "memory": "1Gi" } },
    });
    let template =
        json!({ "metadata": { "labels": { "app": name } }, "spec": { "containers": [container] } });
    let spec = json!({ "selector": { "matchLabels": { "app": name } }, "template": template });
    json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": name, "labels": { "app": name } }, "spec": spec })
}

fn config_map(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": { "a": "b", "c": "d" } })
}

/// How long this thread has been running on a core, where the system tells; otherwise the time.
fn used(since: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| since.elapsed(), Duration::from_nanos)
}

/// Sends the requests one after the other, and returns how long each took on average.
async fn time(
    server: &EmbeddedApiserver,
    method: &str,
    path: &str,
    media_type: &str,
    body: impl Fn(usize) -> (String, Value),
) -> Duration {
    let client = server.client();
    let requests: Vec<_> = (0..MANY)
        .map(|number| {
            let (name, body) = body(number);
            let uri = if method == "POST" { path.to_owned() } else { format!("{path}/{name}") };
            let request = Request::builder().method(method).uri(uri).header("content-type", media_type);
            request.body(body.to_string().into_bytes()).expect("a request")
        })
        .collect();
    let began = Instant::now();
    let before = used(began);
    for request in requests {
        client.request::<Value>(request).await.expect("it is written");
    }
    used(began).saturating_sub(before) / u32::try_from(MANY).expect("a small number")
}

async fn measure(what: &str, server: &EmbeddedApiserver) {
    let (json, merge) = ("application/json", "application/merge-patch+json");
    for (kind, path, make) in [
        ("ConfigMap", "/api/v1/namespaces/default/configmaps", config_map as fn(&str) -> Value),
        ("Deployment", "/apis/apps/v1/namespaces/default/deployments", deployment),
    ] {
        let named = |number: usize| format!("o-{number}");
        let create = time(server, "POST", path, json, |number| (named(number), make(&named(number)))).await;
        let label =
            |number: usize| (named(number), json!({ "metadata": { "labels": { "n": number.to_string() } } }));
        let patch = time(server, "PATCH", path, merge, label).await;
        let update = time(server, "PUT", path, json, |number| (named(number), make(&named(number)))).await;
        for (verb, took) in [("POST", create), ("PATCH", patch), ("PUT", update)] {
            println!("{what}: {verb} {kind} {took:.1?}, {:.0} a second", 1.0 / took.as_secs_f64());
        }
    }
}

#[tokio::test]
async fn many_objects_are_written_one_after_the_other() {
    for (what, managed_fields) in [("as it is", true), ("without managedFields", false)] {
        let server = EmbeddedApiserver::builder().managed_fields(managed_fields).build();
        measure(what, &server).await;
        let path = "/apis/apps/v1/namespaces/default/deployments/o-1";
        let request = Request::get(path).body(Vec::new()).expect("a request");
        let written = server.client().request::<Value>(request).await.expect("it has been written");
        assert_eq!(written["metadata"].get("managedFields").is_some(), managed_fields);
        assert_eq!(written["spec"]["replicas"], 1, "the default");
    }
}
