//! The whole list after every change.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::support::{Rig, SOON, quiet_panic, rest};
use crate::handler::Registration;

/// Every list that was pushed, as sorted names.
type Pushes = Arc<Mutex<Vec<Vec<String>>>>;

fn pushes(rig: &Rig) -> (Pushes, Registration) {
    let pushes = Pushes::default();
    let pushed = pushes.clone();
    let registration = rig.informer.add_full_state_handler(move |objects| {
        let mut names: Vec<_> = objects.iter().map(|object| object.name().to_owned()).collect();
        names.sort();
        pushed.lock().push(names);
    });
    (pushes, registration.unwrap())
}

#[tokio::test(start_paused = true)]
async fn b_359_every_change_pushes_the_whole_list() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (pushes, _) = pushes(&rig);
    rig.settle().await;
    rig.put("a/y", "");
    rig.settle().await;
    rig.put("a/y", "1");
    rig.settle().await;
    rig.delete("a/x");
    rig.settle().await;
    assert_eq!(*pushes.lock(), [vec!["x"], vec!["x", "y"], vec!["x", "y"], vec!["y"]]);
}

#[tokio::test(start_paused = true)]
async fn b_359_an_empty_cache_is_pushed_too_once_it_is_known_to_be_empty() {
    let rig = Rig::new(&[]);
    let (pushes, registration) = pushes(&rig);
    rest().await;
    assert!(pushes.lock().is_empty(), "nothing is known yet");
    let _rig = rig.started().await;
    registration.wait_synced(SOON).await.unwrap();
    rest().await;
    assert_eq!(*pushes.lock(), [Vec::<String>::new()]);
}

#[tokio::test(start_paused = true)]
async fn b_359_it_is_synced_when_the_first_push_has_returned() {
    for keys in [&["a/x"][..], &[]] {
        let rig = Rig::new(keys);
        let registration: Arc<Mutex<Option<Registration>>> = Arc::default();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (asks, sees) = (registration.clone(), seen.clone());
        let pushing = rig.informer.add_full_state_handler(move |_| {
            sees.lock().push(asks.lock().as_ref().unwrap().has_synced());
        });
        *registration.lock() = Some(pushing.unwrap());
        let rig = rig.started().await;
        let synced = registration.lock().clone().unwrap();
        synced.wait_synced(SOON).await.unwrap();
        assert_eq!(*seen.lock(), [false]);
        rig.put("a/y", "");
        rig.settle().await;
        assert_eq!(*seen.lock(), [false, true]);
        registration.lock().take();
    }
}

#[tokio::test(start_paused = true)]
async fn b_359_a_replace_is_one_push_and_reads_and_relists_without_change_are_none() {
    let rig = Rig::new(&["a/x", "a/y", "a/z"]);
    let (pushes, _) = pushes(&rig);
    let rig = rig.started().await;
    rig.settle().await;
    rig.informer.lister().list();
    rig.relist().await;
    assert_eq!(*pushes.lock(), [["x", "y", "z"]]);
}

#[tokio::test(start_paused = true)]
async fn b_359_a_resync_is_no_change() {
    let rig = Rig::with(&["a/x"], |builder| builder.resync(Duration::from_secs(1))).started().await;
    let (pushes, _) = pushes(&rig);
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(pushes.lock().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn b_359_changes_that_come_together_are_one_push() {
    let rig = Rig::new(&[]).started().await;
    let (pushes, _) = pushes(&rig);
    rig.settle().await;
    for number in 0..100 {
        rig.put(&format!("a/{number}"), "");
    }
    rig.settle().await;
    let pushes = pushes.lock();
    assert!(pushes.len() < 10, "{} pushes", pushes.len());
    assert_eq!(pushes.last().unwrap().len(), 100, "and the last one has them all");
}

#[tokio::test(start_paused = true)]
async fn b_359_what_could_not_be_stored_is_not_pushed() {
    let rig = Rig::with(&[], |builder| builder.transform(|_| Err("nothing pleases me"))).started().await;
    let (pushes, _) = pushes(&rig);
    rig.settle().await;
    rig.put("a/x", "");
    rig.settle().await;
    assert_eq!(pushes.lock().len(), 1, "the empty cache");
}

#[tokio::test(start_paused = true)]
async fn b_360_a_panic_breaks_nothing_and_the_next_change_is_pushed() {
    let rig = Rig::new(&["a/x"]).started().await;
    let registration = rig.informer.add_full_state_handler(|_| quiet_panic("on every push")).unwrap();
    rig.settle().await;
    rig.put("a/y", "");
    rig.settle().await;
    assert_eq!((registration.status().panics, rig.failures().len()), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn b_360_it_is_removed_like_any_handler() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (pushes, registration) = pushes(&rig);
    rig.settle().await;
    registration.remove_and_drain(SOON).await.unwrap();
    rig.put("a/y", "");
    rig.settle().await;
    assert_eq!(pushes.lock().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn b_360_waiting_for_its_end_ends_with_the_informer() {
    let rig = Rig::new(&["a/x"]);
    let (_, registration) = pushes(&rig);
    let running = rig.start();
    registration.wait_synced(SOON).await.unwrap();
    running.abort();
    rest().await;
    registration.remove_and_drain(Duration::from_secs(1)).await.unwrap();
}
