//! What can be measured: counters, gauges and histograms of the `metrics` facade, with client-go's names where it has one.
//!
//! Series are labelled with the names of informers and handlers, so their number is bounded by what the program names and by how
//! many informers of one name live at the same time. They go to the recorder that is installed when the informer is built,
//! those of a handler to the one when it is added; without a recorder they cost next to nothing.

mod help;
mod names;
pub mod order;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use informer_wire::ResourceVersion;
use metrics::{Counter, Gauge, Histogram, Label, counter, gauge, histogram};

use self::names::Name;
use crate::kind::KindInfo;

/// The metrics of one informer.
#[derive(Clone)]
pub(crate) struct Metrics {
    labels: Vec<Label>,
    name: Arc<Name>,
    latency: Histogram,
    version: Gauge,
    objects: Gauge,
    synced: Gauge,
    queued: Gauge,
    last_byte: Gauge,
    last_event: Gauge,
    last_bookmark: Gauge,
    duplicates: Counter,
    unknown_deletes: Counter,
    outside_scope: Counter,
    managed_fields_cut: Counter,
    decode_hits: Counter,
    decode_misses: Counter,
    decoded_bytes: Gauge,
}

impl Metrics {
    pub(crate) fn new(name: &str, kind: &KindInfo) -> Self {
        order::begin();
        help::describe();
        let name = Arc::new(Name::take(name, kind));
        let labels = vec![
            Label::new("name", name.shown()),
            Label::new("group", kind.group().to_owned()),
            Label::new("version", kind.version().to_owned()),
            Label::new("resource", kind.plural().to_owned()),
        ];
        Self {
            latency: histogram!("informer_processing_latency_seconds", labels.iter()),
            version: gauge!("informer_store_resource_version", labels.iter()),
            objects: gauge!("informer_objects", labels.iter()),
            synced: gauge!("informer_synced", labels.iter()),
            queued: gauge!("informer_queued_items", labels.iter()),
            last_byte: gauge!("informer_last_byte_timestamp_seconds", labels.iter()),
            last_event: gauge!("informer_last_event_timestamp_seconds", labels.iter()),
            last_bookmark: gauge!("informer_last_bookmark_timestamp_seconds", labels.iter()),
            duplicates: counter!("informer_duplicate_events_total", labels.iter()),
            unknown_deletes: counter!("informer_unknown_deletes_total", labels.iter()),
            outside_scope: counter!("informer_outside_scope_total", labels.iter()),
            managed_fields_cut: counter!("informer_managed_fields_cut_total", labels.iter()),
            decode_hits: counter!("informer_decode_hits_total", labels.iter()),
            decode_misses: counter!("informer_decode_misses_total", labels.iter()),
            decoded_bytes: gauge!("informer_decoded_bytes", labels.iter()),
            labels,
            name,
        }
    }

    /// After a commit: how long it took, where the store is.
    #[allow(clippy::cast_precision_loss)] // Gauges are floats; counts this large do not occur, and versions are cut.
    pub(crate) fn committed(&self, commit: &Commit<'_>) {
        self.latency.record(commit.took);
        if let Some(version) = informer_wire::version::metric(commit.version) {
            self.version.set(version as f64);
        }
        self.objects.set(commit.objects as f64);
        self.synced(commit.synced);
        self.duplicates.increment(commit.duplicates);
        self.unknown_deletes.increment(commit.unknown_deletes);
        self.outside_scope.increment(commit.outside_scope);
        self.managed_fields_cut.absolute(commit.managed_fields_cut);
        self.decode_hits.absolute(commit.decode_hits);
        self.decode_misses.absolute(commit.decode_misses);
        self.decoded_bytes.set(commit.decoded_bytes as f64);
    }

    /// Whether every scope has been listed.
    pub(crate) fn synced(&self, synced: bool) {
        self.synced.set(if synced { 1.0 } else { 0.0 });
    }

    /// The informer has ended: what its gauges said last is not so any more.
    pub(crate) fn ended(&self) {
        let Self { version, objects, synced, queued, decoded_bytes, .. } = self;
        let Self { last_byte, last_event, last_bookmark, .. } = self;
        for gauge in [version, objects, synced, queued, decoded_bytes, last_byte, last_event, last_bookmark] {
            gauge.set(0.0);
        }
        self.name.give_back();
    }

    pub(crate) fn failures(&self, causes: &[&'static str]) -> CounterBy {
        self.by("informer_failures_total", "cause", causes)
    }

    pub(crate) fn relists(&self, reasons: &[&'static str]) -> CounterBy {
        self.by("informer_relists_total", "reason", reasons)
    }

    /// How many deltas wait to be applied.
    pub(crate) fn queued(&self) -> Gauge {
        self.queued.clone()
    }

    pub(crate) fn watches(&self) -> Counter {
        counter!("informer_watches_total", self.labels.iter())
    }

    pub(crate) fn streaming_fallbacks(&self) -> Counter {
        counter!("informer_streaming_fallbacks_total", self.labels.iter())
    }

    pub(crate) fn watch_restarts(&self, reasons: &[&'static str]) -> CounterBy {
        self.by("informer_watch_restarts_total", "reason", reasons)
    }

    pub(crate) fn last_byte(&self) -> Gauge {
        self.last_byte.clone()
    }

    pub(crate) fn last_event(&self) -> Gauge {
        self.last_event.clone()
    }

    pub(crate) fn last_bookmark(&self) -> Gauge {
        self.last_bookmark.clone()
    }

    fn by(&self, metric: &'static str, label: &'static str, values: &[&'static str]) -> CounterBy {
        CounterBy(values.iter().map(|value| (*value, counter!(metric, self.with(label, value)))).collect())
    }

    /// How many events wait for a handler, and how long its calls take. Those without a name of their own, streams among
    /// them, have one series together: there may be one of them for each connection of a server, and a series is for ever.
    pub(crate) fn handler(&self, handler: Option<&str>) -> (Gauge, Histogram) {
        let labels = self.with("handler", handler.unwrap_or("unnamed"));
        (
            gauge!("informer_handler_backlog", labels.iter()),
            histogram!("informer_handler_duration_seconds", labels.iter()),
        )
    }

    fn with(&self, name: &'static str, value: &str) -> Vec<Label> {
        let mut labels = self.labels.clone();
        labels.push(Label::new(name, value.to_owned()));
        labels
    }
}

/// One counter for each value of a label. All are there from the start, so that a rate over them misses nothing.
pub(crate) struct CounterBy(Vec<(&'static str, Counter)>);

impl CounterBy {
    pub(crate) fn increment(&self, value: &str) {
        if let Some((_, counter)) = self.0.iter().find(|(known, _)| *known == value) {
            counter.increment(1);
        }
    }
}

impl std::fmt::Debug for Metrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Metrics").field("labels", &self.labels).finish_non_exhaustive()
    }
}

/// Seconds since 1970, for gauges that tell when something happened.
pub(crate) fn unix_time() -> f64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

/// What a commit left behind.
pub(crate) struct Commit<'a> {
    pub(crate) objects: usize,
    pub(crate) version: &'a ResourceVersion,
    pub(crate) synced: bool,
    pub(crate) duplicates: u64,
    pub(crate) unknown_deletes: u64,
    pub(crate) outside_scope: u64,
    /// Since the informer was made.
    pub(crate) managed_fields_cut: u64,
    /// Since the informer was made.
    pub(crate) decode_hits: u64,
    /// Since the informer was made.
    pub(crate) decode_misses: u64,
    pub(crate) decoded_bytes: usize,
    pub(crate) took: Duration,
}
