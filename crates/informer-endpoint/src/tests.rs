//! The answers of the endpoint for informers that are healthy, starting, failing and stale.

use std::time::Duration;

use crate::Endpoint;
use http::Method;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_informer::error::SourceError;
use kube_informer::testing::{Fault, ScriptedSource};
use kube_informer::{SharedInformer, handler};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

fn config_map(name: &str) -> ConfigMap {
    let metadata =
        ObjectMeta { name: Some(name.into()), namespace: Some("a".into()), ..ObjectMeta::default() };
    ConfigMap { metadata, ..ConfigMap::default() }
}

fn informer(server: &ScriptedSource) -> SharedInformer<ConfigMap> {
    SharedInformer::builder(server.clone()).build().expect("an informer")
}

/// Makes all requests of the next minutes fail.
fn fail(server: &ScriptedSource, error: &SourceError) {
    for _ in 0..1_000 {
        server.inject(Fault::error(error.clone()).once());
    }
}

/// Runs an informer until the test ends.
fn start(informer: &SharedInformer<ConfigMap>) {
    let informer = informer.clone();
    tokio::spawn(async move { informer.run(std::future::pending()).await });
}

fn about(informer: &SharedInformer<ConfigMap>) -> Endpoint {
    let informer = informer.clone();
    Endpoint::new(move || vec![informer.status()])
}

fn get(endpoint: &Endpoint, path: &str) -> (u16, String) {
    let answer = endpoint.answer(&Method::GET, path);
    (answer.status().as_u16(), answer.into_body())
}

#[tokio::test(start_paused = true)]
async fn not_ready_before_the_sync_and_ready_after_it() {
    let server = ScriptedSource::of::<ConfigMap>();
    server.create(&config_map("x")).unwrap();
    let informer = informer(&server);
    let endpoint = about(&informer);
    let (status, body) = get(&endpoint, "/readyz");
    assert_eq!((status, &*body), (503, "[-] configmaps has not synced: not started\nnot ready\n"));
    assert_eq!(get(&endpoint, "/livez"), (200, "ok\n".to_owned()));
    start(&informer);
    informer.wait_synced(Duration::from_secs(5)).await.unwrap();
    let (status, body) = get(&endpoint, "/readyz");
    assert_eq!((status, &*body), (200, "[+] configmaps synced, 1 objects, last heard of 0 s ago\nready\n"));
}

#[tokio::test(start_paused = true)]
async fn what_stands_in_the_way_is_named() {
    let server = ScriptedSource::of::<ConfigMap>();
    fail(&server, &SourceError::http(403, "Forbidden", ""));
    let informer = informer(&server);
    start(&informer);
    informer.wait_synced(Duration::from_secs(3)).await.unwrap_err();
    let (status, body) = get(&about(&informer), "/readyz");
    assert_eq!(status, 503);
    assert!(body.contains("configmaps has not synced: ") && body.contains("HTTP 403"), "{body}");
}

#[tokio::test(start_paused = true)]
async fn an_outage_makes_unready_only_where_age_was_said_to_count() {
    let server = ScriptedSource::of::<ConfigMap>();
    let informer = informer(&server);
    start(&informer);
    informer.wait_synced(Duration::from_secs(5)).await.unwrap();
    fail(&server, &SourceError::transport("connection refused"));
    server.close_watches();
    tokio::time::sleep(Duration::from_secs(300)).await;
    let (status, body) = get(&about(&informer), "/readyz");
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("last heard of 3") && body.contains("connection refused"), "{body}");
    let strict = about(&informer).max_staleness(Duration::from_secs(299));
    assert_eq!(get(&strict, "/readyz").0, 503);
    let patient = about(&informer).max_staleness(Duration::from_secs(3_000));
    assert_eq!(get(&patient, "/readyz").0, 200);
}

#[tokio::test(start_paused = true)]
async fn a_stopped_informer_is_not_ready() {
    let informer = informer(&ScriptedSource::of::<ConfigMap>());
    start(&informer);
    informer.wait_synced(Duration::from_secs(5)).await.unwrap();
    informer.shutdown(Duration::from_secs(1)).await;
    assert_eq!(
        get(&about(&informer), "/readyz"),
        (503, "[-] configmaps has stopped\nnot ready\n".to_owned())
    );
}

#[tokio::test(start_paused = true)]
async fn the_debug_page_tells_all_but_contents() {
    let server = ScriptedSource::of::<Secret>();
    let metadata =
        ObjectMeta { name: Some("s".into()), namespace: Some("a".into()), ..ObjectMeta::default() };
    let data = [("password".to_owned(), k8s_openapi::ByteString(b"hunter2".to_vec()))].into();
    server.create(&Secret { metadata, data: Some(data), ..Secret::default() }).unwrap();
    let informer = SharedInformer::<Secret>::builder(server).build().unwrap();
    informer.add_event_handler(handler().named("audit").on_add(|_| {})).unwrap();
    let running = informer.clone();
    tokio::spawn(async move { running.run(std::future::pending()).await });
    informer.wait_synced(Duration::from_secs(5)).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let shown = informer.clone();
    let (status, body) = get(&Endpoint::new(move || vec![shown.status()]), "/debug/informers");
    assert_eq!(status, 200);
    assert!(!body.contains("aHVudGVyMg") && !body.contains("hunter2"), "{body}");
    let body: Value = serde_json::from_str(&body).unwrap();
    let secrets = &body["informers"][0];
    assert_eq!(secrets["resource"], "secrets");
    assert_eq!(secrets["phase"], "watching");
    assert_eq!(secrets["objects"], 1);
    assert!(secrets["bytesAlive"].as_u64().unwrap() > 20);
    assert_eq!(secrets["handlers"][0]["name"], "audit");
    assert_eq!(secrets["handlers"][0]["delivered"], 1);
    assert_eq!(secrets["scopes"][0]["relists"]["first"], 1);
    assert_eq!(secrets["scopes"][0]["lastError"], Value::Null);
}

#[test]
fn metrics_are_served_if_there_are_any_and_nothing_can_be_written() {
    let none = Endpoint::new(Vec::new);
    assert_eq!(get(&none, "/metrics").0, 404);
    let some = none.metrics(|| "informer_objects 1\n".to_owned());
    let answer = some.answer(&Method::GET, "/metrics");
    assert_eq!(answer.headers()["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    assert_eq!(answer.body(), "informer_objects 1\n");
    assert_eq!(some.answer(&Method::POST, "/metrics").status(), 405);
    assert_eq!(some.answer(&Method::GET, "/secrets").status(), 404);
    assert_eq!(get(&some, "/readyz"), (200, "ready\n".to_owned()));
}

#[tokio::test]
async fn it_answers_on_a_port_until_it_is_dropped() {
    let listening = Endpoint::new(Vec::new).listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let address = listening.address();
    assert!(address.ip().is_loopback() && address.port() != 0);
    let mut connection = tokio::net::TcpStream::connect(address).await.unwrap();
    connection.write_all(b"GET /livez?verbose HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\nok\n"), "{answer}");
    let mut garbage = tokio::net::TcpStream::connect(address).await.unwrap();
    garbage.write_all(b"\x16\x03\x01 nonsense\r\n\r\n").await.unwrap();
    let mut refused = Vec::new();
    garbage.read_to_end(&mut refused).await.ok();
    assert!(refused.is_empty() || refused.starts_with(b"HTTP/1.1 400"), "{refused:?}");
    drop(listening);
    // The port is free again once the task has ended.
    let again = async {
        while tokio::net::TcpListener::bind(address).await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), again).await.expect("the port is given back");
}

#[tokio::test]
async fn a_viewer_gets_events_until_it_goes_and_then_nothing_is_done_for_it() {
    let endpoint = Endpoint::new(Vec::new);
    let listening = endpoint.clone().listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let mut connection = tokio::net::TcpStream::connect(listening.address()).await.unwrap();
    let request = format!(
        "GET /debug/informers HTTP/1.1\r\nhost: {}\r\naccept: text/event-stream\r\n\r\n",
        listening.address()
    );
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    while answer.matches("data: {").count() < 2 {
        let mut more = [0; 4096];
        let read = connection.read(&mut more).await.unwrap();
        assert!(read > 0, "it goes on: {answer}");
        answer.push_str(std::str::from_utf8(&more[..read]).unwrap());
    }
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains("\"uptimeSeconds\":"), "{answer}");
    let all = u32::try_from(crate::stream::VIEWERS).unwrap();
    assert!(endpoint.seats.try_acquire_many(all).is_err(), "it has a place");
    drop(connection);
    let gone = tokio::time::timeout(Duration::from_secs(20), endpoint.seats.acquire_many(all)).await;
    assert!(gone.expect("the place is given back").is_ok());
}
