//! From created to started to stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use parking_lot::Mutex;

use super::support::{Rig, SOON, rest};
use crate::handler::handler;
use crate::informer::run;
use crate::informer::tasks::Spawn;
use crate::source::{Fault, SourceError, Status};
use crate::status::Phase;

#[tokio::test(start_paused = true)]
async fn b_250_a_second_run_is_refused() {
    let rig = Rig::new(&[]).started().await;
    let error = rig.informer.run(std::future::pending()).await.unwrap_err();
    assert_eq!(error.to_string(), "the informer of configmaps was started before; it runs only once");
    rig.informer.shutdown(SOON).await;
    assert!(rig.informer.run(std::future::pending()).await.is_err(), "not after the stop either");
}

#[tokio::test(start_paused = true)]
async fn b_250_created_then_started_then_stopped() {
    let rig = Rig::new(&[]);
    let phase = || rig.informer.status().phase;
    assert_eq!((phase(), rig.server.requests().len()), (Phase::Pending, 0), "building starts nothing");
    let (stop, running) = rig.start_until();
    rig.synced().await;
    rest().await;
    assert_eq!((phase(), rig.informer.is_stopped()), (Phase::Watching, false));
    drop(stop);
    running.await.unwrap();
    assert_eq!((phase(), rig.informer.is_stopped()), (Phase::Stopped, true));
}

#[tokio::test(start_paused = true)]
async fn b_251_run_returns_when_everything_has_ended() {
    let rig = Rig::new(&["a/x"]);
    let held = Arc::new(AtomicUsize::new(0));
    let holds = held.clone();
    let registration = rig.add(handler().on_add(move |_| _ = holds.fetch_add(1, Ordering::Relaxed)));
    let (stop, running) = rig.start_until();
    registration.wait_synced(SOON).await.unwrap();
    assert_eq!(
        (held.load(Ordering::Relaxed), Arc::strong_count(&held)),
        (1, 2),
        "it was called, and is there"
    );
    drop(stop);
    running.await.unwrap();
    assert_eq!(rig.server.open_watches(), 0);
    assert_eq!(Arc::strong_count(&held), 1, "the handler's task is gone, and its function with it");
}

#[tokio::test(start_paused = true)]
async fn b_255_nothing_is_added_to_a_stopped_informer() {
    let rig = Rig::new(&[]).started().await;
    rig.informer.shutdown(SOON).await;
    let error = rig.informer.add_event_handler(handler()).unwrap_err();
    assert_eq!(error.to_string(), "the informer of configmaps has stopped already; build another one");
    assert_eq!(rig.informer.stream().unwrap_err(), error);
    assert_eq!(rig.informer.add_full_state_handler(|_| {}).unwrap_err(), error);
}

#[tokio::test(start_paused = true)]
async fn b_256_removing_from_a_stopped_informer_succeeds() {
    let rig = Rig::new(&[]).started().await;
    let (_, registration) = rig.listen();
    rig.settle().await;
    rig.informer.shutdown(SOON).await;
    registration.remove();
    registration.remove_and_drain(Duration::ZERO).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn b_257_the_builder_fixes_transform_and_error_callback_and_the_last_call_wins() {
    let failures = Arc::new(Mutex::new(Vec::new()));
    let heard = failures.clone();
    let rig = Rig::with(&["a/x"], |builder| {
        let builder = builder.transform(|_| Err("the first")).transform(|_| Err("the second"));
        builder.on_error(move |failure| heard.lock().push(failure.to_string()))
    })
    .started()
    .await;
    assert_eq!(*failures.lock(), ["configmaps a/x is left out: the transform refused it: the second"]);
    assert_eq!(rig.failures().len(), 0, "the callback that was set first hears nothing");
}

#[tokio::test(start_paused = true)]
async fn b_258_indexes_are_added_before_and_after_the_start_but_not_after_the_stop() {
    let rig = Rig::new(&["a/x", "b/x"]);
    let add = |name: &'static str| rig.informer.add_index(name, |map| Some(map.name().to_owned()));
    let before = add("before");
    rig.start();
    rig.synced().await;
    let after = add("after");
    after.wait_ready(SOON).await.unwrap();
    assert_eq!((before.get("x").unwrap().len(), after.get("x").unwrap().len()), (2, 2));
    rig.informer.shutdown(SOON).await;
    assert!(add("too late").wait_ready(SOON).await.unwrap_err().to_string().contains("has stopped"));
    assert_eq!(before.get("x").unwrap().len(), 2, "what was read before can be read on");
}

#[tokio::test(start_paused = true)]
async fn b_107_b_259_synced_once_the_first_list_is_in_the_store_and_from_then_on() {
    let rig = Rig::new(&["a/x"]);
    let hold = rig.server.inject(Fault::stall().once());
    let (stop, running) = rig.start_until();
    hold.until_struck(1).await;
    assert!(!rig.informer.has_synced());
    hold.remove();
    rig.synced().await;
    assert_eq!(rig.informer.lister().len(), 1);
    rig.server.inject(Fault::error(SourceError::transport("refused")).once());
    rig.relist().await;
    assert!(rig.informer.has_synced(), "a relist takes nothing back");
    drop(stop);
    running.await.unwrap();
    assert!(rig.informer.has_synced(), "nor does the stop");
}

#[tokio::test(start_paused = true)]
async fn b_259_never_synced_if_no_list_succeeds() {
    let rig = Rig::new(&[]);
    let refused = Status { code: 403, reason: "Forbidden".into(), ..Status::default() };
    for _ in 0..1_000 {
        rig.server.inject(Fault::error(SourceError::answered(refused.clone())).once());
    }
    rig.start();
    tokio::time::sleep(SOON).await;
    assert!(!rig.informer.has_synced());
}

#[tokio::test(start_paused = true)]
async fn b_260_the_version_is_empty_before_the_list_and_follows_events_and_bookmarks() {
    let rig = Rig::new(&["a/x"]);
    let version = || rig.informer.last_sync_resource_version();
    assert!(version().is_empty());
    rig.start();
    rig.synced().await;
    assert_eq!(version(), rig.server.version());
    rig.put("a/x", "1");
    rest().await;
    assert_eq!(version(), rig.server.version(), "an event");
    rig.server.advance(10);
    rig.server.bookmark();
    rest().await;
    assert_eq!(version(), rig.server.version(), "a bookmark");
}

/// Runs tasks on tokio, or keeps them until somebody else does.
#[derive(Default)]
struct Later {
    held: Mutex<Option<Vec<BoxFuture<'static, ()>>>>,
}

impl Spawn for Later {
    fn spawn(&self, task: BoxFuture<'static, ()>) {
        match &mut *self.held.lock() {
            Some(held) => held.push(task),
            None => _ = tokio::spawn(task),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn b_263_events_that_come_before_the_handlers_task_has_run_wait_for_it() {
    let rig = Rig::new(&["a/x"]);
    let tasks = Arc::new(Later::default());
    let (spawn, engine) = (tasks.clone(), rig.informer.engine().clone());
    tokio::spawn(async move { run::run(engine, spawn, std::future::pending()).await.unwrap() });
    rig.synced().await;
    *tasks.held.lock() = Some(Vec::new());
    let (listener, registration) = rig.listen();
    rig.put("a/x", "1");
    rig.put("a/y", "1");
    rig.settle().await;
    rig.relist().await;
    assert_eq!(tasks.held.lock().as_ref().unwrap().len(), 1, "the handler's task has not run");
    assert_eq!(
        (listener.calls(), registration.status().backlog),
        (0, 2),
        "its events wait, and nobody waits for it"
    );
    assert_eq!(rig.informer.lister().len(), 2);
    for task in tasks.held.lock().take().unwrap() {
        tokio::spawn(task);
    }
    rest().await;
    listener.check();
    assert_eq!(listener.believes(), [("a/x".into(), "3".into()), ("a/y".into(), "4".into())]);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_run_future_ends_everything() {
    let rig = Rig::new(&["a/x"]);
    let (listener, registration, _) = rig.listen_stuck();
    let running = rig.start();
    rig.synced().await;
    rest().await;
    running.abort();
    rig.server.wait_for_watches(0).await;
    rest().await;
    assert!(rig.informer.is_stopped());
    assert!(registration.wait_synced(SOON).await.is_err(), "who waits for the handler is told");
    registration.remove_and_drain(Duration::ZERO).await.unwrap();
    rig.put("a/x", "1");
    rest().await;
    assert_eq!(listener.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_informer_that_is_dropped_before_it_starts_lets_nobody_wait() {
    let rig = Rig::new(&[]);
    let (_, registration) = rig.listen();
    drop(rig);
    assert!(registration.wait_synced(SOON).await.is_err());
}
