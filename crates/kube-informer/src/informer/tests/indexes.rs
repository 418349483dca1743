//! Indexes as a user of the informer sees them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use informer_core::store::index_error::IndexError;
use informer_wire::{ObjectKey, ResourceVersion};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};

use super::support::{Rig, SOON, index_error, list_body, rest, start, texts};
use crate::error::{ObjectError, WaitError};
use crate::informer::{Index, SharedInformer};
use crate::object::Object;
use crate::options::Options;
use crate::source::StreamingList;
use crate::source::{ByteStream, ListWatch, Request, SourceError, Verb};

/// The words of the text of a ConfigMap.
fn words(map: &Object<ConfigMap>) -> Result<Vec<String>, ObjectError> {
    let map = map.get()?;
    let text = map.data.as_ref().and_then(|data| data.get("text").cloned()).unwrap_or_default();
    Ok(text.split_whitespace().map(str::to_owned).collect())
}

fn keys<V: std::hash::Hash + Eq + Clone + Send + Sync + 'static>(
    index: &Index<ConfigMap, V>,
    value: &V,
) -> Vec<String> {
    index.keys(value).unwrap().iter().map(ToString::to_string).collect()
}

fn values(index: &Index<ConfigMap, String>) -> Vec<String> {
    let mut values = index.values().unwrap();
    values.sort();
    values
}

/// Two objects with words, in a cache that has been filled.
async fn wordy() -> Rig {
    let rig = Rig::new(&[]);
    rig.put("a/x", "red green");
    rig.put("b/y", "green");
    rig.started().await
}

/// Two threads: one is kept by the index function, the other one runs the informer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b_214_events_are_applied_while_an_index_is_being_built() {
    let rig = wordy().await;
    let (let_go, gate) = std::sync::mpsc::channel::<()>();
    let gate = parking_lot::Mutex::new(Some(gate));
    let by_word = rig.informer.add_index("word", move |map| {
        // Not within the condition: its lock would be held while this waits.
        let gate = gate.lock().take();
        if let Some(gate) = gate {
            gate.recv().unwrap();
        }
        words(map)
    });
    let version = rig.put("a/x", "blue");
    rig.informer.wait_for_version(&"a/x".parse().unwrap(), &version, SOON).await.unwrap();
    assert_eq!(keys(&by_word, &"blue".to_owned()), ["a/x"], "it can be asked all the same");
    assert!(by_word.get("red").unwrap().is_empty());
    assert!(rig.informer.index_names().is_empty(), "and is still being built");
    let_go.send(()).unwrap();
    by_word.wait_ready(SOON).await.unwrap();
    assert_eq!(values(&by_word), ["blue", "green"], "what came meanwhile is in it");
}

#[tokio::test(start_paused = true)]
async fn b_206_an_object_is_found_by_each_of_its_values() {
    let rig = Rig::new(&[]);
    let by_word = rig.informer.add_index("word", words);
    assert!(by_word.get("red").unwrap().is_empty(), "ready at once while there is nothing");
    rig.put("a/x", "red green");
    rig.put("b/y", "green");
    let rig = rig.started().await;
    assert_eq!(by_word.get("red").unwrap()[0].key().to_string(), "a/x");
    assert_eq!(keys(&by_word, &"green".to_owned()), ["a/x", "b/y"]);
    let x = rig.informer.lister().namespace("a").get("x").unwrap();
    assert_eq!(by_word.sharing(&x).unwrap().len(), 2, "each once");
    assert!(by_word.get("blue").unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn b_204_b_211_values_follow_the_objects_and_go_with_the_last_one() {
    let rig = wordy().await;
    let by_word = rig.informer.add_index("word", words);
    by_word.wait_ready(SOON).await.unwrap();
    assert_eq!(values(&by_word), ["green", "red"]);
    rig.put("a/x", "blue");
    rig.delete("b/y");
    rig.settle().await;
    assert_eq!(values(&by_word), ["blue"]);
    assert_eq!(keys(&by_word, &"blue".to_owned()), ["a/x"]);
}

#[tokio::test(start_paused = true)]
async fn b_214_an_index_added_to_a_full_cache_has_everything_in_the_next_line() {
    let rig = wordy().await;
    let by_word = rig.informer.add_index("word", words);
    assert_eq!(keys(&by_word, &"green".to_owned()), ["a/x", "b/y"]);
    assert_eq!(values(&by_word), ["green", "red"]);
    let x = rig.informer.lister().namespace("a").get("x").unwrap();
    assert_eq!(by_word.sharing(&x).unwrap().len(), 2);
    assert_eq!(rig.informer.lister().by_index(&by_word, "red").unwrap().len(), 1);
    by_word.wait_ready(SOON).await.unwrap();
    assert_eq!(keys(&by_word, &"green".to_owned()), ["a/x", "b/y"]);
}

#[tokio::test(start_paused = true)]
async fn b_214_queries_before_it_is_ready_look_at_each_version_once() {
    let rig = wordy().await;
    let calls = Arc::new(AtomicU64::new(0));
    let counted = calls.clone();
    let by_word = rig.informer.add_index("word", move |map| {
        counted.fetch_add(1, Ordering::Relaxed);
        words(map)
    });
    for _ in 0..10 {
        assert_eq!(by_word.get("green").unwrap().len(), 2);
    }
    assert_eq!(calls.load(Ordering::Relaxed), 2, "nothing else has run: two objects, looked at once each");
    by_word.wait_ready(SOON).await.unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 4, "and once each for the index itself");
    assert_eq!(by_word.get("green").unwrap().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn b_213_a_name_that_is_taken_is_refused_before_the_index_is_built() {
    let rig = wordy().await;
    rig.informer.add_index("word", words).wait_ready(SOON).await.unwrap();
    let second = rig.informer.add_index("word", words);
    assert_eq!(second.get("red").unwrap_err(), index_error(IndexError::Duplicate("word".into())));
}

#[tokio::test(start_paused = true)]
async fn b_206_functions_may_give_one_value_some_values_or_an_error() {
    let rig = wordy().await;
    let informer = &rig.informer;
    let option = informer.add_index("option", |map| map.namespace().map(str::to_owned));
    let list = informer.add_index("list", |map| vec![map.name().len(), map.key().to_string().len()]);
    let result =
        informer.add_index("result", |map| map.get().map(|map| map.data.as_ref().map(BTreeMap::len)));
    result.wait_ready(SOON).await.unwrap();
    assert_eq!(option.get("a").unwrap().len(), 1);
    assert_eq!((list.get(&1).unwrap().len(), list.get(&3).unwrap().len()), (2, 2));
    assert_eq!(result.get(&1).unwrap().len(), 2);
    assert_eq!(informer.index_names(), ["list".into(), "option".into(), Arc::<str>::from("result")]);
}

#[tokio::test(start_paused = true)]
async fn b_215_a_removed_index_is_gone_for_all_and_its_name_is_free() {
    let rig = wordy().await;
    let by_word = rig.informer.add_index("word", words);
    by_word.wait_ready(SOON).await.unwrap();
    let other = rig.informer.index::<String>("word").unwrap();
    by_word.remove();
    let again = rig.informer.add_index("word", |map| Some(map.name().to_owned()));
    again.wait_ready(SOON).await.unwrap();
    for gone in [by_word, other] {
        let error = gone.get("red").unwrap_err();
        assert_eq!(
            error.to_string(),
            r#"there is no index "word": it has been removed, or its informer has stopped"#
        );
    }
    assert_eq!(again.get("x").unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn b_213_removing_an_index_that_was_refused_leaves_the_one_that_is_there() {
    let rig = wordy().await;
    let first = rig.informer.add_index("word", words);
    let second = rig.informer.add_index("word", words);
    assert_eq!(
        second.wait_ready(SOON).await.unwrap_err(),
        WaitError::from(index_error(IndexError::Duplicate("word".into())))
    );
    second.remove();
    rig.settle().await;
    assert_eq!(first.get("red").unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn b_215_removing_an_index_twice_leaves_the_one_that_has_its_name_since() {
    let rig = wordy().await;
    let old = rig.informer.add_index("word", words);
    old.wait_ready(SOON).await.unwrap();
    old.remove();
    let new = rig.informer.add_index("word", words);
    new.wait_ready(SOON).await.unwrap();
    old.remove();
    rig.settle().await;
    assert_eq!(new.get("red").unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn b_215_an_index_that_is_removed_while_it_is_being_built_never_appears() {
    let rig = wordy().await;
    let by_word = rig.informer.add_index("word", words);
    by_word.remove();
    assert_eq!(by_word.get("red").unwrap_err(), index_error(IndexError::Unknown("word".into())));
    assert_eq!(
        by_word.wait_ready(SOON).await.unwrap_err(),
        WaitError::from(index_error(IndexError::Unknown("word".into())))
    );
    rig.settle().await;
    assert!(rig.informer.index_names().is_empty());
    rig.informer.add_index("word", words).wait_ready(SOON).await.unwrap();
}

/// Two threads: one is kept by the index function, the other one is the test's.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b_215_an_index_that_is_removed_while_its_function_runs_is_gone_after_that() {
    let rig = Rig::new(&[]).started().await;
    let (reached, reaches) = tokio::sync::oneshot::channel();
    let (let_go, gate) = std::sync::mpsc::channel::<()>();
    let gate = parking_lot::Mutex::new(Some((reached, gate)));
    let by_word = rig.informer.add_index("first", words);
    by_word.wait_ready(SOON).await.unwrap();
    rig.put("a/x", "red");
    rig.settle().await;
    let stuck = rig.informer.add_index("stuck", move |map| {
        if map.resource_version().to_string() == "3"
            && let Some((reached, gate)) = gate.lock().take()
        {
            reached.send(()).unwrap();
            gate.recv().unwrap();
        }
        words(map)
    });
    rig.put("a/x", "blue");
    reaches.await.unwrap();
    stuck.remove();
    let_go.send(()).unwrap();
    rig.settle().await;
    assert_eq!(rig.informer.index_names(), ["first".into()]);
    assert_eq!(stuck.get("red").unwrap_err(), index_error(IndexError::Unknown("stuck".into())));
}

#[tokio::test(start_paused = true)]
async fn b_213_a_second_index_of_a_name_is_refused_and_the_first_goes_on() {
    let rig = wordy().await;
    let first = rig.informer.add_index("word", words);
    let second = rig.informer.add_index("word", |map| Some(map.name().len()));
    assert_eq!(second.wait_ready(SOON).await.unwrap_err().to_string(), r#"there is already an index "word""#);
    assert!(second.get(&1).is_err());
    assert_eq!(first.get("red").unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn b_209_an_index_is_found_again_by_name_and_type() {
    let rig = wordy().await;
    rig.informer.add_index("word", words).wait_ready(SOON).await.unwrap();
    assert_eq!(rig.informer.index::<String>("word").unwrap().get("red").unwrap().len(), 1);
    let error = rig.informer.index::<u64>("word").unwrap_err();
    assert_eq!(error.to_string(), r#"index "word" is not on values of this type"#);
    let error = rig.informer.index::<String>("other").unwrap_err();
    assert_eq!(error, index_error(IndexError::Unknown("other".into())));
}

#[tokio::test(start_paused = true)]
async fn b_212_functions_that_fail_or_panic_leave_that_object_out_and_are_reported() {
    let rig = Rig::new(&[]);
    let picky = rig.informer.add_index("picky", |map| match map.name() {
        "bad" => Err("it is bad"),
        // Unwinds without the hook that prints.
        "worse" => std::panic::resume_unwind(Box::new("it is worse")),
        name => Ok(Some(name.to_owned())),
    });
    let all = rig.informer.add_index("all", |_| Some(1));
    for key in ["a/bad", "a/good", "a/worse"] {
        rig.put(key, "");
    }
    let rig = rig.started().await;
    assert_eq!(values(&picky), ["good"]);
    assert_eq!(all.get(&1).unwrap().len(), 3, "other indexes and the cache have them");
    let mut failures = texts(&rig.failures.lock());
    failures.sort();
    assert_eq!(failures.len(), 2);
    assert_eq!(failures[0], r#"configmaps a/bad is left out of index "picky": it is bad"#);
    assert!(
        failures[1].starts_with(r#"configmaps a/worse is left out of index "picky": "#),
        "{}",
        failures[1]
    );
    assert!(failures[1].contains("it is worse"), "{}", failures[1]);
    assert_eq!(rig.informer.status().failures, 2);
}

#[tokio::test(start_paused = true)]
async fn b_212_an_index_that_is_built_later_reports_the_same_way() {
    let rig = Rig::new(&["a/bad", "a/good"]).started().await;
    let picky = rig.informer.add_index("picky", |map| match map.name() {
        "bad" => Err("it is bad"),
        name => Ok(Some(name.to_owned())),
    });
    picky.wait_ready(SOON).await.unwrap();
    assert_eq!(values(&picky), ["good"]);
    assert_eq!(texts(&rig.failures.lock()), [r#"configmaps a/bad is left out of index "picky": it is bad"#]);
}

#[tokio::test(start_paused = true)]
async fn b_258_no_index_can_be_added_after_the_stop_and_nobody_waits_for_ever() {
    let rig = wordy().await;
    rig.informer.shutdown(SOON).await;
    let late = rig.informer.add_index("late", words);
    assert_eq!(
        late.wait_ready(SOON).await.unwrap_err(),
        WaitError::from(index_error(IndexError::Unknown("late".into())))
    );
}

#[tokio::test(start_paused = true)]
async fn b_216_readers_that_stop_half_way_delay_nobody() {
    let keys: Vec<_> = (0..200).map(|number| format!("a/{number}")).collect();
    let keys: Vec<_> = keys.iter().map(String::as_str).collect();
    let rig = Rig::new(&keys).started().await;
    let (listener, registration) = rig.listen();
    registration.wait_synced(SOON).await.unwrap();
    let mut events = rig.informer.stream().unwrap();
    events.next().await.unwrap();
    let objects = rig.informer.lister().list();
    let mut scan = objects.iter();
    scan.next().unwrap();

    for key in &keys {
        rig.put(key, "new");
    }
    rig.settle().await;
    assert_eq!(listener.calls(), 400);
    assert!(scan.all(|object| object.get().unwrap().data.as_ref().unwrap()["text"].is_empty()));
    assert_eq!(rig.cached(), super::support::served(&rig.server, None));
}

/// A server on which all objects change together: each list is of another generation.
#[derive(Default)]
struct Generations(AtomicU64);

const OBJECTS: usize = 50;

impl ListWatch for Generations {
    fn open(&self, request: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        let generation = self.0.load(Ordering::Relaxed) + 10;
        let item = |number: usize| -> Value {
            json!({ "metadata": { "namespace": "a", "name": number.to_string(), "uid": number.to_string(),
                "resourceVersion": generation.to_string() }, "data": { "text": generation.to_string() } })
        };
        let items: Vec<_> = (0..OBJECTS).map(item).collect();
        let body = Ok(Bytes::from(list_body(&generation.to_string(), &items)));
        let answer = match request.verb {
            Verb::List(_) => stream::iter([body]).boxed(),
            Verb::Watch(_) => stream::pending().boxed(),
        };
        async { Ok(answer) }.boxed()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b_216_queries_answer_from_whole_commits_while_the_writer_runs() {
    let source = Arc::new(Generations::default());
    // A hundred lists, and none of them has to wait.
    let settings =
        Options::default().tuning(|tuning| tuning.streaming_list(StreamingList::Never).request_burst(1_000));
    let informer =
        SharedInformer::<ConfigMap>::builder(Shared(source.clone())).options(|_| settings).build().unwrap();
    let by_word = informer.add_index("word", words);
    start(&informer);
    informer.wait_synced(SOON).await.unwrap();

    let done = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..2)
        .map(|_| {
            let (done, by_word, lister) = (done.clone(), by_word.clone(), informer.lister());
            std::thread::spawn(move || {
                let mut seen = 0;
                while !done.load(Ordering::Relaxed) {
                    let values = by_word.values().unwrap();
                    assert_eq!(values.len(), 1, "{values:?}");
                    let bucket = by_word.get(&values[0]).unwrap();
                    assert!([0, OBJECTS].contains(&bucket.len()), "{} objects", bucket.len());
                    let objects = lister.list();
                    let versions = objects.iter().map(|object| object.resource_version().to_string());
                    let versions: BTreeSet<_> = versions.collect();
                    assert_eq!((versions.len(), objects.len()), (1, OBJECTS));
                    let now: u64 = versions.first().unwrap().parse().unwrap();
                    assert!(now >= seen, "a later query never shows an earlier commit");
                    seen = now;
                }
            })
        })
        .collect();
    for generation in 1..=100_u64 {
        source.0.store(generation, Ordering::Relaxed);
        informer.refresh();
        let version = ResourceVersion::new(&(generation + 10).to_string());
        informer.wait_for_version(&ObjectKey::namespaced("a", "0"), &version, SOON).await.unwrap();
    }
    done.store(true, Ordering::Relaxed);
    for reader in readers {
        reader.join().unwrap();
    }
}

struct Shared(Arc<Generations>);

impl ListWatch for Shared {
    fn open(&self, request: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        self.0.open(request)
    }
}

#[tokio::test(start_paused = true)]
async fn the_values_of_an_object_are_told_also_if_the_cache_has_another_state_of_it() {
    let rig = Rig::new(&[]);
    let by_text = rig.informer.add_index("words", words);
    let rig = rig.started().await;
    let of = |name: &str, text: &str| {
        let json = json!({ "metadata": { "namespace": "a", "name": name, "resourceVersion": "9" }, "data": { "text": text } });
        rig.informer.object_from_json(json.to_string().as_bytes()).unwrap()
    };
    assert_eq!(by_text.values_of(&of("x", "old")).unwrap(), ["old"]);
    assert_eq!(by_text.values_of(&of("never-seen", "new")).unwrap(), ["new"]);
    assert!(by_text.get("old").unwrap().is_empty(), "nothing was added");
    by_text.remove();
    rest().await;
    assert!(by_text.values_of(&of("x", "old")).unwrap_err().is_unknown_index());
}
