//! Handlers that take the decoded type.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;
use serde_json::json;

use super::support::{Rig, SOON, map, quiet_panic};
use crate::handler::{Registration, handler};
use crate::object::DecodeCache;
use crate::options::Options;

type Log = Arc<Mutex<Vec<String>>>;

fn text(map: &ConfigMap) -> String {
    map.data.as_ref().and_then(|data| data.get("text").cloned()).unwrap_or_default()
}

/// A typed handler that writes down what it hears; with `undecodable` also what it cannot hear.
fn typed(rig: &Rig, undecodable: bool) -> (Log, Registration) {
    let log = Log::default();
    let [adds, updates, deletes, failures] = std::array::from_fn(|_| log.clone());
    let mut typed = handler::<ConfigMap>()
        .typed()
        .on_add(move |map| adds.lock().push(format!("add {}", text(map))))
        .on_update(move |old, new| updates.lock().push(format!("update {} {}", text(old), text(new))))
        .on_delete(move |map| deletes.lock().push(format!("delete {}", text(map))));
    if undecodable {
        typed =
            typed.on_undecodable(move |object, _| failures.lock().push(format!("cannot {}", object.key())));
    }
    (log, rig.add(typed))
}

fn put_odd(rig: &Rig, key: &str) {
    let mut odd = serde_json::to_value(map(key, "")).unwrap();
    odd["data"] = json!("not a map");
    rig.server.put_json(odd).unwrap();
}

async fn put(rig: &Rig, text: &str) {
    rig.put("a/x", text);
    rig.settle().await;
}

#[tokio::test(start_paused = true)]
async fn b_303_typed_handlers_get_decoded_objects_in_deletes_as_well() {
    let rig = Rig::new(&[]).started().await;
    let (log, _) = typed(&rig, true);
    put(&rig, "1").await;
    put(&rig, "2").await;
    rig.server.lose_next_event();
    rig.delete("a/x");
    rig.relist().await;
    assert_eq!(*log.lock(), ["add 1", "update 1 2", "delete 2"]);
}

#[tokio::test(start_paused = true)]
async fn b_303_what_does_not_decode_goes_to_on_undecodable_and_never_panics() {
    let rig = Rig::new(&["a/y"]);
    put_odd(&rig, "a/x");
    let (log, registration) = typed(&rig, true);
    let rig = rig.started().await;
    registration.wait_synced(SOON).await.unwrap();
    let mut heard = log.lock().clone();
    heard.sort();
    assert_eq!(heard, ["add ", "cannot a/x"]);
    assert_eq!((registration.status().undecodable, registration.status().panics), (1, 0));
    assert_eq!(rig.failures().len(), 1, "by the early check of the type; the handler has dealt with it");
}

#[tokio::test(start_paused = true)]
async fn b_303_without_on_undecodable_it_is_counted_and_reported() {
    let rig = Rig::new(&["a/y"]);
    put_odd(&rig, "a/x");
    let (_, registration) = typed(&rig, false);
    let rig = rig.started().await;
    registration.wait_synced(SOON).await.unwrap();
    assert_eq!(registration.status().undecodable, 1);
    assert_eq!(rig.failures().len(), 2, "by the early check of the type, and by the handler");
    assert!(rig.failures()[1].starts_with("configmaps a/x does not decode"), "{:?}", rig.failures());
}

#[tokio::test(start_paused = true)]
async fn b_303_an_object_that_decodes_later_is_added_then() {
    let rig = Rig::new(&["a/y"]).started().await;
    put_odd(&rig, "a/x");
    rig.settle().await;
    let (log, _) = typed(&rig, true);
    rig.settle().await;
    log.lock().clear();
    put(&rig, "good").await;
    rig.delete("a/x");
    rig.settle().await;
    assert_eq!(*log.lock(), ["add good", "delete good"]);
}

#[tokio::test(start_paused = true)]
async fn b_303_an_object_that_decodes_again_is_updated_from_what_was_told_last() {
    let rig = Rig::new(&[]).started().await;
    let (log, registration) = typed(&rig, true);
    put(&rig, "1").await;
    put_odd(&rig, "a/x");
    rig.settle().await;
    put(&rig, "2").await;
    assert_eq!(*log.lock(), ["add 1", "cannot a/x", "update 1 2"]);
    assert_eq!(registration.status().undecodable, 1);
}

#[tokio::test(start_paused = true)]
async fn b_303_an_object_that_ends_undecodable_is_deleted_as_it_was_told_last() {
    let rig = Rig::new(&[]).started().await;
    let (log, _) = typed(&rig, true);
    put(&rig, "1").await;
    put_odd(&rig, "a/x");
    rig.settle().await;
    rig.delete("a/x");
    rig.settle().await;
    assert_eq!(*log.lock(), ["add 1", "cannot a/x", "delete 1"]);
}

#[tokio::test(start_paused = true)]
async fn b_303_a_final_state_that_does_not_decode_loses_no_delete() {
    let rig = Rig::new(&[]).started().await;
    let (log, _) = typed(&rig, true);
    put(&rig, "1").await;
    // Both reach the mailbox before the handler's next turn, and are merged there.
    put_odd(&rig, "a/x");
    rig.delete("a/x");
    rig.settle().await;
    assert_eq!(*log.lock(), ["add 1", "cannot a/x", "delete 1"]);
}

#[tokio::test(start_paused = true)]
async fn b_303_no_delete_is_lost_either_if_the_key_is_taken_again() {
    let rig = Rig::new(&[]).started().await;
    let (log, _) = typed(&rig, true);
    put(&rig, "1").await;
    put_odd(&rig, "a/x");
    rig.delete("a/x");
    rig.put("a/x", "2");
    rig.settle().await;
    assert_eq!(*log.lock(), ["add 1", "delete 1", "add 2"]);
}

/// Nobody looked at the first version, because there is no `on_add`.
#[tokio::test(start_paused = true)]
async fn b_303_a_final_state_that_decodes_is_told_if_no_version_before_it_did() {
    let rig = Rig::new(&[]).started().await;
    let log = Log::default();
    let [updates, deletes] = std::array::from_fn(|_| log.clone());
    rig.add(
        handler::<ConfigMap>()
            .typed()
            .on_update(move |_, new| updates.lock().push(format!("update {}", text(new))))
            .on_delete(move |map| deletes.lock().push(format!("delete {}", text(map))))
            .on_undecodable(|_, _| {}),
    );
    for _ in 0..2 {
        put_odd(&rig, "a/x");
        rig.settle().await;
    }
    rig.server.lose_next_event();
    rig.put("a/x", "3");
    rig.delete("a/x");
    rig.settle().await;
    assert_eq!(*log.lock(), ["delete 3"]);
}

#[tokio::test(start_paused = true)]
async fn b_303_an_object_that_was_never_told_is_not_deleted() {
    let rig = Rig::new(&["a/y"]).started().await;
    let (log, _) = typed(&rig, true);
    put_odd(&rig, "a/x");
    rig.settle().await;
    rig.delete("a/x");
    rig.settle().await;
    assert_eq!(*log.lock(), ["add ", "cannot a/x"]);
}

#[tokio::test(start_paused = true)]
async fn a_version_is_decoded_once_for_all_typed_handlers() {
    let set = |options: Options| options.decode_cache(DecodeCache::new(1 << 20));
    let rig = Rig::with(&[], |builder| builder.options(set)).started().await;
    for _ in 0..10 {
        typed(&rig, true);
    }
    rig.settle().await;
    put(&rig, "1").await;
    let status = rig.informer.status();
    assert_eq!((status.decode_misses, status.decode_hits), (1, 9));
}

#[tokio::test(start_paused = true)]
async fn what_a_function_that_panics_was_called_with_does_not_stay() {
    let rig = Rig::new(&["a/x"]);
    let typed = handler::<ConfigMap>().typed().on_update(|_, _| quiet_panic("it fails"));
    let typed = rig.add(typed);
    let rig = rig.started().await;
    put(&rig, "1").await;
    assert_eq!(typed.status().panics, 1);
    assert_eq!(rig.informer.status().versions_alive, 1, "the old version is gone");
}
