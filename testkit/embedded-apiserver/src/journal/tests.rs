use http::Method;

use super::*;
use crate::request::{Request, Verb};

fn request(method: Method, uri: &str) -> RecordedRequest {
    let (parts, ()) = http::Request::builder().method(method).uri(uri).body(()).unwrap().into_parts();
    RecordedRequest::new(&Request::new(parts), "")
}

fn read(method: Method, uri: &str) -> (Option<Verb>, [String; 4]) {
    let it = request(method, uri);
    (it.verb, [it.resource, it.namespace, it.name, it.subresource])
}

#[test]
fn what_is_asked_is_read_from_method_path_and_query() {
    let cases = [
        (Method::GET, "/api/v1/pods", Some(Verb::List), ["pods", "", "", ""]),
        (Method::GET, "/api/v1/namespaces/a/pods", Some(Verb::List), ["pods", "a", "", ""]),
        (Method::GET, "/api/v1/namespaces/a/pods?watch=1", Some(Verb::Watch), ["pods", "a", "", ""]),
        (Method::GET, "/api/v1/pods?watch=false", Some(Verb::List), ["pods", "", "", ""]),
        (Method::GET, "/api/v1/watch/namespaces/a/pods/x", Some(Verb::Watch), ["pods", "a", "x", ""]),
        (Method::GET, "/api/v1/namespaces/a/pods/x?watch=1", Some(Verb::Get), ["pods", "a", "x", ""]),
        (
            Method::GET,
            "/api/v1/pods?fieldSelector=metadata.name%3Dx",
            Some(Verb::List),
            ["pods", "", "x", ""],
        ),
        (Method::GET, "/api/v1/namespaces/a/pods/x%3Ay", Some(Verb::Get), ["pods", "a", "x:y", ""]),
        (Method::GET, "/api/v1//pods/", Some(Verb::List), ["pods", "", "", ""]),
        (Method::GET, "/api/v1/namespaces/a/pods/x/log/y", Some(Verb::Get), ["pods", "a", "x", "log"]),
        (Method::GET, "/api/v1/watch", None, ["", "", "", ""]),
        (Method::GET, "/api/v1/namespaces", Some(Verb::List), ["namespaces", "", "", ""]),
        (Method::GET, "/api/v1/namespaces/a", Some(Verb::Get), ["namespaces", "a", "a", ""]),
        (
            Method::PUT,
            "/api/v1/namespaces/a/finalize",
            Some(Verb::Update),
            ["namespaces", "a", "a", "finalize"],
        ),
        (
            Method::POST,
            "/apis/apps/v1/namespaces/a/deployments",
            Some(Verb::Create),
            ["deployments.apps", "a", "", ""],
        ),
        (
            Method::PATCH,
            "/apis/apps/v1/namespaces/a/deployments/x/status",
            Some(Verb::Patch),
            ["deployments.apps", "a", "x", "status"],
        ),
        (Method::DELETE, "/api/v1/nodes", Some(Verb::DeleteCollection), ["nodes", "", "", ""]),
        (Method::DELETE, "/api/v1/nodes/n", Some(Verb::Delete), ["nodes", "", "n", ""]),
        (Method::GET, "/apis/apps/v1", None, ["", "", "", ""]),
        (Method::GET, "/healthz", None, ["", "", "", ""]),
        (Method::OPTIONS, "/api/v1/pods", None, ["pods", "", "", ""]),
    ];
    for (method, uri, verb, parts) in cases {
        assert_eq!(read(method, uri), (verb, parts.map(str::to_owned)), "{uri}");
    }
}

#[test]
fn parameters_are_decoded() {
    let list = request(Method::GET, "/api/v1/pods?labelSelector=a%3Db&limit=5");
    assert_eq!(list.parameter("labelSelector").as_deref(), Some("a=b"));
    assert_eq!(list.parameter("limit").as_deref(), Some("5"));
    assert_eq!(list.parameter("continue"), None);
}

#[test]
fn the_oldest_are_forgotten_first_and_late_answers_find_their_request() {
    let journal = Journal::new();
    let first = journal.enter(request(Method::GET, "/api/v1/pods"));
    let long = format!("/api/v1/pods?labelSelector={}", "x".repeat(60_000));
    for _ in 0..100 {
        journal.enter(request(Method::GET, &long));
    }
    let last = journal.enter(request(Method::GET, "/api/v1/nodes"));
    assert!(journal.forgotten() > 0);
    assert_eq!(journal.forgotten() + journal.requests().len() as u64, 102);
    assert!(journal.pages.held.lock().bytes <= LIMIT);
    first.answered(500);
    last.answered(200);
    assert_eq!(journal.count(|request| request.status == Some(500)), 0);
    assert_eq!(journal.requests().last().unwrap().status, Some(200));
    assert_eq!(journal.requests().last().unwrap().resource, "nodes");
}

#[test]
fn what_was_cleared_is_not_counted_and_numbers_go_on() {
    let journal = Journal::new();
    let early = journal.enter(request(Method::GET, "/api/v1/pods"));
    journal.clear();
    let late = journal.enter(request(Method::GET, "/api/v1/nodes"));
    early.answered(500);
    late.answered(200);
    let requests = journal.requests();
    assert_eq!(requests.iter().map(|request| request.status).collect::<Vec<_>>(), [Some(200)]);
    assert_eq!(journal.forgotten(), 1);
}

#[tokio::test]
async fn one_can_wait_for_requests_and_for_their_answers() {
    let journal = Journal::new();
    let waiting = journal.until(2, |request| request.is(Verb::List, "pods") && request.status == Some(200));
    let mut waiting = std::pin::pin!(waiting);
    for answer in [200, 500, 200] {
        assert!(futures::poll!(waiting.as_mut()).is_pending());
        let entry = journal.enter(request(Method::GET, "/api/v1/pods"));
        assert!(futures::poll!(waiting.as_mut()).is_pending());
        entry.answered(answer);
    }
    assert_eq!(waiting.await.len(), 2);
}

#[test]
fn what_is_done_with_requests_may_ask_the_journal_again() {
    let journal = Journal::new();
    journal.enter(request(Method::GET, "/api/v1/pods")).answered(200);
    let all = journal.matching(|_| journal.requests().len() == 1);
    assert_eq!((all.len(), all[0].status), (1, Some(200)));
    assert_eq!(journal.count(|_| journal.forgotten() == 0), 1);
}

#[test]
fn long_methods_count() {
    let journal = Journal::new();
    let method = Method::from_bytes("M".repeat(1 << 20).as_bytes()).unwrap();
    for _ in 0..20 {
        drop(journal.enter(request(method.clone(), "/")));
    }
    assert!(journal.requests().len() < 8, "8 MiB are held");
    assert!(journal.forgotten() > 12);
}
