//! On paused time, without a network.

use futures::FutureExt as _;
use futures::future::poll_fn;
use http::header::HOST;
use http_body::Body as _;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use std::pin::Pin;
use tokio::time::{Instant, sleep, timeout};

use super::*;
use crate::Speed;
use crate::exchange::Step;
use crate::timeline::tests::{STREAM, end_of_list, event, list, open, page, pod, second, streamed};

/// The seconds since the first request, which was recorded at second 1.
struct Client {
    server: ReplayServer,
    began: Instant,
}

impl Client {
    fn of(exchanges: Vec<crate::exchange::Exchange>, speed: Speed) -> Self {
        let recording = Recording::of_exchanges(exchanges, speed);
        Self { server: ReplayServer::new(recording), began: Instant::now() }
    }

    async fn send(&self, method: &str, target: &str, accept: &str) -> Response<Body> {
        let request = Request::builder().method(method).uri(target);
        let request = request.header(HOST, "localhost").header(ACCEPT, accept).body(()).expect("a request");
        self.server.clone().answer(request).await
    }

    /// The code and the document that a GET is answered with.
    async fn get(&self, target: &str) -> (u16, Value) {
        self.get_as(target, "application/json").await
    }

    async fn get_as(&self, target: &str, accept: &str) -> (u16, Value) {
        let answer = self.send("GET", target, accept).await;
        let code = answer.status().as_u16();
        let bytes = BodyExt::collect(answer.into_body()).await.expect("it ends").to_bytes();
        (code, serde_json::from_slice(&bytes).expect("JSON"))
    }

    async fn watch(&self, target: &str) -> Events {
        self.watch_as(target, "application/json").await
    }

    async fn watch_as(&self, target: &str, accept: &str) -> Events {
        let answer = self.send("GET", target, accept).await;
        assert_eq!(answer.status(), 200);
        Events { body: answer.into_body(), began: self.began }
    }

    /// Waits until so many seconds after the beginning of the recording.
    async fn until(&self, at: u64) {
        sleep((self.began + second(at - 1)).duration_since(Instant::now())).await;
    }
}

struct Events {
    body: Body,
    began: Instant,
}

impl Events {
    async fn json(&mut self) -> Option<Value> {
        let frame = poll_fn(|context| Pin::new(&mut self.body).poll_frame(context));
        // Where nothing comes any more a test fails and does not hang.
        let frame = timeout(second(1000), frame).await.expect("an event or the end")?;
        let bytes = frame.expect("it is not broken").into_data().expect("data");
        Some(serde_json::from_slice(&bytes).expect("one event"))
    }

    /// The next event: the second of the recording, type, name and version. `None` at the end.
    async fn next(&mut self) -> Option<String> {
        let event = self.json().await?;
        let at = self.began.elapsed().as_secs() + 1;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let object = &event["object"];
        let [name, version] = ["name", "resourceVersion"].map(|name| text(&object["metadata"][name]));
        let code = object["code"].as_u64().map(|code| code.to_string()).unwrap_or_default();
        Some(format!("{at} {} {name}@{version}{code}", text(&event["type"])))
    }

    async fn take(&mut self, count: usize) -> Vec<String> {
        let mut events = Vec::new();
        for _ in 0..count {
            events.push(self.next().await.expect("another event"));
        }
        events
    }
}

const REST: [&str; 3] = ["5 MODIFIED one@11", "6 DELETED two@12", "7 ADDED two@13"];
const BOOKMARKS: &str = "/api/v1/pods?watch=true&sendInitialEvents=true&allowWatchBookmarks=true";

#[tokio::test(start_paused = true)]
async fn other_clients_hear_of_the_state_and_of_what_follows_when_it_is_due() {
    let client = Client::of(vec![streamed()], Speed::AsRecorded);
    let mut recorded = client.watch(STREAM).await;
    let mut again = client.watch(BOOKMARKS).await;
    let initial = ["1 ADDED one@3", "1 ADDED two@4", "1 BOOKMARK @10"];
    assert_eq!(again.take(3).await, initial);
    let mut quiet = client.watch(STREAM).await;
    assert_eq!(quiet.take(2).await, initial[..2]);
    assert_eq!(recorded.take(3).await, ["1 ADDED one@3", "1 ADDED two@4", "2 BOOKMARK @10"]);
    let (mut from, mut in_b) = (
        client.watch("/api/v1/pods?watch=true&resourceVersion=10").await,
        client.watch("/api/v1/namespaces/b/pods?watch=1&resourceVersion=10").await,
    );
    let mut web = client.watch("/api/v1/pods?watch=1&resourceVersion=10&labelSelector=app%3Dweb").await;
    for events in [&mut recorded, &mut again, &mut quiet, &mut from] {
        assert_eq!(events.next().await.expect("an event"), REST[0]);
    }
    assert_eq!(in_b.take(2).await, REST[1..]);
    assert_eq!(web.take(1).await, ["7 MODIFIED one@11"], "it was sent at second 5, and is read now");
    assert_eq!(web.take(1).await, ["7 ADDED two@13"]);
    assert_eq!(again.take(2).await, ["7 DELETED two@12", "7 ADDED two@13"]);
    let mut late = client.watch("/api/v1/pods?watch=true&resourceVersion=11&timeoutSeconds=30").await;
    assert_eq!(late.take(2).await, ["7 DELETED two@12", "7 ADDED two@13"]);
    assert_eq!(late.next().await, None, "the watch ends when the client wants it to");
    assert_eq!(client.began.elapsed(), second(36));
}

#[tokio::test(start_paused = true)]
async fn lists_and_objects_are_those_of_the_moment() {
    let client = Client::of(vec![streamed()], Speed::AsRecorded);
    // It counts from the first request: nobody has to wait for the list, which was complete at second 2.
    let summary = |(code, list): (u16, Value)| {
        let names =
            list["items"].as_array().map(|items| items.iter().map(|item| item["metadata"]["name"].clone()));
        (
            code,
            list["kind"].clone(),
            list["metadata"]["resourceVersion"].clone(),
            json!(names.map(Vec::from_iter)),
        )
    };
    let pods = "/api/v1/pods?limit=1";
    let some = |version: &str, names: Value| (200, json!("PodList"), json!(version), names);
    assert_eq!(summary(client.get(pods).await), some("10", json!(["one", "two"])));
    assert_eq!(summary(client.get("/api/v1/namespaces/a/pods").await), some("10", json!(["one"])));
    assert_eq!(summary(client.get("/api/v1/namespaces/none/pods").await), some("10", json!([])));
    let table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    assert_eq!(summary(client.get_as(pods, table).await), some("10", json!(["one", "two"])));
    let two = "/api/v1/namespaces/b/pods/two";
    assert_eq!(client.get(two).await, (200, pod("b/two", 4, "db")));
    client.until(6).await;
    assert_eq!(summary(client.get(pods).await), some("12", json!(["one"])));
    let (code, gone) = client.get(two).await;
    assert_eq!(
        (code, &gone["reason"], &gone["message"]),
        (404, &json!("NotFound"), &json!("pods \"two\" not found"))
    );
    client.until(7).await;
    assert_eq!(client.get(two).await.0, 200);
    let selected = "/api/v1/pods?labelSelector=app+in+(web)&fieldSelector=metadata.name!%3Done";
    assert_eq!(summary(client.get(selected).await), some("13", json!(["two"])));
    let metadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    let (_, only) = client.get_as(two, metadata).await;
    assert_eq!(
        (&only["kind"], &only["metadata"], &only["spec"]),
        (&json!("PartialObjectMetadata"), &pod("b/two", 13, "web")["metadata"], &Value::Null)
    );
}

#[tokio::test(start_paused = true)]
async fn as_fast_as_possible_it_is_the_end() {
    let client = Client::of(vec![streamed()], Speed::Fastest);
    let mut all = client.watch("/api/v1/pods?watch=true&resourceVersion=10").await;
    assert_eq!(all.take(3).await, ["1 MODIFIED one@11", "1 DELETED two@12", "1 ADDED two@13"]);
    assert_eq!(client.get("/api/v1/pods").await.1["metadata"]["resourceVersion"], json!("13"));
    let mut initial = client.watch("/api/v1/pods?watch=true").await;
    assert_eq!(initial.take(2).await, ["1 ADDED one@11", "1 ADDED two@13"]);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_answered_says_why() {
    let client = Client::of(vec![streamed()], Speed::AsRecorded);
    let json = "application/json";
    for (method, target, accept, code, message) in [
        (
            "GET",
            "/api/v1/pods",
            "application/json;as=Table;v=v1;g=meta.k8s.io",
            406,
            "application/json has to be accepted",
        ),
        ("GET", "/api/v1/pods", "application/vnd.kubernetes.protobuf", 406, "only JSON"),
        ("GET", "/api/v1/pods?labelSelector=a%3Eb", json, 400, "\"a>b\""),
        ("GET", "/api/v1/pods?watch=1&resourceVersion=x", json, 400, "\"x\""),
        ("GET", "/api/v1/pods?continue=abc", json, 410, "ask for the whole list"),
        ("GET", "/api/v1/nodes", json, 404, "no answer to GET /api/v1/nodes"),
        ("GET", "/api/v1/namespaces/a/pods/one/log", json, 404, "no answer to GET"),
        ("GET", "/api/v1/watch/pods", json, 404, "no answer to GET"),
        ("POST", "/api/v1/namespaces/a/pods", json, 405, "this is a recording"),
        ("DELETE", "/api/v1/namespaces/a/pods/one", json, 405, "DELETE /api/v1/namespaces/a/pods/one"),
    ] {
        let answer = client.send(method, target, accept).await;
        assert_eq!(answer.status(), code, "{method} {target}");
        let bytes = BodyExt::collect(answer.into_body()).await.expect("it ends").to_bytes();
        let status: Value = serde_json::from_slice(&bytes).expect("a Status");
        assert_eq!((&status["kind"], &status["code"]), (&json!("Status"), &json!(code)));
        assert!(status["message"].as_str().is_some_and(|text| text.contains(message)), "{target}: {status}");
    }
    let mut old = client.watch("/api/v1/pods?watch=true&resourceVersion=9").await;
    assert_eq!(
        (old.next().await.expect("an error"), old.next().await.is_some()),
        ("1 ERROR @410".to_owned(), false)
    );
    let mut one =
        client.watch("/api/v1/pods?watch=1&resourceVersion=3&fieldSelector=metadata.name%3Done").await;
    assert_eq!(
        one.take(1).await,
        REST[..1],
        "an object that is older than the list is watched from its version"
    );
}

/// Names of RBAC may have the characters of selectors.
#[tokio::test(start_paused = true)]
async fn one_object_is_watched_whatever_its_name_has() {
    let name = r"a=b,c!=d\";
    let parts = [(1, event("ADDED", pod(&format!("a/{name}"), 3, "web"))), (2, end_of_list(10))];
    let client = Client::of(vec![open(STREAM, None, &parts)], Speed::Fastest);
    for target in [
        "/api/v1/namespaces/a/pods/a=b,c!=d%5C?watch=1",
        "/api/v1/namespaces/a/pods/a%3Db%2Cc%21%3Dd%5C?watch=1&fieldSelector=metadata.namespace%3Da",
    ] {
        assert_eq!(client.watch(target).await.take(1).await, [format!("1 ADDED {name}@3")], "{target}");
    }
}

#[tokio::test(start_paused = true)]
async fn recorded_answers_are_kept_for_those_whom_they_were_meant_for() {
    // The server ended the watch, or the one who read it did.
    for ended in [Happened::End, Happened::Left] {
        kept_until(ended).await;
    }
}

async fn kept_until(ended: Happened) {
    let mut first = streamed();
    first.steps.push(Step { at: second(20), what: ended });
    // The one who read it asked again, and was refused.
    let mut refused = open(STREAM, None, &[(21, json!({ "kind": "Status" }))]);
    refused.steps[0].what = Happened::Answer(Head { status: 500, ..Head::default() });
    refused.steps.push(Step { at: second(21), what: Happened::End });
    let far = list("/api/v1/pods", 300, page(40, "", &[]));
    let near = list("/api/v1/namespaces/a/pods", 6, page(11, "", &[pod("a/near", 11, "web")]));
    let client = Client::of(vec![first, near, refused, far], Speed::AsRecorded);
    let mut recorded = client.watch(STREAM).await;
    client.until(15).await;
    let mut other = client.watch(BOOKMARKS).await;
    assert_eq!(
        other.take(1).await,
        ["15 ADDED one@11"],
        "the second answer is due soon, but for the first client"
    );
    assert_eq!(client.get("/api/v1/pods").await.1["items"].as_array().map(Vec::len), Some(2));
    assert_eq!(client.began.elapsed(), second(14), "nobody waits for what is far away");
    let near = client.get("/api/v1/namespaces/a/pods").await.1;
    assert_eq!(near["items"][0]["metadata"]["name"], json!("near"), "it is given as it was recorded");
    let mut last = None;
    while let Some(event) = recorded.next().await {
        last = Some(event);
    }
    assert_eq!(last.as_deref(), Some("15 ADDED two@13"));
    drop(recorded);
    assert_eq!(client.send("GET", STREAM, "application/json").await.status(), 500);
    assert_eq!(client.send("GET", STREAM, "application/json").await.status(), 200);
}

#[tokio::test(start_paused = true)]
async fn who_reads_what_nobody_read_to_its_end_can_go_on() {
    // The one who read it went away, or the recording ended.
    for (left, ends) in [(Some(20), 20), (None, 50)] {
        let listed = list("/api/v1/pods", 1, page(10, "", &[pod("a/one", 3, "web")]));
        let changed = (2, event("MODIFIED", pod("a/one", 11, "web")));
        let ten = "/api/v1/pods?watch=true&resourceVersion=10";
        let mut brief = open(ten, None, std::slice::from_ref(&changed));
        brief.steps.extend(left.map(|at| Step { at: second(at), what: Happened::Left }));
        let long =
            open(ten, None, &[changed, (40, event("ADDED", pod("a/two", 12, "web"))), (50, end_of_list(13))]);
        let client = Client::of(vec![listed, brief, long], Speed::AsRecorded);
        let (mut of_brief, mut of_long) = (client.watch(ten).await, client.watch(ten).await);
        assert_eq!(of_brief.take(1).await, ["2 MODIFIED one@11"]);
        assert_eq!(of_long.take(1).await, ["2 MODIFIED one@11"]);
        assert_eq!(of_brief.next().await, None);
        assert_eq!(client.began.elapsed(), second(ends - 1), "nothing is known of it after that");
        let mut again = client.watch("/api/v1/pods?watch=true&resourceVersion=11").await;
        assert_eq!(again.take(1).await, [format!("{} ADDED two@12", ends.max(40))]);
    }
}

#[tokio::test(start_paused = true)]
async fn lists_are_streamed_where_they_were_not_unless_that_was_refused() {
    let refusal = json!({ "kind": "Status", "message": "sendInitialEvents is forbidden" });
    let mut refused = open(STREAM, None, &[(1, refusal.clone()), (1, json!(null))]);
    refused.steps[0].what = Happened::Answer(Head { status: 400, ..Head::default() });
    refused.steps[2].what = Happened::End;
    let listed = |at: u64| list("/api/v1/pods?limit=500", at, page(10, "", &[pod("a/one", 3, "web")]));
    let client = Client::of(vec![listed(1), listed(300)], Speed::AsRecorded);
    let streamed = ["1 ADDED one@3", "1 BOOKMARK @10"];
    assert_eq!(client.watch(BOOKMARKS).await.take(2).await, streamed);

    let client = Client::of(vec![refused, listed(1), listed(300)], Speed::AsRecorded);
    assert_eq!(
        client.get(STREAM).await,
        (400, refusal),
        "the one who asks as it was recorded hears what was recorded"
    );
    // Those who ask for nothing else are answered, before and after somebody has gone on as it was recorded.
    assert_eq!(client.watch(BOOKMARKS).await.take(2).await, streamed);
    let literal = client.get("/api/v1/pods?limit=500").await.1;
    assert_eq!(literal["items"][0]["kind"], Value::Null, "the list is the one that was recorded");
    assert_eq!(client.watch(BOOKMARKS).await.take(2).await, streamed);
}

#[tokio::test(start_paused = true)]
async fn the_replay_begins_at_its_beginning_whatever_is_asked_for_first() {
    let in_a = "/api/v1/namespaces/a/pods";
    let late = list(in_a, 300, page(40, "", &[]));
    let client = Client::of(vec![streamed(), late], Speed::AsRecorded);
    let first = client.get(in_a).await.1;
    assert_eq!(first["metadata"]["resourceVersion"], json!("10"));
    let mut events = client.watch("/api/v1/pods?watch=true&resourceVersion=10").await;
    assert_eq!(events.take(3).await, REST);
}

#[tokio::test(start_paused = true)]
async fn events_of_metadata_have_the_type_of_metadata() {
    let client = Client::of(vec![streamed()], Speed::Fastest);
    let metadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    let mut events = client.watch_as(BOOKMARKS, metadata).await;
    for kind in ["ADDED", "ADDED", "BOOKMARK"] {
        let event = events.json().await.expect("an event");
        let object = &event["object"];
        assert_eq!(
            (&event["type"], &object["kind"], &object["apiVersion"]),
            (&json!(kind), &json!("PartialObjectMetadata"), &json!("meta.k8s.io/v1"))
        );
    }
}

#[test]
fn objects_are_selected_on_a_thread_that_may_take_long() {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().max_blocking_threads(1).build().expect("a runtime");
    runtime.block_on(async {
        let client = Client::of(vec![streamed()], Speed::Fastest);
        let selected = "/api/v1/pods?labelSelector=app%3Dweb";
        assert_eq!(client.get(selected).await.0, 200);
        // The only such thread has something else to do.
        let (done, until_done) = std::sync::mpsc::channel::<()>();
        let busy = tokio::task::spawn_blocking(move || until_done.recv().ok());
        for target in [selected, &format!("{selected}&watch=true")] {
            let answered = client.send("GET", target, "application/json").now_or_never();
            assert!(answered.is_none(), "{target}");
        }
        done.send(()).expect("it waits");
        busy.await.expect("it ends");
        assert_eq!(client.get(selected).await.0, 200);
    });
}

#[tokio::test(start_paused = true)]
async fn who_goes_on_from_another_version_does_not_get_the_watch_of_somebody_else() {
    let listed = list("/api/v1/pods", 1, page(10, "", &[pod("a/one", 3, "web")]));
    let watch = |from: u64, events: &[(u64, Value)]| {
        open(&format!("/api/v1/pods?watch=true&resourceVersion={from}"), None, events)
    };
    let mut begin = watch(10, &[(2, event("MODIFIED", pod("a/one", 11, "web")))]);
    begin.steps.push(Step { at: second(3), what: Happened::End });
    let goes_on = watch(11, &[(4, event("MODIFIED", pod("a/one", 12, "web")))]);
    let client = Client::of(vec![listed, begin, goes_on], Speed::AsRecorded);
    assert_eq!(client.get("/api/v1/pods").await.0, 200);
    let ten = "/api/v1/pods?watch=true&resourceVersion=10&allowWatchBookmarks=true";
    let both = ["2 MODIFIED one@11", "4 MODIFIED one@12"];
    let (mut first, mut second) = (client.watch(ten).await, client.watch(ten).await);
    assert_eq!(first.take(1).await, both[..1]);
    assert_eq!(first.next().await, None, "it ended when it was recorded");
    assert_eq!(second.take(2).await, ["3 MODIFIED one@11", "4 MODIFIED one@12"]);
    drop(first);
    let mut again = client.watch(ten).await;
    assert_eq!(again.take(1).await, ["4 MODIFIED one@11"], "the watch that is left begins after that");
    let mut third = client.watch("/api/v1/pods?watch=true&resourceVersion=11").await;
    assert_eq!(third.take(1).await, both[1..]);
}

#[tokio::test(start_paused = true)]
async fn discovery_names_what_was_recorded() {
    let mut deployments =
        open("/apis/apps/v1/deployments?watch=true&sendInitialEvents=true", None, &[(1, end_of_list(5))]);
    deployments.line.kind = Some(crate::record::KindName {
        group: "apps".into(),
        version: "v1".into(),
        kind: "Deployment".into(),
        plural: "deployments".into(),
        namespaced: Some(true),
    });
    let client = Client::of(vec![streamed(), deployments], Speed::Fastest);
    assert_eq!(client.get("/api").await.1["versions"], json!(["v1"]));
    let groups = client.get("/apis").await.1;
    assert_eq!(groups["groups"][0]["preferredVersion"]["groupVersion"], json!("apps/v1"));
    assert_eq!(client.get("/apis/apps").await.1["kind"], json!("APIGroup"));
    for (path, name, kind) in [("/api/v1", "pods", "Pod"), ("/apis/apps/v1", "deployments", "Deployment")] {
        let (code, document) = client.get(path).await;
        let resource = &document["resources"][0];
        assert_eq!((code, document["resources"].as_array().map(Vec::len)), (200, Some(1)));
        assert_eq!(
            (&resource["name"], &resource["kind"], &resource["namespaced"]),
            (&json!(name), &json!(kind), &json!(true))
        );
    }
    let namespace = client.get("/api/v1/namespaces/a").await.1;
    assert_eq!((&namespace["kind"], &namespace["metadata"]["name"]), (&json!("Namespace"), &json!("a")));
    assert_eq!(client.get("/api/v1/namespaces/aa").await.0, 404);
    assert_eq!(client.get("/apis/batch/v1").await.0, 404);
    assert_eq!(client.get("/version").await.0, 200);
    assert_eq!(client.send("GET", "/readyz", "*/*").await.status(), 200);
}
