use futures::FutureExt as _;
use futures::future::join_all;

use super::*;

fn lost() -> Arc<Reachability> {
    let reach = Arc::new(Reachability::default());
    reach.unanswered(Instant::now(), 0.5);
    reach
}

#[tokio::test(start_paused = true)]
async fn d15_nobody_waits_for_a_server_that_answers() {
    let reach = Arc::new(Reachability::default());
    assert!(reach.turn(1.0).now_or_never().is_some_and(|turn| turn.is_none()));
    assert_eq!(reach.outage(), None);
}

#[tokio::test(start_paused = true)]
async fn d15_one_finds_out_for_all_and_the_others_follow_within_a_second() {
    let reach = lost();
    let begin = Instant::now();
    let waiting = (0..50).map(|number| {
        let reach = reach.clone();
        async move {
            let probe = reach.turn(f64::from(number) / 49.0).await;
            if probe.is_some() {
                assert_eq!(begin.elapsed(), Duration::from_millis(250));
                sleep(Duration::from_secs(2)).await;
                reach.answered(Instant::now());
            }
            (probe.is_some(), begin.elapsed())
        }
    });
    let done = join_all(waiting).await;
    assert_eq!(done.iter().filter(|(probed, _)| *probed).count(), 1);
    let (first, last) = (Duration::from_millis(2_250), Duration::from_millis(3_250));
    assert!(done.iter().all(|(_, at)| (first..=last).contains(at)), "{done:?}");
    assert!(done.iter().any(|(_, at)| *at > Duration::from_millis(3_000)), "they are spread");
}

#[tokio::test(start_paused = true)]
async fn d15_it_is_tried_every_quarter_of_a_second_then_every_second_then_every_three() {
    let reach = lost();
    let begin = Instant::now();
    let mut tries = Vec::new();
    while begin.elapsed() < Duration::from_secs(90) {
        let probe = reach.turn(0.0).await;
        assert!(probe.is_some());
        tries.push(begin.elapsed().as_millis());
        reach.unanswered(Instant::now(), 0.5);
    }
    let between = |from: u128, to: u128| tries.iter().filter(|at| (from..to).contains(at)).count();
    assert_eq!((between(0, 6_000), between(6_000, 65_000), between(65_000, 89_000)), (23, 59, 8));
}

#[tokio::test(start_paused = true)]
async fn d15_three_who_waited_follow_at_once_and_more_are_spread_the_wider_the_more_they_are() {
    for (waiting, spread) in [(1, 0), (3, 0), (4, 20), (28, 500), (53, 1_000), (500, 1_000)] {
        let reach = lost();
        let probe = reach.turn(0.0).await;
        let begin = Instant::now();
        let others: Vec<_> = (0..waiting)
            .map(|_| {
                let reach = reach.clone();
                tokio::spawn(async move {
                    assert!(reach.turn(1.0).await.is_none());
                    begin.elapsed()
                })
            })
            .collect();
        // One of them gives up before the server is back.
        let gave_up = tokio::spawn({
            let reach = reach.clone();
            async move { reach.turn(1.0).await.is_some() }
        });
        sleep(Duration::from_millis(100)).await;
        gave_up.abort();
        sleep(Duration::from_millis(100)).await;
        reach.answered(Instant::now());
        drop(probe);
        for other in others {
            assert_eq!(other.await.unwrap().as_millis(), 200 + spread, "{waiting} wait");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn d15_who_gives_up_while_he_finds_out_leaves_it_to_the_next() {
    let reach = lost();
    let probe = reach.turn(0.0).await;
    assert!(probe.is_some());
    let next = reach.turn(0.0);
    tokio::pin!(next);
    assert!(futures::poll!(&mut next).is_pending());
    drop(probe);
    assert!(next.await.is_some());
}

#[tokio::test(start_paused = true)]
async fn d15_who_gets_no_answer_at_all_is_not_waited_for() {
    let reach = lost();
    let probe = reach.turn(0.0).await;
    let began = Instant::now();
    assert!(reach.turn(0.0).await.is_some());
    assert_eq!(began.elapsed(), PATIENCE);
    drop(probe);
}

#[tokio::test(start_paused = true)]
async fn d15_what_was_sent_before_says_nothing_of_now() {
    let reach = lost();
    let before = Instant::now() - Duration::from_secs(1);
    reach.answered(before);
    assert_eq!(reach.outage(), Some(1), "the answer is to a request from before the outage");
    reach.answered(Instant::now());
    assert_eq!(reach.outage(), None);
    reach.unanswered(before, 0.5);
    assert_eq!(reach.outage(), None, "another request was answered since");
}

#[tokio::test(start_paused = true)]
async fn d15_an_attempt_of_which_nothing_is_heard_is_not_followed_at_once() {
    let reach = lost();
    drop(reach.turn(0.0).await);
    let began = Instant::now();
    drop(reach.turn(0.0).await);
    assert_eq!(began.elapsed(), Duration::from_millis(250));
}

#[tokio::test(start_paused = true)]
async fn an_old_right_to_find_out_does_not_end_a_new_one() {
    let reach = lost();
    let old = reach.turn(0.0).await;
    reach.answered(Instant::now());
    reach.unanswered(Instant::now(), 0.5);
    assert_eq!(reach.outage(), Some(2));
    let new = reach.turn(0.0).await;
    drop(old);
    assert!(new.is_some());
    let other = reach.turn(0.0);
    tokio::pin!(other);
    assert!(futures::poll!(&mut other).is_pending());
}
