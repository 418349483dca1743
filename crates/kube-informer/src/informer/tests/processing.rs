//! From what the server sends to what handlers hear.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures::FutureExt;
use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::support::{Rig, event_line, map, rest};
use crate::handler::{Event, handler};
use crate::informer::process_loop::Command;
use crate::options::Options;
use crate::source::StreamingList;

#[tokio::test(start_paused = true)]
async fn b_264_the_cache_is_updated_before_the_notification() {
    let rig = Rig::new(&["a/x"]);
    let (informer, ahead) = (rig.informer.clone(), Arc::new(Mutex::new(Vec::new())));
    let writes = ahead.clone();
    rig.add(handler().on_event(move |event| {
        let told = event.object().unwrap();
        let cached = informer.lister().by_key(told.key());
        writes.lock().push(match event {
            Event::Deleted { .. } => cached.is_err(),
            _ => cached.is_ok_and(|cached| cached.same_version(told)),
        });
    }));
    let rig = rig.started().await;
    rig.put("a/x", "1");
    rig.settle().await;
    rig.delete("a/x");
    rig.settle().await;
    assert_eq!(*ahead.lock(), [true, true, true]);
}

#[tokio::test(start_paused = true)]
async fn b_176_a_callback_may_see_other_keys_of_its_batch() {
    let rig = Rig::new(&["a/x", "a/y", "a/z"]);
    let (informer, cached) = (rig.informer.clone(), Arc::new(Mutex::new(Vec::new())));
    let writes = cached.clone();
    rig.add(handler().on_add(move |_| writes.lock().push(informer.lister().len())));
    let rig = rig.started().await;
    rig.settle().await;
    assert_eq!(
        *cached.lock(),
        [3, 3, 3],
        "a list is one commit, and the cache has it whole at the first call"
    );
}

#[tokio::test(start_paused = true)]
async fn b_265_an_event_of_another_kind_is_reported_and_told_to_nobody() {
    let rig = Rig::new(&[]).started().await;
    let (listener, _) = rig.listen();
    rig.server.send_raw(
        "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\
         \"metadata\":{\"namespace\":\"a\",\"name\":\"s\",\"uid\":\"u\",\"resourceVersion\":\"2\"}}}\n",
    );
    rest().await;
    assert_eq!((listener.calls(), rig.informer.lister().len()), (0, 0));
    assert_eq!(rig.failures(), ["configmaps a/s is left out: it is a Secret of v1, not a ConfigMap of v1"]);
}

/// An event of the watch, as the server would send it.
fn raw_event(kind: &str, key: &str, uid: &str, version: u64) -> String {
    let mut object = serde_json::to_value(map(key, "raw")).unwrap();
    object["metadata"]["uid"] = uid.into();
    object["metadata"]["resourceVersion"] = version.to_string().into();
    format!("{}\n", serde_json::json!({ "type": kind, "object": object }))
}

#[tokio::test(start_paused = true)]
async fn b_286_added_or_updated_is_for_the_store_to_say() {
    let rig = Rig::new(&[]).started().await;
    let (listener, _) = rig.listen();
    rig.server.send_raw(raw_event("MODIFIED", "a/x", "u", 10));
    rest().await;
    rig.server.send_raw(raw_event("ADDED", "a/x", "u", 11));
    rest().await;
    assert_eq!(listener.log(), ["add a/x@10", "update a/x@10 11"]);
}

#[tokio::test(start_paused = true)]
async fn b_286_the_same_event_again_is_no_news() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (listener, _) = rig.listen();
    rig.settle().await;
    rig.server.duplicate_next_event();
    rig.put("a/x", "1");
    rig.settle().await;
    assert_eq!(listener.log(), ["add a/x@2 initial", "update a/x@2 3"]);
}

#[tokio::test(start_paused = true)]
async fn b_287_the_delete_of_an_unknown_key_is_told_to_nobody() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (listener, _) = rig.listen();
    rig.settle().await;
    rig.server.send_raw(raw_event("DELETED", "a/unknown", "u", 10));
    rest().await;
    assert_eq!((listener.calls(), rig.failures().len()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn b_288_a_relist_is_one_commit_told_deletes_first() {
    let rig = Rig::new(&["a/gone", "a/old", "a/same"]).started().await;
    let (informer, caches) = (rig.informer.clone(), Arc::new(Mutex::new(Vec::new())));
    let sees = caches.clone();
    let (listener, _) = rig.listen();
    rig.settle().await;
    rig.add(handler().on_event(move |event| {
        let keys: Vec<_> = informer.lister().keys().iter().map(|key| key.name().to_owned()).collect();
        if !matches!(event, Event::Added { initial: true, .. }) {
            sees.lock().push(keys.contains(&"new".into()) && !keys.contains(&"gone".into()));
        }
    }));
    rig.settle().await;
    for change in 0..3 {
        rig.server.lose_next_event();
        match change {
            0 => drop(rig.put("a/new", "")),
            1 => drop(rig.put("a/old", "1")),
            _ => rig.delete("a/gone"),
        }
    }
    rig.relist().await;
    let log = listener.log().split_off(3);
    assert_eq!(log[0], "delete a/gone@2 guessed");
    assert_eq!(log[1..], ["add a/new@5", "update a/old@3 6"], "then the list in its order");
    assert_eq!(*caches.lock(), [true, true, true], "from the first call on the cache is that of the list");
}

#[tokio::test(start_paused = true)]
async fn b_291_a_bookmark_moves_the_version_and_tells_nobody() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (listener, _) = rig.listen();
    rig.settle().await;
    rig.server.advance(100);
    rig.settle().await;
    assert_eq!(rig.informer.last_sync_resource_version().to_string(), "102");
    assert_eq!(listener.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn b_294_a_delete_shows_the_object_as_the_server_sent_it() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (listener, _) = rig.listen();
    rig.settle().await;
    rig.delete("a/x");
    rig.settle().await;
    assert_eq!(listener.log()[1], "delete a/x@3", "the version is that of the deletion");
}

#[tokio::test(start_paused = true)]
async fn b_294_a_missed_delete_shows_the_last_state_and_says_that_it_is_a_guess() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (listener, _) = rig.listen();
    rig.settle().await;
    rig.server.lose_next_event();
    rig.delete("a/x");
    rig.relist().await;
    assert_eq!(listener.log()[1], "delete a/x@2 guessed");
}

#[tokio::test(start_paused = true)]
async fn b_384_a_delete_always_has_an_object_with_its_key() {
    let rig = Rig::new(&["a/x", "a/y"]).started().await;
    let keys = Arc::new(Mutex::new(Vec::new()));
    let writes = keys.clone();
    rig.add(handler().on_delete(move |map| writes.lock().push((map.key().clone(), map.name().to_owned()))));
    rig.settle().await;
    rig.delete("a/x");
    rig.settle().await;
    rig.server.lose_next_event();
    rig.delete("a/y");
    rig.relist().await;
    let keys: Vec<_> = keys.lock().iter().map(|(key, name)| format!("{key} {name}")).collect();
    assert_eq!(keys, ["a/x x", "a/y y"]);
}

#[tokio::test(start_paused = true)]
async fn d5_another_uid_is_a_delete_and_an_add() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (watched, _) = rig.listen();
    rig.settle().await;
    rig.delete("a/x");
    rig.put("a/x", "second");
    rig.settle().await;
    watched.check();
    assert_eq!(watched.log(), ["add a/x@2 initial", "delete a/x@3", "add a/x@4"]);
}

#[tokio::test(start_paused = true)]
async fn d5_another_uid_found_by_a_relist_is_a_delete_and_an_add() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (listener, _) = rig.listen();
    rig.settle().await;
    rig.server.lose_next_event();
    rig.delete("a/x");
    rig.server.lose_next_event();
    rig.put("a/x", "second");
    rig.relist().await;
    listener.check();
    assert_eq!(listener.log(), ["add a/x@2 initial", "delete a/x@2 guessed", "add a/x@4"]);
}

#[tokio::test(start_paused = true)]
async fn d6_a_relist_by_list_or_stream_delivers_only_what_differs() {
    for streaming in [StreamingList::Always, StreamingList::Never] {
        let settings = Options::default().tuning(|tuning| tuning.streaming_list(streaming));
        let rig = Rig::with(&["a/x", "a/y"], |builder| builder.options(|_| settings)).started().await;
        let (listener, _) = rig.listen();
        rig.settle().await;
        rig.server.lose_next_event();
        rig.put("a/y", "1");
        rig.relist().await;
        assert_eq!(listener.log().split_off(2), ["update a/y@3 4"], "{streaming:?}");
    }
}

/// A command that sends itself again, until the cache has an object or a thousand of them were carried out. A program that takes
/// and drops streams in a loop is not slower.
fn endless(carried_out: Arc<AtomicU32>) -> Command {
    Command::Store(Box::new(move |store, engine| {
        let rounds = carried_out.fetch_add(1, Ordering::Relaxed);
        if store.indexer().list().is_empty() && rounds < 1_000 {
            engine.command(endless(carried_out)).unwrap();
        }
        async {}.boxed()
    }))
}

#[tokio::test(start_paused = true)]
async fn commands_without_end_do_not_keep_an_event_out_of_the_cache() {
    let rig = Rig::new(&[]).started().await;
    let (release, released) = oneshot::channel::<()>();
    let hold = Command::Store(Box::new(|_, _| released.map(|_| ()).boxed()));
    rig.informer.engine().command(hold).unwrap();
    rest().await;
    rig.put("a/x", "queued");
    rest().await;
    let carried_out = Arc::new(AtomicU32::new(0));
    rig.informer.engine().command(endless(carried_out.clone())).unwrap();
    drop(release);
    rig.settle().await;
    assert_eq!(rig.informer.lister().len(), 1);
    let rounds = carried_out.load(Ordering::Relaxed);
    assert!(rounds <= 2, "{rounds} commands were carried out before the event");
}

/// A command that sends itself again, ten thousand times or until the informer has stopped.
fn many(carried_out: Arc<AtomicU32>) -> Command {
    Command::Store(Box::new(move |_, engine| {
        if carried_out.fetch_add(1, Ordering::Relaxed) < MANY {
            engine.command(many(carried_out)).ok();
        }
        async {}.boxed()
    }))
}

const MANY: u32 = 10_000;

#[tokio::test(start_paused = true)]
async fn commands_without_end_do_not_put_off_resyncs_or_the_end() {
    let rig = Rig::new(&["a/x"]);
    let (carried_out, calls) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let [begun, counts] = [carried_out.clone(), calls.clone()];
    rig.add(handler().resync(Duration::from_secs(60)).on_update(move |_, _| {
        counts.fetch_add(u32::from(begun.load(Ordering::Relaxed) < MANY), Ordering::Relaxed);
    }));
    let (stop, ended) = rig.start_until();
    rig.synced().await;
    let (release, released) = oneshot::channel::<()>();
    let hold = Command::Store(Box::new(|_, _| released.map(|_| ()).boxed()));
    rig.informer.engine().command(hold).unwrap();
    tokio::time::sleep(Duration::from_secs(100)).await;
    rig.informer.engine().command(many(carried_out.clone())).unwrap();
    drop(release);
    rest().await;
    assert!(carried_out.load(Ordering::Relaxed) > MANY);
    assert_eq!(calls.load(Ordering::Relaxed), 1, "the resync did not wait for the last command");
    carried_out.store(0, Ordering::Relaxed);
    rig.informer.engine().command(many(carried_out.clone())).unwrap();
    drop(stop);
    ended.await.unwrap();
    assert!(carried_out.load(Ordering::Relaxed) < MANY, "the end did not wait for it either");
}

#[tokio::test(start_paused = true)]
async fn commands_without_end_do_not_keep_handlers_that_have_left() {
    let rig = Rig::new(&[]).started().await;
    let carried_out = Arc::new(AtomicU32::new(0));
    let stream = rig.informer.stream().unwrap();
    rest().await;
    let engine = rig.informer.engine().clone();
    rig.informer.engine().command(many(carried_out.clone())).unwrap();
    drop(stream);
    while engine.listeners_held() > 0 {
        tokio::task::yield_now().await;
    }
    let rounds = carried_out.load(Ordering::Relaxed);
    assert!(rounds < MANY, "{rounds} commands were carried out before the stream was let go");
}

#[tokio::test(start_paused = true)]
async fn b_042_a_bookmark_that_goes_back_brings_nothing_back() {
    let rig = Rig::new(&[]).started().await;
    let (listener, _) = rig.listen_with(|handler| handler.every_event(100));
    rig.put("a/x", "");
    rig.settle().await;
    rig.put("a/y", "");
    rig.delete("a/x");
    rig.settle().await;
    let bookmark = serde_json::json!({ "kind": "ConfigMap", "apiVersion": "v1", "metadata": { "resourceVersion": "1" } });
    rig.server.send_raw(event_line("BOOKMARK", &bookmark));
    rest().await;
    rig.server.close_watches();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(listener.log(), ["add a/x@2", "add a/y@3", "delete a/x@4"]);
    assert_eq!(rig.informer.status().scopes[0].watches, 2);
}
