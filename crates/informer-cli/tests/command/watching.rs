//! `watch`.

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::jiff::Timestamp;
use kube_client::Api;
use kube_client::api::{Patch, PatchParams};
use serde_json::{Value, json};

use crate::support::canned::{Answer, Canned};
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
    let synced = told(watch.line().await);
    assert_eq!(
        (&synced["event"], &synced["kind"], &synced["objects"]),
        (&json!("synced"), &json!("ConfigMap"), &json!(1))
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
    let mut watch = Running::start(informer(&["watch", "deployments", "pods"]));
    let mut said = watch.remark("").await;
    assert!(said.starts_with("no kubeconfig found: showing a simulated rollout"), "{said}");
    // Many are counted, not shown. How many there are by then depends on how far the rollout is.
    said += &watch.remark("pods: 3").await;
    assert!(said.ends_with(" in the cache\n"), "{said}");
    let line = watch.line().await;
    assert!(line.contains("ADDED   deployment  team-0/checkout-0 "), "{line}");
    assert!(!line.contains('\x1b') && !said.contains('\x1b'), "{line}{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn it_ends_when_its_time_is_over() {
    let said = run(informer(&["watch", "deployments", "pods", "--for", "100ms"])).await;
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.err.contains("watching deployments"), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn colours_can_be_had_without_a_terminal() {
    let mut watch = Running::start(informer(&["watch", "deployments", "--embedded", "--color", "always"]));
    let line = watch.line().await;
    assert!(line.contains("\x1b[32mADDED"), "{line}");
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

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_to_a_reader_that_takes_its_time() {
    let server = Server::start().await;
    server.config_map("a", "0").await;
    let mut watch = Running::start(server.informer(&["watch", "cm", "-n", "shop", "-o", "json"]));
    let told = |line: String| -> Value { serde_json::from_str(&line).expect("JSON") };
    while told(watch.line().await)["event"] != "synced" {}
    let maps: Api<ConfigMap> = Api::namespaced(server.api.quiet_client(), "shop");
    // More than a pipe holds, so that the command blocks while it writes.
    let text = "x".repeat(2_000);
    for number in 1..=300 {
        let patch = json!({ "data": { "key": number.to_string(), "text": text } });
        maps.patch("a", &PatchParams::default(), &Patch::Merge(&patch)).await.expect("a change");
    }
    for number in 0..20 {
        server.config_map(&format!("short-{number}"), "").await;
        maps.delete(&format!("short-{number}"), &kube_client::api::DeleteParams::default())
            .await
            .expect("gone");
    }
    let (mut added, mut updated, mut deleted) = (0, Vec::new(), 0);
    while deleted < 20 {
        let line = told(watch.line().await);
        match line["event"].as_str() {
            Some("added") => added += 1,
            Some("deleted") => deleted += 1,
            Some("updated") => {
                updated.push(line["object"]["data"]["key"].as_str().expect("a number").to_owned());
            }
            _ => panic!("{line}"),
        }
    }
    let all: Vec<_> = (1..=300).map(|number: u32| number.to_string()).collect();
    assert_eq!((added, updated), (20, all));
}

#[tokio::test(flavor = "multi_thread")]
async fn times_are_those_of_the_user() {
    let mut watch = informer(&["watch", "deployments", "--embedded"]);
    watch.env("TZ", "FAR-13:30");
    let line = Running::start(watch).line().await;
    let now = Timestamp::now().as_second();
    // Hours and minutes of the last seconds in a zone that is thirteen and a half hours ahead.
    let near = |seconds: i64| {
        let minutes = (now - seconds + 13 * 3_600 + 1_800).div_euclid(60).rem_euclid(1_440);
        format!("{:02}:{:02}:", minutes / 60, minutes % 60)
    };
    assert!((0..60).any(|seconds| line.starts_with(&near(seconds))), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_terminal_would_obey_is_escaped() {
    let list = json!({ "kind": "PodList", "metadata": { "resourceVersion": "9" }, "items": [{
        "metadata": { "name": "web", "namespace": "default", "uid": "u", "resourceVersion": "5" },
        "spec": { "nodeName": "\u{1b}]0;title\u{7}\nnode" }, "status": { "phase": "\u{1b}[2J\u{202e}Running" } }] });
    let server = Canned::start(move |path| match path {
        path if path.contains("sendInitialEvents") => Answer::status(400, "BadRequest", "no streams"),
        path if path.contains("watch=true") => Answer::Silence(String::new()),
        _ => Answer::json(200, &list),
    });
    let escaped = ["\\u{1b}[2J\\u{202e}Running", "\\u{1b}]0;title\\u{7}\\nnode"];
    let said = run(server.informer(&["get", "pods", "-o", "wide"])).await;
    assert!(escaped.iter().all(|text| said.out.contains(text)), "{said:?}");
    let mut watch = Running::start(server.informer(&["watch", "pods", "-o", "wide"]));
    let line = watch.line().await;
    assert!(escaped.iter().all(|text| line.contains(text)), "{line}");
    for text in [said.out.as_str(), line.as_str()] {
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn events_are_shown_with_what_they_say_and_about_what() {
    let server = Server::start().await;
    let event = json!({ "metadata": { "name": "web-0.1", "namespace": "shop" }, "type": "Warning", "reason": "BackOff",
        "involvedObject": { "kind": "Pod", "name": "web-0", "namespace": "shop" }, "count": 1,
        "message": "Back-off restarting failed container" });
    let event: k8s_openapi::api::core::v1::Event = serde_json::from_value(event).expect("an event");
    server.api.create(&event).await.expect("it is created");
    let mut watch = Running::start(server.informer(&["watch", "events", "-n", "shop"]));
    let said = "type Warning, reason BackOff, object pod/web-0, message Back-off restarting failed container";
    let line = watch.line().await;
    assert!(line.contains("ADDED   event  shop/web-0.1  ") && line.contains(said), "{line}");
    let events: Api<k8s_openapi::api::core::v1::Event> = Api::namespaced(server.api.quiet_client(), "shop");
    let patch = json!({ "count": 2 });
    events.patch("web-0.1", &PatchParams::default(), &Patch::Merge(&patch)).await.expect("a change");
    let line = watch.line().await;
    assert!(
        line.contains("UPDATED event  shop/web-0.1  ") && line.contains(&format!("{said}, count 1 → 2")),
        "{line}"
    );
    let table = run(server.informer(&["get", "events", "-n", "shop"])).await;
    assert!(table.out.contains("MESSAGE") && table.out.contains("pod/web-0"), "{table:?}");
}

/// Changes a ConfigMap of the namespace `shop`.
async fn change(server: &Server, name: &str, patch: Value) {
    let maps: Api<ConfigMap> = Api::namespaced(server.api.quiet_client(), "shop");
    maps.patch(name, &PatchParams::default(), &Patch::Merge(&patch)).await.expect("a change");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_is_looked_for_is_shown_with_its_difference() {
    let server = Server::start().await;
    server.config_map("a", "1").await;
    let arguments = ["watch", "cm/a", "-n", "shop", "--changes", "data.key", "--diff", "--only-changes"];
    let mut diff = Running::start_merged(server.informer(&arguments));
    while !diff.line().await.contains("configmaps a: 1 in the cache") {}
    let arguments = ["watch", "cm", "-n", "shop", "--grep", "needle", "-o", "json"];
    let mut grep = Running::start(server.informer(&arguments));
    while !grep.line().await.contains("\"synced\"") {}
    change(&server, "a", json!({ "data": { "other": "x" } })).await;
    change(&server, "a", json!({ "data": { "key": "2" } })).await;
    change(&server, "a", json!({ "data": { "other": "a needle" } })).await;
    let line = diff.line().await;
    assert!(line.contains("UPDATED configmap  shop/a  data.key 1 → 2"), "{line}");
    let (old, new) = (diff.line().await, diff.line().await);
    assert!(old.starts_with("--- shop/a ") && new.starts_with("+++ shop/a "), "{old}{new}");
    let mut hunk = vec![diff.line().await];
    while !hunk.last().is_some_and(|line| line.starts_with("+ ")) {
        hunk.push(diff.line().await);
    }
    assert!(hunk[0].starts_with("@@ -1,"), "{hunk:?}");
    assert_eq!(hunk[hunk.len() - 2..], ["-  key: \"1\"\n", "+  key: \"2\"\n"], "{hunk:?}");
    let found: Value = serde_json::from_str(&grep.line().await).expect("JSON");
    assert_eq!(found["changes"][0]["new"], "a needle", "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn it_ends_when_what_is_waited_for_holds_and_says_if_it_does_not() {
    let server = Server::start().await;
    server.config_map("a", "1").await;
    let until = |until: &str| {
        let arguments = ["watch", "cm/a", "-n", "shop", "--until", until, "--summary", "--timeout", "30s"];
        Running::start(server.informer(&arguments))
    };
    let mut changed = until("jsonpath={.data.key}=2");
    assert!(changed.line().await.contains("ADDED"), "what is there comes first");
    change(&server, "a", json!({ "data": { "key": "2" } })).await;
    assert!(changed.line().await.contains("data.key 1 → 2"));
    assert!(changed.line().await.starts_with("0 added, 1 updated, 0 deleted in "));
    assert_eq!(changed.ended().await.0, Some(0));
    assert_eq!(until("create").ended().await.0, Some(0));
    let arguments = ["watch", "cm/a", "-n", "shop", "--until", "condition=Ready", "--for", "500ms"];
    let said = run(server.informer(&arguments)).await;
    assert_eq!(said.code, 1, "{said:?}");
    // On a busy machine that is too short a time for the object to come.
    let missing = ["shop/a", "a (not there)"];
    let missing = missing.map(|named| format!("error: --until does not hold: not of {named}"));
    assert!(missing.iter().any(|told| said.err.lines().last() == Some(told)), "{said:?}");
    let mut gone = until("delete");
    assert!(gone.line().await.contains("ADDED"));
    let maps: Api<ConfigMap> = Api::namespaced(server.api.quiet_client(), "shop");
    maps.delete("a", &kube_client::api::DeleteParams::default()).await.expect("it is deleted");
    assert!(gone.line().await.contains("DELETED"));
    assert_eq!(gone.ended().await.0, Some(0));
    assert_eq!(until("delete").ended().await.0, Some(0), "it is gone already");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_comes_with_all_that_belongs_to_it() {
    let server = Server::start().await;
    let client = server.api.quiet_client();
    let create = |path: &'static str, object: Value| {
        let client = client.clone();
        async move {
            let request = http::Request::post(path).header("content-type", "application/json");
            let request = request.body(object.to_string().into_bytes()).expect("a request");
            let created: Value = client.request(request).await.expect("it is created");
            created["metadata"]["uid"].as_str().expect("a uid").to_owned()
        }
    };
    let template = json!({ "metadata": { "labels": { "a": "b" } }, "spec": { "containers": [{ "name": "c", "image": "i" }] } });
    let spec = json!({ "selector": { "matchLabels": { "a": "b" } }, "template": template });
    let of = |group: &str, kind: &str, name: &str, owner: &str| {
        let owners = match owner {
            "" => json!([]),
            uid => json!([{ "apiVersion": "apps/v1", "kind": "X", "name": "x", "uid": uid }]),
        };
        let spec = if kind == "Pod" { template["spec"].clone() } else { spec.clone() };
        json!({ "apiVersion": group, "kind": kind, "spec": spec,
            "metadata": { "name": name, "namespace": "shop", "labels": { "a": "b" }, "ownerReferences": owners } })
    };
    let web =
        create("/apis/apps/v1/namespaces/shop/deployments", of("apps/v1", "Deployment", "web", "")).await;
    create("/apis/apps/v1/namespaces/shop/deployments", of("apps/v1", "Deployment", "other", "")).await;
    let mut watch = Running::start(server.informer(&["watch", "--owner", "deploy/web", "-n", "shop"]));
    let line = watch.line().await;
    assert!(line.contains("ADDED   deployment  shop/web"), "{line}");
    let set =
        create("/apis/apps/v1/namespaces/shop/replicasets", of("apps/v1", "ReplicaSet", "web-1", &web)).await;
    create("/api/v1/namespaces/shop/pods", of("v1", "Pod", "stranger", "")).await;
    let pod = create("/api/v1/namespaces/shop/pods", of("v1", "Pod", "web-1-x", &set)).await;
    let event = json!({ "apiVersion": "v1", "kind": "Event", "metadata": { "name": "said", "namespace": "shop" }, "message": "hello",
        "involvedObject": { "kind": "Pod", "name": "web-1-x", "namespace": "shop", "uid": pod } });
    create("/api/v1/namespaces/shop/events", event).await;
    let lines = [watch.line().await, watch.line().await, watch.line().await];
    for (line, wanted) in
        lines.iter().zip(["replicaset  shop/web-1", "pod         shop/web-1-x", "event       shop/said"])
    {
        assert!(line.contains(wanted), "{wanted} in {lines:?}");
    }
}
