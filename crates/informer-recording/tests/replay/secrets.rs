//! Whatever is secret is not in the file, however its bytes came.

use futures::StreamExt as _;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_informer::kind::KindInfo;
use kube_informer::source::{ListWatch as _, Request};
use kube_informer::status::Scope;
use kube_informer::testing::ScriptedSource;
use kube_informer::{Kind as _, SharedInformer};
use serde_json::{Value, json};

use crate::support::{Canned, File, SECOND, Watched, chunks, config_map, pass};

/// Objects with secrets in them; each secret begins with `hush`, or is `aHVza…`, which is the same in base64.
fn objects(random: &mut fastrand::Rng) -> Vec<Value> {
    let mut secret =
        || format!("hush{}", "0123456789/+\"\\é\n".chars().nth(random.usize(..16)).expect("one of them"));
    let applied = json!({ "kind": "Secret", "stringData": { "a": secret() } }).to_string();
    let last_applied = "kubectl.kubernetes.io/last-applied-configuration";
    vec![
        json!({ "kind": "Secret", "apiVersion": "v1", "metadata": { "name": "plain", "annotations": { last_applied: applied } },
            "data": { "password": "aHVzaA==" }, "stringData": { "b": secret() } }),
        json!({ "apiVersion": "v1", "data": { "token": "aHVzaGh1c2g=" }, "kind": "Secret",
            "metadata": { "name": "bootstrap-token-abcdef" }, "type": "bootstrap.kubernetes.io/token" }),
        json!({ "kind": "ConfigMap", "metadata": { "name": "shown", "annotations": { last_applied: applied } },
            "data": { "shown": "{not hidden}", "token": secret() } }),
        json!({ "kind": "TokenRequest", "metadata": { "name": "shown" }, "status": { "token": secret() } }),
        json!({ "kind": "Pod", "metadata": { "name": "shown" }, "spec": { "containers": [{
            "env": [{ "name": "API_TOKEN", "value": secret() }], "args": ["--token=hush00.0123456789abcdef"] }] } }),
    ]
}

fn watch_of(objects: &[Value]) -> String {
    objects.iter().map(|object| json!({ "type": "ADDED", "object": object }).to_string() + "\n").collect()
}

fn list_of(objects: &[Value]) -> String {
    json!({ "kind": "List", "metadata": { "resourceVersion": "7" }, "items": objects }).to_string()
}

/// Records one answer; what is in the file then.
async fn recorded(kind: &KindInfo, request: Request, chunks: Vec<String>, cut: bool) -> String {
    let file = File::default();
    let recorder = file.recorder();
    let source = Canned::new([Ok((chunks, cut.then(|| "connection reset".to_owned())))]);
    let body = recorder.source(kind, source).open(request).await.expect("an answer");
    body.collect::<Vec<_>>().await;
    recorder.finish().expect("it is written");
    file.text()
}

#[tokio::test(start_paused = true)]
async fn no_secret_is_in_the_file_whatever_the_split_and_wherever_it_is_cut() {
    let mut random = fastrand::Rng::with_seed(11);
    let kind = KindInfo::new("example.com", "v1", "Anything", "anythings");
    for round in 0..400 {
        let objects = objects(&mut random);
        let (watch, list) = (watch_of(&objects), list_of(&objects));
        for (request, body) in
            [(Request::watch(Scope::All, "7", 300), watch), (Request::list(Scope::All), list)]
        {
            let is_cut = random.bool();
            let end = if is_cut { random.usize(..=body.len()) } else { body.len() };
            let end = (0..=end).rev().find(|end| body.is_char_boundary(*end)).expect("a place");
            let text = recorded(&kind, request, chunks(&body[..end], &mut random), is_cut).await;
            for secret in ["hush", "aHVza"] {
                assert!(!text.contains(secret), "round {round}: {text}");
            }
            assert!(is_cut || text.matches("shown").count() >= 4, "round {round}: {text}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn bytes_that_are_no_json_are_not_in_the_file() {
    let kind = KindInfo::new("", "v1", "Pod", "pods");
    for body in ["hush", "<html>hush</html>", "{\"a\":hush}", "{\"type\":\"ADDED\",\"object\":{}}\nhush"] {
        let text = recorded(&kind, Request::watch(Scope::All, "7", 300), vec![body.to_owned()], false).await;
        assert!(!text.contains("hush") && text.contains("\"why\":\"not-json\""), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn kinds_that_the_recorder_or_the_builder_calls_sensitive_are_empty() {
    // Named to the recorder.
    let kind = KindInfo::new("example.com", "v1", "Vault", "vaults");
    let body = json!({ "type": "ADDED", "object": { "kind": "Vault", "metadata": { "name": "a" }, "spec": "hush" } });
    let file = File::default();
    let recorder = file.recorder().sensitive(&kind);
    let source = recorder.source(&kind, Canned::new([Ok((vec![body.to_string()], None))]));
    let opened = source.open(Request::watch(Scope::All, "7", 300)).await.expect("an answer");
    opened.collect::<Vec<_>>().await;
    recorder.finish().expect("it is written");
    assert!(!file.text().contains("hush") && file.text().contains("\"Vault\""), "{}", file.text());

    // Marked where the informer is built; without that they are ordinary.
    for sensitive in [true, false] {
        let file = File::default();
        let recorder = file.recorder();
        let source = ScriptedSource::of::<ConfigMap>();
        source.create(&config_map("a", "hush")).expect("it is created");
        let builder = SharedInformer::builder(recorder.source(ConfigMap::info(&()), source.clone()));
        let watched = Watched::with(if sensitive { builder.sensitive() } else { builder });
        pass(SECOND).await;
        source.create(&config_map("b", "hush")).expect("it is created");
        pass(SECOND).await;
        assert_eq!(watched.outcome().objects.len(), 2);
        recorder.finish().expect("it is written");
        let text = file.text();
        assert_eq!(text.contains("hush"), !sensitive, "{text}");
        assert!(text.contains("\"name\":\"b\""), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn secrets_are_replayed_as_objects_of_about_the_same_size() {
    let source = ScriptedSource::of::<Secret>();
    let data = [("key".to_owned(), k8s_openapi::ByteString(b"hushhushhush".to_vec()))];
    let metadata = config_map("a", "").metadata;
    let secret = Secret { metadata, data: Some(data.into()), ..Secret::default() };
    source.create(&secret).expect("it is created");
    let file = File::default();
    let recorder = file.recorder();
    let source = recorder.source(Secret::info(&()), source);
    let live = SharedInformer::<Secret>::builder(source).build().expect("an informer");
    let running = tokio::spawn(async move { live.run(std::future::pending()).await });
    pass(SECOND).await;
    recorder.finish().expect("it is written");
    running.abort();
    assert!(!file.text().contains("aHVza"), "{}", file.text());

    let replayed = SharedInformer::<Secret>::builder(file.recording()).build().expect("an informer");
    let runs = replayed.clone();
    let running = tokio::spawn(async move { runs.run(std::future::pending()).await });
    replayed.wait_synced(SECOND * 60).await.expect("it is there");
    let secret =
        replayed.lister().namespace("default").get("a").expect("a Secret").get().expect("it can be decoded");
    let data = secret.data.as_ref().and_then(|data| data.get("key")).expect("its key");
    assert_eq!(data.0, b"xxxxxxxxxxxx");
    running.abort();
}
