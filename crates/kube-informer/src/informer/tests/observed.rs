//! What can be seen of an informer from outside: status and metrics.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use informer_core::delta::{Delta, DeltaChange};
use informer_wire::ResourceVersion;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};
use serde_json::json;
use tokio::sync::Notify;

use super::support::{BuildExclusive, Rig, SOON, http, map, phase, relists, rest, started};
use crate::handler::{Event, handler};
use crate::informer::SharedInformer;
use crate::object::Object;
use crate::options::Options;
use crate::source::StreamingList;
use crate::source::{Fault, ScriptedSource};
use crate::status::{Phase, RelistReason};

#[tokio::test(start_paused = true)]
async fn d10_the_phase_follows_the_reflector_from_start_to_stop() {
    let rig = Rig::new(&["a/x"]);
    assert_eq!(rig.informer.status().phase, Phase::Pending);
    let hold = rig.server.inject(Fault::stall().once());
    rig.start();
    hold.until_struck(1).await;
    assert_eq!(rig.informer.status().phase, Phase::Listing);
    hold.remove();
    rig.synced().await;
    assert_eq!(rig.informer.status().phase, Phase::Watching);
    rig.server.inject(Fault::error(http(503, "ServiceUnavailable")).on_watch().once());
    rig.server.close_watches();
    phase(&rig.informer, Phase::BackingOff).await;
    phase(&rig.informer, Phase::Watching).await;
    rig.server.inject(Fault::error(http(404, "NotFound")).on_watch().once());
    rig.server.close_watches();
    phase(&rig.informer, Phase::Gone).await;
    phase(&rig.informer, Phase::Watching).await;
    rig.server.stall_watches();
    phase(&rig.informer, Phase::Stalled).await;
    rig.server.unstall_watches();
    rig.informer.shutdown(Duration::from_secs(1)).await;
    let status = rig.informer.status();
    assert_eq!((status.phase, status.stopped), (Phase::Stopped, true));
    assert!(rig.informer.is_stopped() && rig.informer.has_synced());
}

#[tokio::test(start_paused = true)]
async fn d10_a_server_that_went_back_in_time_shows_as_rewound_until_it_is_read_anew() {
    let rig = Rig::new(&["a/x"]).started().await;
    let backup = rig.server.version();
    rig.put("a/x", "lost in the restore");
    rig.settle().await;
    let question = rig.server.inject(Fault::stall().on_list().once());
    rig.server.rewind(&backup);
    question.until_struck(1).await;
    let hold = rig.server.inject(Fault::stall().on_watch().once());
    drop(question);
    hold.until_struck(1).await;
    assert_eq!(rig.informer.status().phase, Phase::Rewound);
    assert_eq!(rig.informer.last_sync_resource_version().to_string(), "3", "the cache is still readable");
    hold.remove();
    phase(&rig.informer, Phase::Watching).await;
    rest().await;
    assert_eq!(rig.informer.last_sync_resource_version().to_string(), "2", "the server's own, though older");
    assert_eq!(relists(&rig.informer), [(RelistReason::First, 1), (RelistReason::Rewound, 1)]);
}

#[tokio::test(start_paused = true)]
async fn d10_the_last_error_stays_visible_with_its_http_status() {
    let rig = Rig::new(&["a/x"]).started().await;
    assert!(rig.informer.status().scopes[0].last_error.is_none());
    rig.server.inject(Fault::error(http(503, "ServiceUnavailable")).on_watch().once());
    rig.server.close_watches();
    phase(&rig.informer, Phase::BackingOff).await;
    phase(&rig.informer, Phase::Watching).await;
    let status = rig.informer.status();
    let error = status.scopes[0].last_error.as_ref().unwrap();
    assert_eq!(
        (error.cause.http_status(), error.cause.message()),
        (Some(503), "the server says ServiceUnavailable")
    );
    assert_eq!(status.failures, 1);
    assert_eq!(status.last_failure.unwrap().cause.http_status(), Some(503));
    rig.server.cut_watches();
    phase(&rig.informer, Phase::BackingOff).await;
    let error = rig.informer.status().scopes[0].last_error.clone().unwrap();
    assert_eq!(error.cause.http_status(), None);
    assert!(error.cause.message().contains("connection reset"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn d10_times_and_counts_tell_how_fresh_the_cache_is() {
    let rig = Rig::new(&["a/x"]);
    let status = rig.informer.status();
    assert_eq!((status.objects, status.queued, status.synced), (0, 0, false));
    let rig = rig.started().await;
    let before = rig.informer.status().scopes[0].clone();
    assert!(before.last_byte.is_some() && before.last_event.is_none());
    tokio::time::sleep(Duration::from_secs(60)).await;
    rig.put("a/x", "new");
    rig.settle().await;
    let status = rig.informer.status();
    let scope = &status.scopes[0];
    assert_eq!((scope.events, scope.bookmarks, scope.watches, scope.lists), (1, 2, 1, 0));
    assert!(scope.last_event.unwrap() >= before.last_byte.unwrap() + Duration::from_secs(60));
    assert_eq!(scope.last_bookmark.unwrap().elapsed().as_secs(), 0);
    assert_eq!(scope.last_version.as_ref().unwrap(), &rig.server.version());
    assert_eq!((status.objects, status.queued, status.queued_bytes, status.versions_alive), (1, 0, 0, 1));
    let packed: usize = rig.informer.lister().list().iter().map(Object::packed_size).sum();
    assert_eq!(status.bytes_alive, packed);
}

#[tokio::test(start_paused = true)]
async fn d10_the_status_names_who_listens_until_they_have_heard_their_last() {
    let rig = Rig::new(&["a/x", "a/y"]).started().await;
    let registration = rig.informer.add_event_handler(handler().named("first").on_add(|_| {})).unwrap();
    let stream = rig.informer.stream().unwrap();
    rig.settle().await;
    let heard = |name: &str| {
        let handlers = rig.informer.status().handlers;
        handlers.into_iter().find(|handler| handler.name.starts_with(name))
    };
    let first = heard("first").unwrap();
    assert_eq!((first.synced, &first), (true, &registration.status()));
    assert_eq!((first.delivered, first.backlog), (2, 0));
    let unread = heard("configmaps-").unwrap();
    assert_eq!((unread.synced, unread.backlog), (false, 2));
    registration.remove_and_drain(Duration::from_secs(1)).await.unwrap();
    drop(stream);
    rig.settle().await;
    assert_eq!((heard("first"), heard("configmaps-")), (None, None));
}

#[tokio::test(start_paused = true)]
async fn b_044_b_260_the_last_version_is_empty_before_the_sync_and_follows_the_cache() {
    let rig = Rig::new(&["a/x"]);
    assert!(rig.informer.last_sync_resource_version().is_empty() && !rig.informer.has_synced());
    let rig = rig.started().await;
    assert_eq!(rig.informer.last_sync_resource_version().to_string(), "2");
    rig.put("a/x", "new");
    rig.settle().await;
    assert_eq!(rig.informer.last_sync_resource_version().to_string(), "3");
    rig.server.advance(7);
    rig.settle().await;
    assert_eq!(rig.informer.last_sync_resource_version().to_string(), "10");
}

#[tokio::test(start_paused = true)]
async fn d10_waiting_for_the_sync_has_a_deadline_and_says_what_is_in_the_way() {
    let short = Duration::from_secs(5);
    let idle = Rig::new(&[]);
    let said = idle.informer.wait_synced(short).await.unwrap_err().to_string();
    assert_eq!(said, "configmaps not synced after 5s: the informer was not started");

    let rig = Rig::new(&[]);
    let hold = rig.server.inject(Fault::stall().once());
    rig.start();
    let said = rig.informer.wait_synced(short).await.unwrap_err();
    assert_eq!(said.to_string(), "configmaps not synced after 5s; all namespaces is listing");
    assert_eq!(
        (said.informers()[0].kind.kind(), said.scopes().next().unwrap().phase),
        ("ConfigMap", Phase::Listing)
    );
    rig.informer.shutdown(short).await;
    hold.remove();
    let said = rig.informer.wait_synced(short).await.unwrap_err().to_string();
    assert_eq!(said, "configmaps not synced: the informer has stopped");
}

/// Builds something that reports to a recorder of its own.
fn recorded<T>(build: impl FnOnce() -> T) -> (T, Snapshotter) {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    (metrics::with_local_recorder(&recorder, build), snapshotter)
}

/// All series with their labels, `name{key=value,…}`, and their values; histograms show how often.
fn series(snapshotter: &Snapshotter) -> BTreeMap<String, f64> {
    let entry = |(key, _, _, value): (metrics_util::CompositeKey, _, _, DebugValue)| {
        let labels: Vec<_> =
            key.key().labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
        #[allow(clippy::cast_precision_loss)] // Small counts.
        let value = match value {
            DebugValue::Counter(count) => count as f64,
            DebugValue::Gauge(value) => value.into_inner(),
            DebugValue::Histogram(values) => values.len() as f64,
        };
        (format!("{}{{{}}}", key.key().name(), labels.join(",")), value)
    };
    snapshotter.snapshot().into_vec().into_iter().map(entry).collect()
}

const LABELS: &str = "name=web,group=apps,version=v1,resource=deployments";

#[tokio::test(start_paused = true)]
async fn b_001_b_190_b_191_b_225_metrics_have_client_gos_names_and_labels() {
    let server = ScriptedSource::of::<Deployment>();
    server.put_json(json!({ "metadata": { "namespace": "a", "name": "x" } })).unwrap();
    server.advance(8_000_000_000_000_000);
    let build = || SharedInformer::<Deployment>::builder(server).name("web").build().unwrap();
    let (informer, metrics) = recorded(build);
    let informer = started(informer).await;
    let series = series(&metrics);
    assert_eq!(series[&format!("informer_queued_items{{{LABELS}}}")], 0.0);
    assert_eq!(series[&format!("informer_processing_latency_seconds{{{LABELS}}}")], 1.0);
    assert_eq!(series[&format!("informer_store_resource_version{{{LABELS}}}")], 2.0, "the last 15 digits");
    assert_eq!(informer.last_sync_resource_version().to_string(), "8000000000000002");
}

#[tokio::test(start_paused = true)]
async fn d10_metrics_count_what_client_go_does_not() {
    let labels = "name=configmaps,group=,version=v1,resource=configmaps";
    let ((rig, registration), metrics) = recorded(|| {
        let rig = Rig::new(&["a/x", "a/y"]);
        let counted = handler().on_add(|_| {}).named("counted");
        let registration = rig.informer.add_event_handler(counted).unwrap();
        (rig, registration)
    });
    rig.server.inject(Fault::drop_end_bookmark());
    let rig = rig.started().await;
    registration.wait_synced(SOON).await.unwrap();
    rig.server.duplicate_next_event();
    rig.put("a/x", "twice");
    rig.settle().await;
    rig.server.compact();
    rig.server.advance(1);
    rig.server.compact();
    rig.server.inject(Fault::error(http(410, "Gone")).on_watch().once());
    rig.server.inject(Fault::error(http(500, "InternalError")).on_list().once());
    rig.server.close_watches();
    phase(&rig.informer, Phase::BackingOff).await;
    phase(&rig.informer, Phase::Watching).await;
    rig.settle().await;

    let series = series(&metrics);
    let value = |name: &str, more: &str| series.get(&format!("{name}{{{labels}{more}}}")).copied();
    assert_eq!(value("informer_relists_total", ",reason=first"), Some(1.0));
    assert_eq!(value("informer_relists_total", ",reason=expired"), Some(1.0));
    assert_eq!(value("informer_relists_total", ",reason=rewound"), Some(0.0), "there before it happens");
    let lists = value("informer_failures_total", ",cause=list");
    assert_eq!(lists, Some(2.0), "the stream that was never complete, and the LIST that failed");
    assert_eq!(value("informer_failures_total", ",cause=handler"), Some(0.0));
    let watches = rig.informer.status().scopes[0].watches;
    assert_eq!(value("informer_watches_total", ""), Some(f64::from(u32::try_from(watches).unwrap())));
    assert_eq!(value("informer_streaming_fallbacks_total", ""), Some(1.0));
    assert_eq!(value("informer_duplicate_events_total", ""), Some(1.0));
    assert_eq!(value("informer_objects", ""), Some(2.0));
    assert_eq!(value("informer_synced", ""), Some(1.0));
    assert_eq!(value("informer_handler_backlog", ",handler=counted"), Some(0.0));
    assert_eq!(value("informer_handler_duration_seconds", ",handler=counted"), Some(3.0));
}

#[tokio::test(start_paused = true)]
async fn d10_d16_the_version_in_the_metrics_is_the_oldest_of_the_scopes() {
    let settings = Options::default().tuning(|tuning| tuning.streaming_list(StreamingList::Never));
    let set =
        || Rig::with(&["a/x", "b/x"], |builder| builder.options(|_| settings).namespace("a").namespace("b"));
    let (rig, metrics) = recorded(set);
    let hold = rig.server.inject(Fault::stall().once());
    rig.start();
    hold.until_struck(1).await;
    rest().await;
    let labels = "name=configmaps,group=,version=v1,resource=configmaps";
    let version = format!("informer_store_resource_version{{{labels}}}");
    let before = series(&metrics);
    assert_eq!(before[&version], 0.0);
    assert_eq!(before[&format!("informer_synced{{{labels}}}")], 0.0);
    hold.remove();
    rig.synced().await;
    rig.put("a/x", "only a hears of this");
    rest().await;
    assert_eq!(series(&metrics)[&version], 3.0);
}

#[tokio::test(start_paused = true)]
async fn d16_the_metrics_follow_namespaces_that_come_and_go() {
    let set = || Rig::with(&["a/x", "b/x", "b/y"], |builder| builder.namespace("a"));
    let (rig, metrics) = recorded(set);
    let rig = rig.started().await;
    let labels = "name=configmaps,group=,version=v1,resource=configmaps";
    let shown = || {
        let series = series(&metrics);
        ["synced", "objects"].map(|name| series[&format!("informer_{name}{{{labels}}}")])
    };
    assert!(rig.informer.has_synced());
    let hold = rig.server.inject(Fault::stall().once());
    rig.informer.add_namespace("b").unwrap();
    hold.until_struck(1).await;
    assert_eq!(shown(), [0.0, 1.0], "synced no more");
    hold.remove();
    rig.informer.wait_namespace_synced("b", SOON).await.unwrap();
    assert_eq!(shown(), [1.0, 3.0]);
    rig.informer.remove_namespace("b").unwrap();
    rig.informer.wait_namespace_removed("b", SOON).await.unwrap();
    assert_eq!(shown(), [1.0, 1.0]);
}

#[tokio::test(start_paused = true)]
async fn b_190_what_waits_in_the_queue_is_shown_while_it_waits() {
    let recorder = DebuggingRecorder::new();
    let metrics = recorder.snapshotter();
    let rig = metrics::with_local_recorder(&recorder, || Rig::new(&["a/x"]));
    // Nobody takes from the queue of an informer that was not started.
    let engine = rig.informer.engine();
    for version in ["1", "2", "3"] {
        let change = DeltaChange::Bookmark(ResourceVersion::new(version));
        engine.queue.push(Delta { scope: 0, change }).await.unwrap();
    }
    let shown =
        || series(&metrics)["informer_queued_items{name=configmaps,group=,version=v1,resource=configmaps}"];
    assert_eq!(shown(), 3.0);
    engine.queue.pop_batch(2).await.unwrap();
    assert_eq!(shown(), 1.0);
    let rig = rig.started().await;
    assert_eq!(shown(), 0.0, "a running informer takes what waits");
    drop(rig);
}

#[tokio::test(start_paused = true)]
async fn b_190_processing_time_is_how_long_a_commit_and_its_calls_took() {
    let server = ScriptedSource::of::<ConfigMap>();
    for number in 0..1_000 {
        server.create(&map(&format!("a/{number}"), "")).unwrap();
    }
    let called = Arc::new(Notify::new());
    let calls = called.clone();
    let build =
        || SharedInformer::builder(server).build_exclusive(move |_: &Event<ConfigMap>| calls.notify_one());
    let (informer, metrics) = recorded(build);
    let informer = informer.unwrap();
    // Between two calls of so large a commit others have their turn: this one lets time pass.
    tokio::spawn(async move {
        called.notified().await;
        tokio::time::advance(Duration::from_secs(3)).await;
    });
    let _informer = started(informer.clone()).await;
    let latency = |(key, _, _, value): (metrics_util::CompositeKey, _, _, DebugValue)| match value {
        DebugValue::Histogram(values) if key.key().name() == "informer_processing_latency_seconds" => {
            Some(values)
        }
        _ => None,
    };
    let took = metrics.snapshot().into_vec().into_iter().find_map(latency).unwrap();
    assert_eq!(took.len(), 1, "one commit");
    assert!((3.0..4.0).contains(&took[0].into_inner()), "{took:?}");
}
