//! Filters: a handler that hears of some objects only.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use tokio::sync::Semaphore;

use super::support::{Listener, Rig, SOON, quiet_panic, rest};
use crate::handler::{Registration, async_handler};
use crate::object::Object;

fn accepts(map: &Object<ConfigMap>) -> bool {
    map.get().unwrap().data.as_ref().is_some_and(|data| data["text"] == "yes")
}

fn filtered(rig: &Rig) -> (Listener, Registration) {
    rig.listen_with(|handler| handler.filter(accepts))
}

/// A stuck handler behind the filter.
fn filtered_stuck(rig: &Rig) -> (Listener, Arc<Semaphore>) {
    let (listener, permits) = (Listener::default(), Arc::new(Semaphore::new(0)));
    let (hears, gate) = (listener.clone(), permits.clone());
    let stuck = async_handler(move |event| {
        hears.hear(&event);
        let gate = gate.clone();
        async move { gate.acquire().await.unwrap().forget() }
    });
    rig.add(stuck.filter(accepts));
    (listener, permits)
}

#[tokio::test(start_paused = true)]
async fn b_381_an_update_that_crosses_the_filter_is_an_add_or_a_delete() {
    let rig = Rig::new(&[]).started().await;
    let (listener, _) = filtered(&rig);
    for text in ["no", "still no", "yes", "no"] {
        rig.put("a/x", text);
        rig.settle().await;
    }
    assert_eq!(
        listener.log(),
        ["add a/x@4", "delete a/x@4 guessed"],
        "the last state that passed, not the final one"
    );
}

#[tokio::test(start_paused = true)]
async fn b_381_what_is_accepted_before_and_after_is_an_update() {
    let rig = Rig::new(&[]).started().await;
    let (listener, _) = rig.listen_with(|handler| handler.filter(|map| map.name() == "x"));
    for text in ["1", "2"] {
        rig.put("a/x", text);
        rig.put("a/y", text);
        rig.settle().await;
    }
    rig.delete("a/x");
    rig.delete("a/y");
    rig.settle().await;
    assert_eq!(listener.log(), ["add a/x@2", "update a/x@2 4", "delete a/x@6"]);
}

#[tokio::test(start_paused = true)]
async fn b_381_merged_updates_never_lose_a_delete() {
    let rig = Rig::new(&[]);
    let (listener, permits) = filtered_stuck(&rig);
    let rig = rig.started().await;
    rig.put("a/x", "yes");
    rig.put("a/y", "yes");
    rig.settle().await;
    permits.add_permits(1);
    rest().await;
    // Stuck in the call about y. What follows is merged: x leaves the filter, comes back, leaves and is deleted.
    for text in ["no", "yes", "no"] {
        rig.put("a/x", text);
    }
    rig.delete("a/x");
    rig.settle().await;
    permits.add_permits(10);
    rig.settle().await;
    listener.check();
    assert_eq!(listener.log().last().unwrap(), "delete a/x@7");
    assert_eq!(listener.believes().len(), 1, "only y");
}

#[tokio::test(start_paused = true)]
async fn b_382_a_delete_that_was_missed_passes_the_filter_with_an_object() {
    let rig = Rig::new(&[]).started().await;
    let (listener, _) = filtered(&rig);
    rig.put("a/x", "yes");
    rig.settle().await;
    rig.server.lose_next_event();
    rig.delete("a/x");
    rig.relist().await;
    assert_eq!(listener.log(), ["add a/x@2", "delete a/x@2 guessed"]);
}

#[tokio::test(start_paused = true)]
async fn b_382_a_filter_that_changes_its_mind_does_not_lose_a_delete() {
    let rig = Rig::new(&["a/x"]);
    let mut calls = 0;
    let (listener, _) = rig.listen_with(|handler| {
        handler.filter(move |_| {
            calls += 1;
            calls == 1
        })
    });
    let rig = rig.started().await;
    rig.settle().await;
    rig.delete("a/x");
    rig.settle().await;
    assert_eq!(listener.log(), ["add a/x@2 initial", "delete a/x@3"]);
}

#[tokio::test(start_paused = true)]
async fn b_382_a_filter_that_panics_breaks_nothing() {
    let rig = Rig::new(&["a/x"]);
    let (listener, registration) = rig.listen_with(|handler| {
        handler.filter(|map| {
            if map.name() == "x" {
                quiet_panic("no x please");
            }
            true
        })
    });
    let rig = rig.started().await;
    registration.wait_synced(SOON).await.unwrap();
    rig.put("a/y", "");
    rig.settle().await;
    assert_eq!((listener.log(), registration.status().panics), (vec!["add a/y@3".to_owned()], 1));
}

#[tokio::test(start_paused = true)]
async fn b_383_what_is_filtered_out_counts_for_sync() {
    let rig = Rig::new(&["a/x", "a/y"]);
    let (listener, registration) = filtered(&rig);
    let _rig = rig.started().await;
    registration.wait_synced(SOON).await.unwrap();
    assert_eq!(listener.calls(), 0);
}

#[tokio::test(start_paused = true)]
async fn b_382_after_a_panic_of_a_filter_old_is_what_was_told_last() {
    let rig = Rig::new(&[]).started().await;
    let (listener, registration) = rig.listen_with(|handler| {
        handler.filter(|map| match map.get().unwrap().data.as_ref().unwrap()["text"].as_str() {
            text if text.starts_with("panic") => {
                quiet_panic("about this one");
                false
            }
            text => text == "yes",
        })
    });
    for text in ["yes", "panic 1", "panic 2", "yes", "panic", "no", "panic", "yes", "panic"] {
        rig.put("a/x", text);
        rig.settle().await;
    }
    rig.delete("a/x");
    rig.settle().await;
    listener.check();
    assert_eq!(
        listener.log(),
        ["add a/x@2", "update a/x@2 5", "delete a/x@5 guessed", "add a/x@9", "delete a/x@11"]
    );
    assert_eq!(registration.status().panics, 5);
}

#[tokio::test(start_paused = true)]
async fn b_382_a_resync_tells_what_a_panic_of_the_filter_kept_back() {
    let rig = Rig::new(&[]).started().await;
    let mut calls = 0;
    let (listener, _) = rig.listen_with(|handler| {
        handler.resync(Duration::from_secs(10)).filter(move |_| {
            calls += 1;
            if calls == 2 {
                quiet_panic("once");
            }
            true
        })
    });
    rig.put("a/x", "1");
    rig.settle().await;
    rig.put("a/x", "2");
    tokio::time::sleep(Duration::from_secs(25)).await;
    listener.check();
    assert_eq!(listener.log(), ["add a/x@2", "update a/x@2 3", "update a/x@3 3 resync"]);
}
