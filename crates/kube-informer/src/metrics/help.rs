//! What each metric says, for the recorder that is installed.

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};

const COUNTERS: [(&str, &str); 11] = [
    ("informer_failures_total", "Failures, by what failed."),
    ("informer_relists_total", "Lists of everything that were read, by the reason."),
    ("informer_watches_total", "Watches that were opened."),
    ("informer_watch_restarts_total", "Watches that were opened again, by what ended the one before."),
    ("informer_streaming_fallbacks_total", "Times that a plain list was read because a streamed one failed."),
    ("informer_duplicate_events_total", "Events that the store knew already, which were dropped."),
    ("informer_unknown_deletes_total", "Deletes of objects that were not in the store, which were dropped."),
    (
        "informer_outside_scope_total",
        "Objects outside of the namespaces that were asked for, which were dropped.",
    ),
    (
        "informer_managed_fields_cut_total",
        "Objects that came with managedFields although the server was asked to leave them out; 0 where it does.",
    ),
    ("informer_decode_hits_total", "Objects that were asked for decoded, and were decoded already."),
    ("informer_decode_misses_total", "Objects that had to be decoded."),
];

const GAUGES: [(&str, &str); 9] = [
    ("informer_objects", "Objects in the store."),
    ("informer_synced", "Whether everything has been listed once: 1 or 0."),
    ("informer_queued_items", "Changes that wait to be applied to the store."),
    (
        "informer_store_resource_version",
        "The last 15 digits of the resourceVersion that the store has come to.",
    ),
    (
        "informer_last_byte_timestamp_seconds",
        "When the server last answered or sent anything, in seconds since 1970; 0 for never.",
    ),
    (
        "informer_last_event_timestamp_seconds",
        "When the last event came, in seconds since 1970; 0 for never.",
    ),
    (
        "informer_last_bookmark_timestamp_seconds",
        "When the last bookmark came, in seconds since 1970; 0 for never.",
    ),
    ("informer_decoded_bytes", "What decoded objects are taken to need that are kept in memory."),
    ("informer_handler_backlog", "Events that wait for a handler, and the one that it is working on."),
];

const HISTOGRAMS: [(&str, &str); 2] = [
    (
        "informer_processing_latency_seconds",
        "Time taken to apply changes to the store after taking them from the queue.",
    ),
    ("informer_handler_duration_seconds", "Time taken by calls of a handler."),
];

/// Tells them all. A recorder remembers the first description of a metric.
pub(super) fn describe() {
    for (name, text) in COUNTERS {
        describe_counter!(name, text);
    }
    for (name, text) in GAUGES {
        describe_gauge!(name, text);
    }
    for (name, text) in HISTOGRAMS {
        describe_histogram!(name, Unit::Seconds, text);
    }
}
