use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::time::Instant;

use super::*;

#[tokio::test(start_paused = true)]
async fn the_state_comes_at_once_then_once_a_second_and_is_only_made_for_who_reads() {
    let made = Arc::new(AtomicUsize::new(0));
    let counts = made.clone();
    let endpoint = Endpoint::new(move || {
        counts.fetch_add(1, Ordering::Relaxed);
        Vec::new()
    });
    let begun = Instant::now();
    let mut events = informers(endpoint.clone(), endpoint.seat().expect("a place"));
    for number in 0..4 {
        let event = events.next().await.expect("it goes on");
        assert!(event.starts_with(b"data: {") && event.ends_with(b"}\n\n"), "{event:?}");
        assert_eq!(begun.elapsed(), EVERY * number);
    }
    assert_eq!(made.load(Ordering::Relaxed), 4);
    // A viewer that reads slowly misses states instead of getting them all at once.
    tokio::time::sleep(EVERY * 10).await;
    events.next().await;
    let late = Instant::now();
    events.next().await;
    assert_eq!((late.elapsed(), made.load(Ordering::Relaxed)), (EVERY, 6));
    drop(events);
    tokio::time::sleep(EVERY * 100).await;
    assert_eq!(made.load(Ordering::Relaxed), 6, "nobody reads");
    assert_eq!(endpoint.seats.available_permits(), VIEWERS);
}
