use std::time::Duration;

use super::*;

#[tokio::test(start_paused = true)]
async fn on_paused_time_it_stands_still_and_goes_on_with_it() {
    let begin = now();
    let real = std::time::Instant::now();
    while real.elapsed().is_zero() {}
    assert_eq!(now(), begin, "though real time has passed");
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(now().duration_since(begin), SignedDuration::from_hours(1));
}

#[tokio::test]
async fn otherwise_it_is_the_time_of_day() {
    let (before, now, after) = (Timestamp::now(), now(), Timestamp::now());
    assert!(before <= now && now <= after);
}
