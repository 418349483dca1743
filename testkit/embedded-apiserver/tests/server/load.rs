//! Many watches at once. In release builds the numbers are those that the documentation promises.

use std::sync::Arc;
use std::time::{Duration, Instant};

use embedded_apiserver::EmbeddedApiserver;
use futures::future::try_join_all;
use futures::{AsyncBufReadExt as _, TryStreamExt as _};
use http::Request;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::api::Patch;
use kube_client::{Api, Client};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::support::{config_map, in_time};

const MANY: usize = if cfg!(debug_assertions) { 200 } else { 1_000 };

/// Reads a watch from `start` until all changes have come, and returns their versions.
async fn versions(client: Client, start: u64, begun: Arc<Barrier>) -> anyhow::Result<Vec<u64>> {
    let path = format!("/api/v1/namespaces/default/configmaps?watch=1&resourceVersion={start}");
    let stream = client.request_stream(Request::get(path).body(Vec::new())?).await?;
    begun.wait().await;
    let mut lines = Box::pin(stream.lines());
    let mut versions = Vec::with_capacity(MANY);
    while versions.len() < MANY
        && let Some(line) = lines.try_next().await?
    {
        let event: Value = serde_json::from_str(&line)?;
        let version = event["object"]["metadata"]["resourceVersion"].as_str().unwrap_or_default();
        versions.push(version.parse()?);
    }
    Ok(versions)
}

/// Checks that all watches send all changes in order.
async fn nothing_is_lost(server: &EmbeddedApiserver, client: impl Fn() -> Client) -> Duration {
    server.create(&config_map("busy")).await.expect("it is created");
    let start = server.version();
    let begun = Arc::new(Barrier::new(MANY + 1));
    let watchers: Vec<_> =
        (0..MANY).map(|_| tokio::spawn(versions(client(), start, begun.clone()))).collect();
    begun.wait().await;
    let began = Instant::now();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.quiet_client());
    for change in 0..MANY {
        let patch = Patch::Merge(json!({"data": {"change": change.to_string()}}));
        maps.patch("busy", &Default::default(), &patch).await.expect("it is changed");
    }
    let expected: Vec<u64> = (start + 1..=start + MANY as u64).collect();
    for versions in try_join_all(watchers).await.expect("no watcher panics") {
        assert_eq!(versions.expect("a watch goes on"), expected);
    }
    began.elapsed()
}

fn tell(what: &str, took: Duration) {
    println!("{MANY} watchers heard of {MANY} changes each {what} in {took:.2?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_watchers_without_sockets() {
    let server = EmbeddedApiserver::new();
    let client = server.client();
    tell("without sockets", in_time(nothing_is_lost(&server, || client.clone())).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_watchers_over_tcp() {
    let server = EmbeddedApiserver::new();
    let endpoint = server.listen().await.unwrap();
    let client = Client::try_from(endpoint.config()).unwrap();
    tell("over TCP", in_time(nothing_is_lost(&server, || client.clone())).await);
    in_time(endpoint.stop()).await;
}

#[tokio::test]
async fn the_first_answer_comes_soon() {
    // The table of built-in kinds is made once per process, so the second server starts faster.
    for server in ["first", "second"] {
        let began = Instant::now();
        let endpoint = EmbeddedApiserver::new().listen().await.unwrap();
        let answer = crate::support::answer_to(&endpoint, crate::support::get("/api/v1/pods")).await;
        let took = began.elapsed();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        println!("the {server} server of a process answered over TCP {took:.2?} after it was asked for");
        assert!(took < Duration::from_secs(5), "{took:?}");
    }
}
