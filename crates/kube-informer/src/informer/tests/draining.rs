//! Waiting until a handler has been called with what was pending for it.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;

use super::support::{Denies, Rig, SOON, map, rest, start};
use crate::handler::builder::HandlerOptions;
use crate::handler::{Registration, handler};
use crate::informer::SharedInformer;
use crate::source::ScriptedSource;
use crate::status::Patience;

#[tokio::test(start_paused = true)]
async fn a_handler_for_which_nothing_is_pending_is_drained() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (_, registration) = rig.listen();
    rig.settle().await;
    registration.wait_drained(Duration::ZERO).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn wait_drained_ends_when_the_last_pending_call_has_returned() {
    let rig = Rig::new(&["a/x", "a/y"]).started().await;
    let (listener, registration, permits) = rig.listen_stuck();
    let mut drained = pin!(registration.wait_drained(Patience::FOREVER));
    assert!(futures::poll!(drained.as_mut()).is_pending(), "it has not even joined");
    rig.settle().await;
    permits.add_permits(1);
    rig.settle().await;
    assert!(futures::poll!(drained.as_mut()).is_pending());
    permits.add_permits(1);
    drained.await.unwrap();
    assert_eq!(listener.calls(), 2);
}

#[tokio::test(start_paused = true)]
async fn wait_drained_does_not_wait_for_what_happens_meanwhile() {
    let rig = Rig::new(&["a/1", "a/2", "a/3"]).started().await;
    let (listener, registration, permits) = rig.listen_stuck();
    rig.settle().await;
    let mut drained = pin!(registration.wait_drained(Patience::FOREVER));
    for number in 0..20 {
        rig.put(&format!("a/later-{number}"), "");
        rig.settle().await;
        permits.add_permits(1);
        rig.settle().await;
        assert!(registration.status().backlog > 0, "something is pending all the time");
        if futures::poll!(drained.as_mut()).is_ready() {
            assert!(listener.calls() > 3);
            return;
        }
    }
    panic!("it waits for what came later");
}

#[tokio::test(start_paused = true)]
async fn wait_drained_waits_for_the_call_with_the_whole_state() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (entered, mut calls) = tokio::sync::mpsc::unbounded_channel();
    let registration =
        rig.informer.add_full_state_handler(move |objects| entered.send(objects.len()).unwrap()).unwrap();
    registration.wait_drained(SOON).await.unwrap();
    assert_eq!(calls.try_recv(), Ok(1));
}

/// Adds a handler that counts its calls with the whole state.
fn count_calls(informer: &SharedInformer<ConfigMap>) -> (Arc<AtomicUsize>, Registration) {
    let calls = Arc::new(AtomicUsize::new(0));
    let counts = calls.clone();
    let registration = informer.add_full_state_handler(move |_| {
        counts.fetch_add(1, Ordering::Relaxed);
    });
    (calls, registration.unwrap())
}

#[tokio::test(start_paused = true)]
async fn wait_drained_waits_for_the_call_with_a_whole_state_that_is_empty() {
    let rig = Rig::new(&[]).started().await;
    let (calls, registration) = count_calls(&rig.informer);
    registration.wait_drained(SOON).await.unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn wait_drained_waits_for_the_call_with_the_whole_state_until_all_namespaces_are_there() {
    let server = ScriptedSource::of::<ConfigMap>();
    server.create(&map("a/x", "")).unwrap();
    let source = Denies { server, namespace: "b" };
    let builder = SharedInformer::<ConfigMap>::builder(source).namespaces(["a", "b"]);
    let informer = builder.build().unwrap();
    let (calls, registration) = count_calls(&informer);
    start(&informer);
    informer.wait_namespace_synced("a", SOON).await.unwrap();
    rest().await;
    let early = registration.wait_drained(Duration::from_secs(60)).await.unwrap_err();
    assert!(early.is_timeout(), "{early}");
    assert_eq!((calls.load(Ordering::Relaxed), registration.status().backlog), (0, 1), "a call is owed");
    informer.remove_namespace("b").unwrap();
    registration.wait_drained(SOON).await.unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn two_calls_with_the_whole_state_tell_of_all_that_waited() {
    let keys: Vec<_> = (0..20).map(|number| format!("a/{number}")).collect();
    let rig = Rig::new(&keys.iter().map(String::as_str).collect::<Vec<_>>()).started().await;
    // The runner is played by hand: it is never without something to do.
    let options = HandlerOptions { whole_state: true, ..HandlerOptions::default() };
    let listener = rig.informer.engine().listener(&options);
    rig.informer.engine().join(listener.clone(), None, false).unwrap();
    rest().await;
    let mut drained = pin!(listener.drained());
    for call in 0..2 {
        assert!(listener.next_state().await);
        assert!(futures::poll!(drained.as_mut()).is_pending(), "after {call} calls");
        rig.put("a/0", &format!("changed during call {call}"));
        rig.settle().await;
        listener.counters.called(Duration::ZERO);
        listener.mark_synced();
    }
    assert!(listener.next_state().await);
    assert!(listener.backlog() > 0, "another call is under way");
    assert_eq!(futures::poll!(drained.as_mut()), std::task::Poll::Ready(true));
}

#[tokio::test(start_paused = true)]
async fn wait_drained_is_fine_if_everything_was_delivered_before_the_handler_ended() {
    for is_shutdown in [false, true] {
        let rig = Rig::new(&["a/x", "a/y"]).started().await;
        let (listener, registration, permits) = rig.listen_stuck();
        rig.settle().await;
        permits.add_permits(1);
        rest().await;
        let end = async {
            rest().await;
            permits.add_permits(1);
            if is_shutdown {
                rig.informer.shutdown(SOON).await;
            } else {
                registration.remove_and_drain(SOON).await.unwrap();
            }
        };
        let (drained, ()) = tokio::join!(registration.wait_drained(Patience::FOREVER), end);
        drained.unwrap();
        assert_eq!(listener.calls(), 2);
        registration.wait_drained(SOON).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn wait_drained_ends_with_its_patience_and_with_the_handler() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (_, registration, _permits) = rig.listen_stuck();
    rig.settle().await;
    let late = registration.wait_drained(Duration::from_secs(1)).await.unwrap_err();
    assert!(late.is_timeout() && late.handler() == Some(registration.name()), "{late}");
    let remove = async {
        rest().await;
        registration.remove();
    };
    let (ended, ()) = tokio::join!(registration.wait_drained(Patience::FOREVER), remove);
    assert!(ended.unwrap_err().is_stopped());
    let stopped = rig.add(handler());
    rig.informer.shutdown(Duration::ZERO).await;
    assert!(stopped.wait_drained(SOON).await.unwrap_err().is_stopped());
}
