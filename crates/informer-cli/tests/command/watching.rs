//! `watch`.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;

use serde_json::Value;

use crate::support::{Server, informer, run};

/// Reads lines of a child away from the test's runtime.
async fn lines(command: std::process::Command, count: usize) -> (Vec<String>, std::process::Child) {
    let read = move || {
        let mut command = command;
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut out = BufReader::new(child.stdout.take().expect("its output"));
        let mut lines = Vec::new();
        for _ in 0..count {
            let mut line = String::new();
            out.read_line(&mut line).expect("a line");
            lines.push(line);
        }
        (lines, child)
    };
    tokio::task::spawn_blocking(read).await.expect("it is awaited")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_there_is_shown_and_then_what_happens() {
    let server = Server::start().await;
    server.config_map("a", "1").await;
    let command = server.informer(&["watch", "cm", "-n", "shop", "--output", "json"]);
    let api = server.api.clone();
    let changes = tokio::spawn(async move {
        // Once the watch is there, so that an update is one and not part of the first list.
        api.journal().until(|request| request.verb == Some(embedded_apiserver::Verb::Watch), 1).await;
        let maps: kube_client::Api<k8s_openapi::api::core::v1::ConfigMap> =
            kube_client::Api::namespaced(api.quiet_client(), "shop");
        let patch = serde_json::json!({ "data": { "key": "2" } });
        let patch = kube_client::api::Patch::Merge(&patch);
        maps.patch("a", &kube_client::api::PatchParams::default(), &patch).await.expect("a change");
    });
    let (lines, mut child) = lines(command, 2).await;
    changes.await.expect("it is changed");
    child.kill().expect("it ends");
    child.wait().expect("it ended");
    let told: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((&told[0]["event"], &told[0]["key"]), (&"added".into(), &"shop/a".into()));
    assert_eq!(told[1]["event"], "updated");
    assert_eq!(told[1]["changes"][0], serde_json::json!({ "path": "data.key", "old": "1", "new": "2" }));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_cluster_a_simulated_one_is_shown() {
    let said = run(informer(&["watch", "deployments", "pods", "--for", "3s"])).await;
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.err.starts_with("no kubeconfig found: showing a simulated rollout"), "{said:?}");
    assert!(said.out.contains("ADDED   deployment "), "{said:?}");
    assert!(!said.out.contains('\x1b') && !said.err.contains('\x1b'), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn colours_can_be_had_without_a_terminal() {
    let said = run(informer(&["watch", "deployments", "--embedded", "--for", "1s", "--color", "always"])).await;
    assert!(said.out.contains("\x1b[32mADDED"), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_goes_away_ends_it_quietly() {
    let command = informer(&["watch", "pods", "--embedded", "--output", "json"]);
    let (_, mut child) = lines(command, 1).await;
    let mut err = String::new();
    let mut stderr = child.stderr.take().expect("its remarks");
    let (code, err) = tokio::task::spawn_blocking(move || {
        let code = child.wait().expect("it ends").code();
        stderr.read_to_string(&mut err).expect("its remarks");
        (code, err)
    })
    .await
    .expect("it is awaited");
    assert_eq!(code, Some(0), "{err}");
    assert!(!err.contains("error") && !err.contains("panicked"), "{err}");
}
