//! A recorder of metrics whose memory stays level, whether it is asked or not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use metrics::{
    Counter, Gauge, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder, SetRecorderError, SharedString,
    Unit,
};
use metrics_exporter_prometheus::{
    BuildError, Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder,
};

/// Upper bounds in seconds, those of client-go's `informer_processing_latency_seconds`, so that its dashboards work.
const BUCKETS: [f64; 12] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// So many samples of histograms are kept before they are counted into their buckets: about 100 KB.
const UPKEEP_EVERY: usize = 4_096;

/// Installs a recorder for the whole process, whose text [`Endpoint::metrics`](crate::Endpoint::metrics) serves.
///
/// Has to be called before informers are built: what they measure goes to the recorder that is there then. Times of
/// informers are histograms with client-go's buckets; those that a program measures itself are summaries. Memory stays
/// level while nobody asks for the metrics, without a thread or task of its own.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let recorder = informer_endpoint::install_recorder()?;
/// let endpoint = informer_endpoint::Endpoint::new(Vec::new).metrics(move || recorder.render());
/// # Ok(())
/// # }
/// ```
pub fn install_recorder() -> Result<PrometheusHandle, BuildError> {
    let recorder = Upkept::new()?;
    let handle = recorder.upkeep.handle.clone();
    metrics::set_global_recorder(recorder)
        .map_err(|refused| SetRecorderError(refused.into_inner().recorder))?;
    Ok(handle)
}

/// Keeps every sample of a histogram until it is asked or told to do its upkeep, so it is told now and then.
struct Upkept {
    recorder: PrometheusRecorder,
    upkeep: Arc<Upkeep>,
}

impl Upkept {
    fn new() -> Result<Self, BuildError> {
        let ours = Matcher::Prefix("informer_".to_owned());
        let recorder = PrometheusBuilder::new().set_buckets_for_metric(ours, &BUCKETS)?.build_recorder();
        let upkeep = Arc::new(Upkeep { handle: recorder.handle(), pending: AtomicUsize::new(0) });
        Ok(Self { recorder, upkeep })
    }
}

/// Counts what the recorder keeps, and has it cleared away.
struct Upkeep {
    handle: PrometheusHandle,
    pending: AtomicUsize,
}

impl Upkeep {
    /// Who adds the one that is too many does the upkeep for all.
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
        // In pieces, since each of them is kept.
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
    // Descriptions wait for the upkeep like samples.
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
