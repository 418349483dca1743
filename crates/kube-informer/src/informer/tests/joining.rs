//! Handlers that come and go while the informer runs.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::support::{Listener, Rig, SOON, map, quiet_panic, rest};
use crate::handler::{Registration, handler};
use crate::source::{Fault, ScriptedSource};

#[tokio::test(start_paused = true)]
async fn b_262_handlers_come_and_go_while_events_flow() {
    let rig = Rig::new(&["a/x"]).started().await;
    let mut handlers = Vec::new();
    let mut gone = Vec::new();
    for turn in 0..100 {
        rig.put(&format!("a/{}", turn % 7), &turn.to_string());
        handlers.push(rig.listen());
        if turn % 3 == 2 {
            let (listener, registration): (Listener, Registration) = handlers.swap_remove(turn % 5);
            registration.remove();
            listener.removed();
            gone.push(listener);
        }
        if turn % 4 == 0 {
            tokio::task::yield_now().await;
        }
    }
    rig.settle().await;
    let truth: Vec<_> = rig.cached().into_iter().map(|(key, version, _)| (key, version)).collect();
    for (listener, _) in &handlers {
        listener.check();
        assert_eq!(listener.believes(), truth);
    }
    gone.iter().for_each(Listener::check);
}

#[tokio::test(start_paused = true)]
async fn b_266_the_same_function_registered_twice_is_two_handlers() {
    let rig = Rig::new(&["a/x"]);
    let calls = Arc::new(Mutex::new(0));
    let count = || {
        let calls = calls.clone();
        handler().on_add(move |_| *calls.lock() += 1)
    };
    let (first, second) = (rig.add(count()), rig.add(count()));
    let rig = rig.started().await;
    rig.settle().await;
    assert_eq!(*calls.lock(), 2);
    first.remove();
    rig.put("a/y", "");
    rig.settle().await;
    assert_eq!((*calls.lock(), first.status().delivered, second.status().delivered), (3, 1, 2));
}

#[tokio::test(start_paused = true)]
async fn b_105_b_267_a_handler_added_before_the_start_hears_everything_from_the_first_list_on() {
    let rig = Rig::new(&["a/x"]);
    let (listener, _) = rig.listen();
    let rig = rig.started().await;
    rig.put("a/x", "1");
    rig.settle().await;
    assert_eq!(listener.log(), ["add a/x@2 initial", "update a/x@2 3"]);
}

#[tokio::test(start_paused = true)]
async fn b_105_b_267_a_late_handler_hears_the_cache_then_every_change() {
    let rig = Rig::new(&["a/x", "a/y"]).started().await;
    rig.put("a/x", "1");
    rig.settle().await;
    let (listener, _) = rig.listen();
    rig.settle().await;
    rig.delete("a/y");
    rig.settle().await;
    let mut log = listener.log();
    log[..2].sort();
    assert_eq!(log, ["add a/x@4 initial", "add a/y@3 initial", "delete a/y@5"]);
}

#[tokio::test(start_paused = true)]
async fn b_268_removing_twice_is_fine() {
    let rig = Rig::new(&[]).started().await;
    let (_, registration) = rig.listen();
    registration.remove();
    registration.clone().remove();
    registration.remove_and_drain(SOON).await.unwrap();
    rig.settle().await;
    registration.remove();
}

#[tokio::test(start_paused = true)]
async fn b_268_dropping_a_registration_does_not_remove_the_handler() {
    let rig = Rig::new(&[]).started().await;
    let (listener, registration) = rig.listen();
    drop(registration);
    rig.put("a/x", "");
    rig.settle().await;
    assert_eq!(listener.log(), ["add a/x@2"]);
}

#[tokio::test(start_paused = true)]
async fn the_backlog_of_a_handler_that_was_just_added_has_all_that_it_will_be_called_with() {
    let rig = Rig::new(&["a/x", "a/y", "a/z"]).started().await;
    let (listener, registration) = rig.listen();
    let (_, removed) = rig.listen();
    let behind = |registration: &Registration| {
        let status = registration.status();
        (status.backlog, status.synced)
    };
    assert_eq!((behind(&registration), listener.calls()), ((3, false), 0));
    removed.remove();
    assert_eq!(behind(&removed), (0, false));
    rig.settle().await;
    assert_eq!((behind(&registration), listener.calls()), ((0, true), 3));
    assert_eq!(removed.status().backlog, 0);
}

#[tokio::test(start_paused = true)]
async fn b_269_removing_does_not_wait_for_the_call_in_progress() {
    let rig = Rig::new(&["a/x"]);
    let (_, registration, permits) = rig.listen_stuck();
    let rig = rig.started().await;
    rest().await;
    registration.remove();
    assert_eq!(registration.status().delivered, 0);
    permits.add_permits(1);
    rig.settle().await;
    assert_eq!(registration.status().delivered, 1, "the call goes on to its end");
}

#[tokio::test(start_paused = true)]
async fn b_270_removing_discards_what_waits() {
    let rig = Rig::new(&["a/x", "a/y", "a/z"]);
    let (listener, registration, permits) = rig.listen_stuck();
    let rig = rig.started().await;
    rest().await;
    registration.remove();
    permits.add_permits(10);
    rig.settle().await;
    assert_eq!((listener.calls(), registration.status().backlog), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn b_270_remove_and_drain_delivers_what_waits_and_nothing_later() {
    let rig = Rig::new(&["a/x", "a/y"]);
    let (listener, registration, permits) = rig.listen_stuck();
    let rig = rig.started().await;
    rest().await;
    let meanwhile = async {
        rest().await;
        rig.put("a/later", "");
        rig.settle().await;
        permits.add_permits(10);
    };
    let (drained, ()) = tokio::join!(registration.remove_and_drain(SOON), meanwhile);
    drained.unwrap();
    assert_eq!(listener.believes().len(), 2);
    rig.put("a/x", "1");
    rig.settle().await;
    assert_eq!(listener.calls(), 2);
}

#[tokio::test(start_paused = true)]
async fn b_270_remove_and_drain_gives_up_at_its_deadline_and_says_what_was_lost() {
    let rig = Rig::new(&["a/x", "a/y", "a/z"]);
    let (listener, registration, permits) = rig.listen_stuck();
    let rig = rig.started().await;
    rest().await;
    let asked = Instant::now();
    let error = registration.remove_and_drain(Duration::from_secs(5)).await.unwrap_err();
    assert_eq!(asked.elapsed().as_secs(), 5);
    assert_eq!(error.to_string(), "handler \"configmaps-0\" did not finish in 5s; 3 events were discarded");
    permits.add_permits(10);
    rig.settle().await;
    assert_eq!(listener.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn b_271_remove_and_drain_waits_for_the_call_in_progress() {
    let rig = Rig::new(&["a/x"]);
    let (_, registration, permits) = rig.listen_stuck();
    let _rig = rig.started().await;
    rest().await;
    let asked = Instant::now();
    let let_go = async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        permits.add_permits(1);
    };
    let (drained, ()) = tokio::join!(registration.remove_and_drain(SOON), let_go);
    drained.unwrap();
    assert_eq!((asked.elapsed().as_secs(), registration.status().delivered), (3, 1));
}

#[tokio::test(start_paused = true)]
async fn b_271_a_handler_that_is_drained_right_after_it_joined_hears_the_cache() {
    let rig = Rig::new(&["a/x", "a/y"]).started().await;
    let (listener, registration) = rig.listen();
    registration.remove_and_drain(SOON).await.unwrap();
    assert_eq!(listener.calls(), 2);
    rig.put("a/x", "later");
    rig.settle().await;
    assert_eq!(listener.calls(), 2);
}

#[tokio::test(start_paused = true)]
async fn b_271_remove_and_drain_returns_at_once_if_the_informer_never_started() {
    let rig = Rig::new(&["a/x"]);
    let (listener, registration) = rig.listen();
    let asked = Instant::now();
    registration.remove_and_drain(SOON).await.unwrap();
    assert_eq!(asked.elapsed(), Duration::ZERO);
    let rig = rig.started().await;
    rig.settle().await;
    assert_eq!(listener.calls(), 0);
}

#[tokio::test(start_paused = true)]
async fn b_272_a_removed_handler_hears_of_no_later_change() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (listener, registration) = rig.listen();
    rig.settle().await;
    registration.remove();
    rig.put("a/x", "1");
    rig.relist().await;
    assert_eq!(listener.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn b_273_synced_when_the_calls_with_the_initial_objects_have_returned() {
    let rig = Rig::new(&["a/x", "a/y"]);
    let hold = rig.server.inject(Fault::stall().once());
    let (listener, registration, permits) = rig.listen_stuck();
    rig.start();
    rest().await;
    assert!(!registration.has_synced(), "not before the informer is");
    hold.remove();
    rig.synced().await;
    permits.add_permits(1);
    rest().await;
    assert_eq!((listener.calls(), registration.has_synced()), (2, false), "the last call has not returned");
    permits.add_permits(1);
    registration.wait_synced(SOON).await.unwrap();
    assert!(registration.has_synced());
}

#[tokio::test(start_paused = true)]
async fn b_273_a_late_handler_is_never_synced_before_it_has_heard_the_cache() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (listener, registration) = rig.listen();
    assert!(!registration.has_synced());
    registration.wait_synced(SOON).await.unwrap();
    assert_eq!(listener.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn b_274_a_panic_on_an_initial_object_does_not_keep_the_handler_from_being_synced() {
    let rig = Rig::new(&["a/x", "a/y"]);
    let registration = rig.add(handler().on_add(|_| quiet_panic("on every add")));
    let rig = rig.started().await;
    registration.wait_synced(SOON).await.unwrap();
    assert_eq!((registration.status().panics, rig.failures().len()), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn b_292_what_a_relist_brings_is_not_initial() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (listener, _) = rig.listen();
    rig.settle().await;
    rig.server.lose_next_event();
    rig.put("a/y", "");
    rig.relist().await;
    assert_eq!(listener.log(), ["add a/x@2 initial", "add a/y@3"]);
}

#[tokio::test(start_paused = true)]
async fn b_295_a_handler_joins_between_two_commits() {
    let rig = Rig::new(&[]).started().await;
    for turn in 0..50 {
        // Half of the events are in the store when the handler joins, the others come after.
        rig.put("a/x", &format!("{turn} before"));
        let (listener, registration) = rig.listen();
        rig.put("a/x", &format!("{turn} after"));
        rig.settle().await;
        listener.check();
        assert_eq!(listener.believes(), [("a/x".to_owned(), rig.server.version().to_string())]);
        registration.remove();
    }
}

#[tokio::test(start_paused = true)]
async fn b_327_b_540_synced_in_either_order_and_for_good() {
    let rig = Rig::new(&[]);
    let (_, early) = rig.listen();
    let rig = rig.started().await;
    early.wait_synced(SOON).await.unwrap();
    let (_, late) = rig.listen();
    late.wait_synced(SOON).await.unwrap();
    rig.put("a/x", "");
    rig.relist().await;
    assert!(early.has_synced() && late.has_synced());
}

#[tokio::test(start_paused = true)]
async fn b_540_waiting_for_a_handler_that_is_removed_ends() {
    let rig = Rig::new(&[]);
    let (_, registration) = rig.listen();
    let remove = async { registration.remove() };
    let (synced, ()) = tokio::join!(registration.wait_synced(SOON), remove);
    assert_eq!(
        synced.unwrap_err().to_string(),
        "handler \"configmaps-0\" was removed or its informer stopped before it had heard of everything"
    );
}

#[tokio::test(start_paused = true)]
async fn a_handler_adds_another_handler() {
    let rig = Rig::new(&["a/x", "a/y"]);
    let (informer, listener) = (rig.informer.clone(), Listener::default());
    let hears = listener.clone();
    rig.add(handler().on_add(move |_| {
        let hears = hears.clone();
        informer.add_event_handler(handler().on_event(move |event| hears.hear(event))).unwrap();
    }));
    let rig = rig.started().await;
    rig.settle().await;
    assert_eq!(listener.calls(), 4, "two handlers, each of which hears of both objects");
}

#[tokio::test(start_paused = true)]
async fn a_handler_removes_itself() {
    let rig = Rig::new(&["a/x", "a/y"]);
    let itself: Arc<Mutex<Option<Registration>>> = Arc::default();
    let (calls, removes) = (Arc::new(Mutex::new(0)), itself.clone());
    let counts = calls.clone();
    let registration = rig.add(handler().on_add(move |_| {
        *counts.lock() += 1;
        if let Some(registration) = &*removes.lock() {
            registration.remove();
        }
    }));
    *itself.lock() = Some(registration);
    let rig = rig.started().await;
    rig.put("a/z", "");
    rig.settle().await;
    assert_eq!(*calls.lock(), 1);
}

/// Real threads: joining, leaving, writing and stopping at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b_262_joining_leaving_and_stopping_at_once_on_several_threads() {
    let rig = Rig::new(&["a/x"]).started().await;
    let abuse = |server: ScriptedSource, informer: crate::SharedInformer<_>| async move {
        for turn in 0..200 {
            let listener = Listener::default();
            let hears = listener.clone();
            let added = informer.add_event_handler(handler().on_event(move |event| hears.hear(event)));
            let Ok(registration) = added else { return };
            server.put_json(serde_json::to_value(map("a/x", &turn.to_string())).unwrap()).unwrap();
            registration.wait_synced(SOON).await.ok();
            registration.remove();
            listener.check();
        }
    };
    let mut tasks: Vec<_> =
        (0..4).map(|_| tokio::spawn(abuse(rig.server.clone(), rig.informer.clone()))).collect();
    tasks.swap_remove(0).await.unwrap();
    rig.informer.shutdown(SOON).await;
    for task in tasks {
        task.await.unwrap();
    }
}
