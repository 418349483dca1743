//! One key is read again, whatever the watch brings.

use std::time::Duration;

use futures::future::join_all;
use tokio::time::Instant;

use super::support::{Rig, SOON, http, key, rest};
use crate::source::Fault;
use crate::status::Patience;

/// How many requests for single objects there were.
fn lookups(rig: &Rig) -> usize {
    rig.server.requests().iter().filter(|request| request.field_selector.is_some()).count()
}

#[tokio::test(start_paused = true)]
async fn refresh_one_shows_at_once_what_the_server_has_of_a_key() {
    let rig = Rig::new(&["a/x", "a/gone"]).started().await;
    let (listener, _) = rig.listen();
    rig.settle().await;
    rig.server.stall_watches();
    rig.put("a/x", "changed");
    rig.put("a/new", "1");
    rig.delete("a/gone");
    let began = Instant::now();
    for name in ["a/x", "a/new", "a/gone"] {
        rig.informer.refresh_one(&key(name), Patience::FOREVER).await.unwrap();
    }
    assert_eq!((began.elapsed(), lookups(&rig)), (Duration::ZERO, 3));
    let cached: Vec<_> = rig.cached().into_iter().map(|(key, ..)| key).collect();
    assert_eq!(cached, ["a/new", "a/x"]);
    rest().await;
    let told = listener.log().len();
    assert_eq!(told, 5, "two at the start and three of the lookups: {:?}", listener.log());
    rig.server.unstall_watches();
    rig.settle().await;
    assert_eq!(listener.log().len(), told, "what the watch brings later is no news");
}

#[tokio::test(start_paused = true)]
async fn refresh_one_of_what_has_not_changed_asks_as_well() {
    let rig = Rig::new(&["a/x"]).started().await;
    rig.informer.refresh_one(&key("a/x"), SOON).await.unwrap();
    rig.informer.refresh_one(&key("a/never-was"), SOON).await.unwrap();
    assert_eq!(lookups(&rig), 2);
}

#[tokio::test(start_paused = true)]
async fn refresh_one_asks_again_if_it_is_not_answered_and_ends_with_its_patience() {
    let rig = Rig::new(&["a/x"]).started().await;
    rig.server.inject(Fault::error(http(500, "etcdserver: leader changed")).on_list().once());
    rig.informer.refresh_one(&key("a/x"), SOON).await.unwrap();
    assert_eq!(lookups(&rig), 2);
    rig.server.inject(Fault::stall().on_list().once());
    let error = rig.informer.refresh_one(&key("a/x"), Duration::from_secs(5)).await.unwrap_err();
    assert!(error.is_timeout() && error.key() == Some(&key("a/x")), "{error}");
}

#[tokio::test(start_paused = true)]
async fn refresh_one_of_many_keys_is_answered_by_one_list() {
    let rig = Rig::new(&["a/x"]).started().await;
    let keys: Vec<_> = (0..200).map(|number| key(&format!("a/{number}"))).collect();
    let refreshed = join_all(keys.iter().map(|key| rig.informer.refresh_one(key, SOON))).await;
    assert!(refreshed.iter().all(Result::is_ok));
    assert!(lookups(&rig) < 20, "{}", lookups(&rig));
}

#[tokio::test(start_paused = true)]
async fn refresh_one_ends_with_the_informer() {
    let rig = Rig::new(&["a/x"]).started().await;
    rig.server.inject(Fault::stall().on_list().once());
    let a_x = key("a/x");
    let mut refresh = std::pin::pin!(rig.informer.refresh_one(&a_x, Patience::FOREVER));
    assert!(futures::poll!(refresh.as_mut()).is_pending());
    rest().await;
    rig.informer.shutdown(SOON).await;
    assert!(refresh.await.unwrap_err().is_stopped());
}
