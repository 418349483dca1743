//! Hearing of every object again, without asking the server.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::support::{Rig, rest};
use crate::handler::{Event, Registration, handler};
use crate::options::Options;

const SECOND: Duration = Duration::from_secs(1);

/// The seconds at which a handler heard a resync, since the start of the test.
type Times = Arc<Mutex<Vec<u64>>>;

fn times(rig: &Rig, period: Option<Duration>) -> (Times, Registration) {
    let times = Times::default();
    let (heard, start) = (times.clone(), Instant::now());
    let mut handler = handler().on_event(move |event| {
        if matches!(event, Event::Updated { resync: true, .. }) {
            heard.lock().push(start.elapsed().as_secs());
        }
    });
    if let Some(period) = period {
        handler = handler.resync(period);
    }
    (times, rig.add(handler))
}

#[tokio::test(start_paused = true)]
async fn b_061_b_276_a_resync_tells_every_object_again_and_asks_nobody() {
    let rig = Rig::new(&["a/x", "a/y"]).started().await;
    let (listener, _) = rig.listen_with(|handler| handler.resync(10 * SECOND));
    rig.settle().await;
    let requests = rig.server.requests().len();
    tokio::time::sleep(10 * SECOND).await;
    let mut log = listener.log().split_off(2);
    log.sort();
    assert_eq!(log, ["update a/x@2 2 resync", "update a/y@3 3 resync"]);
    assert_eq!(rig.server.requests().len(), requests);
    listener.check();
}

#[tokio::test(start_paused = true)]
async fn b_062_a_relist_does_not_start_the_period_anew() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (times, _) = times(&rig, Some(10 * SECOND));
    tokio::time::sleep(6 * SECOND).await;
    rig.informer.refresh();
    tokio::time::sleep(15 * SECOND).await;
    assert_eq!(*times.lock(), [10, 20]);
}

#[tokio::test(start_paused = true)]
async fn b_064_b_277_zero_is_never() {
    let rig = Rig::with(&["a/x"], |builder| builder.resync(SECOND)).started().await;
    let (times, _) = times(&rig, Some(Duration::ZERO));
    tokio::time::sleep(100 * SECOND).await;
    assert!(times.lock().is_empty());
}

#[tokio::test(start_paused = true)]
async fn b_277_less_than_a_second_counts_as_a_second() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (times, _) = times(&rig, Some(Duration::from_millis(10)));
    tokio::time::sleep(Duration::from_millis(3_500)).await;
    assert_eq!(*times.lock(), [1, 2, 3]);
}

#[tokio::test(start_paused = true)]
async fn b_010_the_shortest_period_can_be_set() {
    for (minimum, heard) in [(500, 6), (1_500, 2)] {
        let settings =
            Options::default().tuning(|tuning| tuning.minimum_resync(Duration::from_millis(minimum)));
        let rig = Rig::with(&["a/x"], |builder| builder.options(|_| settings)).started().await;
        let (times, _) = times(&rig, Some(Duration::from_millis(10)));
        tokio::time::sleep(Duration::from_millis(3_250)).await;
        assert_eq!(times.lock().len(), heard, "every {minimum} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn b_278_after_the_start_a_handler_may_ask_for_any_period() {
    let rig = Rig::with(&["a/x"], |builder| builder.resync(60 * SECOND)).started().await;
    let (times, _) = times(&rig, Some(5 * SECOND));
    tokio::time::sleep(11 * SECOND).await;
    assert_eq!(*times.lock(), [5, 10], "shorter than the informer's own, and not raised to it");
}

#[tokio::test(start_paused = true)]
async fn b_279_a_handler_resyncs_on_an_informer_that_does_not() {
    let rig = Rig::new(&["a/x"]);
    let (times, _) = times(&rig, Some(7 * SECOND));
    let _rig = rig.started().await;
    tokio::time::sleep(15 * SECOND).await;
    assert_eq!(*times.lock(), [7, 14]);
}

#[tokio::test(start_paused = true)]
async fn b_280_each_handler_has_its_own_timer() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (never, _) = times(&rig, Some(Duration::ZERO));
    let (two, _) = times(&rig, Some(2 * SECOND));
    let (three, _) = times(&rig, Some(3 * SECOND));
    tokio::time::sleep(Duration::from_millis(9_500)).await;
    assert!(never.lock().is_empty());
    assert_eq!(*two.lock(), [2, 4, 6, 8]);
    assert_eq!(*three.lock(), [3, 6, 9]);
}

#[tokio::test(start_paused = true)]
async fn b_281_after_the_last_handler_has_left_nothing_is_told() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (times, registration) = times(&rig, Some(SECOND));
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    registration.remove();
    tokio::time::sleep(10 * SECOND).await;
    assert_eq!(*times.lock(), [1]);
    assert_eq!(registration.status().backlog, 0);
}

#[tokio::test(start_paused = true)]
async fn b_282_without_a_period_of_its_own_a_handler_has_the_informers() {
    let rig = Rig::with(&["a/x"], |builder| builder.resync(4 * SECOND)).started().await;
    let (times, _) = times(&rig, None);
    tokio::time::sleep(9 * SECOND).await;
    assert_eq!(*times.lock(), [4, 8]);
}

#[tokio::test(start_paused = true)]
async fn b_283_a_real_change_goes_to_all_and_is_no_resync() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (with, _) = rig.listen_with(|handler| handler.resync(10 * SECOND));
    let (without, _) = rig.listen();
    rig.settle().await;
    rig.put("a/x", "1");
    rig.settle().await;
    for listener in [with, without] {
        assert_eq!(listener.log(), ["add a/x@2 initial", "update a/x@2 3"]);
    }
}

#[tokio::test(start_paused = true)]
async fn b_284_a_relist_tells_nothing_of_unchanged_objects() {
    let rig = Rig::new(&["a/x", "a/y"]).started().await;
    let (with, _) = rig.listen_with(|handler| handler.resync(3_600 * SECOND));
    let (without, _) = rig.listen();
    rig.settle().await;
    rig.relist().await;
    rig.server.compact();
    rig.server.cut_watches();
    tokio::time::sleep(60 * SECOND).await;
    assert!(rig.server.requests().len() > 2, "it has listed again");
    assert_eq!((with.calls(), without.calls()), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn b_113_a_resync_does_not_overtake_what_a_slow_handler_has_yet_to_hear() {
    let rig = Rig::with(&["a/gone", "a/x"], |builder| builder.resync(10 * SECOND)).started().await;
    let (listener, _, permits) = rig.listen_stuck();
    permits.add_permits(2);
    rig.settle().await;
    rig.put("a/x", "1");
    rig.settle().await;
    assert_eq!(listener.log()[2..], ["update a/x@3 4"], "which keeps the handler from now on");
    rig.delete("a/gone");
    tokio::time::sleep(10 * SECOND).await;
    permits.add_permits(2);
    rest().await;
    assert_eq!(listener.log()[3..], ["delete a/gone@5", "update a/x@4 4 resync"]);
}

#[tokio::test(start_paused = true)]
async fn b_290_a_resync_writes_nothing() {
    let rig = Rig::new(&["a/x"]).started().await;
    let commits = || rig.informer.progress().commit();
    let (times, _) = times(&rig, Some(SECOND));
    rig.settle().await;
    let before = commits();
    tokio::time::sleep(5 * SECOND).await;
    assert_eq!((times.lock().len(), commits()), (5, before));
}

#[tokio::test(start_paused = true)]
async fn b_290_a_change_during_a_resync_is_told_once_and_in_order() {
    let rig = Rig::new(&["a/x"]);
    let (listener, _, permits) = rig.listen_stuck();
    let rig = rig.started().await;
    rest().await;
    rig.put("a/x", "1");
    rig.settle().await;
    let (resyncing, _) = rig.listen_with(|handler| handler.resync(SECOND));
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    permits.add_permits(10);
    rig.settle().await;
    assert_eq!(listener.log(), ["add a/x@2 initial", "update a/x@2 3"], "others are not concerned");
    assert_eq!(resyncing.log(), ["add a/x@3 initial", "update a/x@3 3 resync"]);
}

#[tokio::test(start_paused = true)]
async fn b_290_resyncs_do_not_pile_up_for_a_stuck_handler() {
    let rig = Rig::with(&["a/x", "a/y"], |builder| builder.resync(SECOND));
    let (_, registration, _) = rig.listen_stuck();
    let _rig = rig.started().await;
    tokio::time::sleep(1_000 * SECOND).await;
    assert!(registration.status().backlog <= 4, "{registration:?}");
}

#[tokio::test(start_paused = true)]
async fn a_resync_period_beyond_all_clocks_means_never() {
    let rig = Rig::with(&["a/x"], |builder| builder.resync(Duration::MAX));
    let (early, _) = rig.listen();
    let rig = rig.started().await;
    let (late, _) = rig.listen_with(|handler| handler.resync(Duration::from_secs(u64::MAX)));
    tokio::time::sleep(1_000 * SECOND).await;
    rig.put("a/x", "1");
    rig.settle().await;
    for listener in [early, late] {
        assert_eq!(listener.log(), ["add a/x@2 initial", "update a/x@2 3"]);
    }
}
