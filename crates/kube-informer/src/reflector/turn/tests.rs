use std::time::Duration;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn a_turn_that_is_given_up_costs_nothing() {
    let budget = Mutex::new(Budget::new(1, SECOND));
    turn(&budget).await;
    for _ in 0..1_000 {
        let mut given_up = Box::pin(turn(&budget));
        assert!(futures::poll!(given_up.as_mut()).is_pending());
    }
    let began = Instant::now();
    turn(&budget).await;
    assert_eq!(began.elapsed(), SECOND);
}
