//! `watch`.

use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::Api;
use kube_client::api::{Patch, PatchParams};
use serde_json::{Value, json};

use crate::support::{Running, Server, informer, run};

#[tokio::test(flavor = "multi_thread")]
async fn what_is_there_is_shown_and_then_what_happens() {
    let server = Server::start().await;
    server.config_map("a", "1").await;
    let mut watch = Running::start(server.informer(&["watch", "cm", "-n", "shop", "--output", "json"]));
    let told = |line: String| -> Value { serde_json::from_str(&line).expect("JSON") };
    let added = told(watch.line().await);
    assert_eq!(
        (&added["event"], &added["key"], &added["initial"]),
        (&json!("added"), &json!("shop/a"), &json!(true))
    );
    let maps: Api<ConfigMap> = Api::namespaced(server.api.quiet_client(), "shop");
    let patch = json!({ "data": { "key": "2" } });
    maps.patch("a", &PatchParams::default(), &Patch::Merge(&patch)).await.expect("a change");
    let updated = told(watch.line().await);
    assert_eq!(updated["event"], "updated");
    assert_eq!(updated["changes"], json!([{ "path": "data.key", "old": "1", "new": "2" }]));
    maps.delete("a", &kube_client::api::DeleteParams::default()).await.expect("it is deleted");
    assert_eq!(told(watch.line().await)["event"], "deleted");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_cluster_a_simulated_one_is_shown() {
    let said = run(informer(&["watch", "deployments", "pods", "--for", "3s"])).await;
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.err.starts_with("no kubeconfig found: showing a simulated rollout"), "{said:?}");
    assert!(said.out.contains("ADDED   deployment  team-0/checkout-0 "), "{said:?}");
    assert!(said.err.contains("pods: 30 in the cache\n"), "many are counted, not shown: {said:?}");
    assert!(!said.out.contains('\x1b') && !said.err.contains('\x1b'), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn colours_can_be_had_without_a_terminal() {
    let said =
        run(informer(&["watch", "deployments", "--embedded", "--for", "1s", "--color", "always"])).await;
    assert!(said.out.contains("\x1b[32mADDED"), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_goes_away_ends_it_quietly() {
    let mut watch = Running::start(informer(&["watch", "pods", "--embedded", "--output", "json"]));
    watch.line().await;
    watch.stop_reading();
    let (code, said) = watch.ended().await;
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains("error") && !said.contains("panicked"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_goes_away_and_returns() {
    let server = Server::start().await;
    server.config_map("a", "1").await;
    let mut watch = Running::start(server.informer(&["watch", "cm", "-n", "shop"]));
    assert!(watch.line().await.contains("ADDED   configmap  shop/a"));
    let url = server.endpoint.url();
    let address = url.trim_start_matches("http://").trim_end_matches('/').parse().expect("an address");
    let Server { api, endpoint, directory } = server;
    endpoint.stop().await;
    let said = watch.remark("Connection refused").await;
    assert!(said.starts_with("cannot watch configmaps in namespace \"shop\": "), "{said}");
    assert!(said.ends_with("; trying again\n"), "{said}");
    let _again = api.listen_on(address).await.expect("the same port");
    watch.remark("watching configmaps again, after ").await;
    let maps: Api<ConfigMap> = Api::namespaced(api.quiet_client(), "shop");
    maps.delete("a", &kube_client::api::DeleteParams::default()).await.expect("it is deleted");
    assert!(watch.line().await.contains("DELETED configmap  shop/a"));
    drop(directory);
}
