//! Every fault, on both transports.

use std::io;
use std::time::Duration;

use embedded_apiserver::{EmbeddedApiserver, InjectedServerFault, ServerFault, TcpServer, Verb};
use futures::{AsyncBufReadExt as _, TryStreamExt as _};
use http::Request;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::{Api, Client, Error};
use serde_json::Value;

use crate::support::{config_map, in_time};

const LIST: &str =
    "/api/v1/namespaces/default/configmaps?resourceVersionMatch=NotOlderThan&resourceVersion=1";
const WATCH: &str = "/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=1&resourceVersion=";
const STREAM: &str = "/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=1&sendInitialEvents=true\
    &resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

/// A server with the ConfigMaps `a`, `b` and `c`, and a client of each transport.
struct Bed {
    server: EmbeddedApiserver,
    /// The version before the first of them.
    start: u64,
    endpoint: TcpServer,
    clients: [(&'static str, Client); 2],
}

impl Bed {
    async fn new() -> Self {
        let server = EmbeddedApiserver::new();
        let start = server.version();
        for name in ["a", "b", "c"] {
            server.create(&config_map(name)).await.expect("it is created");
        }
        let endpoint = server.listen().await.expect("a port is free");
        let mut config = endpoint.config();
        config.default_retry = false;
        let tcp = Client::try_from(config).expect("the configuration is good");
        let clients = [("memory", server.client()), ("tcp", tcp)];
        Self { server, start, endpoint, clients }
    }

    fn watch(&self) -> String {
        format!("{WATCH}{}", self.start)
    }
}

/// The part of the body that arrived, and whether it ended cleanly. An answer with an error status is an error.
async fn body(client: &Client, path: &str) -> Result<(String, io::Result<()>), Error> {
    let request = Request::get(path).body(Vec::new()).expect("the path is good");
    let mut stream = client.request_stream(request).await?;
    let mut text = String::new();
    loop {
        match stream.read_line(&mut text).await {
            Ok(0) => return Ok((text, Ok(()))),
            Ok(_) => {}
            Err(error) => return Ok((text, Err(error))),
        }
    }
}

/// The events of a watch, in short form: `+a`, `~a`, `-a`, `end` for the end of the initial events, `410` for an error.
fn told(text: &str) -> Vec<String> {
    let short = |line: &str| {
        let Ok(event) = serde_json::from_str::<Value>(line) else { return "?".to_owned() };
        let name = event["object"]["metadata"]["name"].as_str().unwrap_or_default();
        match event["type"].as_str() {
            Some("ADDED") => format!("+{name}"),
            Some("MODIFIED") => format!("~{name}"),
            Some("DELETED") => format!("-{name}"),
            Some("BOOKMARK") if !event["object"]["metadata"]["annotations"].is_null() => "end".to_owned(),
            Some("BOOKMARK") => "bookmark".to_owned(),
            Some("ERROR") => event["object"]["code"].to_string(),
            other => format!("{other:?}"),
        }
    };
    text.lines().map(short).collect()
}

/// All events of a watch. Panics if it does not end cleanly.
async fn whole(client: &Client, path: &str) -> Vec<String> {
    let (text, end) = in_time(body(client, path)).await.expect("it is answered");
    end.expect("it ends cleanly");
    told(&text)
}

/// The code of the Status that a request is answered with.
async fn code(client: &Client, path: &str) -> u16 {
    match in_time(body(client, path)).await {
        Err(Error::Api(status)) => status.code,
        other => panic!("no Status: {other:?}"),
    }
}

/// Injects a fault that strikes once for each transport.
fn once(bed: &Bed, fault: ServerFault) -> InjectedServerFault {
    bed.server.inject(fault.once())
}

#[tokio::test]
async fn without_faults_all_is_well() {
    let bed = Bed::new().await;
    for (transport, client) in &bed.clients {
        assert_eq!(whole(client, &bed.watch()).await, ["+a", "+b", "+c"], "{transport}");
        assert_eq!(whole(client, STREAM).await, ["+a", "+b", "+c", "end"], "{transport}");
    }
}

#[tokio::test]
async fn answers_with_a_status() {
    let bed = Bed::new().await;
    for (transport, client) in &bed.clients {
        for expected in [400, 401, 403, 404, 409, 410, 429, 500, 502, 503, 504] {
            let fault = bed.server.inject(ServerFault::status(expected).first(2));
            for path in [LIST, &bed.watch()] {
                assert_eq!(code(client, path).await, expected, "{transport} {path}");
            }
            assert_eq!(fault.struck(), 2, "{transport} {expected}");
        }
    }
}

#[tokio::test]
async fn a_busy_server_says_when_to_come_again() {
    let bed = Bed::new().await;
    let cases = [
        (ServerFault::too_many_requests(None), None, "application/json"),
        (ServerFault::too_many_requests(Some(7)), Some("7"), "application/json"),
        (ServerFault::overloaded(None), None, "text/plain; charset=utf-8"),
        (ServerFault::overloaded(Some(1)), Some("1"), "text/plain; charset=utf-8"),
    ];
    for (transport, client) in &bed.clients {
        for (fault, retry_after, content_type) in cases.clone() {
            once(&bed, fault);
            let request = Request::get(LIST).body(kube_client::client::Body::empty()).unwrap();
            let answer = in_time(client.send(request)).await.unwrap();
            assert_eq!(answer.status(), 429, "{transport}");
            let header = |name: &str| answer.headers().get(name).map(|value| value.to_str().unwrap());
            assert_eq!(header("retry-after"), retry_after, "{transport}");
            assert_eq!(header("content-type"), Some(content_type), "{transport}");
        }
    }
}

#[tokio::test]
async fn denied_access_is_in_the_words_of_the_real_server() {
    let bed = Bed::new().await;
    let cases = [
        (
            "/api/v1/namespaces/default/configmaps",
            r#"configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API group "" in the namespace "default""#,
        ),
        (
            "/apis/apps/v1/deployments?watch=1",
            r#"deployments.apps is forbidden: User "system:anonymous" cannot watch resource "deployments" in API group "apps" at the cluster scope"#,
        ),
        (
            "/api/v1/namespaces/default/pods/x/log",
            r#"pods "x" is forbidden: User "system:anonymous" cannot get resource "pods/log" in API group "" in the namespace "default""#,
        ),
    ];
    for (transport, client) in &bed.clients {
        for (path, message) in cases {
            once(&bed, ServerFault::forbidden());
            match in_time(body(client, path)).await {
                Err(Error::Api(status)) => {
                    assert_eq!(
                        (status.code, status.reason.as_str(), status.message.as_str()),
                        (403, "Forbidden", message),
                        "{transport}"
                    );
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

#[tokio::test]
async fn an_expired_page_has_a_token_to_go_on_with() {
    let bed = Bed::new().await;
    for (transport, client) in &bed.clients {
        let fault = bed.server.inject(ServerFault::expired_continue());
        let path = "/api/v1/namespaces/default/configmaps?limit=1";
        let (page, _) = body(client, path).await.unwrap();
        let token = |text: &str| {
            let page: Value = serde_json::from_str(text).unwrap();
            page["metadata"]["continue"].as_str().unwrap().to_owned()
        };
        let request = Request::get(format!("{path}&continue={}", token(&page)));
        let answer = client.send(request.body(kube_client::client::Body::empty()).unwrap()).await.unwrap();
        assert_eq!(answer.status(), 410, "{transport}");
        let status = answer.into_body().collect_bytes().await.unwrap();
        let status = String::from_utf8(status.to_vec()).unwrap();
        assert!(status.contains("The provided continue parameter is too old"), "{transport}: {status}");
        fault.remove();
        let (page, _) = body(client, &format!("{path}&continue={}", token(&status))).await.unwrap();
        assert!(page.contains(r#""name":"b""#), "{transport}: {page}");
        assert_eq!(fault.struck(), 1, "{transport}");
    }
}

#[tokio::test]
async fn a_refused_connection_is_no_answer() {
    let bed = Bed::new().await;
    for (transport, client) in &bed.clients {
        let fault = once(&bed, ServerFault::refuse());
        let error = in_time(body(client, LIST)).await.unwrap_err();
        assert!(!matches!(error, Error::Api(_)), "{transport}: {error}");
        assert_eq!(fault.struck(), 1);
        assert_eq!(bed.server.journal().requests().last().unwrap().status, None, "{transport}");
        in_time(body(client, LIST)).await.unwrap().1.unwrap();
    }
}

#[tokio::test]
async fn what_is_cut_is_not_a_clean_end() {
    let bed = Bed::new().await;
    for (transport, client) in &bed.clients {
        for (path, length) in [(LIST, 0), (LIST, 10), (&*bed.watch(), 0), (&*bed.watch(), 300)] {
            let fault = once(&bed, ServerFault::cut_after_bytes(length));
            let (text, end) = in_time(body(client, path)).await.unwrap();
            assert!(end.is_err(), "{transport} {path} {length}: {text}");
            assert!(text.len() as u64 <= length, "{transport} {path}: {text}");
            assert_eq!(fault.struck(), 1);
        }
        let fault = once(&bed, ServerFault::cut_after(2));
        let (text, end) = in_time(body(client, &bed.watch())).await.unwrap();
        assert!(end.is_err(), "{transport}");
        assert_eq!(told(&text)[..2], ["+a", "+b"], "{transport}");
        assert!(!text.contains("\"c\"") || !text.ends_with('\n'), "{transport}: {text}");
        assert_eq!(fault.struck(), 1);
    }
}

/// The events of two watches with each fault: one from a version, and one with initial events.
#[tokio::test]
async fn events_go_wrong() {
    let cases: [(ServerFault, &[&str], &[&str], u64); 12] = [
        (ServerFault::close(), &[], &[], 2),
        (ServerFault::close_after(2), &["+a", "+b"], &["+a", "+b"], 2),
        (ServerFault::expired_event(), &["410"], &["410"], 2),
        (ServerFault::expired_event_after(1), &["+a", "410"], &["+a", "410"], 2),
        (ServerFault::duplicate_event(2), &["+a", "+b", "+b", "+c"], &["+a", "+b", "+b", "+c", "end"], 2),
        (ServerFault::lose_event(1), &["+b", "+c"], &["+b", "+c", "end"], 2),
        (ServerFault::lose_event(9), &["+a", "+b", "+c"], &["+a", "+b", "+c", "end"], 0),
        (ServerFault::reorder_event(1), &["+b", "+a", "+c"], &["+b", "+a", "+c", "end"], 2),
        (ServerFault::reorder_event(3), &["+a", "+b", "+c"], &["+a", "+b", "end", "+c"], 2),
        (ServerFault::drop_end_bookmark(), &["+a", "+b", "+c"], &["+a", "+b", "+c"], 1),
        (ServerFault::ignore_send_initial_events(), &["+a", "+b", "+c"], &["+a", "+b", "+c"], 1),
        (ServerFault::bad_json(2), &["+a", "?", "+c"], &["+a", "?", "+c", "end"], 2),
    ];
    let case = async |(fault, watched, streamed, strikes): (ServerFault, &[&str], &[&str], u64),
                      transport: usize| {
        let bed = Bed::new().await;
        let (transport, client) = &bed.clients[transport];
        let injected = bed.server.inject(fault.clone());
        assert_eq!(whole(client, &bed.watch()).await, watched, "{transport} {fault:?}");
        assert_eq!(whole(client, STREAM).await, streamed, "{transport} {fault:?}");
        assert_eq!(injected.struck(), strikes, "{transport} {fault:?}");
    };
    // Each case takes the second or two that its watches last.
    let both = cases.into_iter().flat_map(|it| [case(it.clone(), 0), case(it, 1)]);
    futures::future::join_all(both).await;
}

#[tokio::test]
async fn a_watch_with_initial_events_that_are_ignored_starts_at_its_version() {
    let bed = Bed::new().await;
    bed.server.inject(ServerFault::ignore_send_initial_events());
    for (transport, client) in &bed.clients {
        let path = format!("{STREAM}&resourceVersion={}", bed.start + 1);
        assert_eq!(whole(client, &path).await, ["+b", "+c"], "{transport}");
    }
}

#[tokio::test]
async fn objects_that_cannot_be_decoded() {
    let bed = Bed::new().await;
    for (transport, client) in &bed.clients {
        let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
        for fault in [ServerFault::undecodable_object(2), ServerFault::bad_json(1)] {
            let fault = once(&bed, fault);
            let error = in_time(maps.list(&Default::default())).await.unwrap_err();
            assert!(matches!(error, Error::SerdeError(_)), "{transport}: {error}");
            assert_eq!(fault.struck(), 1, "{transport}");
            assert_eq!(maps.list(&Default::default()).await.unwrap().items.len(), 3);
        }
        let fault = bed.server.inject(ServerFault::undecodable_object(2).on(Verb::Watch));
        let (text, _) = in_time(body(client, &bed.watch())).await.unwrap();
        let second: Value = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
        assert_eq!(second["object"]["metadata"]["name"], "b", "{transport}");
        assert_eq!(second["object"]["metadata"]["labels"], 17, "{transport}");
        fault.remove();
    }
}

/// Only without sockets: with sockets the paused clock would jump.
#[tokio::test(start_paused = true)]
async fn delays_and_silence_take_their_time() {
    let server = EmbeddedApiserver::new();
    server.create(&config_map("a")).await.unwrap();
    let client = server.client();
    server.inject(ServerFault::delay(Duration::from_secs(90)).on(Verb::List).first(2));
    let start = tokio::time::Instant::now();
    for minutes in [1, 2, 2] {
        body(&client, LIST).await.unwrap().1.unwrap();
        assert_eq!(start.elapsed().as_secs() / 90, minutes.min(2));
    }
    let stalled = server.inject(ServerFault::stall().once());
    let hour = Duration::from_secs(3600);
    assert!(tokio::time::timeout(hour, body(&client, LIST)).await.is_err());
    assert_eq!(stalled.struck(), 1);

    let stalled = server.inject(ServerFault::stall_after(1));
    let path = format!("{WATCH}1&timeoutSeconds=30");
    let mut lines =
        client.request_stream(Request::get(path).body(Vec::new()).unwrap()).await.unwrap().lines();
    let first = lines.try_next().await.unwrap().unwrap();
    assert_eq!(told(&first), ["+a"]);
    server.create(&config_map("b")).await.unwrap();
    assert!(tokio::time::timeout(hour, lines.try_next()).await.is_err());
    assert_eq!(stalled.struck(), 1);
}

#[tokio::test]
async fn what_was_stalled_is_answered_when_the_fault_is_removed() {
    let bed = Bed::new().await;
    for (name, client) in &bed.clients {
        let stalled = bed.server.inject(ServerFault::stall());
        let answered = async {
            in_time(stalled.until_struck(1)).await;
            stalled.remove();
        };
        let (answer, ()) = tokio::join!(in_time(body(client, LIST)), answered);
        assert!(answer.unwrap().0.contains("ConfigMapList"), "{name}");
    }
}

/// The same over TCP, as far as it can be tested without waiting.
#[tokio::test]
async fn silence_over_tcp_leaves_the_connection_open() {
    let bed = Bed::new().await;
    let (_, client) = &bed.clients[1];
    let stalled = bed.server.inject(ServerFault::stall_after(2));
    let request = Request::get(bed.watch()).body(Vec::new()).unwrap();
    let mut lines = client.request_stream(request).await.unwrap().lines();
    for expected in ["+a", "+b"] {
        assert_eq!(told(&in_time(lines.try_next()).await.unwrap().unwrap()), [expected]);
    }
    in_time(stalled.until_struck(1)).await;
    let stalled = bed.server.inject(ServerFault::stall());
    tokio::select! {
        answer = body(client, LIST) => panic!("{answer:?}"),
        () = in_time(stalled.until_struck(1)) => {}
    }
    // Only stopping the server ends the watch, and what it did not send by then is lost.
    bed.endpoint.stop().await;
    assert_eq!(in_time(lines.try_next()).await.unwrap(), None);
}

#[tokio::test]
async fn a_restored_backup_is_seen_by_all() {
    for transport in 0..2 {
        let bed = Bed::new().await;
        let (name, client) = &bed.clients[transport];
        let fault = once(&bed, ServerFault::rewind(bed.start + 1).on(Verb::List));
        let (list, _) = body(client, "/api/v1/namespaces/default/configmaps").await.unwrap();
        let list: Value = serde_json::from_str(&list).unwrap();
        assert_eq!(list["items"].as_array().unwrap().len(), 1, "{name}");
        assert_eq!(bed.server.version(), bed.start + 1, "{name}");
        assert_eq!(fault.struck(), 1);
    }
}
