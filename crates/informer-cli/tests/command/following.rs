//! `get -w`.

use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::Api;
use kube_client::api::{DeleteParams, Patch, PatchParams};
use serde_json::json;

use crate::support::{Running, Server};

#[tokio::test(flavor = "multi_thread")]
async fn get_goes_on_with_what_happens() {
    let server = Server::start().await;
    server.config_map("b", "1").await;
    server.config_map("a", "1").await;
    let columns = "custom-columns=NAME:.metadata.name,KEY:.data.key";
    let mut get = Running::start(server.informer(&["get", "cm", "-n", "shop", "-w", "-o", columns]));
    let lines = [get.line().await, get.line().await, get.line().await];
    assert_eq!(lines, ["NAME   KEY\n", "a      1\n", "b      1\n"]);
    let mut table =
        Running::start(server.informer(&["get", "cm", "-n", "shop", "--watch-only", "--no-headers"]));
    let mut paths = Running::start(server.informer(&[
        "get",
        "cm/a",
        "-n",
        "shop",
        "-w",
        "-o",
        "jsonpath={.data.key}{\"\\n\"}",
    ]));
    assert_eq!(paths.line().await, "1\n");
    // The table has nothing to say before something happens: its first line shows that it has begun.
    let maps: Api<ConfigMap> = Api::namespaced(server.api.quiet_client(), "shop");
    let change = |value: &str| Patch::Merge(json!({ "data": { "key": value, "more": "x" } }));
    let watches = || {
        let journal = server.api.journal();
        journal.matching(|it| it.is(embedded_apiserver::Verb::Watch, "configmaps")).len()
    };
    while watches() < 3 {
        tokio::task::yield_now().await;
    }
    maps.patch("b", &PatchParams::default(), &change("2")).await.expect("a change");
    maps.patch("a", &PatchParams::default(), &change("3")).await.expect("a change");
    maps.delete("b", &DeleteParams::default()).await.expect("it is deleted");
    assert_eq!(
        [get.line().await, get.line().await, get.line().await],
        ["b      2\n", "a      3\n", "b      2\n"]
    );
    assert_eq!(paths.line().await, "3\n", "only the one that was named");
    let line = table.line().await;
    assert_eq!(line.split_whitespace().take(2).collect::<Vec<_>>(), ["b", "2"], "{line}");
}
