//! What the watch does not bring in time is asked for, one object at a time.

use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::future::join_all;
use informer_wire::{ResourceVersion, Uid};
use tokio::time::Instant;

use super::support::{
    Listener, Rig, SOON, http, key, list_body, lists_only, map, phase, relists, rest, wire_map,
};
use crate::source::{Fault, Request, Verb};
use crate::status::{Phase, RelistReason};

const PATIENCE: Duration = Duration::from_millis(500);
const SHORT: Duration = Duration::from_secs(5);

/// The uid that the server has given to an object.
fn uid(rig: &Rig, name: &str) -> Uid {
    let objects = rig.server.objects();
    let object = objects.iter().find(|object| object["metadata"]["name"] == name).unwrap();
    Uid::new(object["metadata"]["uid"].as_str().unwrap())
}

/// The requests for single objects so far.
fn lookups(rig: &Rig) -> Vec<Request> {
    let single = |request: &Request| request.field_selector.is_some();
    rig.server.requests().into_iter().filter(single).collect()
}

#[tokio::test(start_paused = true)]
async fn d11_a_write_that_the_watch_does_not_bring_is_asked_for_after_half_a_second() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (listener, _) = rig.listen();
    rig.server.stall_watches();
    let written = rig.put("a/new", "1");
    let began = Instant::now();
    rig.informer.wait_for_version(&key("a/new"), &written, SOON).await.unwrap();
    assert_eq!(began.elapsed(), PATIENCE);
    assert!(rig.informer.lister().namespace("a").get("new").is_ok());
    let asked = lookups(&rig);
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].query(), "limit=1&fieldSelector=metadata.name%3Dnew%2Cmetadata.namespace%3Da");
    assert!(matches!(&asked[0].verb, Verb::List(_)));
    assert_eq!(rig.informer.status().scopes[0].lookups, 1);
    assert_eq!(rig.informer.last_sync_resource_version(), ResourceVersion::new("2"), "of this object alone");

    rig.informer.wait_for_version(&key("a/new"), &written, Duration::ZERO).await.expect("known by now");
    rig.server.unstall_watches();
    rig.settle().await;
    assert_eq!(listener.log().len(), 2, "what the watch brings later is no news: {:?}", listener.log());
    assert_eq!(lookups(&rig).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn d11_what_a_late_watch_tells_of_the_time_before_is_never_shown() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (listener, _) = rig.listen();
    rig.server.stall_watches();
    rig.put("a/new", "1");
    let gone = uid(&rig, "new");
    rig.delete("a/new");
    let last = rig.put("a/new", "2");
    rig.informer.wait_for_version(&key("a/new"), &last, SOON).await.unwrap();
    rig.informer.wait_gone(&key("a/new"), &gone, Duration::ZERO).await.unwrap_err();
    rig.informer.wait_gone(&key("a/new"), &gone, SOON).await.unwrap();
    rig.server.unstall_watches();
    rig.settle().await;
    assert_eq!(listener.log().len(), 2, "neither the first incarnation nor its end: {:?}", listener.log());
    rig.put("a/new", "3");
    rig.settle().await;
    assert_eq!(listener.log().len(), 3, "but everything after it");
}

#[tokio::test(start_paused = true)]
async fn d11_a_cache_that_does_not_hold_an_object_is_no_proof_that_it_is_gone() {
    let rig = Rig::new(&[]).started().await;
    let (listener, _) = rig.listen();
    rig.server.stall_watches();
    rig.put("a/new", "1");
    let new = uid(&rig, "new");
    let a_new = key("a/new");
    let mut wait = std::pin::pin!(rig.informer.wait_gone(&a_new, &new, SOON));
    assert!(futures::poll!(wait.as_mut()).is_pending());
    rest().await;
    assert!(futures::poll!(wait.as_mut()).is_pending(), "it is there, and now in the cache too");
    assert!(rig.informer.lister().namespace("a").get("new").is_ok());
    rig.delete("a/new");
    let began = Instant::now();
    wait.await.unwrap();
    assert!(began.elapsed() <= Duration::from_secs(1), "{:?}", began.elapsed());
    assert_eq!(lookups(&rig).len(), 2);
    rig.server.unstall_watches();
    rig.settle().await;
    assert_eq!(listener.log().len(), 2, "an add and a delete: {:?}", listener.log());
}

#[tokio::test(start_paused = true)]
async fn d11_wait_gone_of_what_the_cache_has_not_seen_asks_at_once() {
    let rig = Rig::new(&[]).started().await;
    let (listener, _) = rig.listen();
    rig.server.stall_watches();
    rig.put("a/new", "1");
    let new = uid(&rig, "new");
    rig.delete("a/new");
    let began = Instant::now();
    rig.informer.wait_gone(&key("a/new"), &new, SOON).await.unwrap();
    assert_eq!((began.elapsed(), lookups(&rig).len()), (Duration::ZERO, 1));
    rig.server.unstall_watches();
    rig.settle().await;
    assert!(listener.log().is_empty(), "it never shows up: {:?}", listener.log());
}

#[tokio::test(start_paused = true)]
async fn d11_a_question_that_was_sent_before_the_wait_began_proves_nothing_gone() {
    let rig = Rig::new(&[]).started().await;
    rig.server.stall_watches();
    let hold = rig.server.inject(Fault::stall().on_list().once());
    let first = async {
        let nobody = Uid::new("nobody");
        rig.informer.wait_gone(&key("a/new"), &nobody, SOON).await
    };
    let second = async {
        hold.until_struck(1).await;
        rig.put("a/new", "1");
        let new = uid(&rig, "new");
        rig.delete("a/new");
        let wait = async { rig.informer.wait_gone(&key("a/new"), &new, SOON).await };
        let release = async {
            rest().await;
            assert_eq!(lookups(&rig).len(), 1, "one at a time");
            hold.remove();
        };
        tokio::join!(wait, release).0
    };
    let (first, second) = tokio::join!(first, second);
    first.unwrap();
    second.unwrap();
    assert_eq!(lookups(&rig).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn d11_all_who_wait_for_an_object_share_one_question() {
    let rig = Rig::new(&["a/x"]).started().await;
    rig.server.stall_watches();
    let written = rig.put("a/x", "1");
    let a_x = key("a/x");
    let waits = (0..100).map(|_| rig.informer.wait_for_version(&a_x, &written, SOON));
    for outcome in join_all(waits).await {
        outcome.unwrap();
    }
    assert_eq!(lookups(&rig).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn d11_more_objects_than_can_be_asked_for_are_settled_by_one_list() {
    let rig = Rig::with(&["a/x"], |builder| builder.options(|_| lists_only())).started().await;
    rig.server.stall_watches();
    let mut written = Vec::new();
    for number in 0..40 {
        let name = format!("a/n{number}");
        written.push((key(&name), rig.put(&name, "1")));
    }
    rig.put("a/soon-gone", "1");
    let gone = uid(&rig, "soon-gone");
    rig.delete("a/soon-gone");
    let before = rig.server.requests().len();
    let began = Instant::now();
    let waits = written.iter().map(|(key, version)| rig.informer.wait_for_version(key, version, SOON));
    let soon_gone = key("a/soon-gone");
    let (waits, gone) = tokio::join!(join_all(waits), rig.informer.wait_gone(&soon_gone, &gone, SOON));
    gone.unwrap();
    for outcome in waits {
        outcome.unwrap();
    }
    assert_eq!(began.elapsed(), PATIENCE);
    assert_eq!(rig.informer.lister().len(), 41);
    assert_eq!(relists(&rig.informer), [(RelistReason::First, 1), (RelistReason::Waited, 1)]);
    let asked = rig.server.requests().len() - before;
    assert!(asked <= 4, "{asked} requests for 41 objects");
}

#[tokio::test(start_paused = true)]
async fn d11_what_is_held_back_is_bounded_by_a_list() {
    let patient = lists_only().tuning(|tuning| tuning.min_watch_timeout(Duration::from_secs(80_000)));
    let rig = Rig::with(&["a/x"], |builder| builder.options(|_| patient)).started().await;
    rig.server.stall_watches();
    for number in 0..1_010_u32 {
        let name = format!("a/n{number}");
        let written = rig.put(&name, "1");
        rig.informer.wait_for_version(&key(&name), &written, SOON).await.unwrap();
    }
    let waited = rig.informer.status().scopes[0].relists(RelistReason::Waited);
    assert_eq!(waited, 1, "after a thousand");
    assert!(rig.informer.engine().indexer.barriers(0) < 100);
}

#[tokio::test(start_paused = true)]
async fn d11_a_question_that_fails_is_asked_again_ever_more_rarely_and_told() {
    let rig = Rig::new(&["a/x"]).started().await;
    rig.server.stall_watches();
    for _ in 0..2 {
        rig.server.inject(Fault::error(http(500, "InternalError")).on_list().once());
    }
    let written = rig.put("a/x", "1");
    let began = Instant::now();
    rig.informer.wait_for_version(&key("a/x"), &written, SOON).await.unwrap();
    assert_eq!(began.elapsed(), Duration::from_millis(3_500));
    let failures = rig.failures();
    assert_eq!(failures.len(), 2, "{failures:?}");
    assert!(failures[0].contains("asking for a/x, which is waited for"), "{failures:?}");
}

#[tokio::test(start_paused = true)]
async fn d11_a_question_without_an_answer_is_given_up_after_ten_seconds() {
    let rig = Rig::new(&["a/x"]).started().await;
    rig.server.stall_watches();
    rig.server.inject(Fault::stall().on_list().once());
    let written = rig.put("a/x", "1");
    let began = Instant::now();
    rig.informer.wait_for_version(&key("a/x"), &written, SOON).await.unwrap();
    assert_eq!(began.elapsed(), Duration::from_millis(11_500));
}

#[tokio::test(start_paused = true)]
async fn d11_a_version_ahead_of_the_server_means_that_it_went_back() {
    let rig = Rig::new(&["a/x"]).started().await;
    let began = Instant::now();
    let ahead = ResourceVersion::new("99");
    let error = rig.informer.wait_for_version(&key("a/x"), &ahead, SOON).await.unwrap_err();
    assert!(error.is_rewound(), "{error}");
    assert_eq!(began.elapsed(), PATIENCE);
    rest().await;
    assert_eq!(relists(&rig.informer), [(RelistReason::First, 1)], "the informer itself is not in doubt");
}

#[tokio::test(start_paused = true)]
async fn d11_while_a_server_that_went_back_is_read_nothing_can_be_waited_for() {
    let rig = Rig::new(&["a/x"]).started().await;
    let backup = rig.server.version();
    let there = rig.put("a/x", "1");
    rig.settle().await;
    let gone = uid(&rig, "x");
    let question = rig.server.inject(Fault::stall().on_list().once());
    rig.server.rewind(&backup);
    question.until_struck(1).await;
    let hold = rig.server.inject(Fault::stall().on_watch().once());
    question.remove();
    hold.until_struck(1).await;
    assert_eq!(rig.informer.status().phase, Phase::Rewound);
    let error = rig.informer.wait_for_version(&key("a/x"), &there, SOON).await.unwrap_err();
    assert!(error.is_rewound(), "{error}");
    let error = rig.informer.wait_gone(&key("a/x"), &gone, SOON).await.unwrap_err();
    assert!(error.is_rewound(), "{error}");
    hold.remove();
    phase(&rig.informer, Phase::Watching).await;
    rig.settle().await;
    assert_eq!(rig.informer.progress().rewinds(), 1);
    let written = rig.put("a/x", "2");
    rig.informer.wait_for_version(&key("a/x"), &written, SOON).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn d11_an_answer_that_cannot_be_placed_is_an_error_and_no_hang() {
    let rig = Rig::new(&["a/x"]).started().await;
    rig.server.stall_watches();
    rig.server.inject(Fault::reply([list_body("opaque", &[])]).on_list().once());
    let error = rig.informer.wait_gone(&key("a/new"), &Uid::new("u"), SOON).await.unwrap_err();
    assert!(error.is_not_comparable(), "{error}");
    rig.server.inject(Fault::reply([list_body("opaque", &[])]).on_list().once());
    let written = rig.put("a/x", "1");
    let error = rig.informer.wait_for_version(&key("a/x"), &written, SOON).await.unwrap_err();
    assert!(error.is_not_comparable(), "{error}");
}

#[tokio::test(start_paused = true)]
async fn d11_a_server_that_does_not_select_by_name_is_listed_instead() {
    let rig = Rig::with(&["a/x"], |builder| builder.options(|_| lists_only())).started().await;
    rig.server.stall_watches();
    let written = rig.put("a/new", "1");
    rig.server
        .inject(Fault::reply([list_body(&written.to_string(), &[wire_map("other", "2")])]).on_list().once());
    rig.informer.wait_for_version(&key("a/new"), &written, SHORT).await.unwrap();
    assert!(rig.informer.lister().namespace("a").get("new").is_ok());
    assert!(rig.informer.lister().namespace("a").get("other").is_err());
    assert_eq!(relists(&rig.informer), [(RelistReason::First, 1), (RelistReason::Waited, 1)]);
}

#[tokio::test(start_paused = true)]
async fn d11_ten_thousand_who_wait_cost_a_commit_that_is_about_none_of_them_nothing() {
    const WAITING: usize = 10_000;
    let rig = Rig::with(&["a/x"], |builder| {
        builder.options(|options| options.tuning(|tuning| tuning.lookup_after(SOON)))
    });
    let rig = rig.started().await;
    let ahead = ResourceVersion::new("100000");
    let (x, nobody) = (uid(&rig, "x"), key("a/nobody"));
    let keys: Vec<_> = (0..WAITING - 1_000).map(|number| key(&format!("a/n{number}"))).collect();
    let a_x = key("a/x");
    let versions = join_all(keys.iter().map(|key| rig.informer.wait_for_version(key, &ahead, SOON)));
    let one_key = join_all((0..500).map(|_| rig.informer.wait_for_version(&nobody, &ahead, SOON)));
    let leaving = join_all((0..500).map(|_| rig.informer.wait_gone(&a_x, &x, SOON)));
    let mut all = std::pin::pin!(futures::future::join3(versions, one_key, leaving));
    assert!(futures::poll!(all.as_mut()).is_pending());
    let waiters = &rig.informer.engine().waiters;
    assert_eq!(waiters.count(), WAITING);
    let looks = || waiters.looks.load(Ordering::Relaxed);
    let began = looks();
    assert_eq!(began, 2 * WAITING as u64, "before and after taking a place");
    for number in 0..100 {
        rig.put("a/nobody", &number.to_string());
        rig.put("a/other", &number.to_string());
        rig.settle().await;
    }
    assert!(futures::poll!(all.as_mut()).is_pending());
    assert_eq!(looks(), began);
    rig.delete("a/x");
    rig.settle().await;
    assert!(futures::poll!(all.as_mut()).is_pending());
    assert_eq!((looks() - began, waiters.count()), (500, WAITING - 500), "those who waited for it");
    rig.server.advance(100_000);
    rig.settle().await;
    let (versions, one_key, leaving) = all.await;
    assert!(versions.iter().chain(&one_key).chain(&leaving).all(Result::is_ok));
    assert_eq!((looks() - began, waiters.count()), (WAITING as u64, 0));
}

#[tokio::test(start_paused = true)]
async fn d11_objects_that_leave_a_selector_are_not_taken_for_gone_without_asking() {
    let labelled = |text: &str, app: &str| {
        let mut object = map("a/x", text);
        object.metadata.labels = Some([("app".to_owned(), app.to_owned())].into());
        serde_json::to_value(object).unwrap()
    };
    let rig = Rig::with(&[], |builder| builder.labels("app=web"));
    rig.server.put_json(labelled("1", "web")).unwrap();
    let rig = rig.started().await;
    let x = uid(&rig, "x");
    rig.server.stall_watches();
    // It leaves, comes back, and only then is deleted: a cache that has seen it leave has not seen its end.
    rig.server.put_json(labelled("2", "other")).unwrap();
    rig.server.put_json(labelled("3", "web")).unwrap();
    rig.delete("a/x");
    let (listener, _) = rig.listen();
    let a_x = key("a/x");
    let wait = rig.informer.wait_gone(&a_x, &x, SOON);
    let bring = async {
        rest().await;
        rig.server.unstall_watches();
    };
    tokio::join!(wait, bring).0.unwrap();
    assert!(rig.informer.lister().is_empty());
    let heard = listener.log().len();
    rig.settle().await;
    assert_eq!(listener.log().len(), heard, "nothing more comes of it: {:?}", listener.log());
}

/// The scope is at version 2, `a/new` was looked up at 4, and then the server is back at 3, which is ahead of the scope.
async fn with_a_ghost() -> (Rig, Listener) {
    let rig = Rig::with(&["a/x"], |builder| builder.options(|_| lists_only())).started().await;
    let (listener, registration) = rig.listen();
    registration.wait_synced(SOON).await.unwrap();
    rig.server.stall_watches();
    let backup = rig.put("a/x", "1");
    let written = rig.put("a/new", "1");
    rig.informer.wait_for_version(&key("a/new"), &written, SOON).await.unwrap();
    rig.server.rewind(&backup);
    assert_eq!(rig.informer.last_sync_resource_version(), ResourceVersion::new("2"));
    (rig, listener)
}

fn without_ghosts(rig: &Rig, listener: &Listener) {
    listener.check();
    let cached: Vec<_> = rig.informer.lister().list().iter().map(|object| object.key().to_string()).collect();
    assert_eq!(cached, ["a/x"]);
    assert_eq!(listener.believes(), [("a/x".to_owned(), "3".to_owned())]);
    assert_eq!(rig.informer.progress().rewinds(), 1);
}

#[tokio::test(start_paused = true)]
async fn d11_d15_a_refresh_after_a_rewind_removes_what_was_looked_up() {
    let (rig, listener) = with_a_ghost().await;
    rig.informer.refresh();
    rest().await;
    without_ghosts(&rig, &listener);
    let written = rig.put("a/new", "2");
    rig.informer.wait_for_version(&key("a/new"), &written, SOON).await.unwrap();
}

/// The watch never brings what was looked up, and its history is gone.
#[tokio::test(start_paused = true)]
async fn d11_d15_a_relist_after_a_rewind_removes_what_was_looked_up() {
    let rig = Rig::with(&["a/x"], |builder| builder.options(|_| lists_only())).started().await;
    let (listener, registration) = rig.listen();
    registration.wait_synced(SOON).await.unwrap();
    rig.server.lose_next_event();
    let backup = rig.put("a/x", "1");
    rig.server.lose_next_event();
    let written = rig.put("a/new", "1");
    rig.informer.wait_for_version(&key("a/new"), &written, SOON).await.unwrap();
    rig.server.inject(Fault::error(http(410, "Expired")).on_watch().once());
    rig.server.rewind(&backup);
    tokio::time::sleep(Duration::from_secs(10)).await;
    without_ghosts(&rig, &listener);
    let reasons = [(RelistReason::First, 1), (RelistReason::Expired, 1), (RelistReason::Rewound, 1)];
    assert_eq!(relists(&rig.informer), reasons);
}

#[tokio::test(start_paused = true)]
async fn d11_d15_an_answer_older_than_another_means_that_the_server_went_back() {
    let (rig, listener) = with_a_ghost().await;
    let error = rig.informer.wait_gone(&key("a/other"), &Uid::new("u"), SOON).await.unwrap_err();
    assert!(error.is_rewound(), "{error}");
    tokio::time::sleep(Duration::from_secs(10)).await;
    without_ghosts(&rig, &listener);
}

/// By then the server may have passed the version of the lookup again.
#[tokio::test(start_paused = true)]
async fn d11_d15_what_was_looked_up_is_asked_for_when_a_watch_is_resumed() {
    let rig = Rig::new(&["a/x"]).started().await;
    rig.server.lose_next_event();
    let written = rig.put("a/new", "1");
    rig.informer.wait_for_version(&key("a/new"), &written, SOON).await.unwrap();
    assert_eq!(lookups(&rig).len(), 1);
    rig.server.close_watches();
    rig.settle().await;
    let asked = lookups(&rig);
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0].query(), asked[1].query());
}
