use std::time::Duration;

use informer_core::object::ingest::Ingest;
use informer_core::object::known::NothingKnown;
use informer_core::scope::Scope;

use crate::source::testing::DEFAULT_LIMIT;
use futures::{FutureExt as _, TryStreamExt as _};
use serde_json::json;

use super::*;
use crate::source::decode::{WatchDecoder, WatchItem};
use crate::source::decode_list::{ListDecoder, ListEnd, ListItem};
use crate::source::request::{ListParams, VersionMatch, WatchParams};
use crate::source::testing;

fn config_maps() -> ScriptedSource {
    ScriptedSource::new(KindInfo::new("", "v1", "ConfigMap", "configmaps").namespaced(true))
}

fn map(key: &str, text: &str) -> Value {
    let (namespace, name) = key.split_once('/').unwrap();
    json!({ "metadata": { "namespace": namespace, "name": name }, "data": { "text": text } })
}

fn list(params: ListParams) -> Request {
    Request {
        scope: Scope::All,
        verb: Verb::List(params),
        label_selector: None,
        field_selector: None,
        metadata_only: false,
        drop_managed_fields: false,
        sensitive: false,
        silence: None,
    }
}

fn watch(version: &str, send_initial_events: bool) -> Request {
    let params = WatchParams { resource_version: version.into(), timeout_seconds: 300, send_initial_events };
    Request { verb: Verb::Watch(params), ..list(ListParams::default()) }
}

async fn body(source: &ScriptedSource, request: Request) -> Result<String, SourceError> {
    let chunks: Vec<Bytes> = source.open(request).await?.try_collect().await?;
    Ok(String::from_utf8(chunks.concat()).unwrap())
}

async fn keys(source: &ScriptedSource, request: Request) -> Result<(Vec<String>, ListEnd), SourceError> {
    let body = body(source, request).await?;
    let (mut decoder, ingest, mut keys) =
        (ListDecoder::new(DEFAULT_LIMIT), testing::config_maps(), Vec::new());
    decoder.push(Bytes::from(body));
    while let Some(item) = decoder.next(&ingest, &NothingKnown) {
        match item.unwrap() {
            ListItem::Object(record) => keys.push(record.key().to_string()),
            other @ ListItem::LeftOut { .. } => panic!("{other:?}"),
        }
    }
    Ok((keys, decoder.finish().unwrap()))
}

/// Reads what a watch has to say without waiting, printed.
struct Reader {
    body: ByteStream,
    decoder: WatchDecoder,
    ingest: Ingest,
}

impl Reader {
    async fn open(source: &ScriptedSource, request: Request) -> Self {
        let body = source.open(request).await.unwrap();
        Self { body, decoder: WatchDecoder::new(DEFAULT_LIMIT, false), ingest: testing::config_maps() }
    }

    fn read(&mut self) -> Vec<String> {
        let mut seen = Vec::new();
        loop {
            match self.body.next().now_or_never() {
                Some(Some(Ok(chunk))) => self.decoder.push(chunk),
                Some(Some(Err(error))) => {
                    seen.push(format!("failed: {error}"));
                    return seen;
                }
                Some(None) => {
                    let end = self.decoder.finish();
                    seen.push(if end.is_ok() { "end".to_owned() } else { format!("{end:?}") });
                    return seen;
                }
                None => return seen,
            }
            while let Some(item) = self.decoder.next(&self.ingest, &NothingKnown) {
                seen.push(match item.unwrap() {
                    WatchItem::Object { change, record } => {
                        format!("{change:?} {}@{}", record.key(), record.head.resource_version)
                    }
                    WatchItem::Bookmark { version, initial_events_end } => {
                        format!("Bookmark {version}{}", if initial_events_end { " end" } else { "" })
                    }
                    WatchItem::Error(failure) => format!("Error {} {}", failure.code, failure.reason),
                    other => format!("{other:?}"),
                });
            }
        }
    }
}

fn code(error: &SourceError) -> u16 {
    error.http_status().unwrap_or_else(|| panic!("{error}"))
}

#[tokio::test]
async fn b_545_writes_are_those_of_a_server() {
    let source = config_maps();
    assert_eq!(source.create(&map("d/a", "1")).unwrap().to_string(), "2");
    assert_eq!(code(&source.create(&map("d/a", "1")).unwrap_err()), 409);
    assert_eq!(source.update(&map("d/a", "1")).unwrap().to_string(), "2", "nothing changed");
    assert_eq!(source.update(&map("d/a", "2")).unwrap().to_string(), "3");
    assert_eq!(code(&source.update(&map("d/b", "2")).unwrap_err()), 404);
    let mut stale = map("d/a", "3");
    stale["metadata"]["resourceVersion"] = json!("2");
    assert_eq!(code(&source.update(&stale).unwrap_err()), 409);
    assert_eq!(code(&source.create(&json!({ "metadata": {} })).unwrap_err()), 422);
    assert_eq!(
        code(&source.create(&json!({ "kind": "Pod", "metadata": { "name": "x" } })).unwrap_err()),
        422
    );
    assert_eq!(code(&source.create(&7).unwrap_err()), 422);

    let uid = source.objects()[0]["metadata"]["uid"].clone();
    source.delete("d/a").unwrap();
    assert_eq!(code(&source.delete("d/a").unwrap_err()), 404);
    assert_eq!(code(&source.delete("a/b/c").unwrap_err()), 400);
    source.put_json(map("d/a", "4")).unwrap();
    assert_ne!(source.objects()[0]["metadata"]["uid"], uid, "another incarnation");

    source.create(&json!({ "metadata": { "name": "bare" } })).unwrap();
    source.delete("bare").unwrap();
    let typed = k8s_openapi::api::core::v1::ConfigMap {
        metadata: kube_core::ObjectMeta { name: Some("typed".into()), ..Default::default() },
        ..Default::default()
    };
    source.create(&typed).unwrap();
    assert_eq!(source.objects().len(), 2);
}

#[tokio::test]
async fn lists_are_sorted_and_hold_no_kind() {
    let source = config_maps();
    for key in ["a/x", "a-b/x", "b/y"] {
        source.create(&map(key, "")).unwrap();
    }
    let (all, end) = keys(&source, list(ListParams::default())).await.unwrap();
    assert_eq!(all, ["a-b/x", "a/x", "b/y"], "by the bytes of the joined key");
    assert_eq!(end.version, ResourceVersion::new("4"));
    let text = body(&source, list(ListParams::default())).await.unwrap();
    assert!(text.contains(r#""kind":"ConfigMapList""#));
    assert!(!text.contains(r#""kind":"ConfigMap""#));

    let request = Request { scope: Scope::namespace("a"), ..list(ListParams::default()) };
    assert_eq!(keys(&source, request).await.unwrap().0, ["a/x"]);
    let request = Request { scope: Scope::namespace("none"), ..list(ListParams::default()) };
    assert!(keys(&source, request).await.unwrap().0.is_empty());

    let custom = ScriptedSource::new(KindInfo::new("example.com", "v1", "Thing", "things").namespaced(false));
    custom.create(&json!({ "metadata": { "name": "t" } })).unwrap();
    let text = body(&custom, list(ListParams::default())).await.unwrap();
    assert!(text.starts_with(r#"{"apiVersion":"example.com/v1","items":[{"apiVersion":"#), "{text}");
    let request = Request { metadata_only: true, ..list(ListParams::default()) };
    let text = body(&custom, request).await.unwrap();
    assert!(text.starts_with(r#"{"kind":"PartialObjectMetadataList""#), "{text}");
}

#[tokio::test]
async fn selectors_are_understood() {
    let source = config_maps();
    let mut labelled = map("d/a", "");
    labelled["metadata"]["labels"] = json!({ "app": "web", "tier": "front" });
    source.create(&labelled).unwrap();
    source.create(&map("d/b", "")).unwrap();
    let select = |labels: &str, fields: &str| Request {
        label_selector: Some(labels.into()),
        field_selector: Some(fields.into()),
        ..list(ListParams::default())
    };
    assert_eq!(keys(&source, select("app=web, tier==front", "")).await.unwrap().0, ["d/a"]);
    assert!(keys(&source, select("app=api", "")).await.unwrap().0.is_empty());
    assert_eq!(keys(&source, select("", "metadata.name=b")).await.unwrap().0, ["d/b"]);
    for (labels, found) in [("app!=web", "d/b"), ("app in (web)", "d/a"), ("app", "d/a"), ("!app", "d/b")] {
        assert_eq!(keys(&source, select(labels, "")).await.unwrap().0, [found], "{labels}");
    }
    for (labels, fields) in [("app in web", ""), ("=", ""), ("", "spec.x=y")] {
        assert_eq!(code(&keys(&source, select(labels, fields)).await.unwrap_err()), 400, "{labels} {fields}");
    }

    let watch =
        Request { label_selector: Some("app=web".into()), ..watch(&source.version().to_string(), false) };
    let mut reader = Reader::open(&source, watch).await;
    source.update(&map("d/a", "no label")).unwrap();
    source.update(&map("d/b", "never had one")).unwrap();
    source.update(&labelled).unwrap();
    assert_eq!(reader.read(), ["Deleted d/a@4", "Added d/a@6"]);
}

#[tokio::test]
async fn p_021_pages_are_of_one_version() {
    let source = config_maps();
    for name in ["a", "b", "c", "d", "e"] {
        source.create(&map(&format!("n/{name}"), "")).unwrap();
    }
    let page = |token: Option<String>| {
        list(ListParams { limit: Some(2), continue_token: token, ..ListParams::default() })
    };
    let (first, end) = keys(&source, page(None)).await.unwrap();
    assert_eq!(first.len(), 2);
    assert!(body(&source, page(None)).await.unwrap().contains(r#""remainingItemCount":3"#));
    source.delete("n/c").unwrap();
    source.create(&map("n/bb", "")).unwrap();
    let (second, next) = keys(&source, page(end.continue_token.clone())).await.unwrap();
    assert_eq!(second, ["n/c", "n/d"], "as it was");
    let third = page(next.continue_token);
    assert!(!body(&source, third.clone()).await.unwrap().contains("remainingItemCount"));
    let (third, last) = keys(&source, third).await.unwrap();
    assert_eq!((third, last.continue_token), (vec!["n/e".to_owned()], None));
    assert_eq!(last.version, end.version);

    source.compact();
    assert_eq!(code(&keys(&source, page(end.continue_token)).await.unwrap_err()), 410);
    assert_eq!(code(&keys(&source, page(Some("x".into()))).await.unwrap_err()), 400);
    let any = ListParams { limit: Some(2), resource_version: "0".into(), ..ListParams::default() };
    assert_eq!(keys(&source, list(any)).await.unwrap().0.len(), 5, "no limit where any version will do");
}

#[tokio::test]
async fn b_065_lists_honour_versions() {
    let source = config_maps();
    source.create(&map("d/a", "")).unwrap();
    source.create(&map("d/b", "")).unwrap();
    let at = |version: &str, version_match| {
        list(ListParams { resource_version: version.into(), version_match, ..ListParams::default() })
    };
    assert_eq!(keys(&source, at("2", None)).await.unwrap().0.len(), 2);
    assert_eq!(keys(&source, at("2", Some(VersionMatch::Exact))).await.unwrap().0, ["d/a"]);
    let error = keys(&source, at("99", Some(VersionMatch::NotOlderThan))).await.unwrap_err();
    assert!(error.is_version_too_large());
    assert_eq!(code(&keys(&source, at("abc", None)).await.unwrap_err()), 400);
    source.compact();
    assert_eq!(code(&keys(&source, at("2", Some(VersionMatch::Exact))).await.unwrap_err()), 410);
}

#[tokio::test]
async fn b_066_b_545_watches_replay_and_go_on() {
    let source = config_maps();
    source.create(&map("d/a", "")).unwrap();
    source.update(&map("d/a", "x")).unwrap();
    let mut reader = Reader::open(&source, watch("2", false)).await;
    assert_eq!(reader.read(), ["Modified d/a@3"]);
    source.create(&map("d/b", "")).unwrap();
    source.delete("d/a").unwrap();
    source.advance(10);
    source.bookmark();
    assert_eq!(reader.read(), ["Added d/b@4", "Deleted d/a@5", "Bookmark 15"]);
    source.close_watches();
    assert_eq!(reader.read(), ["end"]);
    assert_eq!(reader.read(), ["end"]);
}

#[tokio::test]
async fn p_041_p_042_versions_too_old_and_too_new() {
    let source = config_maps();
    source.create(&map("d/a", "")).unwrap();
    source.compact();
    assert_eq!(Reader::open(&source, watch("1", false)).await.read(), ["Error 410 Expired", "end"]);
    assert_eq!(Reader::open(&source, watch("2", false)).await.read(), Vec::<String>::new());
    let mut ahead = Reader::open(&source, watch("4", false)).await;
    for name in ["b", "c", "d"] {
        source.create(&map(&format!("d/{name}"), "")).unwrap();
    }
    assert_eq!(ahead.read(), ["Added d/d@5"], "silent up to the version asked for");
    assert_eq!(Reader::open(&source, watch("99", true)).await.read(), ["Error 504 Timeout", "end"]);
    assert_eq!(code(&source.open(watch("abc", false)).await.map(drop).unwrap_err()), 500);
}

#[tokio::test]
async fn p_053_streaming_lists_end_with_a_marker() {
    let source = config_maps();
    for key in ["d/b", "d/a"] {
        source.create(&map(key, "")).unwrap();
    }
    for request in [watch("", true), watch("1", true), watch("", false), watch("0", false)] {
        let mut reader = Reader::open(&source, request).await;
        assert_eq!(reader.read(), ["Added d/a@3", "Added d/b@2", "Bookmark 3 end"]);
    }
    let dropped = source.inject(Fault::drop_end_bookmark());
    let mut reader = Reader::open(&source, watch("", true)).await;
    assert_eq!(reader.read(), ["Added d/a@3", "Added d/b@2"]);
    source.create(&map("d/c", "")).unwrap();
    assert_eq!(reader.read(), ["Added d/c@4"]);
    assert_eq!(dropped.struck(), 1);
    dropped.remove();
    source.inject(Fault::ignore_send_initial_events());
    assert_eq!(Reader::open(&source, watch("3", true)).await.read(), ["Added d/c@4"]);
    assert_eq!(Reader::open(&source, watch("", true)).await.read().len(), 3, "objects but no marker");
}

#[tokio::test(start_paused = true)]
async fn p_040_watches_end_when_their_time_is_over() {
    let source = config_maps();
    let mut body = source.open(watch("1", false)).await.unwrap();
    let started = tokio::time::Instant::now();
    assert!(body.next().await.is_none());
    assert_eq!(started.elapsed().as_secs(), 300);
    assert_eq!(source.open_watches(), 0);

    source.stall_watches();
    let mut body = source.open(watch("1", false)).await.unwrap();
    let end = tokio::time::timeout(Duration::from_secs(1000), body.next()).await;
    assert!(end.is_err(), "a dead connection brings no end either");
    source.unstall_watches();
    assert!(body.next().await.is_none());
}

#[tokio::test]
async fn watches_break_on_command() {
    let source = config_maps();
    let mut readers = Vec::new();
    for _ in 0..2 {
        readers.push(Reader::open(&source, watch("1", false)).await);
    }
    assert_eq!(source.open_watches(), 2);
    source.cut_watches();
    assert_eq!(source.open_watches(), 0);
    for reader in &mut readers {
        assert_eq!(reader.read(), ["failed: connection reset by peer (scripted)"]);
        assert_eq!(reader.read(), ["end"]);
    }
    let mut reader = Reader::open(&source, watch("1", false)).await;
    source.close_watches_mid_event();
    assert_eq!(reader.read(), ["Err(CutFrame)"]);

    let mut reader = Reader::open(&source, watch("1", false)).await;
    source.send_raw("{\"type\":\"NEWS\"}\n");
    assert_eq!(reader.read(), ["Ignored { event_type: \"NEWS\" }"]);
    drop(reader);
    assert_eq!(source.open_watches(), 0);
}

#[tokio::test]
async fn b_545_events_are_stalled_lost_and_doubled() {
    let source = config_maps();
    let mut reader = Reader::open(&source, watch("1", false)).await;
    source.stall_watches();
    source.create(&map("d/a", "")).unwrap();
    assert_eq!(reader.read(), Vec::<String>::new());
    source.unstall_watches();
    assert_eq!(reader.read(), ["Added d/a@2"]);
    source.lose_next_event();
    source.create(&map("d/b", "")).unwrap();
    source.duplicate_next_event();
    source.create(&map("d/c", "")).unwrap();
    source.create(&map("d/d", "")).unwrap();
    assert_eq!(reader.read(), ["Added d/c@4", "Added d/c@4", "Added d/d@5"]);
}

#[tokio::test]
async fn b_545_a_restored_backup_goes_back_in_time() {
    let source = config_maps();
    source.create(&map("d/a", "")).unwrap();
    let backup = source.version();
    source.create(&map("d/b", "")).unwrap();
    let uid = source.objects()[1]["metadata"]["uid"].clone();
    let mut reader = Reader::open(&source, watch("3", false)).await;
    source.rewind(&backup);
    assert_eq!(reader.read(), ["failed: connection reset by peer (scripted)"]);
    assert_eq!(source.version().to_string(), "2");
    assert_eq!(keys(&source, list(ListParams::default())).await.unwrap().0, ["d/a"]);
    source.create(&map("d/b", "")).unwrap();
    assert_eq!(source.version().to_string(), "3", "versions are given out again");
    assert_ne!(source.objects()[1]["metadata"]["uid"], uid, "uids are not");
    assert_eq!(Reader::open(&source, watch("1", false)).await.read(), ["Error 410 Expired", "end"]);
}

#[tokio::test]
async fn b_545_requests_fail_and_are_answered_as_told() {
    let source = config_maps();
    let refused = SourceError::transport("refused");
    source.inject(Fault::error(refused.clone()).on_watch().once());
    source.inject(Fault::error(refused.clone()).on_list().once());
    source.inject(Fault::error(refused.clone()).on_list().once());
    source.inject(Fault::reply(["{\"x\"", ":1}"]).once());
    source.inject(Fault::reply_then_cut(["{"]).on_list().once());
    let ask = || body(&source, list(ListParams::default()));
    assert_eq!(ask().await.unwrap_err(), refused);
    assert_eq!(ask().await.unwrap_err(), refused);
    assert_eq!(ask().await.unwrap(), "{\"x\":1}");
    assert!(ask().await.unwrap_err().is_transport());
    assert!(ask().await.unwrap().contains("ConfigMapList"));
    assert_eq!(source.open(watch("1", false)).await.map(drop).unwrap_err(), refused);
    assert_eq!(source.requests().len(), 6);
}

#[tokio::test]
async fn requests_are_held_until_released() {
    let source = config_maps();
    let hold = source.inject(Fault::stall().on_list().once());
    let handle = source.clone();
    let asking = tokio::spawn(async move { keys(&handle, list(ListParams::default())).await });
    hold.until_struck(1).await;
    source.create(&map("d/a", "")).unwrap();
    assert!(!asking.is_finished());
    hold.remove();
    assert_eq!(asking.await.unwrap().unwrap().0, ["d/a"], "answered as of now");
}

#[tokio::test]
async fn waiting_needs_no_polling() {
    let source = config_maps();
    let handle = source.clone();
    let client = tokio::spawn(async move {
        keys(&handle, list(ListParams::default())).await.unwrap();
        let mut body = handle.open(watch("1", false)).await.unwrap();
        body.next().await
    });
    source.wait_for_requests(2).await;
    source.wait_for_watch().await;
    source.create(&map("d/a", "")).unwrap();
    assert!(client.await.unwrap().unwrap().unwrap().starts_with(b"{\"type\":\"ADDED\""));
    source.wait_for_watches(0).await;
}

#[tokio::test]
async fn bodies_come_in_chunks_of_any_size() {
    let source = config_maps();
    source.create(&map("d/a", "text")).unwrap();
    let whole = body(&source, list(ListParams::default())).await.unwrap();
    source.chunk_bytes(3);
    let chunks: Vec<Bytes> =
        source.open(list(ListParams::default())).await.unwrap().try_collect().await.unwrap();
    assert!(chunks.iter().all(|chunk| chunk.len() <= 3));
    assert_eq!(chunks.concat(), whole.as_bytes());
    assert_eq!(Reader::open(&source, watch("1", false)).await.read(), ["Added d/a@2"]);
}

#[tokio::test]
async fn faults_strike_at_the_requests_they_are_meant_for() {
    let source = config_maps();
    let second = source.inject(Fault::status(503).on_list().nth(2));
    let of_namespace = source.inject(Fault::refuse().when(|request| request.scope == Scope::namespace("d")));
    let ask = || keys(&source, list(ListParams::default()));
    drop(source.open(watch("1", false)).await.unwrap());
    assert!(ask().await.is_ok());
    assert_eq!(code(&ask().await.unwrap_err()), 503);
    assert!(ask().await.is_ok());
    let request = Request { scope: Scope::namespace("d"), ..list(ListParams::default()) };
    for _ in 0..2 {
        assert!(body(&source, request.clone()).await.unwrap_err().is_transport());
    }
    assert_eq!((second.struck(), of_namespace.struck()), (1, 2));
    of_namespace.remove();
    assert!(body(&source, request.clone()).await.is_ok());
    source.inject(Fault::status(500));
    source.clear_faults();
    assert!(ask().await.is_ok());
}

#[tokio::test]
async fn faults_behind_a_stall_have_their_turn_when_it_is_removed() {
    let source = config_maps();
    let stall = source.inject(Fault::stall().once());
    let handle = source.clone();
    let asking = tokio::spawn(async move { body(&handle, list(ListParams::default())).await });
    stall.until_struck(1).await;
    source.inject(Fault::status(410));
    stall.remove();
    assert_eq!(code(&asking.await.unwrap().unwrap_err()), 410);
}

#[tokio::test]
async fn a_backup_may_be_older_than_the_history() {
    let source = config_maps();
    source.create(&map("d/a", "")).unwrap();
    let backup = source.version();
    source.delete("d/a").unwrap();
    let later = source.version();
    source.create(&map("d/b", "")).unwrap();
    source.rewind(&ResourceVersion::new("99"));
    assert_eq!(source.version().to_string(), "4", "that version is not there yet");
    source.rewind(&later);
    assert_eq!(
        Reader::open(&source, watch(&backup.to_string(), false)).await.read(),
        ["Error 410 Expired", "end"]
    );
    source.rewind(&backup);
    assert_eq!(keys(&source, list(ListParams::default())).await.unwrap().0, ["d/a"]);
    assert_eq!(source.version(), backup);
}

#[tokio::test]
async fn compaction_gives_the_memory_of_the_history_back() {
    let source = config_maps();
    source.create(&map("d/a", "")).unwrap();
    let backup = source.version();
    let before = Arc::downgrade(&source.shared.state.lock().model.objects["d/a"]);
    source.update(&map("d/a", "new")).unwrap();
    assert!(before.upgrade().is_some(), "a backup may be restored");
    source.compact();
    assert!(before.upgrade().is_none(), "only what is there now is kept");
    let compacted = source.version();
    source.rewind(&backup);
    assert_eq!(source.version(), compacted, "nobody knows that state any more");
    source.delete("d/a").unwrap();
    source.rewind(&compacted);
    assert_eq!(keys(&source, list(ListParams::default())).await.unwrap().0, ["d/a"]);
}
