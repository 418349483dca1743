//! What handlers hear, each for itself, and what they cannot break.

use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::unbounded_channel;

use super::support::{Listener, Rig, SOON, quiet_panic, rest};
use crate::handler::{Event, async_handler, handler};
use crate::options::Options;
use crate::report::Cause;

#[tokio::test(start_paused = true)]
async fn b_275_calls_of_one_handler_come_one_at_a_time_and_delay_no_other() {
    let rig = Rig::new(&["a/x", "a/y"]);
    let (stuck, _, permits) = rig.listen_stuck();
    let (other, _) = rig.listen();
    let rig = rig.started().await;
    rig.put("a/x", "1");
    rig.settle().await;
    assert_eq!((stuck.calls(), other.calls()), (1, 3));
    permits.add_permits(10);
    rig.settle().await;
    stuck.check();
    assert_eq!(stuck.believes(), other.believes());
}

#[tokio::test(start_paused = true)]
async fn b_275_async_calls_are_awaited_in_order() {
    let rig = Rig::new(&[]).started().await;
    let log = Arc::new(Mutex::new(Vec::new()));
    let writes = log.clone();
    let mut pause = Duration::from_secs(100);
    rig.add(async_handler(move |event| {
        let (log, name) = (writes.clone(), event.object().unwrap().name().to_owned());
        pause /= 2;
        async move {
            log.lock().push(format!("{name} begins"));
            tokio::time::sleep(pause).await;
            log.lock().push(format!("{name} ends"));
        }
    }));
    for key in ["a/x", "a/y", "a/z"] {
        rig.put(key, "");
    }
    rig.settle().await;
    tokio::time::sleep(SOON).await;
    assert_eq!(*log.lock(), ["x begins", "x ends", "y begins", "y ends", "z begins", "z ends"]);
}

#[tokio::test]
async fn b_275_a_blocking_handler_has_its_own_thread_and_delays_nobody() {
    let rig = Rig::new(&["a/x"]);
    let (go, wait) = mpsc::channel::<()>();
    let (entered, mut was_entered) = unbounded_channel();
    let blocking = rig.add(
        handler()
            .named("blocks")
            .on_add(move |_| {
                entered.send(std::thread::current().name().map(str::to_owned)).unwrap();
                wait.recv().unwrap();
            })
            .blocking(),
    );
    let (other, mut heard) = unbounded_channel();
    rig.add(handler().on_event(move |event| other.send(event.object().unwrap().name().to_owned()).unwrap()));
    let rig = rig.started().await;
    assert_eq!(was_entered.recv().await.unwrap().as_deref(), Some("blocks"));
    rig.put("a/y", "");
    assert_eq!(heard.recv().await.unwrap(), "x");
    assert_eq!(heard.recv().await.unwrap(), "y");
    assert!(!blocking.has_synced());
    go.send(()).unwrap();
    go.send(()).unwrap();
    blocking.wait_synced(SOON).await.unwrap();
    was_entered.recv().await.unwrap();
    rig.informer.shutdown(SOON).await;
    assert_eq!(blocking.status().delivered, 2);
}

#[tokio::test(start_paused = true)]
async fn b_300_a_panic_leaves_others_alone_and_the_next_event_comes_at_once() {
    let rig = Rig::new(&["a/x", "a/y"]);
    let (other, _) = rig.listen();
    let panics = rig.add(handler().named("clumsy").on_event(|_| quiet_panic("oops")));
    let rig = rig.started().await;
    let before = tokio::time::Instant::now();
    panics.wait_synced(SOON).await.unwrap();
    assert_eq!(before.elapsed(), Duration::ZERO, "no pause after a panic");
    rig.put("a/x", "1");
    rig.settle().await;
    assert_eq!((panics.status().panics, panics.status().delivered, other.calls()), (3, 3, 3));
    assert_eq!(rig.failures()[0], "handler \"clumsy\" of configmaps panicked: oops");
}

#[tokio::test(start_paused = true)]
async fn b_300_a_panic_after_an_await_is_caught_too() {
    let rig = Rig::new(&["a/x"]);
    let panics = rig.add(async_handler(|_| async {
        tokio::task::yield_now().await;
        quiet_panic("later");
    }));
    let rig = rig.started().await;
    rig.put("a/y", "");
    rig.settle().await;
    assert_eq!(panics.status().panics, 2);
}

#[tokio::test(start_paused = true)]
async fn b_300_a_panic_of_the_error_callback_breaks_nothing() {
    let rig = Rig::with(&["a/x"], |builder| builder.on_error(|_| quiet_panic("callback")));
    let panics = rig.add(handler().on_event(|_| quiet_panic("handler")));
    let (other, _) = rig.listen();
    let rig = rig.started().await;
    rig.server.send_raw("this is not JSON\n");
    rest().await;
    rig.put("a/y", "");
    tokio::time::sleep(SOON).await;
    assert_eq!((panics.status().panics, other.calls()), (2, 2));
    assert_eq!(rig.informer.status().failures, 3);
}

#[tokio::test(start_paused = true)]
async fn b_301_a_handler_has_the_name_it_was_given_or_that_of_the_informer_and_a_number() {
    let rig = Rig::with(&[], |builder| builder.name("maps"));
    let names: Vec<_> = [handler(), handler().named("mine"), handler()]
        .map(|handler| rig.add(handler).name().to_owned())
        .into();
    assert_eq!(names, ["maps-0", "mine", "maps-2"]);
}

#[tokio::test(start_paused = true)]
async fn b_320_every_change_goes_to_every_handler() {
    let rig = Rig::new(&["a/x"]);
    let listeners: Vec<_> = (0..5).map(|_| rig.listen().0).collect();
    let rig = rig.started().await;
    rig.put("a/x", "1");
    rig.settle().await;
    rig.delete("a/x");
    rig.settle().await;
    for listener in listeners {
        assert_eq!(listener.log(), ["add a/x@2 initial", "update a/x@2 3", "delete a/x@4"]);
    }
}

#[tokio::test(start_paused = true)]
async fn b_321_telling_never_waits_for_a_handler() {
    let rig = Rig::new(&["a/x"]);
    rig.listen_stuck();
    let rig = rig.started().await;
    for number in 0..10_000 {
        rig.put(&format!("a/{}", number % 100), &number.to_string());
    }
    rig.settle().await;
    assert_eq!(rig.informer.lister().len(), 101);
}

#[tokio::test(start_paused = true)]
async fn b_322_a_handler_that_keeps_up_hears_every_change_in_order() {
    let rig = Rig::new(&[]).started().await;
    let (listener, _) = rig.listen();
    rig.settle().await;
    for number in 0..20 {
        rig.put("a/x", &number.to_string());
        rest().await;
    }
    listener.check();
    assert_eq!(listener.calls(), 20);
}

#[tokio::test(start_paused = true)]
async fn b_322_every_event_keeps_all_of_them_for_a_handler_that_does_not_keep_up() {
    let rig = Rig::new(&[]).started().await;
    let (merging, _) = rig.listen();
    let (listener, _) = rig.listen_with(|handler| handler.every_event(100));
    rig.settle().await;
    for number in 0..20 {
        rig.put("a/x", &number.to_string());
    }
    rig.delete("a/x");
    rig.settle().await;
    listener.check();
    assert_eq!(listener.calls(), 21);
    assert!(merging.calls() < 21, "merged without it");
}

#[tokio::test(start_paused = true)]
async fn b_322_every_event_says_when_it_had_to_merge() {
    let rig = Rig::new(&[]).started().await;
    let listener = Listener::default();
    let merged = Arc::new(Mutex::new(0));
    let (hears, counts) = (listener.clone(), merged.clone());
    rig.add(handler().every_event(3).on_event(move |event| {
        *counts.lock() += usize::from(event.object().is_none());
        hears.hear(event);
    }));
    rig.settle().await;
    for number in 0..20 {
        rig.put("a/x", &number.to_string());
    }
    rig.settle().await;
    listener.check();
    assert_eq!((*merged.lock(), listener.believes()), (1, vec![("a/x".into(), "21".into())]));
}

#[tokio::test(start_paused = true)]
async fn b_324_the_backlog_is_bounded_by_the_number_of_keys_and_can_be_read() {
    let rig = Rig::new(&[]);
    let (listener, registration, permits) = rig.listen_stuck();
    let rig = rig.started().await;
    for number in 0..1_000 {
        rig.put(&format!("a/{}", number % 10), &number.to_string());
    }
    rig.settle().await;
    assert!(registration.status().backlog <= 42, "{registration:?}");
    permits.add_permits(1_000);
    rig.settle().await;
    listener.check();
    assert_eq!((registration.status().backlog, listener.believes().len()), (0, 10));
}

/// Real time: the call has to take its 100 ms.
#[tokio::test]
async fn b_325_a_call_that_keeps_the_thread_is_counted() {
    let rig = Rig::new(&["a/x"]);
    let slow = rig.add(handler().on_add(|_| {
        let (_keep, never) = mpsc::channel::<()>();
        never.recv_timeout(Duration::from_millis(110)).unwrap_err();
    }));
    let _rig = rig.started().await;
    slow.wait_synced(SOON).await.unwrap();
    assert_eq!(slow.status().slow, 1);
}

#[tokio::test(start_paused = true)]
async fn the_time_of_the_slowest_call_is_known_awaiting_included() {
    let rig = Rig::new(&["a/x"]);
    let waits = Arc::new(Mutex::new(vec![1, 3, 2]));
    let slow = rig.add(async_handler(move |_: Event<ConfigMap>| {
        let wait = waits.lock().pop();
        async move { tokio::time::sleep(Duration::from_secs(wait.unwrap_or_default())).await }
    }));
    let rig = rig.started().await;
    slow.wait_synced(SOON).await.unwrap();
    assert_eq!(slow.status().slowest, Duration::from_secs(2));
    rig.put("a/x", "2");
    rig.put("a/y", "1");
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!((slow.status().delivered, slow.status().slowest), (3, Duration::from_secs(3)));
}

/// Any call takes longer than nothing, and none takes a day.
#[tokio::test]
async fn b_010_what_counts_as_slow_can_be_set() {
    for (slow_call, counted) in [(Duration::ZERO, 1), (Duration::from_secs(86_400), 0)] {
        let settings = Options::default().tuning(|tuning| tuning.slow_call(slow_call));
        let rig = Rig::with(&["a/x"], |builder| builder.options(|_| settings));
        let registration = rig.add(handler().on_add(|_| std::thread::yield_now()));
        let _rig = rig.started().await;
        registration.wait_synced(SOON).await.unwrap();
        assert_eq!(registration.status().slow, counted, "over {slow_call:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn b_380_functions_that_are_missing_are_not_called() {
    let rig = Rig::new(&["a/x"]);
    let silent = rig.add(handler());
    let deleted = Arc::new(Mutex::new(Vec::new()));
    let writes = deleted.clone();
    rig.add(handler().on_delete(move |map| writes.lock().push(map.key().to_string())));
    let rig = rig.started().await;
    rig.put("a/x", "1");
    rig.settle().await;
    rig.delete("a/x");
    rig.settle().await;
    assert_eq!((silent.status().delivered, silent.status().panics), (3, 0));
    assert_eq!(*deleted.lock(), ["a/x"]);
}

#[tokio::test(start_paused = true)]
async fn b_385_what_a_handler_holds_cannot_change_what_others_see() {
    let rig = Rig::new(&["a/x"]);
    rig.add(handler().on_add(|map| {
        let mut mine: Arc<ConfigMap> = map.get().unwrap();
        Arc::make_mut(&mut mine).data.as_mut().unwrap().insert("text".into(), "changed".into());
    }));
    let rig = rig.started().await;
    rig.settle().await;
    assert_eq!(rig.cached(), [("a/x".into(), "2".into(), String::new())]);
}

#[tokio::test(start_paused = true)]
async fn b_300_the_cause_of_a_panic_is_a_value() {
    let rig = Rig::new(&["a/x"]);
    rig.add(handler().named("clumsy").on_add(|_| quiet_panic("oops")));
    let rig = rig.started().await;
    rig.settle().await;
    let failures = rig.failures.lock();
    assert!(matches!(&failures[0].cause, Cause::Handler { handler, .. } if &**handler == "clumsy"));
}

#[tokio::test(start_paused = true)]
async fn a_log_of_which_nothing_is_left_to_be_told_does_not_keep_what_follows() {
    let rig = Rig::new(&[]).started().await;
    let (listener, permits) = (Listener::default(), Arc::new(Semaphore::new(0)));
    let (hears, gate) = (listener.clone(), permits.clone());
    let stuck = async_handler(move |event| {
        hears.hear(&event);
        let gate = gate.clone();
        async move { gate.acquire().await.expect("never closed").forget() }
    });
    rig.add(stuck.every_event(1_000));
    rig.put("a/first", "");
    rig.settle().await;
    for number in 0..510 {
        let key = format!("a/{number}");
        rig.put(&key, "");
        rig.delete(&key);
    }
    rig.put("a/last", "");
    rig.settle().await;
    permits.add_permits(1_000);
    rest().await;
    assert_eq!(listener.log(), ["add a/first@2", "add a/last@1023"]);
    assert_eq!(listener.calls(), 3, "and that events were merged");
}
