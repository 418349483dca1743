//! The browser of objects as a client sees it.

mod hostile;
mod meant;
mod others;
mod pushes;
mod sensitive;

use std::time::Duration;

use futures::StreamExt as _;
use http::header::{AUTHORIZATION, HOST};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::testing::ScriptedSource;
use serde_json::{Value, json};

use super::*;
use crate::stream::{OBJECT_VIEWERS, VIEWERS};

/// An informer that runs until the test ends.
async fn run<K: Send + Sync + 'static>(informer: SharedInformer<K>) -> SharedInformer<K> {
    let running = informer.clone();
    tokio::spawn(async move { running.run(std::future::pending()).await });
    informer.wait_synced(Duration::from_secs(60)).await.unwrap();
    informer
}

async fn maps(server: &ScriptedSource) -> SharedInformer<ConfigMap> {
    run(SharedInformer::builder(server.clone()).build().unwrap()).await
}

fn put(server: &ScriptedSource, name: &str, value: &str) {
    let metadata = json!({ "name": name, "namespace": "shop" });
    server.put_json(json!({ "metadata": metadata, "data": { "key": value } })).unwrap();
}

fn ask(endpoint: &Endpoint, path: &str, token: Option<&str>) -> Response<Body> {
    let mut request = Request::get(path).header(HOST, "localhost");
    if let Some(token) = token {
        request = request.header(AUTHORIZATION, format!("Bearer {token}"));
    }
    endpoint.respond(&request.body(()).unwrap(), "127.0.0.1".parse().unwrap())
}

fn status(endpoint: &Endpoint, path: &str, token: Option<&str>) -> u16 {
    ask(endpoint, path, token).status().as_u16()
}

/// The events of an answer.
fn events_of(answer: Response<Body>) -> impl futures::Stream<Item = String> + Unpin {
    assert_eq!(answer.status(), 200);
    let Body::Events(events) = answer.into_body() else { panic!("a stream") };
    events.map(|event| String::from_utf8(event.to_vec()).unwrap())
}

fn parsed(event: &str) -> Value {
    serde_json::from_str(event.strip_prefix("data: ").unwrap_or_else(|| panic!("{event}"))).unwrap()
}

fn handlers(informer: &SharedInformer<ConfigMap>) -> usize {
    informer.status().handlers.len()
}

#[tokio::test(start_paused = true)]
async fn without_permission_there_is_nothing_of_it() {
    let endpoint = Endpoint::new(Vec::new);
    for path in ["/debug/objects", "/debug/objects/kinds", "/debug/objects/search?informer=0"] {
        assert_eq!(status(&endpoint, path, None), 404, "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_page_is_open_and_what_it_asks_for_needs_the_token() {
    let informer = maps(&ScriptedSource::of::<ConfigMap>()).await;
    let objects = ObjectBrowser::new().informer(&informer);
    let open = Endpoint::new(Vec::new).objects(objects.clone());
    let locked = Endpoint::new(Vec::new).objects(objects.token("s3cret"));
    assert!(!format!("{locked:?}").contains("s3cret"));
    assert_eq!((status(&open, PATH, None), status(&locked, PATH, None)), (200, 200));
    let asked = ["/kinds", "/search?informer=0", "/object?informer=0&name=x", "/changes?informer=0"];
    for path in asked.map(|path| format!("{PATH}{path}")) {
        assert_eq!(status(&open, &path, None), 200, "{path}");
        assert_eq!(status(&locked, &path, None), 401, "{path}");
        assert_eq!(status(&locked, &path, Some("wrong")), 401, "{path}");
        assert_eq!(status(&locked, &path, Some("s3cret")), 200, "{path}");
    }
    for path in ["/search?informer=7", "/object?informer=0", "/search", "/search?informer=0&field=x"] {
        assert_eq!(status(&open, &format!("{PATH}{path}"), None), 400, "{path}");
    }
    assert_eq!(status(&open, "/debug/objects/else?informer=0", None), 404);
    assert_eq!(open.object_seats.available_permits(), OBJECT_VIEWERS, "all have gone");
}

#[tokio::test]
async fn others_than_this_machine_need_a_token() {
    let open = Endpoint::new(Vec::new).objects(ObjectBrowser::new());
    for everywhere in ["0.0.0.0:0", "[::]:0"] {
        let refused = open.clone().listen(everywhere.parse().unwrap()).await.unwrap_err();
        assert_eq!(refused.kind(), std::io::ErrorKind::InvalidInput);
        assert!(
            refused.to_string().contains("127.0.0.1") && refused.to_string().contains("token"),
            "{refused}"
        );
    }
    open.listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let empty = Endpoint::new(Vec::new).objects(ObjectBrowser::new().token(""));
    assert!(empty.listen("127.0.0.1:0".parse().unwrap()).await.unwrap_err().to_string().contains("empty"));
    let locked = Endpoint::new(Vec::new).objects(ObjectBrowser::new().token("s3cret"));
    locked.listen("0.0.0.0:0".parse().unwrap()).await.unwrap();
}

#[tokio::test]
async fn a_token_from_a_file_is_the_one_without_its_line_break_and_one_that_cannot_be_sent_is_refused() {
    let with = |token: &str| Endpoint::new(Vec::new).objects(ObjectBrowser::new().token(token));
    let local = || "127.0.0.1:0".parse().unwrap();
    for token in ["s3cret\n", "s3cret\r\n", " s3cret"] {
        assert_eq!(status(&with(token), "/debug/objects/kinds", Some("s3cret")), 200, "{token:?}");
        with(token).listen(local()).await.unwrap();
    }
    with("three small words").listen(local()).await.unwrap();
    for token in ["one\ntwo", "s3cr\u{e9}t", "s3cr\0t"] {
        let refused = with(token).listen(local()).await.unwrap_err();
        assert!(refused.to_string().contains("not ASCII or cannot be seen"), "{token:?}: {refused}");
    }
    assert!(with(" \n").listen(local()).await.unwrap_err().to_string().contains("empty"));
}

#[tokio::test(start_paused = true)]
async fn an_object_is_shown_with_what_changes_while_somebody_looks() {
    let server = ScriptedSource::of::<ConfigMap>();
    put(&server, "x", "one");
    put(&server, "other", "one");
    let informer = maps(&server).await;
    let endpoint = Endpoint::new(Vec::new).objects(ObjectBrowser::new().informer(&informer));
    assert_eq!(handlers(&informer), 0);
    let mut view = events_of(ask(&endpoint, "/debug/objects/object?informer=0&namespace=shop&name=x", None));
    let first = parsed(&view.next().await.unwrap());
    assert!(first["yaml"].as_str().unwrap().contains("key: one"), "{first}");
    assert_eq!((&first["changes"], handlers(&informer)), (&json!([]), 1));

    put(&server, "other", "two");
    put(&server, "x", "two");
    let second = parsed(&view.next().await.unwrap());
    assert!(second["yaml"].as_str().unwrap().contains("key: two"), "{second}");
    let changes = second["changes"].as_array().unwrap();
    assert_eq!((changes.len(), &changes[0]["what"]), (1, &json!("updated")));
    let differing = json!([{ "path": "data.key", "old": "one", "new": "two" }]);
    assert_eq!(changes[0]["differences"]["fields"], differing);

    // Of many changes at once the last are kept.
    for number in 0..50 {
        put(&server, "x", &number.to_string());
        informer.wait_progress(&informer.progress(), Duration::from_secs(1)).await.unwrap();
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let third = parsed(&view.next().await.unwrap());
    assert_eq!(third["changes"].as_array().unwrap().len(), 10);
    assert_eq!(third["changes"][0]["differences"]["fields"][0]["new"], "49");
    assert_eq!(third["forgotten"], 40);

    server.delete("shop/x").unwrap();
    let gone = parsed(&view.next().await.unwrap());
    assert_eq!(
        (&gone["object"], &gone["yaml"], &gone["changes"][0]["what"]),
        (&Value::Null, &Value::Null, &json!("deleted"))
    );
    // Nothing happens, and the connection is tried all the same.
    assert_eq!(view.next().await.unwrap(), ":\n\n");
    drop(view);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(
        (handlers(&informer), endpoint.object_seats.available_permits()),
        (0, OBJECT_VIEWERS),
        "nothing is left"
    );
}

#[tokio::test(start_paused = true)]
async fn the_last_changes_of_a_kind_are_shown_once_a_second() {
    let server = ScriptedSource::of::<ConfigMap>();
    put(&server, "old", "secret-ish");
    let informer = maps(&server).await;
    let endpoint = Endpoint::new(Vec::new).objects(ObjectBrowser::new().informer(&informer));
    let mut feed = events_of(ask(&endpoint, "/debug/objects/changes?informer=0", None));
    assert_eq!(parsed(&feed.next().await.unwrap())["count"], 0);
    tokio::time::sleep(Duration::from_millis(100)).await;
    for number in 0..40 {
        put(&server, &format!("new-{number:02}"), "one");
    }
    server.delete("shop/old").unwrap();
    let begun = tokio::time::Instant::now();
    let event = feed.next().await.unwrap();
    assert!(begun.elapsed() >= Duration::from_millis(800));
    assert!(!event.contains("secret-ish"), "no contents in this list");
    let told = parsed(&event);
    assert_eq!((&told["count"], told["last"].as_array().unwrap().len()), (&json!(41), 30));
    assert_eq!((&told["last"][0]["what"], &told["last"][0]["name"]), (&json!("deleted"), &json!("old")));
    assert_eq!((&told["last"][1]["what"], &told["last"][1]["name"]), (&json!("added"), &json!("new-39")));
}

#[tokio::test(start_paused = true)]
async fn kinds_are_those_that_the_program_named() {
    let informer = maps(&ScriptedSource::of::<ConfigMap>()).await;
    let endpoint = Endpoint::new(Vec::new).objects(ObjectBrowser::new().informer(&informer));
    let Body::Text(Some(kinds)) = ask(&endpoint, "/debug/objects/kinds", None).into_body() else {
        panic!("text")
    };
    let kinds: Value = serde_json::from_slice(&kinds).unwrap();
    let expected = json!([{ "name": "configmaps", "apiVersion": "v1", "kind": "ConfigMap", "objects": 0, "sensitive": false }]);
    assert_eq!(kinds, expected);
}

#[tokio::test(start_paused = true)]
async fn viewers_of_objects_leave_the_places_of_others() {
    let informer = maps(&ScriptedSource::of::<ConfigMap>()).await;
    let endpoint = Endpoint::new(Vec::new).objects(ObjectBrowser::new().informer(&informer));
    let feed = || ask(&endpoint, "/debug/objects/changes?informer=0", None);
    let viewers: Vec<_> = (0..OBJECT_VIEWERS).map(|_| feed()).collect();
    assert!(viewers.iter().all(|answer| answer.status() == 200));
    assert_eq!((feed().status().as_u16(), endpoint.seats.available_permits()), (503, VIEWERS));
}
