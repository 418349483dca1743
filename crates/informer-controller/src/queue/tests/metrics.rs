//! What the metrics say.

use std::time::Duration;

use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};

use super::super::*;
use super::shell::{due, next, queue};

const SECOND: Duration = Duration::from_secs(1);

/// Runs something on paused time, with a recorder of its own.
fn metered<F: Future<Output = ()>>(test: impl FnOnce(Snapshotter) -> F) {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    metrics::with_local_recorder(&recorder, || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.unwrap().block_on(test(snapshotter));
    });
}

/// controller-runtime #3060, #3085 and #3396: a depth that was negative or doubled, a label for each priority.
#[test]
fn b_482_b_495_b_496_metrics_have_client_gos_names_and_the_depth_is_what_is_there() {
    metered(|snapshotter| async move {
        let queue = queue();
        ["a", "b", "a"].into_iter().for_each(|item| queue.add(item));
        queue.add_with_priority("b", 3);
        queue.add_with_priority("c", -3);
        queue.add_after("d", SECOND);
        tokio::time::advance(2 * SECOND).await;
        let work = next(&queue).await;
        tokio::time::advance(3 * SECOND).await;
        queue.refresh_metrics();
        let value = values(&snapshotter);
        assert_eq!(value("workqueue_depth"), Some(3.0));
        assert_eq!(value("workqueue_adds_total"), Some(4.0));
        assert_eq!(value("workqueue_retries_total"), Some(1.0));
        assert_eq!(value("workqueue_unfinished_work_seconds"), Some(3.0));
        assert_eq!(value("workqueue_longest_running_processor_seconds"), Some(3.0));
        assert_eq!(value("workqueue_oldest_item_age_seconds"), Some(5.0));
        work.done_for(SECOND);
        assert_eq!(due(&queue).len(), 3);
        // What the queue tells without metrics is the same.
        let (status, value) = (queue.status(), values(&snapshotter));
        assert_eq!((status.runs, status.retries), (4, 2));
        assert_eq!(value("workqueue_work_duration_seconds"), Some(4.0));
        assert_eq!(value("workqueue_retries_total"), Some(1.0), "one more");
        assert_eq!(value("workqueue_depth"), Some(0.0));
    });
}

#[test]
fn b_496_times_grow_while_nothing_happens_and_nobody_looks_while_there_is_nothing() {
    metered(|snapshotter| async move {
        let queue = queue();
        let keeper = queue.clone();
        tokio::spawn(async move { keeper.keep_metrics().await });
        sleep(SECOND).await;
        assert!(queue.0.is_idle.load(Ordering::SeqCst), "it waits for something to happen");
        ["a", "b"].into_iter().for_each(|item| queue.add(item));
        let work = next(&queue).await;
        sleep(10 * SECOND).await;
        let value = values(&snapshotter);
        let about = |name: &str, seconds: f64| {
            let value = value(name).unwrap();
            assert!((seconds - 0.6..=seconds).contains(&value), "{name}: {value}");
        };
        about("workqueue_unfinished_work_seconds", 10.0);
        about("workqueue_oldest_item_age_seconds", 10.0);
        work.done();
        assert_eq!(due(&queue), ["b"]);
        sleep(SECOND).await;
        let value = values(&snapshotter);
        assert_eq!(value("workqueue_unfinished_work_seconds"), Some(0.0));
        assert_eq!(value("workqueue_oldest_item_age_seconds"), Some(0.0));
    });
}

#[test]
fn what_a_worker_has_set_aside_is_no_unfinished_work() {
    metered(|snapshotter| async move {
        let queue = queue();
        ["a", "b", "c"].into_iter().for_each(|item| queue.add(item));
        let (a, b, c) = (next(&queue).await, next(&queue).await, next(&queue).await);
        a.set_aside();
        a.set_aside();
        tokio::time::advance(3 * SECOND).await;
        queue.refresh_metrics();
        assert_eq!(values(&snapshotter)("workqueue_unfinished_work_seconds"), Some(6.0));
        b.put_back();
        queue.refresh_metrics();
        assert_eq!(values(&snapshotter)("workqueue_unfinished_work_seconds"), Some(3.0));
        // It is still in nobody else's hands, and comes back when it is put back.
        queue.add("a");
        assert_eq!(due(&queue), ["b"]);
        a.put_back();
        c.done();
        assert_eq!(due(&queue), ["a"]);
        queue.refresh_metrics();
        assert_eq!(values(&snapshotter)("workqueue_unfinished_work_seconds"), Some(0.0));
    });
}

fn values(snapshotter: &Snapshotter) -> impl Fn(&str) -> Option<f64> + use<> {
    let all = snapshotter.snapshot().into_vec();
    let all: Vec<(String, f64)> = all
        .into_iter()
        .map(|(key, _, _, value)| {
            let labels: Vec<_> = key.key().labels().map(|label| label.key().to_owned()).collect();
            assert_eq!(labels, ["name"]);
            #[allow(clippy::cast_precision_loss)]
            let value = match value {
                DebugValue::Counter(count) => count as f64,
                DebugValue::Gauge(value) => value.into_inner(),
                DebugValue::Histogram(values) => values.len() as f64,
            };
            (key.key().name().to_owned(), value)
        })
        .collect();
    move |name| all.iter().find(|(other, _)| other == name).map(|(_, value)| *value)
}

/// Samples are recorded together, and none is lost: at once where nothing is left to do, after a while beside an item that takes
/// long, and with the queue.
#[test]
fn b_496_every_time_is_recorded_once() {
    for count in [1, 63, 64, 65, 200] {
        metered(|snapshotter| async move {
            let queue = WorkQueue::new("test", QueueOptions::default());
            (0..count).for_each(|item| queue.add(item));
            for _ in 0..count {
                next(&queue).await.done();
            }
            assert_eq!(recorded(&snapshotter), (count, count));

            // One takes for ever.
            queue.add(1_000);
            let slow = next(&queue).await;
            queue.add(0);
            next(&queue).await.done();
            assert_eq!(recorded(&snapshotter), (0, 0));
            tokio::time::advance(SECOND).await;
            queue.add(1);
            next(&queue).await.done();
            assert_eq!(recorded(&snapshotter), (3, 1));
            queue.add(2);
            let last = next(&queue).await;
            drop((queue, last, slow));
            assert_eq!(recorded(&snapshotter), (1, 3));
        });
    }
}

/// How many samples of waiting and of working there are since it was last asked.
fn recorded(snapshotter: &Snapshotter) -> (usize, usize) {
    let mut counts = (0, 0);
    for (key, _, _, value) in snapshotter.snapshot().into_vec() {
        match (key.key().name(), value) {
            ("workqueue_queue_duration_seconds", DebugValue::Histogram(samples)) => counts.0 += samples.len(),
            ("workqueue_work_duration_seconds", DebugValue::Histogram(samples)) => counts.1 += samples.len(),
            _ => {}
        }
    }
    counts
}
