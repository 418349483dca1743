//! The exclusive informer: it goes on when its first handler has been called.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use informer_core::store::pace::yield_now;
use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use super::support::{BuildExclusive, Listener, SOON, map, quiet_panic, rest};
use crate::handler::{Event, async_handler, handler};
use crate::informer::{InformerBuilder, SharedInformer};
use crate::object::Object;
use crate::source::{ScriptedSource, StreamingList};

fn server(keys: &[&str]) -> ScriptedSource {
    let server = ScriptedSource::of::<ConfigMap>();
    for key in keys {
        server.create(&map(key, "")).unwrap();
    }
    server
}

fn builder(server: &ScriptedSource) -> InformerBuilder<ConfigMap> {
    SharedInformer::builder(server.clone())
}

fn listening(server: &ScriptedSource) -> (Arc<SharedInformer<ConfigMap>>, Listener) {
    let listener = Listener::default();
    let hears = listener.clone();
    let informer = builder(server).build_exclusive(move |event| hears.hear(event)).unwrap();
    (Arc::new(informer), listener)
}

async fn start(informer: &Arc<SharedInformer<ConfigMap>>) -> tokio::task::JoinHandle<()> {
    let running = informer.clone();
    let running = tokio::spawn(async move { running.run(std::future::pending()).await.unwrap() });
    informer.wait_synced(SOON).await.unwrap();
    running
}

#[tokio::test(start_paused = true)]
async fn b_350_it_runs_until_told_to_stop_and_returns_when_all_has_ended() {
    let server = server(&["a/x"]);
    let (informer, listener) = listening(&server);
    let running = start(&informer).await;
    informer.shutdown(SOON).await;
    running.await.unwrap();
    assert_eq!((listener.calls(), server.open_watches()), (1, 0));
    assert!(informer.run(std::future::pending()).await.is_err(), "it runs once");
}

#[tokio::test(start_paused = true)]
async fn b_351_one_consumer_calls_in_stream_order() {
    let server = server(&[]);
    let (informer, listener) = listening(&server);
    start(&informer).await;
    for key in ["a/x", "a/y", "a/x", "a/z"] {
        server.put_json(serde_json::to_value(map(key, &server.version().to_string())).unwrap()).unwrap();
        rest().await;
    }
    assert_eq!(listener.log(), ["add a/x@2", "add a/y@3", "update a/x@2 4", "add a/z@5"]);
}

#[tokio::test(start_paused = true)]
async fn b_352_a_panic_of_the_function_breaks_nothing() {
    let server = server(&["a/x"]);
    let calls = Arc::new(Mutex::new(0));
    let counts = calls.clone();
    let informer = builder(&server).build_exclusive(move |_| {
        *counts.lock() += 1;
        quiet_panic("every time");
    });
    let informer = Arc::new(informer.unwrap());
    start(&informer).await;
    server.create(&map("a/y", "")).unwrap();
    rest().await;
    assert_eq!((*calls.lock(), informer.lister().len()), (2, 2));
    assert_eq!(informer.status().failures, 2);
}

#[tokio::test(start_paused = true)]
async fn b_353_there_is_one_error_callback() {
    let server = server(&[]);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hears = heard.clone();
    let informer = builder(&server)
        .on_error(|_| quiet_panic("replaced by the next"))
        .on_error(move |failure| hears.lock().push(failure.cause.name()))
        .build_exclusive(|_| {});
    let informer = Arc::new(informer.unwrap());
    start(&informer).await;
    server.send_raw("this is not JSON\n");
    rest().await;
    assert_eq!(*heard.lock(), ["watch"]);
}

#[tokio::test(start_paused = true)]
async fn b_354_synced_and_version_are_those_of_the_informer() {
    let server = server(&["a/x"]);
    let (informer, _) = listening(&server);
    assert!(!informer.has_synced() && informer.last_sync_resource_version().is_empty());
    start(&informer).await;
    assert!(informer.has_synced());
    assert_eq!(informer.last_sync_resource_version(), server.version());
}

#[tokio::test(start_paused = true)]
async fn b_355_what_goes_wrong_is_reported_and_the_rest_goes_on() {
    let server = server(&["a/x", "a/y"]);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let (hears, listener) = (heard.clone(), Listener::default());
    let told = listener.clone();
    let informer = builder(&server)
        .transform(|map| if map.metadata.name.as_deref() == Some("x") { Err("no x") } else { Ok(()) })
        .on_error(move |failure| hears.lock().push(failure.to_string()))
        .build_exclusive(move |event| told.hear(event));
    let informer = Arc::new(informer.unwrap());
    start(&informer).await;
    assert_eq!(*heard.lock(), ["configmaps a/x is left out: the transform refused it: no x"]);
    assert_eq!(listener.log(), ["add a/y@3 initial"]);
}

#[tokio::test(start_paused = true)]
async fn b_356_the_function_is_called_after_the_write_and_before_anything_newer() {
    let server = server(&["a/x"]);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let cache: Arc<Mutex<Option<SharedInformer<ConfigMap>>>> = Arc::default();
    let (sees, reads) = (seen.clone(), cache.clone());
    let informer = builder(&server).build_exclusive(move |event: &Event<ConfigMap>| {
        let told = event.object().unwrap();
        let cached = reads.lock().as_ref().unwrap().lister().by_key(told.key()).unwrap();
        sees.lock().push((told.resource_version().to_string(), cached.same_version(told)));
    });
    let informer = Arc::new(informer.unwrap());
    *cache.lock() = Some((*informer).clone());
    start(&informer).await;
    for text in ["1", "2"] {
        server.update(&map("a/x", text)).unwrap();
        rest().await;
    }
    assert_eq!(*seen.lock(), [("2".into(), true), ("3".into(), true), ("4".into(), true)]);
    assert!(informer.has_synced());
    cache.lock().take();
}

#[tokio::test(start_paused = true)]
async fn b_357_every_update_is_told_and_resyncs_if_asked_for() {
    let server = server(&["a/x"]);
    let listener = Listener::default();
    let hears = listener.clone();
    let informer =
        builder(&server).resync(Duration::from_secs(10)).build_exclusive(move |event| hears.hear(event));
    let informer = Arc::new(informer.unwrap());
    start(&informer).await;
    server.update(&map("a/x", "1")).unwrap();
    rest().await;
    server.update(&map("a/x", "2")).unwrap();
    tokio::time::sleep(Duration::from_secs(11)).await;
    assert_eq!(
        listener.log(),
        ["add a/x@2 initial", "update a/x@2 3", "update a/x@3 4", "update a/x@4 4 resync"]
    );
    informer.refresh();
    rest().await;
    assert_eq!(listener.calls(), 4, "unlike client-go's: an unchanged object of a relist is no news");
}

#[tokio::test(start_paused = true)]
async fn b_357_changes_that_come_together_are_told_one_by_one() {
    let server = server(&[]);
    let (informer, listener) = listening(&server);
    start(&informer).await;
    server.create(&map("a/x", "1")).unwrap();
    for text in ["2", "3"] {
        server.update(&map("a/x", text)).unwrap();
    }
    server.delete("a/x").unwrap();
    rest().await;
    assert_eq!(listener.log(), ["add a/x@2", "update a/x@2 3", "update a/x@3 4", "delete a/x@5"]);
}

#[tokio::test(start_paused = true)]
async fn b_358_the_cache_can_only_be_read() {
    let server = server(&["a/x"]);
    let (informer, _) = listening(&server);
    start(&informer).await;
    let read = || informer.lister().namespace("a").get("x").unwrap().get().unwrap();
    let mut mine = read();
    Arc::make_mut(&mut mine).data = None;
    assert!(mine.data.is_none() && read().data.is_some());
}

/// A server with so many objects.
fn crowd(objects: usize) -> ScriptedSource {
    let server = server(&[]);
    for number in 0..objects {
        server.create(&map(&format!("a/{number}"), "")).unwrap();
    }
    server
}

#[tokio::test(start_paused = true)]
async fn others_get_a_turn_between_the_calls_of_a_large_commit() {
    let server = crowd(2_000);
    let calls = Arc::new(AtomicUsize::new(0));
    let counts = calls.clone();
    let informer = builder(&server).build_exclusive(move |_| {
        counts.fetch_add(1, Ordering::Relaxed);
    });
    let informer = Arc::new(informer.unwrap());
    let running = informer.clone();
    tokio::spawn(async move { running.run(std::future::pending()).await });
    // In a task: what a test itself does has its turn more rarely.
    let most = tokio::spawn(async move {
        let (mut before, mut most) = (0, 0);
        while before < 2_000 {
            yield_now().await;
            let now = calls.load(Ordering::Relaxed);
            most = most.max(now - before);
            before = now;
        }
        most
    });
    let most = most.await.unwrap();
    assert!(most <= 100, "{most} calls in one turn");
}

#[tokio::test(start_paused = true)]
async fn a_stop_does_not_wait_for_the_calls_of_a_large_commit() {
    let server = crowd(2_000);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let (mut stop, calls) = (Some(stop), Arc::new(AtomicUsize::new(0)));
    let counts = calls.clone();
    let informer = builder(&server).build_exclusive(move |_| {
        if counts.fetch_add(1, Ordering::Relaxed) == 10
            && let Some(stop) = stop.take()
        {
            stop.send(()).unwrap();
        }
    });
    let informer = informer.unwrap();
    // In a task, as above.
    let running = tokio::spawn(async move { informer.run(async { stopped.await.unwrap() }).await });
    running.await.unwrap().unwrap();
    let calls = calls.load(Ordering::Relaxed);
    assert!((11..=500).contains(&calls), "{calls} calls");
}

#[tokio::test(start_paused = true)]
async fn it_takes_further_handlers_like_any_other() {
    let server = server(&["a/x"]);
    let (informer, _) = listening(&server);
    start(&informer).await;
    let late = informer.add_event_handler(handler()).unwrap();
    late.wait_synced(SOON).await.unwrap();
    assert_eq!(late.status().delivered, 1);
}

#[tokio::test(start_paused = true)]
async fn b_351_the_next_change_is_applied_when_an_async_handler_is_done_with_the_last() {
    let server = server(&["a/x"]);
    let informer = builder(&server).exclusive().build().unwrap();
    let may_go_on = Arc::new(Semaphore::new(0));
    let waits = may_go_on.clone();
    let wait = move |_| {
        let waits = waits.clone();
        async move { waits.acquire().await.expect("never closed").forget() }
    };
    informer.add_event_handler(async_handler(wait)).unwrap();
    let running = informer.clone();
    tokio::spawn(async move { running.run(std::future::pending()).await });
    rest().await;
    server.create(&map("a/y", "")).unwrap();
    rest().await;
    assert_eq!(informer.lister().len(), 1, "the handler has not finished with a/x");
    may_go_on.add_permits(1);
    rest().await;
    assert_eq!(informer.lister().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_is_added_to_a_running_informer_is_called_with_the_cache_and_can_be_removed() {
    let server = server(&["a/x"]);
    let informer = Arc::new(builder(&server).exclusive().build().unwrap());
    let _running = start(&informer).await;
    let held = Arc::new(());
    let (listener, holds) = (Listener::default(), held.clone());
    let hears = listener.clone();
    let on_event = move |event: &Event<ConfigMap>| {
        let _holds = &holds;
        hears.hear(event);
    };
    let registration = informer.add_event_handler(handler().on_event(on_event)).unwrap();
    registration.wait_synced(SOON).await.unwrap();
    assert_eq!((listener.calls(), registration.status().delivered), (1, 1));
    registration.remove_and_drain(SOON).await.unwrap();
    rest().await;
    assert_eq!(Arc::strong_count(&held), 1, "its function is dropped");
    assert!(informer.status().handlers.is_empty());
    server.create(&map("a/y", "")).unwrap();
    rest().await;
    assert_eq!((listener.calls(), informer.lister().len()), (1, 2), "the informer goes on without it");
}

#[tokio::test(start_paused = true)]
async fn a_stop_awaits_the_call_in_progress() {
    let server = server(&["a/x"]);
    let informer = builder(&server).exclusive().build().unwrap();
    let (may_go_on, done) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicUsize::new(0)));
    let (waits, counts) = (may_go_on.clone(), done.clone());
    let wait = move |_| {
        let (waits, counts) = (waits.clone(), counts.clone());
        async move {
            waits.acquire().await.expect("never closed").forget();
            counts.fetch_add(1, Ordering::Relaxed);
        }
    };
    informer.add_event_handler(async_handler(wait)).unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = informer.clone();
    let running = tokio::spawn(async move { running.run(async { stopped.await.unwrap() }).await });
    rest().await;
    stop.send(()).unwrap();
    rest().await;
    may_go_on.add_permits(1);
    running.await.unwrap().unwrap();
    assert_eq!(done.load(Ordering::Relaxed), 1, "the call was not cut");
}

/// A handler that keeps what it was told, and compares it with the cache at each call.
async fn comparing(
    server: &ScriptedSource,
) -> (Arc<SharedInformer<ConfigMap>>, Listener, Arc<Mutex<Vec<String>>>) {
    let (listener, differs) = (Listener::default(), Arc::<Mutex<Vec<_>>>::default());
    let cache: Arc<Mutex<Option<SharedInformer<ConfigMap>>>> = Arc::default();
    let (hears, reads, notes) = (listener.clone(), cache.clone(), differs.clone());
    let informer = builder(server)
        .options(|options| options.tuning(|tuning| tuning.streaming_list(StreamingList::Never)));
    let informer = informer.build_exclusive(move |event: &Event<ConfigMap>| {
        hears.hear(event);
        let Some(informer) = reads.lock().clone() else { return };
        let version =
            |object: Object<ConfigMap>| (object.key().to_string(), object.resource_version().to_string());
        let mut cached: Vec<_> = informer.lister().list().into_iter().map(version).collect();
        cached.sort();
        if cached != hears.believes() {
            notes.lock().push(format!("{:?} at {event:?}, and the cache holds {cached:?}", hears.believes()));
        }
    });
    let informer = Arc::new(informer.unwrap());
    start(&informer).await;
    *cache.lock() = Some((*informer).clone());
    (informer, listener, differs)
}

#[tokio::test(start_paused = true)]
async fn b_176_b_356_the_cache_is_exactly_as_of_the_event_that_the_function_is_called_with() {
    let server = server(&["a/x", "a/y", "a/z"]);
    let (informer, listener, differs) = comparing(&server).await;
    // Several events of one key, and of others, that come together.
    for text in ["1", "2", "3"] {
        server.update(&map("a/x", text)).unwrap();
        server.update(&map("a/y", text)).unwrap();
    }
    server.delete("a/x").unwrap();
    server.create(&map("a/x", "again")).unwrap();
    rest().await;
    assert_eq!(listener.calls(), 3 + 8);
    // A list that has several changes, an object that was deleted and created again, and another that is gone.
    for _ in 0..4 {
        server.lose_next_event();
        let _ = server.delete("a/x").or_else(|_| server.create(&map("a/x", "anew")));
    }
    server.lose_next_event();
    server.delete("a/y").unwrap();
    server.lose_next_event();
    server.update(&map("a/z", "lost")).unwrap();
    informer.refresh();
    rest().await;
    assert_eq!(listener.calls(), 3 + 8 + 4, "{:?}", listener.log());
    listener.check();
    assert!(differs.lock().is_empty(), "{:#?}", differs.lock());
    assert_eq!(informer.last_sync_resource_version(), server.version());
}

#[tokio::test(start_paused = true)]
async fn b_176_objects_of_a_namespace_that_is_removed_leave_an_exclusive_informer_one_by_one() {
    let server = server(&["a/x", "b/x", "b/y"]);
    let left = Arc::<Mutex<Vec<usize>>>::default();
    let (notes, cache) = (left.clone(), Arc::<Mutex<Option<SharedInformer<ConfigMap>>>>::default());
    let reads = cache.clone();
    let informer =
        builder(&server).namespaces(["a", "b"]).build_exclusive(move |event: &Event<ConfigMap>| {
            if let (Event::Deleted { .. }, Some(informer)) = (event, &*reads.lock()) {
                notes.lock().push(informer.lister().len());
            }
        });
    let informer = Arc::new(informer.unwrap());
    *cache.lock() = Some((*informer).clone());
    start(&informer).await;
    informer.remove_namespace("b").unwrap();
    informer.wait_namespace_removed("b", SOON).await.unwrap();
    assert_eq!((left.lock().clone(), informer.lister().len()), (vec![2, 1], 1));
    cache.lock().take();
}
