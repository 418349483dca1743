//! The order of a stop, and who is waited for.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Wake};
use std::time::Duration;

use futures::{FutureExt, StreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::support::{Rig, SOON, rest};
use crate::handler::handler;
use crate::informer::SharedInformer;
use crate::informer::engine::Stop;
use crate::informer::process_loop::Command;
use crate::options::Options;
use crate::status::Patience;

#[tokio::test(start_paused = true)]
async fn b_252_the_call_in_progress_is_awaited_after_the_requests_have_ended() {
    let rig = Rig::new(&["a/x"]);
    let (listener, _, permits) = rig.listen_stuck();
    let (stop, running) = rig.start_until();
    rig.synced().await;
    rest().await;
    drop(stop);
    rest().await;
    assert_eq!(rig.server.open_watches(), 0, "the watch ends first");
    assert!(rig.informer.add_event_handler(handler()).is_err(), "then nobody can join");
    assert!(!running.is_finished(), "then the call in progress is awaited");
    permits.add_permits(1);
    running.await.unwrap();
    assert_eq!(listener.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn b_252_a_call_that_never_returns_is_given_up_after_ten_seconds() {
    let rig = Rig::new(&["a/x"]);
    rig.listen_stuck();
    let (stop, running) = rig.start_until();
    rig.synced().await;
    rest().await;
    let asked = Instant::now();
    drop(stop);
    running.await.unwrap();
    assert_eq!(asked.elapsed().as_secs(), 10);
}

#[tokio::test(start_paused = true)]
async fn b_010_how_long_calls_in_progress_are_awaited_can_be_set() {
    for patience in [0, 3] {
        let settings =
            Options::default().tuning(|tuning| tuning.stop_patience(Duration::from_secs(patience)));
        let rig = Rig::with(&["a/x"], |builder| builder.options(|_| settings));
        rig.listen_stuck();
        let (stop, running) = rig.start_until();
        rig.synced().await;
        rest().await;
        let asked = Instant::now();
        drop(stop);
        running.await.unwrap();
        assert_eq!(asked.elapsed().as_secs(), patience);
    }
}

#[tokio::test(start_paused = true)]
async fn b_253_a_stop_discards_what_handlers_have_not_heard() {
    let rig = Rig::new(&["a/x", "a/y", "a/z"]);
    let (listener, registration, permits) = rig.listen_stuck();
    let (stop, running) = rig.start_until();
    rig.synced().await;
    rest().await;
    assert_eq!(registration.status().backlog, 3);
    drop(stop);
    rest().await;
    permits.add_permits(10);
    running.await.unwrap();
    assert_eq!((listener.calls(), registration.status().backlog), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn b_253_a_shutdown_delivers_what_handlers_have_not_heard() {
    let rig = Rig::new(&["a/x", "a/y", "a/z"]);
    let (listener, _, permits) = rig.listen_stuck();
    let rig = rig.started().await;
    rest().await;
    permits.add_permits(10);
    rig.informer.shutdown(SOON).await;
    assert_eq!(listener.calls(), 3, "all of it, before shutdown returns");
}

#[tokio::test(start_paused = true)]
async fn b_253_a_shutdown_applies_what_is_in_the_queue() {
    let rig = Rig::new(&[]).started().await;
    let (listener, _) = rig.listen();
    let (go, gate) = oneshot::channel::<()>();
    let busy = Command::Store(Box::new(|_, _| gate.map(|_| ()).boxed()));
    rig.informer.engine().command(busy).unwrap();
    rig.put("a/x", "1");
    rest().await;
    assert_eq!((rig.informer.status().queued, listener.calls()), (1, 0), "the writer is busy");
    let let_go = async {
        rest().await;
        go.send(()).unwrap();
    };
    tokio::join!(rig.informer.shutdown(SOON), let_go);
    assert_eq!(listener.log(), ["add a/x@2"]);
}

#[tokio::test(start_paused = true)]
async fn b_253_a_shutdown_ends_at_its_deadline() {
    let rig = Rig::new(&["a/x", "a/y"]);
    let (listener, _, permits) = rig.listen_stuck();
    let running = rig.start();
    rig.synced().await;
    rest().await;
    let asked = Instant::now();
    rig.informer.shutdown(Duration::from_secs(5)).await;
    assert_eq!(asked.elapsed().as_secs(), 5);
    running.await.unwrap();
    permits.add_permits(10);
    rest().await;
    assert_eq!(listener.calls(), 1, "nothing after the stop");
}

#[tokio::test(start_paused = true)]
async fn b_253_what_a_stream_has_not_brought_can_be_read_after_a_shutdown() {
    let rig = Rig::new(&["a/x", "a/y"]).started().await;
    let stream = rig.informer.stream().unwrap();
    rest().await;
    let asked = Instant::now();
    rig.informer.shutdown(SOON).await;
    assert!(asked.elapsed().as_secs() < 1, "a stream that nobody polls delays no shutdown");
    assert_eq!(stream.count().await, 2);
}

#[tokio::test(start_paused = true)]
async fn b_253_several_may_ask_for_the_shutdown_and_all_wait_for_its_end() {
    let rig = Rig::new(&["a/x", "a/y"]);
    let (listener, _, permits) = rig.listen_stuck();
    let rig = rig.started().await;
    rest().await;
    let let_go = async {
        rest().await;
        permits.add_permits(10);
    };
    let both = futures::future::join(rig.informer.shutdown(SOON), rig.informer.shutdown(SOON));
    tokio::join!(both, let_go);
    assert_eq!(listener.calls(), 2);
    rig.informer.shutdown(SOON).await;
}

#[tokio::test(start_paused = true)]
async fn b_254_stopped_is_set_while_the_last_calls_still_run() {
    let rig = Rig::new(&["a/x"]);
    let (_, _, permits) = rig.listen_stuck();
    let (stop, running) = rig.start_until();
    rig.synced().await;
    rest().await;
    assert!(!rig.informer.is_stopped());
    drop(stop);
    rest().await;
    assert!(rig.informer.is_stopped() && !running.is_finished());
    permits.add_permits(1);
    running.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn b_262_who_joins_in_the_moment_of_the_stop_does_not_wait_for_ever() {
    let rig = Rig::new(&["a/x"]);
    let running = rig.start();
    rig.synced().await;
    let (_, registration) = rig.listen();
    let stream = rig.informer.stream().unwrap();
    // The writer sees the stop before it sees who wants to join.
    rig.informer.engine().stop.send_replace(Some(Stop::Now));
    running.await.unwrap();
    let synced =
        tokio::time::timeout(SOON, registration.wait_synced(SOON)).await.expect("told that it has ended");
    assert!(synced.is_err());
    let events = tokio::time::timeout(SOON, stream.count()).await.expect("the stream ends");
    assert_eq!(events, 0);
}

#[tokio::test(start_paused = true)]
async fn b_326_a_stop_ends_every_handler_and_stream() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (listener, _) = rig.listen();
    let (stuck, _, permits) = rig.listen_stuck();
    let stream = rig.informer.stream().unwrap();
    rig.settle().await;
    permits.add_permits(1);
    rig.informer.shutdown(SOON).await;
    let heard = (listener.calls(), stuck.calls());
    rig.put("a/x", "1");
    rest().await;
    assert_eq!((listener.calls(), stuck.calls()), heard);
    assert_eq!(stream.count().await, 1);
}

/// Calls back into the informer when it is dropped.
struct CallsBack(SharedInformer<ConfigMap>);

impl Drop for CallsBack {
    fn drop(&mut self) {
        self.0.stream().ok();
    }
}

/// On a thread of its own: should it hang, the test fails.
#[tokio::test(start_paused = true)]
async fn a_handler_that_comes_too_late_may_call_back_when_it_is_dropped() {
    let rig = Rig::new(&[]).started().await;
    rig.informer.shutdown(SOON).await;
    let informer = rig.informer.clone();
    let (done, is_done) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let captured = CallsBack(informer.clone());
        let late = informer.add_event_handler(handler().on_add(move |_| {
            let _ = &captured;
        }));
        done.send(late.is_err()).ok();
    });
    assert_eq!(is_done.recv_timeout(Duration::from_secs(30)), Ok(true));
}

/// Before the start those that were removed go when others join.
#[tokio::test(start_paused = true)]
async fn a_handler_that_was_removed_before_the_start_may_call_back_when_it_is_dropped() {
    let rig = Rig::new(&[]);
    let informer = rig.informer.clone();
    let (done, is_done) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for _ in 0..20 {
            let captured = CallsBack(informer.clone());
            let removed = informer.add_event_handler(handler().on_add(move |_| {
                let _ = &captured;
            }));
            removed.unwrap().remove();
        }
        done.send(()).ok();
    });
    assert_eq!(is_done.recv_timeout(Duration::from_secs(30)), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn wait_stopped_ends_when_the_informer_has_stopped_for_whatever_reason() {
    let rig = Rig::new(&["a/x"]).started().await;
    let early = rig.informer.wait_stopped(Duration::from_secs(3_600)).await.unwrap_err();
    assert!(early.is_timeout() && !early.is_stopped(), "{early}");
    let (stopped, ()) =
        tokio::join!(rig.informer.wait_stopped(Patience::FOREVER), rig.informer.shutdown(SOON));
    stopped.unwrap();
    rig.informer.wait_stopped(Duration::ZERO).await.unwrap();

    let never_started = Rig::new(&[]).informer;
    let factory_gone = async { never_started.engine().abandon() };
    tokio::join!(never_started.wait_stopped(Patience::FOREVER), factory_gone).0.unwrap();
}

/// How often somebody who waits was woken.
#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test(start_paused = true)]
async fn wait_stopped_is_not_woken_by_commits() {
    let rig = Rig::new(&["a/x"]).started().await;
    let woken = Arc::new(Woken::default());
    let mut waits = pin!(rig.informer.wait_stopped(Patience::FOREVER));
    let poll = waits.poll_unpin(&mut Context::from_waker(&woken.clone().into()));
    assert!(poll.is_pending());
    for number in 0..10 {
        rig.put("a/x", &number.to_string());
        rig.settle().await;
    }
    assert_eq!(woken.0.load(Ordering::Relaxed), 0);
    rig.informer.shutdown(SOON).await;
    assert_eq!(woken.0.load(Ordering::Relaxed), 1);
    waits.await.unwrap();
}
