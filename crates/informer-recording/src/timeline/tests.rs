use serde_json::{Value, json};

use super::*;
use crate::exchange::{Happened, Step};
use crate::record::{Head, METADATA, RequestLine};
use crate::target::Target;

pub(crate) fn second(at: u64) -> Duration {
    Duration::from_secs(at)
}

fn pods() -> KindInfo {
    KindInfo::new("", "v1", "Pod", "pods").namespaced(true)
}

/// A request that was answered with these parts at these times, and whose answer did not end.
pub(crate) fn open(target: &str, form: Option<&str>, parts: &[(u64, Value)]) -> Exchange {
    let at = parts.first().map(|(at, _)| second(*at)).unwrap_or_default();
    let head = Head { status: 200, ..Head::default() };
    let mut steps = vec![Step { at, what: Happened::Answer(head) }];
    steps.extend(
        parts
            .iter()
            .map(|(at, part)| Step { at: second(*at), what: Happened::Chunk(part.to_string().into()) }),
    );
    Exchange { line: RequestLine::get(target, form), target: Target::parse(target), at, steps }
}

pub(crate) fn list(target: &str, at: u64, list: Value) -> Exchange {
    let mut list = open(target, None, &[(at, list)]);
    list.steps.push(Step { at: second(at), what: Happened::End });
    list
}

/// `a/web` is `web` in the namespace `a`.
pub(crate) fn pod(key: &str, version: u64, app: &str) -> Value {
    let (namespace, name) = key.split_once('/').expect("a key");
    json!({ "kind": "Pod", "apiVersion": "v1", "metadata": { "namespace": namespace, "name": name,
        "resourceVersion": version.to_string(), "labels": { "app": app } }, "spec": { "nodeName": format!("node-{app}") } })
}

pub(crate) fn event(what: &str, object: impl Into<Value>) -> Value {
    let object: Value = object.into();
    json!({ "type": what, "object": object })
}

pub(crate) fn end_of_list(version: u64) -> Value {
    let annotations = json!({ "k8s.io/initial-events-end": "true" });
    let version = version.to_string();
    event(
        "BOOKMARK",
        json!({ "kind": "Pod", "metadata": { "resourceVersion": version, "annotations": annotations } }),
    )
}

pub(crate) fn page(version: u64, token: &str, items: &[Value]) -> Value {
    let mut items = items.to_vec();
    for item in &mut items {
        let item = item.as_object_mut().expect("an object");
        item.remove("kind");
        item.remove("apiVersion");
    }
    let metadata = json!({ "resourceVersion": version.to_string(), "continue": token });
    json!({ "kind": "PodList", "metadata": metadata, "items": items })
}

pub(crate) const STREAM: &str = "/api/v1/pods?watch=true&sendInitialEvents=true";

pub(crate) fn streamed() -> Exchange {
    open(
        STREAM,
        None,
        &[
            (1, event("ADDED", pod("a/one", 3, "web"))),
            (1, event("ADDED", pod("b/two", 4, "db"))),
            (2, end_of_list(10)),
            (5, event("MODIFIED", pod("a/one", 11, "web"))),
            (6, event("DELETED", pod("b/two", 12, "db"))),
            (7, event("ADDED", pod("b/two", 13, "web"))),
        ],
    )
}

fn timeline(exchanges: &[Exchange]) -> Timeline {
    Timeline::of(&pods(), exchanges).expect("something is told")
}

fn selection(namespace: Option<&str>, labels: &str, fields: &str) -> Selection {
    Selection::new(namespace.map(str::to_owned), labels, fields).expect("a selection")
}

/// Keys and versions of the objects that are there.
fn there(timeline: &Timeline, at: Option<u64>, selection: &Selection) -> Vec<String> {
    let objects = timeline.objects(timeline.place(at.map(second)), selection);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let objects = objects.iter().map(|object| {
        let metadata = serde_json::from_slice::<Value>(object).expect("JSON")["metadata"].take();
        let [namespace, name, version] =
            ["namespace", "name", "resourceVersion"].map(|name| text(&metadata[name]));
        format!("{namespace}/{name}@{version}")
    });
    objects.collect()
}

fn all(timeline: &Timeline, at: u64) -> Vec<String> {
    there(timeline, Some(at), &Selection::default())
}

#[test]
fn the_first_list_counts_from_the_beginning_and_changes_from_their_times() {
    let timeline = timeline(&[streamed()]);
    for at in [0, 1, 4] {
        assert_eq!(all(&timeline, at), ["a/one@3", "b/two@4"], "{at}");
    }
    assert_eq!(all(&timeline, 5), ["a/one@11", "b/two@4"]);
    assert_eq!(all(&timeline, 6), ["a/one@11"]);
    assert_eq!(all(&timeline, 7), ["a/one@11", "b/two@13"]);
    assert_eq!(there(&timeline, None, &Selection::default()), ["a/one@11", "b/two@13"]);
    let version = |at| timeline.version(timeline.place(Some(second(at))));
    assert_eq!([0, 5, 6, 7].map(version), [10, 11, 12, 13]);
    let two = Key { namespace: "b".into(), name: "two".into() };
    assert!(timeline.get(timeline.place(Some(second(5))), &two).is_some());
    assert!(timeline.get(timeline.place(Some(second(6))), &two).is_none());
    assert_eq!(timeline.is_namespaced(), Some(true));
}

#[test]
fn watches_go_on_from_any_version_that_was_recorded() {
    let timeline = timeline(&[streamed()]);
    assert_eq!([10, 11, 12, 13, 99].map(|version| timeline.after(version)), [0, 1, 2, 3, 3].map(Ok));
    assert_eq!(timeline.after(9), Err(TooOld { oldest: 10 }));
    let gone = timeline.change(1).expect("a change");
    assert!(gone.before.is_some() && gone.after.is_none() && gone.at == second(6));
    assert!(String::from_utf8_lossy(&gone.shown).contains("\"resourceVersion\":\"12\""));
}

#[test]
fn pages_make_one_list_and_items_get_the_kind_that_they_lack() {
    let pages = [
        list("/api/v1/pods?limit=1", 1, page(10, "more=", &[pod("a/one", 3, "web")])),
        list("/api/v1/pods?limit=1&continue=more%3D", 2, page(10, "", &[pod("a/two", 4, "web")])),
    ];
    assert!(Timeline::of(&pods(), &pages[..1]).is_none(), "there is only half of a list");
    let timeline = timeline(&pages);
    assert_eq!(all(&timeline, 0), ["a/one@3", "a/two@4"]);
    let objects = timeline.objects(0, &Selection::default());
    let object: Value = serde_json::from_slice(&objects[0]).expect("JSON");
    assert_eq!(object, pod("a/one", 3, "web"));
}

#[test]
fn a_list_that_is_asked_for_again_tells_what_was_missed() {
    let missed = open(
        STREAM,
        None,
        &[
            (20, event("ADDED", pod("a/one", 15, "web"))),
            (21, end_of_list(30)),
            (25, event("ADDED", pod("c/three", 31, "web"))),
        ],
    );
    let timeline = timeline(&[streamed(), missed]);
    assert_eq!(all(&timeline, 20), ["a/one@11", "b/two@13"]);
    assert_eq!(all(&timeline, 21), ["a/one@15"]);
    assert_eq!(all(&timeline, 25), ["a/one@15", "c/three@31"]);
    // Whoever knows the state at 13, or one of another client that was ahead, hears of both.
    for version in [13, 29] {
        let place = timeline.after(version).expect("it is recorded");
        let shown: Vec<_> = (place..).map_while(|place| timeline.change(place)).collect();
        assert_eq!(shown.iter().map(|change| &*change.key.name).collect::<Vec<_>>(), ["one", "two", "three"]);
        let gone: Value = serde_json::from_slice(&shown[1].shown).expect("JSON");
        assert_eq!(
            gone["metadata"]["resourceVersion"],
            json!("30"),
            "it goes on from the version of the list"
        );
    }
}

#[test]
fn clients_that_watched_the_same_tell_it_once() {
    let late = open(
        "/api/v1/pods?watch=true&resourceVersion=10",
        None,
        &[(8, event("MODIFIED", pod("a/one", 11, "web"))), (8, event("DELETED", pod("b/two", 12, "db")))],
    );
    let selected = open(
        "/api/v1/pods?watch=true&sendInitialEvents=true&labelSelector=app%3Dother",
        None,
        &[(8, end_of_list(40))],
    );
    let stale = list("/api/v1/pods?resourceVersion=0", 9, page(11, "", &[pod("a/one", 11, "web")]));
    let many = timeline(&[streamed(), late, selected, stale]);
    assert_eq!(many.changes, timeline(&[streamed()]).changes);
    assert_eq!(many.base, 10);
}

#[test]
fn namespaces_that_were_watched_one_by_one_have_one_history() {
    let watched = |namespace: &str, list: u64, at: u64, version: u64| {
        let target = format!("/api/v1/namespaces/{namespace}/pods?watch=true&sendInitialEvents=true");
        let key = |name: &str| format!("{namespace}/{name}");
        let added = [pod(&key("old"), 2, "web"), pod(&key("new"), version, "web")];
        let [old, new] = added.map(|pod| event("ADDED", pod));
        open(&target, None, &[(1, old), (1, end_of_list(list)), (at, new)])
    };
    // The later version came first.
    let timeline = timeline(&[watched("a", 10, 5, 22), watched("b", 12, 6, 21)]);
    assert_eq!(all(&timeline, 0), ["a/old@2", "b/old@2"]);
    assert_eq!(timeline.version(0), 10, "what the namespace with the older list tells is not missed");
    assert_eq!(all(&timeline, 5), ["a/old@2", "b/old@2"]);
    assert_eq!(all(&timeline, 6), ["a/new@22", "a/old@2", "b/new@21", "b/old@2"]);
    let in_b = selection(Some("b"), "", "");
    assert_eq!(there(&timeline, None, &in_b), ["b/new@21", "b/old@2"]);
}

const IN_A: &str = "/api/v1/namespaces/a/pods?watch=true&sendInitialEvents=true";

fn streamed_in_a() -> Exchange {
    open(
        IN_A,
        None,
        &[
            (1, event("ADDED", pod("a/one", 3, "web"))),
            (1, event("ADDED", pod("a/two", 4, "web"))),
            (1, end_of_list(10)),
            (5, event("MODIFIED", pod("a/one", 11, "web"))),
            (6, event("DELETED", pod("a/two", 12, "web"))),
            (7, event("ADDED", pod("a/new", 13, "web"))),
        ],
    )
}

#[test]
fn a_later_list_of_more_leaves_the_history_as_it_was() {
    let items = [pod("a/new", 13, "web"), pod("a/missed", 30, "web"), pod("b/other", 25, "web")];
    let listed = list("/api/v1/pods", 100, page(40, "", &items));
    let mut initial: Vec<_> = items.iter().cloned().map(|item| (100, event("ADDED", item))).collect();
    initial.extend([(100, end_of_list(40)), (110, event("MODIFIED", pod("b/other", 41, "web")))]);
    let watched = open(STREAM, None, &initial);
    for wide in [listed, watched] {
        let timeline = timeline(&[streamed_in_a(), wide]);
        assert_eq!(all(&timeline, 0), ["a/one@3", "a/two@4", "b/other@25"], "of b nothing was told before");
        assert_eq!(all(&timeline, 5), ["a/one@11", "a/two@4", "b/other@25"]);
        assert_eq!(all(&timeline, 6), ["a/one@11", "b/other@25"]);
        assert_eq!(all(&timeline, 7), ["a/new@13", "a/one@11", "b/other@25"]);
        assert_eq!(all(&timeline, 99), all(&timeline, 7));
        // What the one who watched `a` did not hear of happened at some time before the list.
        assert_eq!(all(&timeline, 100), ["a/missed@30", "a/new@13", "b/other@25"]);
        assert_eq!(timeline.after(10), Ok(0));
        let shown: Vec<_> =
            timeline.changes.iter().take(5).map(|change| (&*change.key.name, change.at)).collect();
        let expected = [("one", 5), ("two", 6), ("new", 7), ("missed", 100), ("one", 100)];
        assert_eq!(shown, expected.map(|(name, at)| (name, second(at))));
    }
}

#[test]
fn a_list_shows_what_is_no_longer_selected_by_others() {
    let selected = open(
        "/api/v1/pods?watch=true&sendInitialEvents=true&labelSelector=app%3Dweb",
        None,
        &[
            (1, event("ADDED", pod("a/one", 3, "web"))),
            (1, end_of_list(10)),
            (5, event("DELETED", pod("a/one", 20, "db"))),
        ],
    );
    let listed = list("/api/v1/pods", 8, page(30, "", &[pod("a/one", 20, "db"), pod("a/two", 4, "db")]));
    let timeline = timeline(&[selected, listed]);
    assert_eq!(all(&timeline, 4), ["a/one@3", "a/two@4"]);
    assert_eq!(all(&timeline, 5), ["a/two@4"]);
    assert_eq!(all(&timeline, 8), ["a/one@20", "a/two@4"]);
    let place = timeline.after(20).expect("it is recorded");
    assert!(timeline.change(place).is_some(), "who went on from the deletion hears that it is there");
}

#[test]
fn what_came_and_went_before_the_first_list_is_not_there_after_it() {
    let early = |scope: &str, version: u64| {
        open(
            &format!("/api/v1/{scope}pods?watch=true&resourceVersion={version}"),
            None,
            &[
                (1, event("ADDED", pod("a/brief", 20, "web"))),
                (9, event("DELETED", pod("a/brief", 30, "web"))),
            ],
        )
    };
    let listed = || list("/api/v1/pods", 2, page(60, "", &[pod("a/one", 3, "web")]));
    // Of the same scope, and of a part of it that was watched from no version.
    for early in [early("", 10), early("namespaces/a/", 0)] {
        let timeline = timeline(&[early, listed()]);
        for at in [0, 1, 5, 9] {
            assert_eq!(all(&timeline, at), ["a/one@3"], "{at}");
        }
        assert_eq!((timeline.version(0), timeline.after(60)), (60, Ok(0)));
        assert_eq!(timeline.after(59), Err(TooOld { oldest: 60 }));
    }
}

#[test]
fn a_watch_that_began_long_ago_tells_nothing_new() {
    let in_b = list("/api/v1/namespaces/b/pods", 1, page(10, "", &[]));
    let in_a = list("/api/v1/namespaces/a/pods", 1, page(60, "", &[pod("a/one", 3, "web")]));
    let old = open(
        "/api/v1/namespaces/a/pods?watch=true&resourceVersion=15",
        None,
        &[
            (2, event("ADDED", pod("a/brief", 20, "web"))),
            (8, event("DELETED", pod("a/brief", 30, "web"))),
            (9, event("ADDED", pod("a/new", 61, "web"))),
        ],
    );
    let timeline = timeline(&[in_b, in_a, old]);
    assert_eq!(all(&timeline, 5), ["a/one@3"], "at version 60 it is gone");
    assert_eq!(all(&timeline, 9), ["a/new@61", "a/one@3"]);
}

#[test]
fn what_is_told_of_a_part_counts_before_and_after_all_of_it_is_watched() {
    let part = open(
        IN_A,
        None,
        &[
            (1, end_of_list(10)),
            (2, event("ADDED", pod("a/early", 11, "web"))),
            (6, event("ADDED", pod("a/both", 16, "web"))),
            (9, event("ADDED", pod("a/late", 20, "web"))),
        ],
    );
    let wide = open(
        STREAM,
        None,
        &[
            (5, event("ADDED", pod("a/early", 11, "web"))),
            (5, end_of_list(15)),
            (7, event("ADDED", pod("a/both", 16, "web"))),
        ],
    );
    let timeline = timeline(&[part, wide]);
    assert!(all(&timeline, 1).is_empty());
    assert_eq!(all(&timeline, 2), ["a/early@11"]);
    assert_eq!(all(&timeline, 6), ["a/both@16", "a/early@11"]);
    assert_eq!(all(&timeline, 9), ["a/both@16", "a/early@11", "a/late@20"]);
    assert_eq!(timeline.changes.len(), 3, "what both tell is told once");
}

#[test]
fn metadata_stand_in_for_objects_where_nobody_asked_for_more() {
    let partial = json!({ "kind": METADATA, "apiVersion": "meta.k8s.io/v1",
        "metadata": { "namespace": "a", "name": "one", "resourceVersion": "3" } });
    let metadata =
        || open(STREAM, Some(METADATA), &[(1, event("ADDED", partial.clone())), (1, end_of_list(10))]);
    let alone = timeline(&[metadata()]);
    let object: Value = serde_json::from_slice(&alone.objects(0, &Selection::default())[0]).expect("JSON");
    assert_eq!((&object["kind"], &object["apiVersion"]), (&json!("Pod"), &json!("v1")));
    assert_eq!(object["metadata"], partial["metadata"]);
    assert_eq!(timeline(&[metadata(), streamed()]).changes.len(), 3);
}

#[test]
fn other_kinds_questions_and_failures_tell_nothing() {
    let mut refused = streamed();
    refused.steps[0].what = Happened::Answer(Head { status: 403, ..Head::default() });
    let question = list("/api/v1/pods?fieldSelector=metadata.name%3Done", 1, page(10, "", &[]));
    let other = list("/api/v1/nodes", 1, page(10, "", &[]));
    let table = open("/api/v1/pods", Some("Table"), &[(1, json!({ "rows": [] }))]);
    let broken = open(STREAM, None, &[(1, event("ADDED", pod("a/one", 3, "web"))), (2, json!("{"))]);
    assert!(Timeline::of(&pods(), &[refused, question, other, table, broken]).is_none());
}

#[test]
fn an_object_that_is_watched_by_its_name_is_there_from_the_list_on() {
    let fields = "fieldSelector=metadata.name%3Done";
    let listed = list(&format!("/api/v1/pods?{fields}"), 1, page(10, "", &[pod("a/one", 3, "web")]));
    let watch = format!("/api/v1/pods?{fields}&watch=true&resourceVersion=10");
    let watched = || open(&watch, None, &[(2, event("MODIFIED", pod("a/one", 12, "db")))]);
    let timeline = timeline(&[listed, watched()]);
    assert_eq!(all(&timeline, 0), ["a/one@3"]);
    assert_eq!(all(&timeline, 2), ["a/one@12"]);
}

#[test]
fn labels_and_fields_select() {
    let timeline = timeline(&[streamed()]);
    let first = |labels: &str, fields: &str| there(&timeline, Some(0), &selection(None, labels, fields));
    for labels in
        ["app=web", "app==web", "app in (x, web)", "app!=db", "app notin (db),app", "!other,app=web"]
    {
        assert_eq!(first(labels, ""), ["a/one@3"], "{labels}");
    }
    assert!(first("app=web,app=db", "").is_empty() && first("other", "").is_empty());
    for fields in [
        "metadata.name=one",
        "metadata.namespace!=b",
        "spec.nodeName=node-web",
        "spec.none=,spec.nodeName!=node-db",
    ] {
        assert_eq!(first("", fields), ["a/one@3"], "{fields}");
    }
    assert!(selection(None, "", "metadata.name=one").is_by_name());
    assert!(!selection(None, "", "metadata.name!=one").is_by_name());
    for (labels, fields) in
        [("app>x", ""), ("app in web", ""), ("=", ""), ("", "name"), ("", "metadata.name=a\\b")]
    {
        let refused = Selection::new(None, labels, fields).expect_err("it is not understood");
        assert!(
            refused.to_string().contains(&format!("{labels}{fields}").replace('\\', "\\\\")),
            "{refused}"
        );
    }
}
