//! The metrics of a queue, under client-go's names, so that its dashboards work.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use metrics::{
    Counter, Gauge, Histogram, Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge,
    histogram,
};

use super::ready::Moment;

/// How many samples are recorded together.
const MANY: usize = 64;
/// After what time they are recorded if there are fewer.
const LONGEST: Moment = 500_000_000;

pub(super) struct Meter {
    depth: Gauge,
    /// What the gauge says.
    shown: AtomicUsize,
    adds: Counter,
    queue_duration: Histogram,
    work_duration: Histogram,
    unfinished: Gauge,
    longest_running: Gauge,
    oldest: Gauge,
    retries: Counter,
}

/// How long items waited and took, until it is recorded: for many at a time, because workers that record one by one wait for each
/// other longer than the queue takes.
#[derive(Default)]
pub(super) struct Samples {
    waited: Vec<i64>,
    took: Vec<i64>,
    /// When the first of them came.
    since: Option<Moment>,
}

impl Samples {
    /// An item has been handed out. Gives what is to be recorded now.
    pub(super) fn waited(&mut self, now: Moment, waited: i64) -> Option<Self> {
        self.waited.push(waited);
        self.full(now)
    }

    /// A worker is done with an item, after so long if it has run. When nothing is left to do, all is recorded at once.
    pub(super) fn took(&mut self, now: Moment, took: Option<i64>, is_last: bool) -> Option<Self> {
        self.took.extend(took);
        if is_last { Some(self.take()) } else { self.full(now) }
    }

    fn full(&mut self, now: Moment) -> Option<Self> {
        let since = *self.since.get_or_insert(now);
        let is_full = self.waited.len().max(self.took.len()) >= MANY || now - since >= LONGEST;
        is_full.then(|| self.take())
    }

    pub(super) fn take(&mut self) -> Self {
        let full = |samples: &mut Vec<i64>| {
            let next = Vec::with_capacity(samples.len());
            std::mem::replace(samples, next)
        };
        Self { waited: full(&mut self.waited), took: full(&mut self.took), since: self.since.take() }
    }
}

impl Meter {
    pub(super) fn new(name: &str) -> Self {
        kube_informer::metrics_order::begin();
        describe();
        let labels = [("name", name.to_owned())];
        Self {
            depth: gauge!("workqueue_depth", &labels),
            shown: AtomicUsize::new(0),
            adds: counter!("workqueue_adds_total", &labels),
            queue_duration: histogram!("workqueue_queue_duration_seconds", &labels),
            work_duration: histogram!("workqueue_work_duration_seconds", &labels),
            unfinished: gauge!("workqueue_unfinished_work_seconds", &labels),
            longest_running: gauge!("workqueue_longest_running_processor_seconds", &labels),
            oldest: gauge!("workqueue_oldest_item_age_seconds", &labels),
            retries: counter!("workqueue_retries_total", &labels),
        }
    }

    /// Set to what it is, never counted up and down, and with the lock of the queue held: it cannot drift.
    #[allow(clippy::cast_precision_loss)] // Gauges are floats; no queue is that long.
    pub(super) fn depth(&self, ready: usize) {
        if self.shown.load(Ordering::Relaxed) != ready {
            self.shown.store(ready, Ordering::Relaxed);
            self.depth.set(ready as f64);
        }
    }

    pub(super) fn added(&self) {
        self.adds.increment(1);
    }

    pub(super) fn retry(&self) {
        self.retries.increment(1);
    }

    pub(super) fn record(&self, samples: Option<Samples>) {
        let Some(Samples { waited, took, .. }) = samples else { return };
        waited.into_iter().for_each(|waited| self.queue_duration.record(seconds(waited)));
        took.into_iter().for_each(|took| self.work_duration.record(seconds(took)));
    }

    pub(super) fn refresh(&self, running: impl Iterator<Item = i64>, oldest: i64) {
        let (sum, longest) = running.fold((0.0, 0.0_f64), |(sum, longest), time| {
            let time = seconds(time);
            (sum + time, longest.max(time))
        });
        self.unfinished.set(sum);
        self.longest_running.set(longest);
        self.oldest.set(seconds(oldest));
    }
}

fn seconds(nanos: i64) -> f64 {
    Duration::from_nanos(u64::try_from(nanos).unwrap_or_default()).as_secs_f64()
}

/// Tells what each says. A recorder remembers the first description of a metric.
fn describe() {
    describe_gauge!("workqueue_depth", "Items that are due and wait for a worker.");
    describe_counter!("workqueue_adds_total", "Items added that were not there already.");
    describe_counter!("workqueue_retries_total", "Items that were to run again after a time.");
    let histograms = [
        ("workqueue_queue_duration_seconds", "How long items were due before a worker took them."),
        ("workqueue_work_duration_seconds", "How long workers took."),
    ];
    for (name, text) in histograms {
        describe_histogram!(name, Unit::Seconds, text);
    }
    let gauges = [
        ("workqueue_unfinished_work_seconds", "How long workers have been at what they have, all together."),
        (
            "workqueue_longest_running_processor_seconds",
            "How long the slowest worker has been at what it has.",
        ),
        ("workqueue_oldest_item_age_seconds", "For how long that has been due which has waited longest."),
    ];
    for (name, text) in gauges {
        describe_gauge!(name, Unit::Seconds, text);
    }
}
