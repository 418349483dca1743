use std::time::Duration;

use http::Method;
use informer_endpoint::{Endpoint, QueueStatus};
use k8s_openapi::api::core::v1::Secret;
use kube_informer::error::SourceError;
use kube_informer::testing::{Fault, ScriptedSource};
use kube_informer::{SharedInformer, handler};
use serde_json::json;

use super::*;
use crate::program::INFORMERS;
use crate::top::testing::{document, informer, queue, said};

#[test]
fn all_that_a_program_says_is_read() {
    let read = document(&said(60, &[informer("pods", "watching", 10, 100)], &[queue("web", 7)]));
    assert_eq!(read.uptime, Some(60.0));
    let pods = read.informer("pods").expect("pods");
    assert_eq!(
        (pods.kind().as_str(), pods.entry.synced, pods.entry.objects, pods.entry.versions_alive),
        ("v1 Pod", Some(true), Some(10), Some(12))
    );
    assert_eq!((pods.memory(), pods.backlog(), pods.events()), (Some(14_048), Some(17), Some(100)));
    assert_eq!(
        (pods.relists(), pods.phase_seconds(), pods.namespaces()),
        (Some(1), Some(192.4), Some("all".to_owned()))
    );
    assert_eq!(pods.lists(), BTreeMap::from([("expired", 1), ("first", 1)]));
    let slow = &pods.handlers[1];
    assert_eq!(
        (slow.entry.delivered, slow.entry.panics, slow.entry.slowest_seconds),
        (Some(40), Some(2), Some(1.52))
    );
    let web = &read.queues[0].entry;
    assert_eq!(
        (web.due, web.oldest_key.as_deref(), web.oldest_seconds),
        (Some(7), Some("shop/web-00017"), Some(0.04))
    );
    let counts = [web.runs, web.failures, web.retries];
    assert_eq!((web.longest_running_seconds, counts), (Some(2.5), [Some(1_007), Some(12), Some(15)]));
}

/// A field that informer-endpoint renames would be unknown here for ever, and nobody would be told.
#[tokio::test(start_paused = true)]
async fn what_informer_endpoint_says_is_read_whole() {
    let server = ScriptedSource::of::<Secret>();
    server.put_json(json!({ "metadata": { "name": "s", "namespace": "shop" } })).unwrap();
    server.inject(Fault::error(SourceError::http(503, "ServiceUnavailable", "")).once());
    let informer = SharedInformer::<Secret>::builder(server.clone()).build().unwrap();
    informer.add_event_handler(handler().named("audit").on_event(|_| {})).unwrap();
    let running = informer.clone();
    tokio::spawn(async move { running.run(std::future::pending()).await });
    informer.wait_synced(Duration::from_secs(60)).await.unwrap();
    // Something has to have happened to it: a bookmark comes within a minute or so.
    server.put_json(json!({ "metadata": { "name": "t", "namespace": "shop" } })).unwrap();
    server.bookmark();
    let all = |informer: &SharedInformer<Secret>| {
        let status = informer.status();
        status.scopes.iter().all(|scope| scope.last_event.is_some() && scope.last_bookmark.is_some())
    };
    let until = async {
        while !all(&informer) {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(600), until).await.expect("an event and a bookmark");

    let second = Duration::from_secs(1);
    let queue = QueueStatus {
        name: "web".into(),
        due: 1,
        later: 2,
        working: 3,
        oldest: Some(("shop/web".into(), second * 4)),
        longest_running: Some(second * 5),
        runs: 6,
        failures: 7,
        retries: 8,
    };
    let endpoint = Endpoint::new(move || vec![informer.status()]).queues(move || vec![queue.clone()]);
    let said = endpoint.answer(&Method::GET, INFORMERS).into_body();
    let read = document(&serde_json::from_str(&said).expect("JSON"));
    let [Queue { name, entry: web, .. }] = read.queues.as_slice() else { panic!("{read:#?}") };
    assert_eq!((name.as_str(), web.oldest_key.as_deref()), ("web", Some("shop/web")));
    assert_eq!((web.due, web.later, web.working), (Some(1), Some(2), Some(3)));
    assert_eq!((web.oldest_seconds, web.longest_running_seconds), (Some(4.0), Some(5.0)));
    let counts = [web.runs, web.failures, web.retries];
    assert_eq!(counts, [Some(6), Some(7), Some(8)]);
    let secrets = read.informer("secrets").expect("the informer");
    let entry = &secrets.entry;
    assert_eq!((&*secrets.kind(), entry.sensitive, entry.synced), ("v1 Secret", Some(true), Some(true)));
    assert_eq!((entry.phase.as_deref(), entry.objects), (Some("watching"), Some(2)));
    assert_eq!((secrets.handlers[0].name.as_str(), secrets.handlers[0].entry.synced), ("audit", Some(true)));
    assert_eq!(secrets.lists(), BTreeMap::from([("first", 1)]));
    let trouble = entry.scopes[0].last_error.as_ref().expect("an error");
    assert_eq!(trouble.http_status, Some(503));

    // Of all the rest it is enough that it is there. What is missing: rates, of which one document has none, and a wrong type.
    let told = format!("{read:#?}");
    let missing = told.lines().filter_map(|line| line.trim().strip_suffix(": None,"));
    let missing: HashSet<_> = missing.collect();
    assert_eq!(
        missing,
        HashSet::from(["rate", "run_rate", "failure_rate", "retry_rate", "wrong_type"]),
        "{told}"
    );
}

#[test]
fn a_program_of_another_version_is_read_as_far_as_it_goes() {
    // Older: nothing but a name. Newer: fields of other types, and ones that nobody here knows.
    let odd = json!({
        "informers": [
            { "name": "old" },
            { "name": "new", "phase": "dreaming", "objects": "many", "staleSeconds": [1], "handlers": { "a": 1 },
              "scopes": [{ "scope": "namespace \"shop\"", "relists": { "moon": 2, "odd": "x" }, "lastError": "text" }, 5],
              "futureField": { "x": 1 } },
            17,
        ],
        "queues": "none",
    });
    let read = document(&odd);
    let names: Vec<_> = read.informers.iter().map(|informer| informer.name.as_str()).collect();
    assert_eq!(names, ["old", "new", "unnamed"]);
    let old = &read.informers[0];
    assert_eq!(
        (old.entry.objects, old.memory(), old.backlog(), old.relists(), old.namespaces()),
        (None, None, None, None, None)
    );
    let new = &read.informers[1];
    assert_eq!(
        (new.entry.phase.as_deref(), new.entry.objects, new.entry.stale_seconds),
        (Some("dreaming"), None, None)
    );
    assert_eq!((name_of(&new.entry.scopes[0]), new.relists()), ("shop", Some(2)));
    assert_eq!((read.uptime, read.queues.len()), (None, 0));
    for other in [json!({}), json!([]), json!("text"), json!({ "informers": 3 })] {
        assert_eq!(Document::read(other.clone()), None, "{other}");
    }
}

#[test]
fn no_text_can_control_a_terminal_or_is_endless() {
    let name = "\u{1b}[2J\u{202e}x\r\n\u{9b}1m";
    let long = "y".repeat(1 << 20);
    let mut hostile = informer(name, name, 1, 1);
    hostile["kind"] = name.into();
    hostile["lastFailure"] = long.as_str().into();
    hostile["handlers"][0]["name"] = name.into();
    hostile["scopes"][0] = json!({ "scope": name, "phase": name, "resourceVersion": name, "relists": { name: 1 },
        "lastError": { "message": name } });
    let read = document(&said(1, &[hostile], &[queue(name, 1)]));
    let told = format!("{read:#?}");
    assert!(told.len() < 20_000, "{}", told.len());
    // Debug escapes what is obeyed; what was escaped before has a backslash more.
    assert!(told.contains(r"\\u{1b}[2J\\u{202e}x\\r\\n\\u{9b}1m"), "{told}");
    assert!(!told.replace(r"\\", "").contains(r"\u{"), "{told}");
}

#[test]
fn rows_of_one_name_are_told_apart() {
    let pods = informer("pods", "watching", 1, 1);
    let read = document(&said(1, &[pods.clone(), pods.clone(), pods], &[]));
    let names: Vec<_> = read.informers.iter().map(|informer| informer.name.as_str()).collect();
    assert_eq!(names, ["pods", "pods (2)", "pods (3)"]);
    let read = document(&said(1, &[], &[queue("web", 1), queue("web", 2)]));
    assert_eq!(read.queues[1].name, "web (2)");
    assert_eq!(read.queue("web (2)").and_then(|queue| queue.entry.due), Some(2));
}

#[test]
fn namespaces_are_named_or_counted() {
    let mut two = informer("pods", "watching", 1, 1);
    let scope = |name: &str, phase: &str, seconds: f64| json!({ "scope": format!("namespace {name:?}"), "phase": phase, "phaseSeconds": seconds });
    two["scopes"] =
        json!([scope("a", "watching", 5.0), scope("b", "unreachable", 9.0), scope("c", "unreachable", 7.0)]);
    two["phase"] = "unreachable".into();
    let read = document(&said(1, &[two], &[]));
    let two = &read.informers[0];
    assert_eq!((two.namespaces().as_deref(), two.phase_seconds()), (Some("3 namespaces"), Some(7.0)));
}

/// What answers at an address may be anything: it must not keep the command busy, because then no key ends it.
#[test]
fn a_document_of_very_many_rows_is_read_in_part() {
    let many = vec![json!({}); 100_000];
    let told = json!({
        "informers": many,
        "queues": vec![json!({ "name": "web" }); ROWS + 3],
    });
    let read = document(&told);
    let last = |names: Vec<&String>| (names.len(), names.last().map(|name| (*name).clone()));
    let informers = read.informers.iter().map(|informer| &informer.name).collect();
    assert_eq!(last(informers), (ROWS, Some(format!("unnamed ({ROWS})"))));
    let queues = read.queues.iter().map(|queue| &queue.name).collect();
    assert_eq!(last(queues), (ROWS, Some(format!("web ({ROWS})"))));
    assert_eq!(read.left_out, 100_000 - ROWS + 3);

    let relists: serde_json::Map<_, _> = (0..1_000).map(|number| (format!("{number}"), 1.into())).collect();
    let scope = json!({ "relists": relists });
    let parts = json!({ "name": "pods", "handlers": vec![json!({}); PARTS - 2], "scopes": vec![scope; 5] });
    let read = document(&said(1, &[parts.clone(), parts], &[]));
    let parts = read.informers.iter().map(|informer| (informer.handlers.len(), informer.entry.scopes.len()));
    assert_eq!(parts.collect::<Vec<_>>(), [(PARTS - 2, 2), (0, 0)]);
    assert_eq!(read.left_out, 3 + PARTS - 2 + 5);
    assert_eq!(read.informers[0].lists().len(), REASONS);
}

#[test]
fn names_that_come_again_are_numbered_without_counting_from_the_beginning() {
    let begun = std::time::Instant::now();
    let mut names = vec!["a".to_owned(); 30_000];
    // Whoever has such a name keeps it.
    names[1] = "a (3)".to_owned();
    tell_apart(names.iter_mut());
    assert_eq!(names[..5], ["a", "a (3)", "a (2)", "a (4)", "a (5)"].map(str::to_owned));
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
    // From the beginning each time it would be minutes.
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}
