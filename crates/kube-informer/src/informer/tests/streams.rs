//! Events as a stream.

use futures::{FutureExt, StreamExt};

use super::support::{Rig, SOON, rest};
use crate::handler::Event;

#[tokio::test(start_paused = true)]
async fn a_stream_starts_with_the_cache_and_goes_on_with_changes() {
    let rig = Rig::new(&["a/x"]).started().await;
    let mut stream = rig.informer.stream().unwrap();
    assert!(matches!(stream.next().await, Some(Event::Added { initial: true, .. })));
    rig.put("a/x", "1");
    assert!(matches!(stream.next().await, Some(Event::Updated { resync: false, .. })));
    rig.delete("a/x");
    assert!(matches!(stream.next().await, Some(Event::Deleted { final_state_known: true, .. })));
    assert!(stream.next().now_or_never().is_none(), "and waits");
    assert!(stream.has_synced());
}

#[tokio::test(start_paused = true)]
async fn a_stream_can_be_taken_before_the_start() {
    let rig = Rig::new(&["a/x"]);
    let mut stream = rig.informer.stream().unwrap();
    assert!(stream.next().now_or_never().is_none());
    let _rig = rig.started().await;
    assert_eq!(stream.next().await.unwrap().object().unwrap().name(), "x");
}

#[tokio::test(start_paused = true)]
async fn a_stream_ends_when_the_informer_stops() {
    let rig = Rig::new(&["a/x", "a/y"]);
    let (stop, running) = rig.start_until();
    rig.synced().await;
    let mut stream = rig.informer.stream().unwrap();
    stream.next().await.unwrap();
    drop(stop);
    running.await.unwrap();
    assert!(stream.next().await.is_none(), "what it has not brought is discarded");
    assert!(stream.next().await.is_none(), "asked again as well");
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_waits_is_woken_by_the_stop() {
    let rig = Rig::new(&[]).started().await;
    let mut stream = rig.informer.stream().unwrap();
    let (event, ()) = tokio::join!(stream.next(), rig.informer.shutdown(SOON));
    assert!(event.is_none());
}

#[tokio::test(start_paused = true)]
async fn dropping_a_stream_removes_it() {
    let rig = Rig::new(&["a/x"]).started().await;
    let stream = rig.informer.stream().unwrap();
    rest().await;
    drop(stream);
    rig.put("a/x", "1");
    rig.put("a/x", "2");
    rig.settle().await;
    assert_eq!(rig.informer.status().versions_alive, 1, "nobody keeps what it would have brought");
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_nobody_polls_delays_nobody_and_merges() {
    let rig = Rig::new(&["a/x"]).started().await;
    let stream = rig.informer.stream().unwrap();
    let (listener, _) = rig.listen();
    rig.settle().await;
    for number in 0..100 {
        rig.put("a/x", &number.to_string());
        rest().await;
    }
    rig.settle().await;
    assert_eq!(listener.calls(), 101);
    let events: Vec<_> = stream.take_while(|_| async { true }).take(1).collect().await;
    assert_eq!(events[0].object().unwrap().resource_version().to_string(), "102");
}

#[tokio::test(start_paused = true)]
async fn streams_that_were_dropped_leave_no_memory_behind_on_a_quiet_kind() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (listener, stays) = rig.listen();
    stays.wait_synced(SOON).await.unwrap();
    let streams: Vec<_> = (0..10_000).map(|_| rig.informer.stream().unwrap()).collect();
    let removed = rig.informer.add_event_handler(crate::handler::handler()).unwrap();
    removed.wait_synced(SOON).await.unwrap();
    assert_eq!(rig.informer.engine().listeners_held(), 10_002);
    removed.remove();
    drop((streams, removed));
    rest().await;
    assert_eq!(
        rig.informer.engine().listeners_held(),
        1,
        "only who still listens, though nothing has happened since"
    );
    rig.put("a/x", "new");
    rig.settle().await;
    assert_eq!(listener.calls(), 2);
}

#[tokio::test(start_paused = true)]
async fn streams_that_come_and_go_before_the_start_are_not_kept_either() {
    let rig = Rig::new(&["a/x"]);
    let stays = rig.informer.stream().unwrap();
    for _ in 0..1_000 {
        rig.informer.stream().unwrap();
    }
    assert!(rig.informer.engine().listeners_held() < 100, "{}", rig.informer.engine().listeners_held());
    let rig = rig.started().await;
    rest().await;
    assert_eq!((rig.informer.engine().listeners_held(), stays.has_synced()), (1, false));
}
