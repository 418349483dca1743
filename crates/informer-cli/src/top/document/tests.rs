use serde_json::json;

use super::*;
use crate::top::testing::{document, informer, queue, said};

#[test]
fn all_that_a_program_says_is_read() {
    let read = document(&said(60, &[informer("pods", "watching", 10, 100)], &[queue("web", 7)]));
    assert_eq!(read.uptime, Some(60.0));
    let pods = read.informer("pods").expect("pods");
    assert_eq!(
        (pods.kind.as_str(), pods.synced, pods.objects, pods.versions),
        ("v1 Pod", Some(true), Some(10), Some(12))
    );
    assert_eq!((pods.memory(), pods.backlog(), pods.events()), (Some(14_048), Some(17), Some(100)));
    assert_eq!(
        (pods.relists(), pods.phase_seconds(), pods.namespaces()),
        (Some(1), Some(192.4), Some("all".to_owned()))
    );
    assert_eq!(pods.lists(), BTreeMap::from([("expired", 1), ("first", 1)]));
    let slow = &pods.handlers[1];
    assert_eq!((slow.calls, slow.panics, slow.slowest), (Some(40), Some(2), Some(1.52)));
    let web = &read.queues[0];
    assert_eq!(
        (web.due, web.oldest_key.as_deref(), web.oldest),
        (Some(7), Some("shop/web-00017"), Some(0.04))
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
        (old.objects, old.memory(), old.backlog(), old.relists(), old.namespaces()),
        (None, None, None, None, None)
    );
    let new = &read.informers[1];
    assert_eq!((new.phase.as_deref(), new.objects, new.heard), (Some("dreaming"), None, None));
    assert_eq!((new.scopes[0].name.as_str(), new.relists()), ("shop", Some(2)));
    assert_eq!((read.uptime, read.queues.len()), (None, 0));
    for other in [json!({}), json!([]), json!("text"), json!({ "informers": 3 })] {
        assert_eq!(Document::read(&other), None, "{other}");
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
fn informers_of_one_name_are_told_apart() {
    let pods = informer("pods", "watching", 1, 1);
    let read = document(&said(1, &[pods.clone(), pods.clone(), pods], &[]));
    let names: Vec<_> = read.informers.iter().map(|informer| informer.name.as_str()).collect();
    assert_eq!(names, ["pods", "pods (2)", "pods (3)"]);
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
