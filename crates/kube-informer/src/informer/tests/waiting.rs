//! Waiting for the cache and for handlers.

use std::time::Duration;

use tokio::time::Instant;

use super::support::{Rig, SOON, rest};
use crate::source::{Fault, SourceError, Status};

#[tokio::test(start_paused = true)]
async fn b_330_waiting_is_told_at_once_and_never_polls() {
    let rig = Rig::new(&["a/x"]);
    let hold = rig.server.inject(Fault::stall().once());
    rig.start();
    let asked = Instant::now();
    let answer = async {
        tokio::time::sleep(Duration::from_millis(37)).await;
        hold.remove();
    };
    let (synced, ()) = tokio::join!(rig.informer.wait_synced(SOON), answer);
    synced.unwrap();
    assert_eq!(asked.elapsed(), Duration::from_millis(37));
}

#[tokio::test(start_paused = true)]
async fn b_330_a_stop_ends_the_waiting() {
    let rig = Rig::new(&[]);
    rig.server.inject(Fault::stall().once());
    let (stop, _running) = rig.start_until();
    let (synced, ()) = tokio::join!(rig.informer.wait_synced(SOON), async { drop(stop) });
    assert_eq!(synced.unwrap_err().to_string(), "configmaps not synced: the informer has stopped");
}

#[tokio::test(start_paused = true)]
async fn b_331_several_are_waited_for_together() {
    let (one, other) = (Rig::new(&["a/x"]), Rig::new(&["a/y"]));
    let hold = other.server.inject(Fault::stall().once());
    one.start();
    other.start();
    let mut both = std::pin::pin!(tokio::time::timeout(
        SOON,
        futures::future::join(one.informer.wait_synced(SOON), other.informer.wait_synced(SOON)),
    ));
    hold.until_struck(1).await;
    rest().await;
    assert!(futures::poll!(both.as_mut()).is_pending(), "one is, the other is not");
    assert!(one.informer.has_synced() && !other.informer.has_synced());
    hold.remove();
    let (one, other) = both.await.unwrap();
    one.unwrap();
    other.unwrap();
}

#[tokio::test(start_paused = true)]
async fn b_331_what_is_synced_counts_even_without_time_to_wait() {
    let rig = Rig::new(&[]).started().await;
    rig.informer.wait_synced(Duration::ZERO).await.unwrap();
    rig.informer.shutdown(SOON).await;
    rig.informer.wait_synced(Duration::ZERO).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn b_331_without_time_to_wait_the_answer_comes_at_once() {
    let rig = Rig::new(&[]);
    let asked = Instant::now();
    let error = rig.informer.wait_synced(Duration::ZERO).await.unwrap_err();
    assert_eq!(asked.elapsed(), Duration::ZERO);
    assert_eq!(error.to_string(), "configmaps not synced after 0ns: the informer was not started");
}

#[tokio::test(start_paused = true)]
async fn b_332_the_error_names_kind_scope_and_cause() {
    let rig = Rig::with(&[], |builder| builder.namespace("a").namespace("b"));
    let refused = Status { code: 403, message: "configmaps is forbidden".into(), ..Status::default() };
    // The requests of both scopes come in order, so the first of each pair is that of namespace a; only it falls back.
    rig.server.inject(Fault::error(SourceError::answered(refused.clone())).on_watch().once());
    rig.server.inject(Fault::error(SourceError::answered(refused)).on_list().once());
    rig.start();
    rig.server.wait_for_requests(2).await;
    let error = rig.informer.wait_synced(Duration::from_millis(100)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "configmaps not synced after 100ms; namespace \"a\" is backing off (HTTP 403): configmaps is forbidden; \
         grant the verbs list and watch on configmaps to the account the program runs as"
    );
    assert_eq!((error.informers()[0].kind.kind(), error.scopes().count()), ("ConfigMap", 1));
    assert_eq!(error.scopes().next().unwrap().last_error.as_ref().unwrap().cause.http_status(), Some(403));
}

#[tokio::test(start_paused = true)]
async fn b_333_a_synced_informer_does_not_mean_synced_handlers() {
    let rig = Rig::new(&["a/x"]);
    let (_, registration, permits) = rig.listen_stuck();
    let rig = rig.started().await;
    rest().await;
    assert_eq!((rig.informer.has_synced(), registration.has_synced()), (true, false));
    permits.add_permits(1);
    registration.wait_synced(SOON).await.unwrap();
}
