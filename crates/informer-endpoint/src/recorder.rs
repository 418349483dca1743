//! A recorder of metrics whose memory is bounded even if nobody scrapes it.

mod error;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use kube_informer::metrics_order;
use metrics::{Counter, Gauge, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use metrics_exporter_prometheus::{
    BuildError, Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder,
};

use self::error::Reason;
pub use self::error::RecorderError;

/// Upper bounds in seconds, those of client-go's `informer_processing_latency_seconds`, so that its dashboards work.
const BUCKETS: [f64; 12] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// Those of client-go's `workqueue_queue_duration_seconds` and `workqueue_work_duration_seconds`.
const QUEUE_BUCKETS: [f64; 10] = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0];

/// Those of controller-runtime's `controller_runtime_reconcile_time_seconds`.
const RECONCILE_BUCKETS: [f64; 40] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25,
    1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 15.0, 20.0, 25.0, 30.0, 40.0,
    50.0, 60.0,
];

/// Which metrics are histograms, by how their names begin.
const HISTOGRAMS: [(&str, &[f64]); 5] = [
    ("informer_", &BUCKETS),
    ("workqueue_", &QUEUE_BUCKETS),
    ("controller_runtime_", &RECONCILE_BUCKETS),
    ("reconcile_", &BUCKETS),
    ("leader_election_", &BUCKETS),
];

/// How many samples of histograms are kept before they are counted into their buckets: about 100 KB.
const UPKEEP_EVERY: usize = 4_096;

/// Whether this process has a recorder from here.
static IS_INSTALLED: AtomicBool = AtomicBool::new(false);

/// Installs a recorder of metrics for the whole process; [`Endpoint::metrics`](crate::Endpoint::metrics) serves its text.
///
/// Informers and controllers send their metrics to the recorder that is installed when they are built, so it comes first. It is an
/// [error](RecorderError::is_too_late) to call it after one of them was built, and a second time.
///
/// Durations of informers and work queues are histograms with client-go's buckets, those of controllers with
/// controller-runtime's; histograms that the program records itself are summaries. Memory is bounded even if nobody scrapes the
/// metrics, and no extra thread or task is needed.
///
/// ```standalone_crate
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let recorder = informer_endpoint::install_recorder()?;
/// let endpoint = informer_endpoint::Endpoint::new(Vec::new).metrics(move || recorder.render());
/// # Ok(())
/// # }
/// ```
pub fn install_recorder() -> Result<PrometheusHandle, RecorderError> {
    if IS_INSTALLED.load(Ordering::Relaxed) {
        return Err(Reason::AlreadyInstalled.into());
    }
    if metrics_order::has_begun() {
        return Err(Reason::TooLate.into());
    }
    let recorder = Upkept::new().map_err(Reason::Other)?;
    let handle = recorder.upkeep.handle.clone();
    metrics::set_global_recorder(recorder).map_err(|_| Reason::AlreadyInstalled)?;
    IS_INSTALLED.store(true, Ordering::Relaxed);
    Ok(handle)
}

/// A recorder that runs the upkeep of the Prometheus recorder from time to time. That one keeps every sample of a histogram
/// until it is scraped or `run_upkeep` is called.
struct Upkept {
    recorder: PrometheusRecorder,
    upkeep: Arc<Upkeep>,
}

impl Upkept {
    fn new() -> Result<Self, BuildError> {
        let mut builder = PrometheusBuilder::new();
        for (prefix, buckets) in HISTOGRAMS {
            builder = builder.set_buckets_for_metric(Matcher::Prefix(prefix.to_owned()), buckets)?;
        }
        let recorder = builder.build_recorder();
        let upkeep = Arc::new(Upkeep { handle: recorder.handle(), pending: AtomicUsize::new(0) });
        Ok(Self { recorder, upkeep })
    }
}

/// Counts the samples that the recorder keeps, and runs the upkeep when there are too many.
struct Upkeep {
    handle: PrometheusHandle,
    pending: AtomicUsize,
}

impl Upkeep {
    /// The caller that reaches the limit runs the upkeep.
    fn added(&self, number: usize) {
        if self.pending.fetch_add(number, Ordering::Relaxed).saturating_add(number) >= UPKEEP_EVERY
            && self.pending.swap(0, Ordering::Relaxed) >= UPKEEP_EVERY
        {
            self.handle.run_upkeep();
        }
    }
}

/// A histogram that counts its samples.
struct Counted {
    histogram: Histogram,
    upkeep: Arc<Upkeep>,
}

impl HistogramFn for Counted {
    fn record(&self, value: f64) {
        self.histogram.record(value);
        self.upkeep.added(1);
    }

    fn record_many(&self, value: f64, count: usize) {
        // In pieces, because every single sample is kept until the next upkeep.
        let mut left = count;
        while left > 0 {
            let now = left.min(UPKEEP_EVERY);
            self.histogram.record_many(value, now);
            self.upkeep.added(now);
            left -= now;
        }
    }
}

impl Recorder for Upkept {
    // Descriptions are kept until the next upkeep too.
    fn describe_counter(&self, key: KeyName, unit: Option<Unit>, description: SharedString) {
        self.recorder.describe_counter(key, unit, description);
        self.upkeep.added(1);
    }

    fn describe_gauge(&self, key: KeyName, unit: Option<Unit>, description: SharedString) {
        self.recorder.describe_gauge(key, unit, description);
        self.upkeep.added(1);
    }

    fn describe_histogram(&self, key: KeyName, unit: Option<Unit>, description: SharedString) {
        self.recorder.describe_histogram(key, unit, description);
        self.upkeep.added(1);
    }

    fn register_counter(&self, key: &Key, metadata: &Metadata<'_>) -> Counter {
        self.recorder.register_counter(key, metadata)
    }

    fn register_gauge(&self, key: &Key, metadata: &Metadata<'_>) -> Gauge {
        self.recorder.register_gauge(key, metadata)
    }

    fn register_histogram(&self, key: &Key, metadata: &Metadata<'_>) -> Histogram {
        let histogram = self.recorder.register_histogram(key, metadata);
        Histogram::from_arc(Arc::new(Counted { histogram, upkeep: self.upkeep.clone() }))
    }
}

#[cfg(test)]
mod tests;
