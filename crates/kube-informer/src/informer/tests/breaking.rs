//! What becomes of an informer when its own parts panic: it stops, says so, and lets nobody wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use futures::StreamExt;
use informer_core::store::index_error::IndexError;
use informer_wire::ResourceVersion;
use k8s_openapi::api::core::v1::ConfigMap;
use metrics::{
    Counter, CounterFn, Gauge, GaugeFn, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit,
};
use parking_lot::Mutex;
use serde::de::{Deserialize, Deserializer, IgnoredAny};

use super::support::{Rig, SOON, index_error, map, quiet_panic, rest, soon, started};
use crate::error::{InformerError, WaitError};
use crate::handler::handler;
use crate::informer::SharedInformer;
use crate::kind::{Kind, KindInfo, Namespaced};
use crate::object::DecodeCache;
use crate::options::Options;
use crate::source::{Fault, ScriptedSource};
use crate::status::Phase;

/// A recorder, one metric of which panics when told to: the one piece of foreign code that the tasks of an informer call
/// and do not guard.
struct Fragile {
    metric: &'static str,
    broken: Arc<AtomicBool>,
}

struct Fuse(Arc<AtomicBool>);

impl Fuse {
    fn touch(&self) {
        if self.0.load(Ordering::Relaxed) {
            quiet_panic("the recorder is broken");
        }
    }
}

impl GaugeFn for Fuse {
    fn increment(&self, _: f64) {
        self.touch();
    }

    fn decrement(&self, _: f64) {
        self.touch();
    }

    fn set(&self, _: f64) {
        self.touch();
    }
}

impl CounterFn for Fuse {
    fn increment(&self, _: u64) {
        self.touch();
    }

    fn absolute(&self, _: u64) {
        self.touch();
    }
}

impl Recorder for Fragile {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        if key.name() == self.metric {
            Counter::from_arc(Arc::new(Fuse(self.broken.clone())))
        } else {
            Counter::noop()
        }
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        if key.name() == self.metric {
            Gauge::from_arc(Arc::new(Fuse(self.broken.clone())))
        } else {
            Gauge::noop()
        }
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

/// An informer that breaks where it touches this metric, once it is told to.
fn fragile(metric: &'static str) -> (Rig, Arc<AtomicBool>) {
    let broken = Arc::new(AtomicBool::new(false));
    let recorder = Fragile { metric, broken: broken.clone() };
    (metrics::with_local_recorder(&recorder, || Rig::new(&["a/x"])), broken)
}

const SAID: &str = "the informer of configmaps broke and has stopped: the recorder is broken";

/// Everything that can be seen of an informer which broke.
fn check_broken(rig: &Rig, ended: &Result<(), InformerError>) {
    assert_eq!(rig.failures(), [SAID]);
    assert!(ended.as_ref().is_err_and(|error| error.broken().is_some()), "{ended:?}");
    assert_eq!(ended.as_ref().unwrap_err().to_string(), SAID);
    let status = rig.informer.status();
    assert_eq!((status.stopped, status.phase, status.handlers.len()), (true, Phase::Stopped, 0));
    assert_eq!((status.failures, status.last_failure.unwrap().cause.name()), (1, "broken"));
    assert_eq!(rig.server.open_watches(), 0);
    assert!(rig.informer.add_event_handler(handler()).is_err());
}

#[tokio::test(start_paused = true)]
async fn d9_a_writer_that_panics_stops_the_informer_and_lets_nobody_wait() {
    for metric in ["informer_objects", "informer_store_resource_version"] {
        let (rig, broken) = fragile(metric);
        let (listener, registration, permits) = rig.listen_stuck();
        let mut stream = rig.informer.stream().unwrap();
        let running = rig.start_to_end();
        rig.synced().await;
        let informer = rig.informer.clone();
        let waiting = tokio::spawn(async move {
            let (key, far) = ("a/x".parse().unwrap(), ResourceVersion::new("99"));
            informer.wait_for_version(&key, &far, SOON).await
        });
        rest().await;
        broken.store(true, Ordering::Relaxed);
        rig.put("a/y", "");
        rest().await;
        assert!(!running.is_finished(), "the call in progress is awaited");
        permits.add_permits(10);
        let ended = soon(running).await.unwrap();
        assert!(soon(stream.next()).await.is_none(), "a stream ends");
        drop(stream);
        check_broken(&rig, &ended);
        let stopped = WaitError::from(InformerError::stopped(rig.informer.kind()));
        assert_eq!(soon(waiting).await.unwrap(), Err(stopped));
        soon(registration.remove_and_drain(SOON)).await.unwrap();
        assert_eq!(listener.log()[0], "add a/x@2 initial");
        let index = rig.informer.add_index("late", |map| Some(map.name().to_owned()));
        assert_eq!(
            soon(index.wait_ready(SOON)).await.unwrap_err(),
            WaitError::from(index_error(IndexError::Unknown("late".into())))
        );
        assert!(rig.informer.lister().namespace("a").get("x").is_ok(), "the cache stays readable");
        soon(rig.informer.shutdown(SOON)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn d9_who_waits_for_the_first_sync_of_an_informer_that_breaks_hears_of_it() {
    let (rig, broken) = fragile("informer_last_bookmark_timestamp_seconds");
    broken.store(true, Ordering::Relaxed);
    let (_, registration) = rig.listen();
    let hold = rig.server.inject(Fault::stall().once());
    let running = rig.start_to_end();
    hold.until_struck(1).await;
    let informer = rig.informer.clone();
    let waiting = tokio::spawn(async move { informer.wait_synced(SOON).await });
    hold.remove();
    let ended = soon(running).await.unwrap();
    let said = soon(waiting).await.unwrap().unwrap_err().to_string();
    assert_eq!(said, "configmaps not synced: the informer has stopped");
    assert!(soon(registration.wait_synced(SOON)).await.is_err());
    check_broken(&rig, &ended);
}

#[tokio::test(start_paused = true)]
async fn d9_a_reflector_that_panics_stops_the_informer_and_lets_nobody_wait() {
    for metric in ["informer_last_event_timestamp_seconds", "informer_queued_items"] {
        let (rig, broken) = fragile(metric);
        let (_, registration) = rig.listen();
        let running = rig.start_to_end();
        rig.synced().await;
        broken.store(true, Ordering::Relaxed);
        rig.put("a/y", "");
        let ended = soon(running).await.unwrap();
        check_broken(&rig, &ended);
        soon(registration.remove_and_drain(SOON)).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn d9_a_handler_whose_task_panics_has_ended_and_it_is_said_why() {
    let broken = Arc::new(AtomicBool::new(false));
    let recorder = Fragile { metric: "informer_handler_backlog", broken: broken.clone() };
    let rig = Rig::new(&["a/x"]).started().await;
    let (listener, _) = rig.listen();
    rig.settle().await;
    broken.store(true, Ordering::Relaxed);
    let late = metrics::with_local_recorder(&recorder, || rig.add(handler().named("late").on_add(|_| {})));
    assert!(soon(late.wait_synced(SOON)).await.is_err());
    rest().await;
    assert_eq!(rig.failures(), [r#"handler "late" of configmaps panicked: the recorder is broken"#]);
    rig.put("a/x", "new");
    rig.settle().await;
    assert_eq!(listener.calls(), 2, "the others go on");
    assert!(!rig.informer.is_stopped());
}

#[tokio::test(start_paused = true)]
async fn d9_a_recorder_that_panics_at_failures_does_not_keep_them_from_the_callback() {
    let (rig, broken) = fragile("informer_failures_total");
    let rig = rig.started().await;
    broken.store(true, Ordering::Relaxed);
    rig.server.cut_watches();
    rest().await;
    assert_eq!(rig.failures().len(), 1);
    assert!(!rig.informer.is_stopped());
}

#[tokio::test]
async fn a_thread_can_be_named_anything() {
    let rig = Rig::new(&["a/x"]);
    let name = "one\0two";
    let early = rig.add(handler().on_add(|_| {}).named(name).blocking());
    let rig = rig.started().await;
    let late = rig.add(handler().on_add(|_| {}).named(name).blocking());
    for registration in [early, late] {
        registration.wait_synced(SOON).await.unwrap();
        assert_eq!((registration.name(), registration.status().delivered), (name, 1));
    }
}

/// A type whose `Drop` always panics. Two that are dropped in the same unwinding would end the process.
#[derive(Debug)]
struct Explosive;

impl<'de> Deserialize<'de> for Explosive {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer)?;
        Ok(Self)
    }
}

impl Drop for Explosive {
    fn drop(&mut self) {
        quiet_panic("in Drop");
    }
}

impl Kind for Explosive {
    type Scope = Namespaced;
    type Dynamic = ();
    fn info(_: &()) -> KindInfo {
        ConfigMap::info(&())
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_the_drop_of_a_decoded_object_is_counted_and_breaks_nothing() {
    let options: [fn(Options) -> Options; 3] = [
        |options| options.decode_cache(DecodeCache::new(0)),
        |options| options.decode_cache(DecodeCache::new(4 << 10)),
        |options| options.decode_cache(DecodeCache::new(0)).decoded(),
    ];
    for set in options {
        let server = ScriptedSource::of::<ConfigMap>();
        for number in 0..40 {
            server.create(&map(&format!("a/{number}"), "")).unwrap();
        }
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hears = heard.clone();
        let builder = SharedInformer::<Explosive>::builder(server.clone());
        let builder = builder.options(set).on_error(move |failure| hears.lock().push(failure.cause.name()));
        let informer = builder.build().unwrap();
        let updates = Arc::new(AtomicUsize::new(0));
        let counts = updates.clone();
        let typed = handler::<Explosive>().typed().on_add(|_| {}).on_update(move |_, _| {
            counts.fetch_add(1, Ordering::Relaxed);
        });
        let typed = informer.add_event_handler(typed).unwrap();
        let informer = started(informer).await;
        for number in 0..40 {
            server.update(&map(&format!("a/{number}"), "1")).unwrap();
        }
        rest().await;
        (0..20).for_each(|number| drop(server.delete(&format!("a/{number}")).unwrap()));
        informer.refresh();
        rest().await;
        let status = informer.status();
        assert_eq!((status.phase, status.objects, status.stopped), (Phase::Watching, 20, false));
        assert_eq!((updates.load(Ordering::Relaxed), typed.status().panics), (40, 0));
        // Users who drop what they hold hear the panic themselves.
        typed.remove();
        informer.shutdown(SOON).await;
        let heard = heard.lock().clone();
        assert!(heard.len() >= 60 && heard.iter().all(|cause| *cause == "drop"), "{heard:?}");
    }
}
