//! When commands end: by a signal, or because time is over.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::canned::{Answer, Canned};
use crate::support::{Running, informer, run};

#[tokio::test(flavor = "multi_thread")]
async fn sigterm_ends_a_command_as_ctrl_c_does() {
    for signal in ["INT", "TERM"] {
        let mut watch = Running::start(informer(&["watch", "nodes", "--embedded", "--summary"]));
        watch.remark("in the cache").await;
        let id = watch.id().to_string();
        test_cluster::send_signal(signal, &id).expect("it is told");
        let mut summary = String::new();
        loop {
            match watch.line().await {
                line if line.is_empty() => break,
                line => summary.push_str(&line),
            }
        }
        let (code, said) = watch.ended().await;
        assert_eq!(code, Some(0), "{signal}: {said}");
        assert!(summary.contains(" added, ") && summary.contains(" deleted in "), "{signal}: {summary}");
    }
}

/// A server that accepts every request and answers none must not hold a command longer than its user said.
#[tokio::test(flavor = "multi_thread")]
async fn finding_out_which_kinds_there_are_takes_no_longer_than_the_command_may() {
    let silent = Canned::with_discovery(|_| Answer::Silence(String::new()));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.recording");
    let file = file.to_str().expect("a path");
    for arguments in [
        &["get", "pods", "--timeout", "300ms"][..],
        &["get", "pods", "-w", "--timeout", "300ms"],
        &["diff", "pods", "--timeout", "300ms"],
        &["watch", "pods", "--for", "300ms"],
        &["watch", "--owner", "deploy/web", "--for", "300ms", "--until", "create"],
        &["record", file, "pods", "--for", "300ms"],
        &["record", file, "--proxy", "--sensitive", "pods", "--for", "300ms"],
    ] {
        let begun = Instant::now();
        let said = run(silent.informer(arguments)).await;
        assert!(begun.elapsed() < Duration::from_secs(20), "{arguments:?}: {:?}", begun.elapsed());
        assert_eq!(said.code, 3, "{arguments:?}: {said:?}");
        let expected = "/kubeconfig did not say within 300ms which kinds it has; --embedded";
        assert!(said.err.contains(expected), "{arguments:?}: {said:?}");
    }
    assert!(!folder.path().join("a.recording").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kind_that_was_not_recorded_is_named_and_no_success() {
    let list = json!({ "kind": "ConfigMapList", "apiVersion": "v1", "metadata": { "resourceVersion": "9" }, "items": [] });
    let server = Canned::start(move |path| match path {
        path if path.contains("/pods") => Answer::status(503, "ServiceUnavailable", "come again"),
        path if path.contains("sendInitialEvents") => Answer::status(400, "BadRequest", "no streams"),
        path if path.contains("watch=true") => Answer::Silence(String::new()),
        _ => Answer::json(200, &list),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.recording");
    let mut record = server.informer(&["record"]);
    record.arg(&file).args(["configmaps", "pods", "--for", "10s"]);
    let said = run(record).await;
    assert_eq!(said.code, 3, "{said:?}");
    assert!(said.err.contains("error: not recorded: pods; ") && said.err.contains("recorded "), "{said:?}");
    assert!(file.exists(), "what there is shows why");
}
