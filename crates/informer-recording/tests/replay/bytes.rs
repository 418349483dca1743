//! What goes in comes out, byte for byte.

use futures::{FutureExt as _, StreamExt as _};
use informer_recording::{Recording, Speed};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::Kind as _;
use kube_informer::error::SourceError;
use kube_informer::source::{ListWatch, Request};
use kube_informer::status::Scope;

use crate::support::{Canned, File, chunks};

const LIST: &str = r#"{"kind":"ConfigMapList", "metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"a"}}, {"metadata":{"name":"b"},"data":{"n":"1e0"}}]}"#;

const EVENTS: &str = "{\"type\":\"ADDED\",\"object\":{\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c\"}}}\n\
    {\"type\":\"DELETED\",\"object\":{\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c\"}}}\n";

/// All that a source gives for a list and two watches: chunks, errors, and that a body ended.
async fn all(source: &impl ListWatch) -> Vec<Result<Vec<String>, String>> {
    let mut all = Vec::new();
    for request in [
        Request::list(Scope::All),
        Request::watch(Scope::All, "7", 300),
        Request::watch(Scope::All, "7", 300),
        Request::list(Scope::All),
    ] {
        all.push(match source.open(request).await {
            Ok(body) => {
                let told = |chunk: Result<bytes::Bytes, SourceError>| match chunk {
                    Ok(bytes) => String::from_utf8(bytes.to_vec()).expect("text"),
                    Err(error) => format!("error: {error}"),
                };
                Ok(body.map(told).collect().await)
            }
            Err(error) => Err(format!("{error} {:?} {:?}", error.http_status(), error.retry_after())),
        });
    }
    all
}

#[tokio::test(start_paused = true)]
async fn every_replay_gives_the_bytes_that_came_whatever_the_chunks() {
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..50 {
        let too_busy = SourceError::http(429, "TooManyRequests", "slow down")
            .with_retry_after(std::time::Duration::from_secs(9));
        let source = Canned::new([
            Ok((chunks(LIST, &mut random), None)),
            Err(SourceError::transport("connection refused")),
            Ok((chunks(EVENTS, &mut random), Some("connection reset".to_owned()))),
            Err(too_busy),
        ]);
        let file = File::default();
        let recorder = file.recorder();
        let live = all(&recorder.source(ConfigMap::info(&()), source)).await;
        recorder.finish().expect("it is written");
        let recording = file.recording().speed(Speed::Fastest);
        let first = all(&recording).await;
        assert_eq!(first, all(&recording.again()).await);
        // Chunks end where documents do; together they are what came.
        let whole = |all: Vec<Result<Vec<String>, String>>| -> Vec<_> {
            all.into_iter().map(|body| body.map(|chunks| chunks.concat())).collect()
        };
        assert_eq!(whole(first), whole(live));
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_not_recorded_is_refused_and_named() {
    let file = File::default();
    let recorder = file.recorder();
    let source = Canned::new([Ok((vec![LIST.into()], None))]);
    let source = recorder.source(ConfigMap::info(&()), source);
    let body = source.open(Request::list(Scope::All)).await.expect("an answer");
    body.collect::<Vec<_>>().await;
    recorder.finish().expect("it is written");
    let recording = file.recording();
    let refused = recording.open(Request::list(Scope::namespace("shop"))).await.map(|_| ()).unwrap_err();
    assert!(refused.to_string().contains("GET /api/v1/namespaces/shop/configmaps"), "{refused}");
    assert!(recording.open(Request::list(Scope::All)).await.is_ok());
    let refused = recording.open(Request::list(Scope::All)).await.map(|_| ()).unwrap_err();
    assert!(refused.is_transport() && refused.to_string().contains("not as often"), "{refused}");
    // A watch of something that is known is silent: it is after the end of the recording.
    let mut watch = recording.open(Request::watch(Scope::All, "7", 300)).await.expect("it is opened");
    assert!(futures::poll!(watch.next()).is_pending());
}

#[tokio::test]
async fn what_cannot_be_read_is_told_apart() {
    let directory = tempfile::tempdir().expect("a directory");
    let missing = Recording::open(directory.path().join("none")).unwrap_err();
    assert!(!missing.is_not_a_recording() && !missing.is_newer() && missing.to_string().contains("none"));
    let other = Recording::from_bytes(b"something else").unwrap_err();
    assert!(other.is_not_a_recording(), "{other}");
    let file = File::default();
    drop(file.recorder());
    let whole = file.bytes();
    let version = whole.iter().position(|byte| *byte == b'1').expect("the version");
    let newer: Vec<u8> =
        whole.iter().enumerate().map(|(at, byte)| if at == version { b'2' } else { *byte }).collect();
    assert!(Recording::from_bytes(&newer).unwrap_err().is_newer());
    let mut damaged = whole.clone();
    *damaged.last_mut().expect("a byte") ^= 1;
    assert!(Recording::from_bytes(&damaged).unwrap_err().is_damaged());
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_stays_open_is_over_when_its_reader_asks_for_more_than_the_last_event() {
    let file = File::default();
    let recorder = file.recorder();
    let source = recorder.source(ConfigMap::info(&()), Canned::new([Ok((vec![EVENTS.into()], None))]));
    let watch = || Request::watch(Scope::All, "7", 300);
    let mut body = source.open(watch()).await.expect("an answer");
    body.next().await.expect("events").expect("events");
    recorder.finish().expect("it is written");
    let recording = file.recording().speed(Speed::Fastest);
    let mut body = recording.open(watch()).await.expect("an answer");
    let mut came = 0;
    while came < EVENTS.len() {
        came += body.next().await.expect("events").expect("events").len();
        assert_eq!(recording.remaining(), 1, "whoever has been given an event has not dealt with it yet");
    }
    assert!(body.next().now_or_never().is_none());
    assert_eq!(recording.remaining(), 0);
}
