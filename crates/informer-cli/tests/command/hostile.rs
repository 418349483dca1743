//! Whatever an object has in its fields, nothing that the command prints controls a terminal.

use serde_json::{Value, json};

use crate::running_program::program;
use crate::support::canned::discovery;
use crate::support::canned::{Answer, Canned};
use crate::support::{Running, informer, run};

/// Texts that a terminal would obey, or that are long or odd.
fn hostile() -> Vec<String> {
    let mut texts: Vec<String> = [
        "\u{1b}[2J\u{1b}[H",
        "\u{1b}]0;title\u{7}",
        "\u{1b}]8;;http://example.com\u{1b}\\link",
        "\u{9b}31m\u{90}q",
        "over\rwritten\u{8}\u{7f}",
        "two\nlines\n\u{1b}[1A",
        "tab\there\u{b}\u{c}",
        "\u{202e}txt.exe\u{2066}\u{200f}\u{61c}",
        "\u{2028}\u{2029}\u{85}",
        "\0",
        "🙂 ☃ e\u{301}\u{200d}",
        "<script>alert(1)</script>",
        "- a: |\n  b\n#c",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.push(format!("{}\u{1b}[5m", "x".repeat(1 << 20)));
    texts
}

/// A pod that has the text in every field that can hold one, also as a name.
fn pod(number: usize, whole: &str, version: usize) -> Value {
    // The longest is in one place only, to save time.
    let text = if whole.len() > 1_000 { "long" } else { whole };
    json!({
        "metadata": { "name": format!("p{number}{text}"), "namespace": "default", "uid": format!("u{number}"),
            "resourceVersion": version.to_string(), "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": { "app": text, text: "x" }, "annotations": { "note": whole, "version": format!("{version}{text}") } },
        "spec": { "nodeName": text, "containers": [{ "name": text, "image": text }] },
        "status": { "phase": text, "podIPs": [{ "ip": text }], "conditions": [{ "type": text, "status": text, "reason": text }],
            "containerStatuses": [{ "name": text, "state": { "waiting": { "reason": format!("{version}{text}") } } }] },
    })
}

fn assert_harmless(what: &[&str], text: &str) {
    let obeyed = |c: &char| {
        let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        turns || matches!(c, '\u{2028}' | '\u{2029}') || (c.is_control() && !matches!(c, '\n' | '\t'))
    };
    let found: Vec<_> = text.chars().filter(obeyed).take(5).collect();
    assert!(found.is_empty(), "{what:?} prints {found:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_is_printed_controls_a_terminal() {
    let list = |version: usize| {
        let items: Vec<_> =
            hostile().iter().enumerate().map(|(number, text)| pod(number, text, version)).collect();
        json!({ "kind": "PodList", "apiVersion": "v1", "metadata": { "resourceVersion": "9" }, "items": items })
    };
    let (cached, listed) = (list(5), list(6));
    let event = |number: usize, kind: &str, version: usize| {
        json!({ "type": kind, "object": pod(number, &hostile()[number], version) }).to_string()
    };
    let count = hostile().len();
    let updates: String = (0..count).map(|number| event(number, "MODIFIED", 10 + number) + "\n").collect();
    let deletes: String = (0..count).map(|number| event(number, "DELETED", 50 + number) + "\n").collect();
    let end = json!({ "type": "ADDED", "object": { "metadata": { "name": "the-end", "namespace": "default", "uid": "end",
        "resourceVersion": "99" } } });
    let server = Canned::start(move |path| match path {
        path if path.contains("sendInitialEvents") => Answer::status(400, "BadRequest", "no streams"),
        path if path.contains("watch=true") => Answer::Silence(format!("{updates}{deletes}{end}\n")),
        path if path.contains("resourceVersion=") => Answer::json(200, &cached),
        _ => Answer::json(200, &listed),
    });
    let reading: [&[&str]; 10] = [
        &["get", "pods"],
        &["get", "pods", "-o", "wide", "--show-labels", "-L", "app"],
        &["get", "pods", "-o", "name"],
        &["get", "pods", "-o", "json"],
        &["get", "pods", "-o", "yaml"],
        &["get", "pods", "--field", "metadata.annotations", "--field", "spec.containers[*].image"],
        &["get", "pods", "--field", "spec.nodeName"],
        &["get", "pod", "\u{1b}[2J"],
        &["diff", "pods"],
        &["diff", "pods", "-o", "json"],
    ];
    for arguments in reading {
        let said = run(server.informer(arguments)).await;
        assert!(said.out.len() + said.err.len() > 20, "{arguments:?} says something");
        assert_harmless(arguments, &said.out);
        assert_harmless(arguments, &said.err);
    }
    let watching: [&[&str]; 7] = [
        &["watch", "pods"],
        &["watch", "pods", "--diff", "--initial", "--grep", "e"],
        &["watch", "pods", "-o", "wide"],
        &["watch", "pods", "-o", "json"],
        &["watch", "pods", "-o", "yaml"],
        &["get", "pods", "-w", "--field", "metadata.annotations"],
        &["get", "pods", "-w", "-o", "wide", "--show-labels"],
    ];
    for arguments in watching {
        let mut watch = Running::start_merged(server.informer(arguments));
        let mut printed = String::new();
        loop {
            let line = watch.line().await;
            assert!(!line.is_empty(), "{arguments:?} goes on");
            printed += &line;
            if line.contains("the-end") {
                break;
            }
        }
        assert_harmless(arguments, &printed);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn differences_of_a_running_program_do_not_control_a_terminal() {
    let list = |first: usize, version: usize| {
        let items: Vec<_> = hostile()
            .iter()
            .enumerate()
            .skip(first)
            .map(|(number, text)| pod(number, text, version))
            .collect();
        json!({ "kind": "PodList", "apiVersion": "v1", "metadata": { "resourceVersion": "9" }, "items": items })
    };
    let serves = |list: Value| {
        Canned::start(move |path| match path {
            path if path.contains("sendInitialEvents") => Answer::status(400, "BadRequest", "no streams"),
            path if path.contains("watch=true") => Answer::Silence(String::new()),
            _ => Answer::json(200, &list),
        })
    };
    // One is missing in the program, the others have another version there.
    let (stale, server) = (serves(list(1, 5)), serves(list(0, 6)));
    let (_program, address) = program(stale.informer(&["watch", "pods", "--only-changes"]), 1).await;
    for form in ["text", "json"] {
        let arguments = ["diff", "--endpoint", &address, "-o", form];
        let said = run(server.informer(&arguments)).await;
        assert_eq!(said.code, 1, "{form}: {}", said.err);
        for number in 0..hostile().len() {
            assert!(said.out.contains(&format!("default/p{number}")), "{form}: {number} is named");
        }
        assert_harmless(&arguments, &said.out);
        assert_harmless(&arguments, &said.err);
    }
    let hostile_name = "\u{1b}[2J";
    let said = run(server.informer(&["diff", "--endpoint", &address, hostile_name])).await;
    assert_eq!(said.code, 2, "{said:?}");
    assert_harmless(&["diff", "--endpoint", "NAME"], &said.err);
}

/// A recording of a list that fails, of the same list, and of a watch.
fn recording(plural: &str) -> Vec<u8> {
    let kind = json!({ "group": "", "version": "v1", "kind": plural, "plural": plural, "namespaced": true });
    let request =
        |query: &str| json!({ "method": "GET", "target": format!("/api/v1/{plural}?{query}"), "kind": kind });
    let failed = json!({ "kind": "Status", "code": 500, "reason": plural, "message": plural });
    let list =
        json!({ "kind": "PodList", "apiVersion": "v1", "metadata": { "resourceVersion": "9" }, "items": [] });
    let records = [
        ("began", 0, json!({ "unixMillis": 0 })),
        ("request", 1, request("limit=500")),
        ("answer", 1, json!({ "status": 500 })),
        ("chunk", 1, failed),
        ("end", 1, Value::Null),
        ("request", 2, request("limit=500")),
        ("answer", 2, json!({ "status": 200 })),
        ("chunk", 2, list),
        ("end", 2, Value::Null),
        ("request", 3, request("watch=true&resourceVersion=9")),
        ("answer", 3, json!({ "status": 200 })),
        ("end", 3, Value::Null),
    ];
    let text: String = records
        .iter()
        .map(|(word, request, payload)| {
            let payload = if payload.is_null() { String::new() } else { payload.to_string() };
            // The watch lasts long enough for it to be said that the list no longer fails.
            let at = if (*word, *request) == ("end", 3) { 5_000_000 } else { 0 };
            format!("{word} {request} {at} {}\n{payload}\n", payload.len())
        })
        .collect();
    let mut frame = Vec::with_capacity(zstd_safe::compress_bound(text.len()));
    zstd_safe::compress(&mut frame, text.as_bytes(), 3).expect("it is packed");
    let title = "kube-informer recording 1\n";
    let length = u32::try_from(title.len()).expect("it is short").to_le_bytes();
    [&0x184D_2A50_u32.to_le_bytes()[..], &length, title.as_bytes(), &frame].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn names_of_kinds_in_a_recording_do_not_control_a_terminal() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("a.recording");
    std::fs::write(&file, recording("pods\u{1b}[2J\u{9b}31m\u{202e}")).expect("a file");
    let mut replay = informer(&["replay"]);
    replay.arg(&file);
    let said = run(replay).await;
    assert!(said.err.contains("watching pods") && said.err.contains(" again"), "{said:?}");
    assert_harmless(&["replay"], &said.out);
    assert_harmless(&["replay"], &said.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn names_of_kinds_that_a_server_has_do_not_control_a_terminal() {
    // Of all that is obeyed only these can be in a path.
    let plural = "pods\u{9b}31m\u{202e}";
    let server = Canned::with_discovery(move |path| match path {
        "/api/v1" => Answer::json(
            200,
            &json!({ "kind": "APIResourceList", "groupVersion": "v1", "resources": [
                { "name": plural, "singularName": "", "shortNames": ["odd"], "namespaced": true, "kind": plural,
                    "verbs": ["get", "list", "watch"] }] }),
        ),
        path if discovery(path).is_some() => discovery(path).expect("it is there"),
        path if path.contains("sendInitialEvents") => Answer::status(400, "BadRequest", "no streams"),
        path if path.contains("watch=true") => Answer::Silence(String::new()),
        _ => {
            Answer::json(200, &json!({ "kind": "List", "metadata": { "resourceVersion": "9" }, "items": [] }))
        }
    });
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("a.recording").display().to_string();
    for (arguments, says) in
        [(&["get", "odd"][..], "no pods"), (&["record", &file, "odd", "--for", "1s"], "recording pods")]
    {
        let said = run(server.informer(arguments)).await;
        assert!(said.err.contains(says), "{said:?}");
        assert_harmless(arguments, &said.out);
        assert_harmless(arguments, &said.err);
    }
}
