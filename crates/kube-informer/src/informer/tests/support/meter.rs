//! A recorder that shows counters and gauges as they are, as often as it is asked.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use parking_lot::Mutex;

const LABELS: &str = "group=,version=v1,resource=configmaps";

/// Every series that was registered.
#[derive(Clone, Default)]
pub(crate) struct Meter(Arc<Mutex<BTreeMap<String, Series>>>);

enum Series {
    Counter(Arc<AtomicU64>),
    /// The bits of a float.
    Gauge(Arc<AtomicU64>),
    Histogram,
}

impl Meter {
    /// Builds something that reports to a meter of its own.
    pub(crate) fn during<T>(build: impl FnOnce() -> T) -> (T, Self) {
        let meter = Self::default();
        (meter.measure(build), meter)
    }

    /// Does something that registers its series here.
    pub(crate) fn measure<T>(&self, work: impl FnOnce() -> T) -> T {
        metrics::with_local_recorder(self, work)
    }

    /// One series of the tests' informer; more labels begin with a comma.
    pub(crate) fn of(&self, name: &str, more: &str) -> f64 {
        self.value(&format!("informer_{name}{{name=configmaps,{LABELS}{more}}}"))
    }

    /// One series of an informer of ConfigMaps with this name.
    pub(crate) fn of_informer(&self, informer: &str, name: &str) -> f64 {
        self.value(&format!("informer_{name}{{name={informer},{LABELS}}}"))
    }

    fn value(&self, name: &str) -> f64 {
        match self.0.lock().get(name) {
            #[allow(clippy::cast_precision_loss)] // Small counts.
            Some(Series::Counter(count)) => count.load(Ordering::Relaxed) as f64,
            Some(Series::Gauge(bits)) => f64::from_bits(bits.load(Ordering::Relaxed)),
            Some(Series::Histogram) | None => panic!("there is no counter or gauge {name}"),
        }
    }

    /// The names of all series.
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.lock().keys().cloned().collect()
    }
}

fn name(key: &Key) -> String {
    let labels: Vec<_> = key.labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
    format!("{}{{{}}}", key.name(), labels.join(","))
}

impl Recorder for Meter {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        match self.0.lock().entry(name(key)).or_insert_with(|| Series::Counter(Arc::default())) {
            Series::Counter(count) => Counter::from_arc(count.clone()),
            _ => panic!("{key} is no counter"),
        }
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        match self.0.lock().entry(name(key)).or_insert_with(|| Series::Gauge(Arc::default())) {
            Series::Gauge(bits) => Gauge::from_arc(bits.clone()),
            _ => panic!("{key} is no gauge"),
        }
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        self.0.lock().insert(name(key), Series::Histogram);
        Histogram::noop()
    }
}
