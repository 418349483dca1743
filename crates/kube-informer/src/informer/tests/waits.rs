//! Read your writes: every way in which waiting for the cache can end.

use std::time::Duration;

use informer_wire::{ResourceVersion, Uid};
use k8s_openapi::api::core::v1::ConfigMap;

use super::support::{Rig, SOON, key, map, phase, rest};
use crate::error::WaitError;
use crate::source::Fault;
use crate::status::Phase;

const SHORT: Duration = Duration::from_secs(5);

/// What the server answers to a write.
fn written(key: &str, version: &ResourceVersion) -> ConfigMap {
    let mut answer = map(key, "");
    answer.metadata.resource_version = Some(version.to_string());
    answer
}

fn version(text: &str) -> ResourceVersion {
    ResourceVersion::new(text)
}

fn uid_of(rig: &Rig, name: &str) -> Uid {
    rig.informer.lister().by_key(&key(name)).unwrap().uid().clone()
}

#[tokio::test(start_paused = true)]
async fn d11_what_is_there_already_needs_no_wait() {
    let rig = Rig::new(&["a/x"]).started().await;
    let there = written("a/x", &version("2"));
    rig.informer.wait_for(&there, Duration::ZERO).await.unwrap();
    rig.put("a/x", "newer");
    rig.settle().await;
    rig.informer.wait_for(&there, Duration::ZERO).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn d11_a_write_that_is_on_its_way_is_waited_for() {
    let rig = Rig::new(&["a/x"]).started().await;
    rig.server.stall_watches();
    let answer = written("a/new", &rig.server.create(&map("a/new", "")).unwrap());
    let wait = rig.informer.wait_for(&answer, SOON);
    let arrive = async {
        rest().await;
        assert!(rig.informer.lister().namespace("a").get("new").is_err());
        rig.server.unstall_watches();
    };
    tokio::join!(wait, arrive).0.unwrap();
    assert!(rig.informer.lister().namespace("a").get("new").is_ok());
}

#[tokio::test(start_paused = true)]
async fn d11_a_wait_may_begin_before_the_sync() {
    let rig = Rig::new(&["a/x"]);
    let answer = written("a/x", &version("2"));
    let wait = rig.informer.wait_for(&answer, SOON);
    let begin = async {
        rest().await;
        rig.start();
    };
    tokio::join!(wait, begin).0.unwrap();
}

#[tokio::test(start_paused = true)]
async fn b_045_d11_a_bookmark_that_passes_the_version_ends_the_wait() {
    let rig = Rig::new(&["a/x"]).started().await;
    rig.server.lose_next_event();
    let lost = rig.server.create(&map("a/lost", "")).unwrap();
    let a_lost = key("a/lost");
    let wait = rig.informer.wait_for_version(&a_lost, &lost, SOON);
    let pass = async {
        rest().await;
        rig.server.bookmark();
    };
    tokio::join!(wait, pass).0.unwrap();
}

#[tokio::test(start_paused = true)]
async fn d11_a_timeout_names_what_was_waited_for_and_where_the_cache_is() {
    let rig = Rig::new(&["a/x"]).started().await;
    rig.server.inject(Fault::stall().on_list().once());
    let error = rig.informer.wait_for_version(&key("a/x"), &version("99"), SHORT).await.unwrap_err();
    assert_eq!(error.to_string(), "the cache of configmaps did not show a/x at 99 within 5s; it is at 2");
    assert!(error.is_timeout());

    let error = rig.informer.wait_gone(&key("a/x"), &uid_of(&rig, "a/x"), SHORT).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the cache of configmaps did not show within 5s that a/x is gone; it is at 2"
    );

    let idle = Rig::new(&["a/x"]);
    let error = idle.informer.wait_for_version(&key("a/x"), &version("2"), SHORT).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the cache of configmaps did not show a/x at 2 within 5s; it has not been filled"
    );
}

#[tokio::test(start_paused = true)]
async fn d11_versions_that_cannot_be_compared_are_an_error_at_once() {
    let rig = Rig::new(&["a/x"]);
    let before = rig.informer.wait_for_version(&key("a/x"), &version("abc"), SOON).await.unwrap_err();
    assert!(before.is_not_comparable(), "{before}");
    let rig = rig.started().await;
    for text in ["abc", "", "007"] {
        let error = rig.informer.wait_for_version(&key("a/x"), &version(text), SOON).await.unwrap_err();
        let expected =
            format!("resource version {text:?} of configmaps a/x cannot be compared with those in the cache");
        assert_eq!(error.to_string(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn d11_a_server_that_went_back_in_time_ends_every_wait() {
    let rig = Rig::new(&["a/x"]).started().await;
    let backup = rig.server.version();
    rig.put("a/x", "1");
    rig.put("a/x", "2");
    rig.settle().await;
    let uid = uid_of(&rig, "a/x");
    let (a_x, ahead) = (key("a/x"), version("5"));
    let wait = rig.informer.wait_for_version(&a_x, &ahead, SOON);
    let wait_gone = rig.informer.wait_gone(&a_x, &uid, SOON);
    let restore = async {
        rest().await;
        rig.server.rewind(&backup);
    };
    let (wait, wait_gone, ()) = tokio::join!(wait, wait_gone, restore);
    let error = wait.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server of configmaps has gone back in time; read a/x again before relying on it"
    );
    assert!(wait_gone.as_ref().is_err_and(WaitError::is_rewound));
}

#[tokio::test(start_paused = true)]
async fn d11_objects_outside_the_scope_are_refused() {
    let rig = Rig::with(&["a/x", "b/x"], |builder| builder.namespace("a")).started().await;
    let error = rig.informer.wait_for(&written("b/x", &version("2")), SOON).await.unwrap_err();
    assert_eq!(error.to_string(), "the informer of configmaps does not look at the namespace of b/x");
    let error = rig.informer.wait_gone(&key("b/x"), &Uid::new("u"), SOON).await.unwrap_err();
    assert!(error.is_out_of_scope(), "{error}");
}

#[tokio::test(start_paused = true)]
async fn d11_a_stop_ends_every_wait() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (a_x, ahead, uid) = (key("a/x"), version("9"), uid_of(&rig, "a/x"));
    let wait = rig.informer.wait_for_version(&a_x, &ahead, SOON);
    let wait_gone = rig.informer.wait_gone(&a_x, &uid, SOON);
    let stop = async {
        rest().await;
        rig.informer.shutdown(SHORT).await;
    };
    let (wait, wait_gone, ()) = tokio::join!(wait, wait_gone, stop);
    assert_eq!(
        wait.unwrap_err().to_string(),
        "the informer of configmaps has stopped already; build another one"
    );
    assert!(wait_gone.as_ref().is_err_and(WaitError::is_stopped));
    let late = rig.informer.wait_for_version(&a_x, &ahead, SOON).await;
    assert!(late.as_ref().is_err_and(WaitError::is_stopped));
    rig.informer.wait_for_version(&a_x, &version("2"), SOON).await.expect("it is there, stopped or not");
}

#[tokio::test(start_paused = true)]
async fn d11_wait_gone_ends_when_the_object_goes_or_has_gone() {
    let rig = Rig::new(&["a/x"]).started().await;
    let uid = uid_of(&rig, "a/x");
    let a_x = key("a/x");
    let wait = rig.informer.wait_gone(&a_x, &uid, SOON);
    let delete = async {
        rest().await;
        rig.delete("a/x");
    };
    tokio::join!(wait, delete).0.unwrap();
    assert!(rig.informer.lister().is_empty());
    rig.informer.wait_gone(&a_x, &uid, Duration::ZERO).await.expect("gone already");
}

#[tokio::test(start_paused = true)]
async fn d11_wait_gone_takes_the_next_incarnation_for_gone() {
    let rig = Rig::new(&["a/x"]).started().await;
    let uid = uid_of(&rig, "a/x");
    rig.delete("a/x");
    rig.put("a/x", "again");
    rig.informer.wait_gone(&key("a/x"), &uid, SOON).await.unwrap();
    rig.settle().await;
    assert!(rig.informer.lister().namespace("a").get("x").is_ok());
}

#[tokio::test(start_paused = true)]
async fn d11_an_empty_cache_that_has_not_been_filled_proves_nothing_gone() {
    let rig = Rig::new(&["a/x"]);
    let hold = rig.server.inject(Fault::stall().once());
    rig.start();
    hold.until_struck(1).await;
    let uid = Uid::new(rig.server.objects()[0]["metadata"]["uid"].as_str().unwrap());
    let error = rig.informer.wait_gone(&key("a/x"), &uid, SHORT).await.unwrap_err();
    assert!(error.is_timeout(), "{error}");
    hold.remove();
    phase(&rig.informer, Phase::Watching).await;
}
