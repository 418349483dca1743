//! Errors that waiting does not cure are reported at once.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::canned::{Answer, Canned, kubeconfig};
use crate::support::{Running, informer, run};

/// Far less than the 30 s that a command waits for the cache, far more than a busy machine needs.
const AT_ONCE: Duration = Duration::from_secs(20);

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_ends_the_command_at_once() {
    let refusals = [
        (400, "BadRequest"),
        (401, "Unauthorized"),
        (403, "Forbidden"),
        (404, "NotFound"),
        (405, "MethodNotAllowed"),
        (422, "Invalid"),
    ];
    for (code, reason) in refusals {
        let server = Canned::start(move |_| Answer::status(code, reason, "the server says no"));
        for command in ["get", "diff", "watch"] {
            let begun = Instant::now();
            let said = run(server.informer(&[command, "pods"])).await;
            assert!(begun.elapsed() < AT_ONCE, "{command} {code}: {:?}", begun.elapsed());
            assert_eq!(said.code, 3, "{command} {code}: {said:?}");
            let wanted =
                format!("error: cannot list pods in namespace \"default\" (HTTP {code}): the server says no");
            assert!(said.err.contains(&wanted), "{command} {code}: {said:?}");
        }
    }
}

/// A server that answers lists, but refuses streamed lists.
fn lists(watch: Answer) -> Canned {
    let list =
        json!({ "kind": "PodList", "apiVersion": "v1", "metadata": { "resourceVersion": "9" }, "items": [] });
    Canned::start(move |path| match path {
        path if path.contains("sendInitialEvents") => Answer::status(400, "BadRequest", "no streams"),
        path if path.contains("watch=true") => watch.clone(),
        _ => Answer::json(200, &list),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_list_but_not_watch_can_read_and_is_told_why_not_to_watch() {
    let server = lists(Answer::status(403, "Forbidden", "no watching"));
    let said = run(server.informer(&["get", "pods"])).await;
    assert_eq!(said.code, 0, "{said:?}");
    let begun = Instant::now();
    let said = run(server.informer(&["watch", "pods"])).await;
    assert!(begun.elapsed() < AT_ONCE, "{:?}", begun.elapsed());
    assert_eq!(said.code, 3, "{said:?}");
    assert!(said.err.contains("error: cannot watch pods") && said.err.contains("no watching"), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_heal_is_tried_again() {
    let server = Canned::start(|_| Answer::status(503, "ServiceUnavailable", "come again"));
    let mut watch = Running::start(server.informer(&["watch", "pods"]));
    let said = watch.remark("cannot list pods").await;
    assert!(said.ends_with("come again; trying again\n"), "{said}");
    let said = run(server.informer(&["get", "pods", "--timeout", "300ms"])).await;
    assert_eq!(said.code, 3, "{said:?}");
    assert!(said.err.contains("not synced after 300ms"), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_context_that_is_not_there_brings_those_that_are() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("kubeconfig");
    std::fs::write(&file, kubeconfig("http://127.0.0.1:1")).expect("a kubeconfig");
    for command in ["get", "watch", "diff"] {
        let mut command = informer(&[command, "pods", "--context", "prod", "--kubeconfig"]);
        command.arg(&file);
        let said = run(command).await;
        assert_eq!(said.code, 3, "{said:?}");
        assert!(said.err.ends_with("it has no context \"prod\"; there is \"main\"\n"), "{said:?}");
    }
}

/// `/dev/full`: writing to it fails as on a full disk.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn output_that_cannot_be_written_is_no_fault_of_the_cluster() {
    let commands: [&[&str]; 4] = [
        &["get", "nodes", "--embedded"],
        &["watch", "nodes", "--embedded"],
        &["diff", "nodes", "--embedded"],
        &["completions", "bash"],
    ];
    for arguments in commands {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("a full disk");
        let mut command = informer(arguments);
        command.stdout(full);
        let said = run(command).await;
        assert_eq!(said.code, 4, "{arguments:?}: {said:?}");
        assert!(
            said.err.contains("error: cannot write the output: No space left"),
            "{arguments:?}: {said:?}"
        );
    }
}
