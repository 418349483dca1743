//! Events, as they come to the server.

use embedded_apiserver::{RecordedRequest, ServerFault, Verb};
use informer_controller::EventRecorder;
use informer_controller::recorder::{Note, RecorderOptions};
use k8s_openapi::api::core::v1::{Namespace, Node};
use k8s_openapi::api::events::v1::Event as Written;
use kube_client::api::ListParams;
use kube_informer::Object;
use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};

use super::*;

const EVENTS: &str = "events.events.k8s.io";

fn recorder(rig: &Rig) -> EventRecorder {
    let options = RecorderOptions::default().instance("scaler-1");
    EventRecorder::new(rig.server.client(), "example.com/scaler", options)
}

async fn events(rig: &Rig) -> Vec<Written> {
    let all: Api<Written> = Api::all(rig.server.quiet_client());
    all.list(&ListParams::default()).await.unwrap().items
}

async fn map(rig: &Rig, name: &str) -> Object<ConfigMap> {
    Object::new(&rig.server.create(&config_map(name)).await.unwrap()).unwrap()
}

/// What counts as a try to write an event.
fn tries(rig: &Rig) -> Vec<RecordedRequest> {
    rig.server.journal().matching(|request| request.resource == EVENTS)
}

#[tokio::test(start_paused = true)]
async fn a_controller_tells_and_what_it_told_is_there_when_it_has_ended() {
    let rig = Rig::new();
    let object = map(&rig, "a").await;
    let (sender, mut said) = mpsc::unbounded_channel();
    let controller = Controller::new("maps", rig.factory.core().v1().config_maps().informer())
        .recorder(recorder(&rig))
        .reconcile(move |ctx| {
            ctx.event(Note::warning("Failed", "no luck").action("Scale"));
            sender.send("told".to_owned()).ok();
            std::future::ready(Ok(Next::After(60 * SECOND)))
        });
    let running = rig.run(controller);
    for _ in 0..4 {
        next(&mut said).await;
    }
    running.stop().await.unwrap();
    let [event] = <[_; 1]>::try_from(events(&rig).await).unwrap();
    let (regarding, series) = (event.regarding.unwrap(), event.series.unwrap());
    assert_eq!(
        [
            event.reason,
            event.action,
            event.note,
            event.type_,
            event.reporting_controller,
            event.reporting_instance
        ]
        .map(Option::unwrap),
        ["Failed", "Scale", "no luck", "Warning", "example.com/scaler", "scaler-1"]
    );
    assert_eq!((regarding.kind.as_deref(), regarding.name.as_deref()), (Some("ConfigMap"), Some("a")));
    assert_eq!(regarding.uid, Some(object.uid().to_string()));
    assert!(event.metadata.name.unwrap().starts_with("a."));
    assert_eq!((series.count, series.last_observed_time >= event.event_time.unwrap()), (4, true));
    let writes: Vec<_> = tries(&rig).iter().map(|request| request.verb.unwrap()).collect();
    assert_eq!(writes, [Verb::Create, Verb::Patch, Verb::Patch], "the third one was only counted");
}

#[tokio::test(start_paused = true)]
async fn events_of_objects_without_a_namespace_are_in_default() {
    let rig = Rig::new();
    let node: Node = object(json!({ "metadata": { "name": "n" } }));
    let node = Object::new(&rig.server.create(&node).await.unwrap()).unwrap();
    let recorder = recorder(&rig);
    recorder.event(&node, Note::normal("Seen", "x").related(&map(&rig, "a").await));
    assert!(recorder.flush(PATIENCE).await);
    let [event] = <[_; 1]>::try_from(events(&rig).await).unwrap();
    assert_eq!(event.metadata.namespace.as_deref(), Some("default"));
    assert_eq!(
        (event.regarding.unwrap().namespace, event.related.unwrap().name),
        (None, Some("a".to_owned()))
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_away_is_tried_again_and_nobody_waits() {
    let rig = Rig::new();
    let object = map(&rig, "a").await;
    rig.server.inject(ServerFault::refuse().on(Verb::Create).resource(EVENTS).once());
    rig.server.inject(ServerFault::overloaded(None).on(Verb::Create).resource(EVENTS).once());
    // This one is written, and nobody hears of it.
    rig.server.inject(ServerFault::cut_after_bytes(1).on(Verb::Create).resource(EVENTS).once());
    let (recorder, begin) = (recorder(&rig), Instant::now());
    recorder.event(&object, Note::normal("Seen", "x"));
    assert_eq!(begin.elapsed(), Duration::ZERO);
    assert!(recorder.flush(PATIENCE).await);
    assert_eq!(events(&rig).await.len(), 1);
    let times: Vec<_> = tries(&rig).iter().map(|request| request.at).collect();
    assert_eq!(times.len(), 4);
    for pair in times.windows(2) {
        let pause = (pair[1] - pair[0]).as_secs_f64();
        assert!((7.5..=12.5).contains(&pause), "{pause}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_event_that_somebody_deleted_is_there_again_with_its_count() {
    let rig = Rig::new();
    let object = map(&rig, "a").await;
    let recorder = recorder(&rig);
    recorder.event(&object, Note::normal("Seen", "x"));
    assert!(recorder.flush(PATIENCE).await);
    let name = events(&rig).await.remove(0).metadata.name.unwrap();
    rig.api::<Written>().delete(&name, &DeleteParams::default()).await.unwrap();
    recorder.event(&object, Note::normal("Seen", "x"));
    assert!(recorder.flush(PATIENCE).await);
    let [event] = <[_; 1]>::try_from(events(&rig).await).unwrap();
    assert_eq!((event.metadata.name.unwrap(), event.series.unwrap().count), (name, 2));
}

#[tokio::test(start_paused = true)]
async fn in_a_namespace_that_goes_away_an_event_is_tried_once_and_counted() {
    let controllers = [embedded_apiserver::BuiltinController::Namespace];
    let rig = Rig::on(EmbeddedApiserver::builder().controllers(controllers).build());
    rig.server.create(&object::<Namespace>(json!({ "metadata": { "name": "n" } }))).await.unwrap();
    let mut inside = config_map("a");
    inside.metadata.namespace = Some("n".to_owned());
    let inside = Object::new(&rig.server.create(&inside).await.unwrap()).unwrap();
    Api::<Namespace>::all(rig.server.client()).delete("n", &DeleteParams::default()).await.unwrap();
    let (recorder, counted) = counting(|| recorder(&rig));
    recorder.event(&inside, Note::normal("Seen", "x"));
    assert!(recorder.flush(PATIENCE).await);
    assert_eq!(tries(&rig).iter().map(|request| request.status).collect::<Vec<_>>(), [Some(403)]);
    assert_eq!(counted("refused"), 1);
}

#[tokio::test(start_paused = true)]
async fn while_the_server_does_not_answer_memory_has_a_bound_and_what_is_dropped_is_counted() {
    let rig = Rig::new();
    let object = map(&rig, "a").await;
    rig.server.inject(ServerFault::stall().resource(EVENTS));
    let (recorder, counted) = counting(|| recorder(&rig));
    for number in 0..3000 {
        recorder.event(&object, Note::normal(format!("R{number}"), "x"));
    }
    assert_eq!(counted("full"), 2000);
    assert!(!recorder.flush(10 * SECOND).await);
    assert_eq!(counted("spam"), 975);
    rig.server.clear_faults();
    assert!(recorder.flush(PATIENCE).await);
    assert_eq!(events(&rig).await.len(), 25);
}

#[tokio::test(start_paused = true)]
async fn what_was_told_last_is_written_though_the_recorder_is_dropped() {
    let rig = Rig::new();
    let object = map(&rig, "a").await;
    recorder(&rig).event(&object, Note::normal("Seen", "x"));
    let is_created = |request: &RecordedRequest| request.is(Verb::Create, EVENTS) && request.status.is_some();
    timeout(PATIENCE, rig.server.journal().until(1, is_created)).await.unwrap();
}

/// A recorder, and how many events it has dropped for a reason.
fn counting(make: impl FnOnce() -> EventRecorder) -> (EventRecorder, impl Fn(&str) -> u64) {
    let metrics = DebuggingRecorder::new();
    let snapshotter: Snapshotter = metrics.snapshotter();
    let counts = std::cell::RefCell::new(std::collections::HashMap::<String, u64>::new());
    let recorder = metrics::with_local_recorder(&metrics, make);
    let counted = move |reason: &str| {
        for (key, _, _, value) in snapshotter.snapshot().into_vec() {
            let reason = key.key().labels().find(|label| label.key() == "reason");
            if let (Some(reason), DebugValue::Counter(value)) = (reason, value) {
                *counts.borrow_mut().entry(reason.value().to_owned()).or_default() += value;
            }
        }
        counts.borrow().get(reason).copied().unwrap_or_default()
    };
    (recorder, counted)
}
