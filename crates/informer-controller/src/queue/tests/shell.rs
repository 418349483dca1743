//! The queue as workers and others see it, on paused time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_now::now;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::super::*;

const SECOND: Duration = Duration::from_secs(1);
const LONG: Duration = Duration::from_secs(24 * 3600);

pub(super) mod futures_now {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    /// What a future has now, if it has anything.
    pub(in super::super) fn now<T>(future: impl Future<Output = T>) -> Option<T> {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        }
    }
}

pub(super) fn queue() -> WorkQueue<&'static str> {
    WorkQueue::new("test", QueueOptions::default())
}

fn exact() -> RateLimit {
    RateLimit::exponential(SECOND, 100 * SECOND)
}

pub(super) async fn next<T: Clone + Eq + Hash>(queue: &WorkQueue<T>) -> Work<T> {
    timeout(LONG, queue.next()).await.expect("there is something").expect("it is open")
}

/// The items that are due, in order; they are done.
pub(super) fn due(queue: &WorkQueue<&'static str>) -> Vec<&'static str> {
    std::iter::from_fn(|| {
        let work = now(queue.next())??;
        let item = *work.item();
        work.done();
        Some(item)
    })
    .collect()
}

#[tokio::test(start_paused = true)]
async fn b_460_b_461_b_462_b_463_each_item_once_in_order_and_never_with_two_workers() {
    let queue = queue();
    ["a", "b", "a", "c"].into_iter().for_each(|item| queue.add(item));
    assert_eq!(queue.len(), 3);
    let a = next(&queue).await;
    assert_eq!(*a.item(), "a");
    // Once more, however often it is added meanwhile.
    queue.add("a");
    queue.add("a");
    assert_eq!(due(&queue), ["b", "c"]);
    assert!(now(queue.next()).is_none(), "a worker has it");
    a.done();
    assert_eq!(due(&queue), ["a"]);
    assert_eq!((queue.len(), queue.is_empty()), (0, true));
}

#[tokio::test(start_paused = true)]
async fn b_465_b_466_b_467_b_480_a_queue_that_is_shut_down_hands_out_what_is_due_and_drains() {
    let queue = queue();
    ["a", "b"].into_iter().for_each(|item| queue.add(item));
    queue.add_after("later", SECOND);
    let a = next(&queue).await;
    queue.add("a");
    let drained = tokio::spawn({
        let queue = queue.clone();
        async move { queue.drain(LONG).await }
    });
    tokio::task::yield_now().await;
    queue.add("ignored");
    let b = next(&queue).await;
    assert_eq!(*b.item(), "b");
    b.failed();
    // There is nothing now, but there is going to be.
    assert!(now(queue.next()).is_none());
    let waiting = tokio::spawn({
        let queue = queue.clone();
        async move {
            queue.next().await.map(|work| {
                let item = *work.item();
                work.done();
                item
            })
        }
    });
    tokio::task::yield_now().await;
    assert!(!drained.is_finished());
    a.done();
    assert_eq!(waiting.await.unwrap(), Some("a"), "it was added before");
    assert!(drained.await.unwrap());
    assert!(queue.next().await.is_none());
    queue.shut_down();
}

#[tokio::test(start_paused = true)]
async fn b_466_a_drain_that_takes_too_long_says_so() {
    let queue = queue();
    queue.add("a");
    let _kept = next(&queue).await;
    assert!(!queue.drain(SECOND).await);
}

#[tokio::test(start_paused = true)]
async fn b_470_waiting_for_work_can_be_given_up_and_others_are_woken_all_the_same() {
    let queue = queue();
    queue.add_after("a", 10 * SECOND);
    let one = tokio::spawn({
        let queue = queue.clone();
        async move { *next(&queue).await.item() }
    });
    let two = tokio::spawn({
        let queue = queue.clone();
        async move { *next(&queue).await.item() }
    });
    tokio::task::yield_now().await;
    // One of them learns of the earlier time, and goes away.
    queue.add_after("b", SECOND);
    one.abort();
    let begin = Instant::now();
    assert_eq!(two.await.unwrap(), "b");
    assert_eq!(begin.elapsed().as_secs(), 1);
}

#[tokio::test(start_paused = true)]
async fn b_475_b_476_b_477_w_22_items_after_a_time_sooner_later_and_not_at_all() {
    let queue = queue();
    let begin = Instant::now();
    queue.add_after("a", 5 * SECOND);
    queue.add_after("a", 9 * SECOND);
    queue.add_after("b", 9 * SECOND);
    queue.add_after("b", 3 * SECOND);
    queue.add_after("c", SECOND);
    queue.postpone("c", 7 * SECOND);
    queue.add_after("d", SECOND);
    assert!(queue.cancel(&"d"));
    assert!(!queue.cancel(&"d"));
    queue.add_after("now", Duration::ZERO);
    for (expected, seconds) in [("now", 0), ("b", 3), ("a", 5), ("c", 7)] {
        let work = next(&queue).await;
        assert_eq!((*work.item(), begin.elapsed().as_secs()), (expected, seconds));
        work.done();
    }
    // What is due can be put off as well.
    queue.add("e");
    queue.postpone("e", SECOND);
    assert_eq!(due(&queue), Vec::<&str>::new());
    // A plain add does not leave a second run behind.
    queue.add("e");
    assert_eq!(due(&queue), ["e"]);
    tokio::time::advance(10 * SECOND).await;
    assert_eq!(due(&queue), Vec::<&str>::new());
}

#[tokio::test(start_paused = true)]
async fn b_499_what_a_worker_drops_without_a_word_comes_back() {
    let queue = WorkQueue::new("test", QueueOptions::default().rate_limit(exact()));
    queue.add("a");
    drop(next(&queue).await);
    let begin = Instant::now();
    let work = next(&queue).await;
    assert_eq!((*work.item(), work.failures(), begin.elapsed()), ("a", 1, SECOND));
    work.done();
}

#[tokio::test(start_paused = true)]
async fn b_485_b_486_failures_double_the_wait_and_success_ends_that() {
    let queue = WorkQueue::new("test", QueueOptions::default().rate_limit(exact()));
    queue.add("a");
    let (mut waits, mut work) = (Vec::new(), next(&queue).await);
    for _ in 0..9 {
        work.failed();
        let begin = Instant::now();
        work = next(&queue).await;
        waits.push(begin.elapsed().as_secs());
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 100, 100]);
    work.done();
    queue.add("a");
    next(&queue).await.failed();
    let begin = Instant::now();
    assert_eq!(next(&queue).await.failures(), 1);
    assert_eq!(begin.elapsed(), SECOND);
}

/// Kubernetes #132805: triggers made the backoff grow.
#[tokio::test(start_paused = true)]
async fn what_is_triggered_while_it_backs_off_runs_at_once_and_waits_no_longer_for_that() {
    let queue = WorkQueue::new("test", QueueOptions::default().rate_limit(exact()));
    queue.add("a");
    for _ in 0..3 {
        next(&queue).await.failed();
    }
    // It waits out 4 s now.
    for _ in 0..5 {
        queue.add("a");
        let work = now(queue.next()).flatten().expect("at once");
        assert_eq!(work.failures(), 3);
        work.failed();
    }
    let begin = Instant::now();
    next(&queue).await.failed();
    assert_eq!(begin.elapsed(), 4 * SECOND);
    let begin = Instant::now();
    next(&queue).await.done();
    assert_eq!(begin.elapsed(), 8 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn the_least_interval_holds_between_starts_whatever_the_trigger() {
    let options = QueueOptions::default().min_interval(5 * SECOND).rate_limit(exact());
    let queue = WorkQueue::new("test", options);
    let mut starts = Vec::new();
    let begin = Instant::now();
    queue.add("a");
    for round in 0..4 {
        let work = next(&queue).await;
        starts.push(begin.elapsed().as_secs());
        match round {
            0 => work.failed(),
            1 => work.done_for(SECOND),
            2 => {
                queue.add("a");
                work.done();
            }
            _ => work.done(),
        }
        queue.add("a");
    }
    assert_eq!(starts, [0, 5, 10, 15]);
}

/// controller-runtime #3496: what had a low priority starved for 40 minutes.
#[tokio::test(start_paused = true)]
async fn a_low_priority_is_overtaken_for_fifteen_seconds_at_most() {
    let queue = WorkQueue::new("test", QueueOptions::default());
    queue.add_with_priority(usize::MAX, i8::MIN);
    let begin = Instant::now();
    for number in 0.. {
        queue.add_with_priority(number, i8::MAX);
        tokio::time::advance(SECOND / 10).await;
        let work = next(&queue).await;
        let item = *work.item();
        work.done();
        if item == usize::MAX {
            break;
        }
    }
    let waited = begin.elapsed().as_secs_f64();
    assert!((14.8..=15.2).contains(&waited), "{waited}");
}

#[tokio::test(start_paused = true)]
async fn an_add_keeps_the_earlier_place_and_only_raises_the_priority() {
    let queue = queue();
    queue.add("a");
    tokio::time::advance(SECOND).await;
    queue.add_with_priority("b", 3);
    queue.add_with_priority("a", -5);
    tokio::time::advance(SECOND).await;
    queue.add_with_priority("c", 7);
    queue.add("c");
    assert_eq!(due(&queue), ["c", "b", "a"]);
    queue.add("d");
    queue.add("e");
    queue.add_with_priority("e", 1);
    assert_eq!(due(&queue), ["e", "d"]);
}

/// controller-runtime #3157.
#[tokio::test(start_paused = true)]
async fn the_priority_survives_a_requeue() {
    let queue = WorkQueue::new("test", QueueOptions::default().rate_limit(exact()));
    queue.add_with_priority("a", 5);
    next(&queue).await.failed();
    tokio::time::advance(2 * SECOND).await;
    queue.add("a");
    queue.add_with_priority("b", 4);
    let a = next(&queue).await;
    assert_eq!(*a.item(), "a");
    a.done_for(SECOND);
    assert_eq!(due(&queue), ["b"]);
    tokio::time::advance(SECOND).await;
    queue.add_with_priority("c", 3);
    assert_eq!(due(&queue), ["a", "c"]);
    // With its work done it is as any other.
    queue.add("a");
    queue.add_with_priority("d", 1);
    assert_eq!(due(&queue), ["d", "a"]);
}

/// controller-runtime #3538: shutting down while an item is handed out. kube-rs #1322: items that were skipped.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_workers_lose_nothing_and_end() {
    let queue = WorkQueue::new("test", QueueOptions::default());
    let counts: Arc<Vec<AtomicUsize>> = Arc::new((0..100).map(|_| AtomicUsize::new(0)).collect());
    let running: Arc<Vec<AtomicUsize>> = Arc::new((0..100).map(|_| AtomicUsize::new(0)).collect());
    let mut workers = JoinSet::new();
    for _ in 0..8 {
        let (queue, counts, running) = (queue.clone(), counts.clone(), running.clone());
        workers.spawn(async move {
            while let Some(work) = queue.next().await {
                let item: usize = *work.item();
                assert_eq!(running[item].fetch_add(1, Ordering::SeqCst), 0, "another worker has {item}");
                tokio::task::yield_now().await;
                running[item].fetch_sub(1, Ordering::SeqCst);
                counts[item].fetch_add(1, Ordering::SeqCst);
                work.done();
            }
        });
    }
    for round in 0..100 {
        let before: Vec<_> = counts.iter().map(|count| count.load(Ordering::SeqCst)).collect();
        (0..100).for_each(|item| queue.add(item));
        if round % 10 == 0 {
            // Each of them is handled after it was added.
            let all = async {
                while !counts
                    .iter()
                    .zip(&before)
                    .all(|(count, before)| count.load(Ordering::SeqCst) > *before)
                {
                    tokio::task::yield_now().await;
                }
            };
            timeout(LONG, all).await.expect("none is skipped");
        }
    }
    assert!(queue.drain(LONG).await);
    while let Some(worker) = timeout(LONG, workers.join_next()).await.expect("all of them end") {
        worker.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn b_464_the_length_is_what_is_due() {
    let queue = queue();
    assert!(queue.is_empty());
    queue.add("a");
    queue.add("a");
    queue.add("b");
    queue.add_after("c", SECOND);
    assert_eq!(queue.len(), 2);
    let work = now(queue.next()).flatten().expect("one is due");
    assert_eq!(queue.len(), 1);
    work.done();
    assert_eq!(queue.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn b_479_an_add_takes_the_place_of_a_later_one() {
    let queue = queue();
    queue.add_after("a", SECOND);
    queue.add("a");
    assert_eq!(due(&queue), ["a"]);
    tokio::time::advance(2 * SECOND).await;
    assert_eq!(due(&queue), Vec::<&str>::new());
}

#[test]
fn b_491_the_first_wait_is_five_milliseconds_and_the_longest_a_thousand_seconds() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut limit = RateLimit::default();
    let waits: Vec<_> = (1..30).map(|failures| limit.wait(failures, 0, &mut random)).collect();
    assert!((5_000_000..=6_000_000).contains(&waits[0]), "{waits:?}");
    assert!(waits.iter().all(|wait| *wait <= 1_100_000_000_000), "{waits:?}");
    assert!(waits[28] >= 1_000_000_000_000, "{waits:?}");
}

#[test]
fn b_488_b_489_a_bucket_lets_a_burst_through_and_the_longest_wait_counts() {
    let mut random = fastrand::Rng::with_seed(1);
    let millis = |wait: i64| wait / 1_000_000;
    let mut bucket = RateLimit::bucket(10.0, 2);
    let waits: Vec<_> = (0..4).map(|_| millis(bucket.wait(1, 0, &mut random))).collect();
    assert_eq!(waits, [0, 0, 100, 200]);
    assert_eq!(millis(bucket.wait(1, 10_000_000_000, &mut random)), 0);
    let mut both = RateLimit::max_of([exact(), RateLimit::bucket(10.0, 1)]);
    let waits: Vec<_> = (1..4).map(|failures| millis(both.wait(failures, 0, &mut random))).collect();
    assert_eq!(waits, [1000, 2000, 4000]);
    let mut jittered = exact().jitter(0.5);
    let waits: Vec<_> = (0..100).map(|_| millis(jittered.wait(1, 0, &mut random))).collect();
    assert!(waits.iter().all(|wait| (1000..=1500).contains(wait)) && waits.iter().any(|wait| *wait > 1250));
    assert_eq!(millis(exact().wait(u32::MAX, 0, &mut random)), 100_000);
}

#[tokio::test(start_paused = true)]
async fn what_was_added_before_the_end_is_still_done_whatever_the_interval() {
    let queue = WorkQueue::new("test", QueueOptions::default().min_interval(10 * SECOND));
    queue.add("a");
    let work = next(&queue).await;
    queue.add("a");
    queue.shut_down();
    work.done();
    let begin = Instant::now();
    next(&queue).await.done();
    assert!(timeout(LONG, queue.next()).await.expect("it is over").is_none());
    assert_eq!(begin.elapsed(), Duration::ZERO);
}
