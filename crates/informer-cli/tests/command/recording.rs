//! `record` and `replay`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Event};
use kube_client::Api;
use serde_json::{Value, json};
use tokio::time::{interval, timeout};

use crate::support::{Running, Server, informer, run};

/// Nothing here takes that long, unless it never happens.
const PATIENCE: Duration = Duration::from_secs(60);

fn interrupt(running: &Running) {
    let id = running.id().to_string();
    test_cluster::send_signal("INT", &id).expect("it is told");
}

fn with_file(arguments: &[&str], file: &Path) -> Command {
    let mut command = informer(&arguments[..1]);
    command.arg(file).args(&arguments[1..]);
    command
}

/// What is in a recording, as far as it has been written.
fn text(file: &Path) -> String {
    let bytes = std::fs::read(file).expect("the file");
    let (mut text, mut rest) = (Vec::new(), &bytes[..]);
    while let Ok(length) = zstd_safe::find_frame_compressed_size(rest) {
        let (frame, after) = rest.split_at(length);
        if let Ok(Some(length)) = zstd_safe::get_frame_content_size(frame) {
            let mut records = Vec::with_capacity(usize::try_from(length).expect("a size"));
            zstd_safe::decompress(&mut records, frame).expect("records");
            text.extend(records);
        }
        rest = after;
    }
    String::from_utf8(text).expect("text")
}

/// Waits until something is in a recording so many times. It is written every second.
async fn until_it_has(file: &Path, times: usize, what: &str) {
    let mut look = interval(Duration::from_millis(100));
    let has = async {
        while text(file).matches(what).count() < times {
            look.tick().await;
        }
    };
    timeout(PATIENCE, has).await.unwrap_or_else(|_| panic!("{what} is not {times} times in {}", text(file)));
}

/// A ConfigMap that is there and goes, one that comes, and a Secret. The file, and what the command said at the end.
async fn recorded(server: &Server) -> (PathBuf, String) {
    let file = server.directory.path().join("a.recording");
    server.config_map("a", "1").await;
    server.secret("b", "hushhush").await;
    let mut record = with_file(&["record", "configmaps", "secrets", "-n", "shop"], &file);
    record.arg("--kubeconfig").arg(server.kubeconfig());
    let mut record = Running::start(record);
    record.remark("recording configmaps, secrets of kubeconfig").await;
    // Only what comes after the ends of both lists is a change.
    until_it_has(&file, 2, "k8s.io/initial-events-end").await;
    let maps: Api<ConfigMap> = Api::namespaced(server.api.quiet_client(), "shop");
    server.config_map("c", "2").await;
    maps.delete("a", &Default::default()).await.expect("it is deleted");
    until_it_has(&file, 1, "\"DELETED\"").await;
    interrupt(&record);
    let (code, said) = record.ended().await;
    assert_eq!(code, Some(0), "{said}");
    (file, said)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_recorded_until_ctrl_c_is_shown_again() {
    let server = Server::start().await;
    let (file, said) = recorded(&server).await;
    assert!(
        said.starts_with("recorded ") && said.contains(" requests, ") && said.contains("0 failures"),
        "{said}"
    );
    assert!(!text(&file).contains("aHVza") && text(&file).contains("\"name\":\"b\""), "{}", text(&file));

    let said = run(with_file(&["replay", "configmaps", "--speed", "max", "--output", "json"], &file)).await;
    assert_eq!(said.code, 0, "{said:?}");
    let told: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let events: Vec<_> = told.iter().map(|told| (told["event"].as_str(), told["key"].as_str())).collect();
    let some = |event, key| (Some(event), Some(key));
    let expected =
        [some("added", "shop/a"), (Some("synced"), None), some("added", "shop/c"), some("deleted", "shop/a")];
    assert_eq!(events, expected, "{said:?}");
    assert_eq!(told[1]["objects"], json!(1));
    assert!(said.err.contains(" requests in ") && said.err.contains("as fast as possible"), "{said:?}");

    // All kinds that were recorded, in the time that it took.
    let said = run(with_file(&["replay"], &file)).await;
    assert!(said.code == 0 && said.out.contains("DELETED configmap  shop/a"), "{said:?}");
    assert!(said.out.contains("ADDED   secret     shop/b") && !said.out.contains("hush"), "{said:?}");
    assert!(said.err.contains("as recorded"), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ordinary_text_is_recorded() {
    let server = Server::start().await;
    for (number, text) in
        ["my-app.default.svc", "https://example.com/README.md", "ghcr.io/acme-corp/my-app.web:1"]
            .iter()
            .enumerate()
    {
        server.config_map(&format!("a-{number}"), text).await;
    }
    let file = server.directory.path().join("a.recording");
    let mut record = with_file(&["record", "configmaps", "-n", "shop", "--for", "2s"], &file);
    record.arg("--kubeconfig").arg(server.kubeconfig());
    let said = run(record).await;
    assert_eq!(said.code, 0, "{said:?}");
    let text = text(&file);
    assert!(text.contains("my-app.default.svc") && text.contains("my-app.web:1"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_cannot_be_replayed_are_told_apart() {
    let server = Server::start().await;
    let (file, _) = recorded(&server).await;
    let whole = std::fs::read(&file).expect("the file");
    let other = server.directory.path().join("other");
    let replayed = async |bytes: &[u8]| {
        std::fs::write(&other, bytes).expect("a file");
        run(with_file(&["replay", "--speed", "max"], &other)).await
    };
    // The beginning of another frame, whose rest is missing.
    let header = 8 + "kube-informer recording 1\n".len();
    let cut = replayed(&[&whole[..], &whole[header..header + 20]].concat()).await;
    assert!(cut.code == 1 && cut.err.contains("is cut short"), "{cut:?}");
    assert!(cut.out.contains("shop/b"), "what is there is shown: {cut:?}");
    let none = replayed(b"apiVersion: v1").await;
    assert!(none.code == 2 && none.err.contains("it is not a recording of kube-informer"), "{none:?}");
    let version = whole.iter().position(|byte| *byte == b'1').expect("the version");
    let mut newer = whole.clone();
    newer[version] = b'9';
    let newer = replayed(&newer).await;
    assert!(newer.code == 2 && newer.err.contains("version 9"), "{newer:?}");
    let mut damaged = whole.clone();
    *damaged.last_mut().expect("a byte") ^= 1;
    let damaged = replayed(&damaged).await;
    assert!(damaged.code == 2 && damaged.err.contains("damaged"), "{damaged:?}");
    let missing = run(with_file(&["replay"], &server.directory.path().join("none"))).await;
    assert!(missing.code == 4 && missing.err.starts_with("error: cannot read "), "{missing:?}");
    let unknown = run(with_file(&["replay", "pods"], &file)).await;
    assert!(
        unknown.code == 2 && unknown.err.contains("configmaps, secrets, but not \"pods\""),
        "{unknown:?}"
    );
    let speed = run(with_file(&["replay", "--speed", "fast"], &file)).await;
    assert!(speed.code == 2 && speed.err.contains("such as 1, 10 or 0.5, or `max`"), "{speed:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_written_over_and_nothing_is_left_of_a_recording_that_did_not_begin() {
    let server = Server::start().await;
    let (file, _) = recorded(&server).await;
    let before = std::fs::read(&file).expect("the file");
    let again = run(with_file(&["record", "pods", "--embedded"], &file)).await;
    assert!(again.code == 4 && again.err.starts_with("error: cannot create "), "{again:?}");
    assert_eq!(std::fs::read(&file).expect("the file"), before);
    let new = server.directory.path().join("new");
    let unknown = run(with_file(&["record", "nonsense", "--embedded"], &new)).await;
    assert!(unknown.code == 2 && unknown.err.contains("nonsense") && !new.exists(), "{unknown:?}");
    let nothing = run(with_file(&["record", "--embedded"], &new)).await;
    assert!(nothing.code == 2 && nothing.err.contains("KIND"), "{nothing:?}");
    let no_cluster = run(with_file(&["record", "pods"], &new)).await;
    assert!(no_cluster.code == 3 && !new.exists(), "{no_cluster:?}");
}

/// Whatever name of the kind was given, nothing of its contents is in the file.
#[tokio::test(flavor = "multi_thread")]
async fn contents_of_kinds_that_are_called_sensitive_are_left_out_by_any_name_of_the_kind() {
    let server = Server::start().await;
    server.config_map("a", "hush-hush").await;
    for (number, name) in ["cm", "configmap", "ConfigMap", "configmaps.v1."].iter().enumerate() {
        let file = server.directory.path().join(format!("{number}.recording"));
        let mut record = with_file(&["record", "configmaps", "-n", "shop", "--sensitive", name], &file);
        record.arg("--kubeconfig").arg(server.kubeconfig());
        let mut record = Running::start(record);
        record.remark("recording configmaps of kubeconfig").await;
        until_it_has(&file, 1, "k8s.io/initial-events-end").await;
        interrupt(&record);
        let (code, said) = record.ended().await;
        assert_eq!(code, Some(0), "{said}");
        let text = text(&file);
        assert!(text.contains("\"name\":\"a\"") && !text.contains("hush-hush"), "{name}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_without_a_group_means_the_kinds_of_all_groups() {
    let server = Server::start().await;
    let event = json!({ "metadata": { "name": "e", "namespace": "shop" }, "reason": "R", "message": "hush-hush",
        "involvedObject": { "kind": "Pod", "namespace": "shop", "name": "a" } });
    let event: Event = serde_json::from_value(event).expect("an event");
    server.api.create(&event).await.expect("it is created");
    let file = server.directory.path().join("a.recording");
    let arguments = ["record", "events.events.k8s.io", "-n", "shop", "--sensitive", "events"];
    let mut record = with_file(&arguments, &file);
    record.arg("--kubeconfig").arg(server.kubeconfig());
    let mut record = Running::start(record);
    record.remark("recording events.events.k8s.io of kubeconfig").await;
    until_it_has(&file, 1, "k8s.io/initial-events-end").await;
    interrupt(&record);
    let (code, said) = record.ended().await;
    assert_eq!(code, Some(0), "{said}");
    let text = text(&file);
    assert!(text.contains("\"name\":\"e\"") && !text.contains("hush-hush"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kind_that_is_called_sensitive_and_is_not_there_ends_it_before_anything_is_recorded() {
    let server = Server::start().await;
    let file = server.directory.path().join("new");
    for how in [&["record", "configmaps"][..], &["record", "--proxy"]] {
        let mut record = with_file(&[how, &["--sensitive", "configmap.example.com"]].concat(), &file);
        record.arg("--sensitive").arg("configmaps").arg("--kubeconfig").arg(server.kubeconfig());
        // Ends by itself also if it should go on with the wrong name.
        record.args(["--for", "1s"]);
        let said = run(record).await;
        assert!(said.code == 2 && said.err.contains("--sensitive configmap.example.com: "), "{said:?}");
        assert!(!file.exists(), "{said:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_clients_are_recorded_through_the_proxy_and_served_again() {
    let server = Server::start().await;
    server.config_map("a", "1").await;
    server.secret("b", "hushhush").await;
    let (file, kubeconfig) =
        (server.directory.path().join("a.recording"), server.directory.path().join("proxy"));
    let mut record = with_file(&["record", "--proxy", "--write-kubeconfig"], &file);
    record.arg(&kubeconfig).arg("--kubeconfig").arg(server.kubeconfig());
    let mut record = Running::start(record);
    assert!(record.line().await.contains(" through http://127.0.0.1:"));
    let get = async |kind: &str| {
        let mut get = informer(&["get", kind, "-n", "shop", "-o", "json", "--kubeconfig"]);
        get.arg(&kubeconfig);
        run(get).await
    };
    let (maps, secrets) = (get("configmaps").await, get("secrets").await);
    assert!(maps.code == 0 && maps.out.contains("\"name\": \"a\""), "{maps:?}");
    assert_eq!(secrets.code, 0, "{secrets:?}");
    interrupt(&record);
    let (code, said) = record.ended().await;
    assert!(code == Some(0) && said.contains("recorded "), "{said}");
    assert!(!text(&file).contains("aHVza"), "{}", text(&file));

    let mut serve = with_file(&["replay", "--serve", "--speed", "max", "--write-kubeconfig"], &file);
    serve.arg(&kubeconfig);
    let mut serve = Running::start(serve);
    assert!(serve.line().await.starts_with("serving the recording at http://127.0.0.1:"));
    let again = get("configmaps").await;
    assert_eq!((again.code, &again.out), (0, &maps.out), "{again:?}");
    let unknown = get("nodes").await;
    assert!(unknown.code == 3 && unknown.err.contains("the recording has no answer to GET"), "{unknown:?}");
    interrupt(&serve);
    let (code, said) = serve.ended().await;
    assert_eq!(code, Some(0), "{said}");
}
