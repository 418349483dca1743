//! Waiting until a handler has been called with what was pending for it.

use std::pin::pin;
use std::time::Duration;

use super::support::{Rig, SOON, rest};
use crate::handler::handler;
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
