//! Lists and watches in cases that the conformance suite does not cover: time, limits, history.

use std::time::Duration;

use futures::FutureExt as _;
use http_body_util::BodyExt as _;
use serde_json::json;
use tokio::time::Instant;

use crate::options::ApiOptions;
use crate::storage::{History, Slowness};
use crate::testing::{CONFIGMAPS, DEFINITIONS, PODS, Server, names, rv, tell};

const INITIAL: &str =
    "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
const EVENTS: &str = "/api/v1/namespaces/default/events";

#[tokio::test(start_paused = true)]
async fn bookmarks_come_each_minute_and_shortly_before_the_end() {
    let server = Server::new();
    let start = rv(&server.get(CONFIGMAPS).await.of(200));
    let query = format!("?watch=1&allowWatchBookmarks=1&timeoutSeconds=150&resourceVersion={start}");
    let began = Instant::now();
    let mut watch = server.watch(&format!("{CONFIGMAPS}{query}")).await;
    let written = server.configmap("a").await;
    let mut seen = Vec::new();
    while let Some(event) = watch.next().await {
        assert!(rv(&event["object"]) >= rv(&written));
        seen.push((began.elapsed().as_secs(), tell(&event)));
    }
    let bookmark = || "BOOKMARK".to_owned();
    assert_eq!(seen, [(0, "ADDED a".to_owned()), (60, bookmark()), (120, bookmark()), (148, bookmark())]);
    assert_eq!(began.elapsed().as_secs(), 150);
}

#[tokio::test(start_paused = true)]
async fn a_bookmark_that_says_nothing_new_is_not_sent() {
    let server = Server::new();
    let start = rv(&server.get(PODS).await.of(200));
    let query = format!("?watch=1&allowWatchBookmarks=1&timeoutSeconds=100&resourceVersion={start}");
    assert!(server.watch(&format!("{PODS}{query}")).await.told().await.is_empty());
    // A write of another kind advances the version, so there is a bookmark.
    let mut watch = server.watch(&format!("{PODS}{query}")).await;
    server.configmap("a").await;
    let bookmark = watch.next().await.unwrap();
    assert_eq!(rv(&bookmark["object"]), server.api().version());
    assert_eq!(bookmark["object"]["spec"], json!({ "containers": null }), "an empty pod");
    // A watch of events has no bookmarks but the one that ends the initial events.
    let told = server.watch(&format!("{EVENTS}?{INITIAL}&timeoutSeconds=100")).await.told().await;
    assert_eq!(told, ["BOOKMARK"]);
}

#[tokio::test(start_paused = true)]
async fn without_a_timeout_a_watch_lasts_between_half_an_hour_and_an_hour() {
    let server = Server::new();
    let mut lasted = Vec::new();
    for query in ["", "&timeoutSeconds=0"] {
        let began = Instant::now();
        let mut watch = server.watch(&format!("{CONFIGMAPS}?watch=1{query}")).await;
        assert!(watch.told().await.is_empty());
        lasted.push(began.elapsed().as_secs());
    }
    assert!(lasted.iter().all(|seconds| (1800..3600).contains(seconds)), "{lasted:?}");
    assert_ne!(lasted[0], lasted[1]);
}

#[tokio::test(start_paused = true)]
async fn a_version_of_the_future_is_waited_for() {
    let server = Server::new();
    let next = server.api().version() + 1;
    let query = format!("{CONFIGMAPS}?resourceVersion={next}");
    let began = Instant::now();
    let waiting = async { names(&server.get(&query).await.of(200)) };
    let writing = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        server.configmap("a").await;
    };
    assert_eq!(futures::join!(waiting, writing).0, ["a"]);
    assert_eq!(began.elapsed(), Duration::from_secs(2));
    let answer = server.get(&format!("{CONFIGMAPS}?resourceVersion=999")).await;
    assert_eq!(
        answer.refused(504, "Timeout"),
        format!("Timeout: Too large resource version: 999, current: {next}")
    );
    assert_eq!(
        (began.elapsed(), &answer.headers["retry-after"]),
        (Duration::from_secs(5), &"1".parse().unwrap())
    );
    // Resources without a watch cache do not wait for a version.
    let answer = server.get(&format!("{EVENTS}?resourceVersion=999&resourceVersionMatch=Exact")).await;
    answer.refused(504, "Timeout");
    assert_eq!((began.elapsed(), answer.headers.get("retry-after")), (Duration::from_secs(5), None));
}

#[tokio::test(start_paused = true)]
async fn without_the_gate_initial_events_are_refused_and_have_no_end() {
    let server = Server::with(ApiOptions { streaming_lists: false, ..ApiOptions::default() });
    server.configmap("a").await;
    let gate = "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature \
                gate is enabled";
    let answer = server.get(&format!("{CONFIGMAPS}?{INITIAL}")).await;
    assert_eq!(answer.refused(422, "Invalid"), format!("ListOptions.meta.k8s.io \"\" is invalid: {gate}"));
    let answer = server.get(&format!("{CONFIGMAPS}?watch=1&sendInitialEvents=true")).await;
    let message = answer.refused(422, "Invalid");
    assert!(message.contains(gate) && message.contains("requires setting resourceVersionMatch"), "{message}");
    let told = server
        .watch(&format!("{CONFIGMAPS}?watch=1&allowWatchBookmarks=1&timeoutSeconds=1"))
        .await
        .told()
        .await;
    assert_eq!(told, ["ADDED a"]);
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_does_not_keep_up_ends_cleanly_and_can_go_on_where_it_was() {
    let slowness = Slowness { buffer: 10, patience: Duration::from_millis(100) };
    let server = Server::with(ApiOptions { slowness, ..ApiOptions::default() });
    let start = rv(&server.configmap("a").await);
    let path = |version| format!("{CONFIGMAPS}?watch=1&resourceVersion={version}");
    let mut watch = server.watch(&path(start)).await;
    assert!(watch.next().now_or_never().is_none(), "it is up to date");
    for step in 1..=300 {
        server.step("a", step).await;
        tokio::time::advance(Duration::from_millis(10)).await;
    }
    let told = watch.told().await;
    assert!(told.len() < 300, "{} changes were told to somebody who did not listen", told.len());
    let rest =
        server.watch(&format!("{}&timeoutSeconds=1", path(start + told.len() as u64))).await.told().await;
    assert_eq!(rest.len(), 300 - told.len());
}

#[tokio::test(start_paused = true)]
async fn what_is_forgotten_is_410() {
    let history = History { min_events: 3, max_events: 3, ..History::default() };
    let server = Server::with(ApiOptions { history, ..ApiOptions::default() });
    let start = rv(&server.configmap("a").await);
    let mut behind = server.watch(&format!("{CONFIGMAPS}?watch=1&resourceVersion={start}")).await;
    for step in 1..=10 {
        server.step("a", step).await;
    }
    assert!(behind.told().await.is_empty(), "what it was to tell is gone, so it ends");
    let answer =
        server.get(&format!("{CONFIGMAPS}?resourceVersion={start}&resourceVersionMatch=Exact")).await;
    assert_eq!(answer.refused(410, "Expired"), "The resourceVersion for the provided list is too old.");
    let error =
        server.watch(&format!("{CONFIGMAPS}?watch=1&resourceVersion={start}")).await.next().await.unwrap();
    let oldest = start + 7;
    assert_eq!(error["type"], "ERROR");
    assert_eq!(error["object"]["message"], format!("too old resource version: {start} ({oldest})"));
    assert_eq!((&error["object"]["code"], &error["object"]["reason"]), (&json!(410), &json!("Expired")));
    let mut watch =
        server.watch(&format!("{CONFIGMAPS}?watch=1&resourceVersion={oldest}&timeoutSeconds=1")).await;
    assert_eq!(watch.told().await.len(), 3);
    // Initial events are never too old.
    let mut watch = server.watch(&format!("{CONFIGMAPS}?{INITIAL}&resourceVersion={start}")).await;
    assert_eq!(watch.take(2).await, ["ADDED a", "BOOKMARK"]);
}

#[tokio::test(start_paused = true)]
async fn going_back_ends_watches_and_uses_versions_again() {
    let server = Server::new();
    let then = rv(&server.configmap("a").await);
    let later = server.configmap("b").await;
    let mut watch = server.watch(&format!("{CONFIGMAPS}?watch=1&resourceVersion={}", rv(&later))).await;
    server.api().rewind(then).unwrap();
    assert_eq!(watch.next().await, None);
    let list = server.get(CONFIGMAPS).await.of(200);
    assert_eq!((names(&list), rv(&list)), (vec!["a".to_owned()], then));
    let answer = server.get(&format!("{CONFIGMAPS}?resourceVersion={}", rv(&later))).await;
    answer.refused(504, "Timeout");
    let other = server.configmap("c").await;
    assert_eq!(rv(&other), rv(&later));
    assert_ne!(other["metadata"]["uid"], later["metadata"]["uid"]);
}

#[tokio::test(start_paused = true)]
async fn going_back_takes_definitions_along() {
    let server = Server::new();
    let before = server.api().version();
    let definition = json!({
        "metadata": { "name": "cats.example.com" },
        "spec": {
            "group": "example.com", "scope": "Cluster", "names": { "plural": "cats", "kind": "Cat" },
            "versions": [{ "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object" } } }],
        },
    });
    server.post(DEFINITIONS, &definition).await.of(201);
    let cats = "/apis/example.com/v1/cats";
    let cat = json!({ "apiVersion": "example.com/v1", "kind": "Cat", "metadata": { "name": "tom" } });
    let with_cat = rv(&server.post(cats, &cat).await.of(201));
    let mut watch = server.watch(&format!("{cats}?watch=1&resourceVersion={with_cat}")).await;
    assert_eq!(server.delete(&format!("{DEFINITIONS}/cats.example.com")).await.status, 200);
    assert_eq!(watch.told().await, ["DELETED tom"], "it ends when its kind is gone");
    assert_eq!(server.get(cats).await.status, 404);
    server.api().rewind(with_cat).unwrap();
    assert_eq!(names(&server.get(cats).await.of(200)), ["tom"]);
    server.api().rewind(before).unwrap();
    assert_eq!(server.get(cats).await.status, 404);
    assert!(names(&server.get(DEFINITIONS).await.of(200)).is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_long_list_comes_in_pieces_that_are_one_document() {
    let server = Server::new();
    let large = "x".repeat(20_000);
    for name in 0..20 {
        let object = json!({ "metadata": { "name": format!("c{name:02}") }, "data": { "large": large } });
        server.post(CONFIGMAPS, &object).await.of(201);
    }
    let mut body = server.open("GET", CONFIGMAPS, &[], "").await.into_body();
    // Writes after the first piece do not change the list.
    let mut pieces = 0;
    let mut text = Vec::new();
    while let Some(frame) = http_body_util::BodyExt::frame(&mut body).await {
        let piece = frame.unwrap().into_data().unwrap();
        assert!(piece.len() < 100_000, "a piece of {} bytes", piece.len());
        text.extend_from_slice(&piece);
        pieces += 1;
        server.delete(&format!("{CONFIGMAPS}/c{pieces:02}")).await;
    }
    assert!(pieces > 4, "{pieces} pieces");
    let list: serde_json::Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(names(&list).len(), 20);
}

#[tokio::test(start_paused = true)]
async fn limits_are_ignored_at_version_0_but_not_of_events() {
    let server = Server::new();
    for name in ["a", "b"] {
        server.configmap(name).await;
        let event = json!({ "metadata": { "name": name }, "involvedObject": { "namespace": "default" } });
        server.post(EVENTS, &event).await.of(201);
    }
    assert_eq!(names(&server.get(&format!("{CONFIGMAPS}?limit=1&resourceVersion=0")).await.of(200)).len(), 2);
    assert_eq!(names(&server.get(&format!("{EVENTS}?limit=1&resourceVersion=0")).await.of(200)).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn tokens_are_read_as_the_real_server_reads_them() {
    let server = Server::new();
    // `!!!`, `x`, and tokens with version 0, without a key, with another format, and with a path that contains `..`.
    for (token, why) in [
        ("!!!", "illegal base64 data at input byte 0"),
        ("eA", "invalid character 'x' looking for beginning of value"),
        ("garbage", "invalid character '\\u0081' looking for beginning of value"),
        (
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MCwic3RhcnQiOiJhXHUwMDAwIn0",
            "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
        ),
        (
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiIifQ",
            "encoded start key empty (version meta.k8s.io/v1)",
        ),
        ("eyJ2IjoieCIsInJ2Ijo1LCJzdGFydCI6ImEifQ", "server does not recognize this encoded version x"),
        ("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiIuLi9hIn0", "../a"),
    ] {
        let message = server.get(&format!("{CONFIGMAPS}?continue={token}")).await.refused(400, "BadRequest");
        assert_eq!(message, format!("invalid continue token: continue key is not valid: {why}"));
    }
    for name in ["a", "b", "c"] {
        server.configmap(name).await;
    }
    // A token with the key `/a` and NUL at the latest version.
    let token = "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiL2FcdTAwMDAifQ";
    assert_eq!(names(&server.get(&format!("{CONFIGMAPS}?continue={token}")).await.of(200)), ["b", "c"]);
}

#[tokio::test(start_paused = true)]
async fn one_object_is_watched_by_the_old_path_too() {
    let server = Server::new();
    server.configmap("a").await;
    let mut watch = server.watch("/api/v1/watch/namespaces/default/configmaps/b?timeoutSeconds=1").await;
    server.configmap("b").await;
    assert_eq!(watch.told().await, ["ADDED b"]);
}

/// Watches share the bytes of an event instead of copying them.
#[tokio::test(start_paused = true)]
async fn a_thousand_watches_miss_nothing() {
    let server = Server::new();
    let start = rv(&server.configmap("a").await);
    let path = format!("{CONFIGMAPS}?watch=1&resourceVersion={start}");
    let mut watches = Vec::new();
    for _ in 0..1000 {
        watches.push(server.watch(&path).await);
    }
    for step in 1..=100 {
        server.step("a", step).await;
    }
    for mut watch in watches {
        for version in start + 1..=start + 100 {
            assert_eq!(rv(&watch.next().await.unwrap()["object"]), version);
        }
        assert!(watch.next().now_or_never().is_none(), "nothing twice");
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_over_a_websocket_is_not_here() {
    let server = Server::new();
    let upgrade = [("connection", "keep-alive, Upgrade"), ("upgrade", "WebSocket")];
    for (path, headers, status) in [
        (format!("{CONFIGMAPS}?watch=1"), &upgrade[..], 503),
        (format!("/api/v1/watch/{}", CONFIGMAPS.trim_start_matches("/api/v1/")), &upgrade, 503),
        // What is wrong with the request is told first, and who does not say both says nothing.
        (format!("{CONFIGMAPS}?watch=1&labelSelector=a,,b("), &upgrade, 400),
        (format!("{CONFIGMAPS}?watch=1&timeoutSeconds=1"), &upgrade[1..], 200),
        (
            format!("{CONFIGMAPS}?watch=1&timeoutSeconds=1"),
            &[("connection", "Upgrade"), ("upgrade", "h2c")],
            200,
        ),
        (CONFIGMAPS.to_owned(), &upgrade, 200),
        (format!("{CONFIGMAPS}/none"), &upgrade, 404),
    ] {
        let answer = server.open("GET", &path, headers, "").await;
        assert_eq!(answer.status(), status, "{path} {headers:?}");
        // The body ends.
        let text = answer.into_body().collect().await.unwrap().to_bytes();
        if status == 503 {
            let status: serde_json::Value = serde_json::from_slice(&text).unwrap();
            assert_eq!(status["reason"], "ServiceUnavailable");
            assert!(status["message"].as_str().unwrap().contains("without the header `Upgrade`"), "{status}");
        }
    }
}
