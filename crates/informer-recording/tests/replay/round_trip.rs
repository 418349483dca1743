//! From a server into a file and back into an informer.

use embedded_apiserver::{EmbeddedApiserver, ServerFault, Verb};
use informer_recording::{Recording, Speed};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::source::{HttpSource, StreamingList};
use kube_informer::{Kind, SharedInformer};
use tokio::time::Instant;

use crate::support::{File, Outcome, SECOND, Watched, config_map, pass, replayed};

/// An informer lives through writes and faults for half a minute. What it did, and how that was recorded.
async fn recorded(streaming: StreamingList) -> (Outcome, File) {
    let server = EmbeddedApiserver::new();
    for n in 0..5 {
        server.create(&config_map(&format!("first-{n}"), "a")).await.expect("it is created");
    }
    let file = File::default();
    let recorder = file.recorder();
    server.inject(ServerFault::overloaded(Some(2)).first(2));
    // A request that is refused does not count for the others.
    let on_watch = |fault: ServerFault, n: u64| server.inject(fault.on(Verb::Watch).nth(n));
    on_watch(ServerFault::cut_after(6), 1);
    on_watch(ServerFault::refuse(), 2);
    on_watch(ServerFault::expired_event_after(1), 2);
    on_watch(ServerFault::close_after(3), 3);
    on_watch(ServerFault::bad_json(1), 4);
    on_watch(ServerFault::close_after(2), 5);
    let source = HttpSource::of::<ConfigMap>(server.client()).expect("a source");
    let source = recorder.source(ConfigMap::info(&()), source);
    let builder = SharedInformer::builder(source)
        .options(|options| options.tuning(|tuning| tuning.streaming_list(streaming).page_size(2)));
    let watched = Watched::with(builder);
    pass(10 * SECOND).await;
    let maps = kube_client::Api::<ConfigMap>::namespaced(server.client(), "default");
    for n in 0..20 {
        server.create(&config_map(&format!("later-{n}"), "b")).await.expect("it is created");
        if n % 3 == 0 {
            maps.delete(&format!("later-{n}"), &Default::default()).await.expect("it is deleted");
        }
        pass(SECOND).await;
    }
    pass(60 * SECOND).await;
    recorder.finish().expect("it is written");
    let outcome = watched.outcome();
    let told = |text: &str| outcome.failures.iter().any(|told| told.contains(text));
    assert!(["429", "was cut", "was refused"].into_iter().all(told), "{:?}", outcome.failures);
    assert_eq!(outcome.objects.len(), 5 + 20 - 7);
    (outcome, file)
}

#[tokio::test(start_paused = true)]
async fn a_replay_tells_handlers_the_same_as_the_server_did_each_time() {
    for streaming in [StreamingList::Auto, StreamingList::Never] {
        let (outcome, file) = recorded(streaming).await;
        let recording = file.recording();
        let first = replayed(&recording).await;
        assert_eq!(first.heard, outcome.heard);
        assert_eq!(first.objects, outcome.objects);
        let second = replayed(&recording.again()).await;
        assert_eq!((second.heard, second.objects), (first.heard, first.objects));
    }
}

#[tokio::test(start_paused = true)]
async fn it_takes_as_long_as_it_is_to_take() {
    let (outcome, file) = recorded(StreamingList::Auto).await;
    let mut lasted = Vec::new();
    for speed in [Speed::AsRecorded, Speed::Times(10.0), Speed::Times(0.5), Speed::Fastest] {
        let began = Instant::now();
        let replayed = replayed(&file.recording().speed(speed)).await;
        assert_eq!(replayed.objects, outcome.objects, "{speed}");
        lasted.push(began.elapsed());
    }
    let [as_recorded, fast, slow, fastest] = lasted[..] else { panic!("{lasted:?}") };
    // The last change came after 30 s; the informer waits as long as ever after a failure.
    assert!((29 * SECOND..91 * SECOND).contains(&as_recorded), "{lasted:?}");
    assert!(fast < as_recorded / 2 && fastest < as_recorded / 2 && slow > as_recorded * 3 / 2, "{lasted:?}");
}

#[tokio::test(start_paused = true)]
async fn a_recording_that_is_cut_is_replayed_as_far_as_it_goes() {
    let (outcome, file) = recorded(StreamingList::Auto).await;
    let bytes = file.bytes();
    let recording = Recording::from_bytes(&bytes[..bytes.len() / 2]).expect("it can be read");
    assert!(recording.is_cut() && !file.recording().is_cut());
    let replayed = replayed(&recording).await;
    assert!(!replayed.heard.is_empty() && replayed.heard.len() < outcome.heard.len());
    assert!(outcome.heard.starts_with(&replayed.heard));
}
