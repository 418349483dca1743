//! `get -w`.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::Api;
use kube_client::api::{DeleteParams, Patch, PatchParams};
use serde_json::json;
use tokio::time::interval;

use crate::support::{Running, Server};

#[tokio::test(flavor = "multi_thread")]
async fn get_goes_on_with_what_happens() {
    let server = Server::start().await;
    server.config_map("b", "1").await;
    server.config_map("a", "1").await;
    let arguments = ["get", "cm", "-n", "shop", "-w", "--field", "data.key"];
    let mut get = Running::start(server.informer(&arguments));
    let lines = [cells(&mut get).await, cells(&mut get).await, cells(&mut get).await];
    assert_eq!(lines, ["NAME data.key", "a 1", "b 1"]);
    let mut one = Running::start(server.informer(&["get", "cm/a", "-n", "shop", "-w", "-o", "name"]));
    assert_eq!(one.line().await, "configmap/a\n");
    change(&server, "b", "2").await;
    change(&server, "a", "3").await;
    let maps: Api<ConfigMap> = Api::namespaced(server.api.quiet_client(), "shop");
    maps.delete("b", &DeleteParams::default()).await.expect("it is deleted");
    let lines = [cells(&mut get).await, cells(&mut get).await, cells(&mut get).await];
    assert_eq!(lines, ["b 2", "a 3", "b 2"]);
    assert_eq!(one.line().await, "configmap/a\n", "only the one that was named");
}

/// The first and the last cell of the next line.
async fn cells(get: &mut Running) -> String {
    let line = get.line().await;
    let mut words = line.split_whitespace();
    [words.next(), words.next_back()].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

#[tokio::test(flavor = "multi_thread")]
async fn get_shows_only_what_happens() {
    let server = Server::start().await;
    server.config_map("b", "1").await;
    server.config_map("a", "1").await;
    let mut table =
        Running::start(server.informer(&["get", "cm", "-n", "shop", "--watch-only", "--no-headers"]));
    let first = tokio::spawn(async move { table.line().await });
    // It has nothing to say before something happens, not even that it has begun.
    let mut again = interval(Duration::from_millis(100));
    for value in 2.. {
        again.tick().await;
        if first.is_finished() {
            break;
        }
        change(&server, "b", &value.to_string()).await;
    }
    let line = first.await.expect("it is awaited");
    assert_eq!(line.split_whitespace().take(2).collect::<Vec<_>>(), ["b", "2"], "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_is_not_there_is_not_waited_for() {
    let server = Server::start().await;
    server.config_map("a", "1").await;
    for how in ["-w", "--watch-only"] {
        let mut get = Running::start(server.informer(&["get", "cm", "a", "nope", "-n", "shop", how]));
        let said = get.remark("not found").await;
        assert!(said.starts_with("error: configmaps \"nope\" not found ("), "{said}");
        assert_eq!(get.ended().await.0, Some(1));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_goes_away_is_missed() {
    let server = Server::start().await;
    server.config_map("a", "1").await;
    let mut get = Running::start(server.informer(&["get", "cm", "-n", "shop", "-w", "--no-headers"]));
    assert!(get.line().await.starts_with("a "));
    let url = server.endpoint.url();
    let address = url.trim_start_matches("http://").trim_end_matches('/').parse().expect("an address");
    let Server { api, endpoint, directory } = server;
    endpoint.stop().await;
    let said = get.remark("Connection refused").await;
    assert!(said.starts_with("cannot watch configmaps in namespace \"shop\": "), "{said}");
    let _again = api.listen_on(address).await.expect("the same port");
    get.remark("watching configmaps again, after ").await;
    drop(directory);
}

async fn change(server: &Server, name: &str, value: &str) {
    let maps: Api<ConfigMap> = Api::namespaced(server.api.quiet_client(), "shop");
    let patch = Patch::Merge(json!({ "data": { "key": value, "more": "x" } }));
    maps.patch(name, &PatchParams::default(), &patch).await.expect("a change");
}
