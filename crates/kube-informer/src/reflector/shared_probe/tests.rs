use std::sync::atomic::{AtomicUsize, Ordering as Order};
use std::time::Duration;

use bytes::Bytes;
use futures::future::{BoxFuture, join_all};
use futures::{FutureExt, StreamExt, stream};
use informer_wire::ObjectKey;

use super::super::testing;
use super::*;
use crate::kind::KindInfo;
use crate::source::{ByteStream, ListWatch, Request, SourceError};

/// Answers every question with the same document, a second later.
struct Answers {
    body: String,
    asked: AtomicUsize,
}

impl ListWatch for Answers {
    fn open(&self, _: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        self.asked.fetch_add(1, Order::Relaxed);
        let body = Bytes::from(self.body.clone());
        async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok(stream::iter([Ok(body)]).boxed())
        }
        .boxed()
    }
}

fn answers(version: &str, object: &str) -> Arc<Answers> {
    let body = format!(r#"{{"metadata":{{"resourceVersion":"{version}"}},"items":[{object}]}}"#);
    Arc::new(Answers { body, asked: AtomicUsize::new(0) })
}

fn object(name: &str, version: &str) -> String {
    format!(r#"{{"metadata":{{"name":"{name}","uid":"u","resourceVersion":"{version}"}}}}"#)
}

fn kind(plural: &str) -> KindInfo {
    KindInfo::new("", "v1", "Kind", plural)
}

/// A scope that holds one object, of this name and at this version.
fn scope(probe: &SharedProbe, name: &str, version: &str, source: &Arc<Answers>) -> Arc<Witness> {
    let witness = testing::witness(source.clone(), kind("kinds"), &ObjectKey::cluster(name), version);
    witness.status.version(&version.into());
    let witness = Arc::new(witness);
    probe.join(&witness);
    witness
}

fn asked(source: &Answers) -> usize {
    source.asked.load(Order::Relaxed)
}

#[tokio::test(start_paused = true)]
async fn d15_one_question_for_all_however_many_watches_are_resumed_together() {
    let probe = SharedProbe::default();
    let (others, newest) = (answers("", ""), answers("300", &object("pods", "200")));
    let scopes: Vec<_> =
        (0..50).map(|n| scope(&probe, &format!("old{n}"), &n.to_string(), &others)).collect();
    let _newest = scope(&probe, "pods", "200", &newest);
    let since = Instant::now();
    let found = join_all(scopes.iter().map(|scope| probe.check(scope, since))).await;
    assert!(found.iter().all(|finding| *finding == Finding::Same));
    assert_eq!((asked(&newest), asked(&others)), (1, 0), "that of the newest object");
    // One that is resumed later cannot rely on it.
    let later = Instant::now();
    assert_eq!(probe.check(&scopes[0], later).await, Finding::Same);
    assert_eq!(asked(&newest), 2);
}

#[tokio::test(start_paused = true)]
async fn d15_doubt_makes_every_scope_ask_for_itself() {
    let probe = SharedProbe::default();
    let (newest, other) = (answers("150", ""), answers("150", &object("maps", "100")));
    let pods = scope(&probe, "pods", "200", &newest);
    let maps = scope(&probe, "maps", "100", &other);
    let idle = scope(&probe, "nodes", "90", &other);
    assert_eq!(probe.check(&maps, Instant::now()).await, Finding::Same, "its own object is there");
    assert_eq!((asked(&newest), asked(&other)), (1, 1));
    // The others are told to ask, wherever they are.
    for scope in [&pods, &idle] {
        assert!(scope.doubt.notified().now_or_never().is_some());
    }
    assert_eq!(pods.ask().await.0, Finding::Rewound);
}

#[tokio::test(start_paused = true)]
async fn d15_what_a_scope_holds_may_have_changed_since_another_asked_for_it() {
    let probe = SharedProbe::default();
    let (newest, other) = (answers("300", ""), answers("300", &object("maps", "100")));
    let pods = scope(&probe, "pods", "200", &newest);
    let maps = scope(&probe, "maps", "100", &other);
    let since = Instant::now();
    // Another scope asks for the object that is missing, and then its delete is told by the watch.
    assert_eq!(probe.check(&maps, since).await, Finding::Same);
    pods.newest(|newest| newest.remove(&ObjectKey::cluster("pods")));
    assert_eq!(probe.check(&pods, since).await, Finding::Same);
}

#[tokio::test(start_paused = true)]
async fn d15_nobody_is_held_up_by_one_who_has_asked_and_is_busy() {
    let probe = SharedProbe::default();
    let (newest, others) = (answers("300", &object("pods", "200")), answers("", ""));
    let _pods = scope(&probe, "pods", "200", &newest);
    let (busy, waits) = (scope(&probe, "maps", "100", &others), scope(&probe, "nodes", "90", &others));
    let since = Instant::now();
    let mut set_aside = Box::pin(probe.check(&busy, since));
    assert!(futures::poll!(set_aside.as_mut()).is_pending());
    assert_eq!(probe.check(&waits, since).await, Finding::Same);
    assert_eq!(asked(&newest), 1);
}

#[tokio::test(start_paused = true)]
async fn d15_a_scope_that_is_further_than_the_server_asks_for_itself() {
    let probe = SharedProbe::default();
    let (newest, other) = (answers("300", &object("pods", "200")), answers("300", ""));
    let _pods = scope(&probe, "pods", "200", &newest);
    let maps = scope(&probe, "maps", "100", &other);
    maps.status.version(&"400".into());
    assert_eq!(probe.check(&maps, Instant::now()).await, Finding::Rewound);
    assert_eq!((asked(&newest), asked(&other)), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn d15_each_resource_has_a_question_of_its_own() {
    let probes = SharedProbes::default();
    let (of_events, of_pods) = (probes.of(&kind("events")), probes.of(&kind("pods")));
    assert!(Arc::ptr_eq(&of_pods, &probes.of(&kind("pods"))), "whole objects, metadata, other selections");
    let (events, pods) = (answers("9000", &object("event", "9000")), answers("40", ""));
    let event = scope(&of_events, "event", "9000", &events);
    let pod = scope(&of_pods, "pod", "50", &pods);
    // The pods' database went back. That of the events is much further, and says nothing about it.
    let since = Instant::now();
    assert_eq!(of_events.check(&event, since).await, Finding::Same);
    assert_eq!(of_pods.check(&pod, since).await, Finding::Rewound);
    assert_eq!((asked(&events), asked(&pods)), (1, 1));
    assert!(event.doubt.notified().now_or_never().is_none(), "nor has it reason for doubt");
}

#[test]
fn kinds_that_nobody_holds_any_more_are_forgotten() {
    let probes = SharedProbes::default();
    for number in 0..100 {
        drop(probes.of(&kind(&format!("kind{number}"))));
    }
    assert_eq!(probes.0.lock().len(), 1, "the last one, until the next comes");
}

#[tokio::test(start_paused = true)]
async fn a_question_that_is_given_up_is_pursued_by_the_next() {
    let probe = SharedProbe::default();
    let source = answers("50", &object("pods", "50"));
    let pods = scope(&probe, "pods", "50", &source);
    let since = Instant::now();
    {
        let mut given_up = Box::pin(probe.check(&pods, since));
        assert!(futures::poll!(given_up.as_mut()).is_pending());
    }
    assert_eq!(probe.check(&pods, since).await, Finding::Same);
    assert_eq!(asked(&source), 1);
}

#[tokio::test(start_paused = true)]
async fn scopes_that_are_gone_are_no_witnesses() {
    let probe = SharedProbe::default();
    let (gone, left) = (answers("1", ""), answers("50", &object("maps", "50")));
    drop(scope(&probe, "pods", "200", &gone));
    let maps = scope(&probe, "maps", "50", &left);
    assert_eq!(probe.check(&maps, Instant::now()).await, Finding::Same);
    assert_eq!((asked(&gone), asked(&left)), (0, 1));
}
