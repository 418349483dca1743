//! The lines of the table: which figures of which scenario they are.

use serde_json::Value;

use crate::reads::reads_of;

/// Whose figures they are, in the order of [`Line::participants`].
pub(crate) const CLIENTS: [&str; 3] = ["ours", "client-go", "kube-rs"];

pub(crate) const UNREAD: &str = "CPU for an update that nobody reads, µs";
pub(crate) const VIEW: &str = "CPU for an update and view() of two fields, µs";
pub(crate) const GET: &str = "CPU for an update and get(), µs";
pub(crate) const SYNC: &str = "CPU until synced, streamed, s";
pub(crate) const LISTED_SYNC: &str = "CPU until synced, LIST, s";
pub(crate) const RSS: &str = "memory (RSS) after the sync, MiB";
pub(crate) const HEAP: &str = "live heap for each pod, bytes";
pub(crate) const RSS_OF_ONE: &str = "memory (RSS) for each pod, bytes";
pub(crate) const MILLION: &str = "memory (RSS) with a million pods, MiB";
pub(crate) const P99: &str = "p99 until the last of ten handlers has heard, µs";

pub(crate) struct Line {
    pub(crate) title: &'static str,
    digits: usize,
    /// As the raw figures call it.
    pub(crate) scenario: &'static str,
    /// Those of ours, client-go and kube-rs. One that does not take part has a name that is not found: none.
    pub(crate) participants: [&'static str; 3],
    /// From a report.
    pub(crate) value: fn(&Value) -> Option<f64>,
}

impl Line {
    pub(crate) fn number(&self, value: f64) -> String {
        format!("{value:.*}", self.digits)
    }
}

const fn line(
    title: &'static str,
    digits: usize,
    scenario: &'static str,
    participants: [&'static str; 3],
    value: fn(&Value) -> Option<f64>,
) -> Line {
    Line { title, digits, scenario, participants, value }
}

const PODS: [&str; 3] = ["ours, packed", "client-go, protobuf", "kube-rs"];
const KINDS: [&str; 3] = ["ours, packed", "client-go", "kube-rs"];
const LISTED: [&str; 3] = ["ours, packed, LIST", "client-go, protobuf, LIST", "kube-rs, LIST"];
const PIECES: [&str; 3] =
    ["ours: in pieces of 4 KiB", "client-go: in pieces of 4 KiB", "kube-rs: in pieces of 4 KiB"];
const LISTED_PIECES: [&str; 3] = [
    "ours: LIST, in pieces of 4 KiB",
    "client-go: LIST, in pieces of 4 KiB",
    "kube-rs: LIST, in pieces of 4 KiB",
];
const HTTP2: [&str; 3] = ["ours: TLS, HTTP/2", "client-go: TLS, HTTP/2", ""];
const WORK: &str = "work, one handler";

pub(crate) const LINES: [Line; 31] = [
    line(UNREAD, 1, WORK, ["ours, unread", "client-go", "kube-rs"], update),
    line("the same over TLS and HTTP/2, µs", 1, WORK, ["ours, unread: TLS, HTTP/2", HTTP2[1], ""], update),
    line(VIEW, 1, WORK, ["ours, view()", "client-go", "kube-rs"], update),
    line("the same over TLS and HTTP/2, µs", 1, WORK, ["ours, view(): TLS, HTTP/2", HTTP2[1], ""], update),
    line(GET, 1, WORK, ["ours, get()", "client-go", "kube-rs"], update),
    line("the same over TLS and HTTP/2, µs", 1, WORK, ["ours, get(): TLS, HTTP/2", HTTP2[1], ""], update),
    line(SYNC, 2, "sync", PODS, sync),
    line(LISTED_SYNC, 2, "sync", LISTED, sync),
    line("CPU until synced, streamed in pieces of 4 KiB, s", 2, "transport, sync", PIECES, sync),
    line("CPU until synced, LIST in pieces of 4 KiB, s", 2, "transport, sync", LISTED_PIECES, sync),
    line("CPU of a relist of unchanged objects, s", 2, "sync", PODS, |report| {
        report["relist"]["cpu"].as_f64()
    }),
    line(RSS, 0, "sync", PODS, |report| Some(report["sync"]["rss"].as_f64()? / MIB)),
    line(HEAP, 0, "sync, live heap", PODS, |report| {
        Some(report["sync"]["heap"].as_f64()? / report["objects"].as_f64()?)
    }),
    line(RSS_OF_ONE, 0, "sync", PODS, |report| {
        Some(report["sync"]["rss"].as_f64()? / report["objects"].as_f64()?)
    }),
    line(MILLION, 0, "reads, a million", ["ours, packed", "", ""], |report| {
        Some(report["sync"]["rss"].as_f64()? / MIB)
    }),
    line("get of a key, ns", 0, "reads", KINDS, |report| read(report, "get")),
    line("get() of a hot key, ns", 0, "reads", KINDS, |report| read(report, "decoded, 1,000 hot keys")),
    line("get() of any key, ns", 0, "reads", KINDS, |report| read(report, "decoded, any key, paced")),
    line("view() of any key, ns", 0, "reads", KINDS, |report| read(report, "viewed, any key, paced")),
    line("list() and get() of everything, ms", 1, "reads", KINDS, |report| {
        Some(read(report, "list, then all decoded")? / 1e6)
    }),
    line("CPU for an update of a ConfigMap, µs", 1, "kinds, configmaps", KINDS, update),
    line("CPU for an update of a Secret, µs", 1, "kinds, secrets", KINDS, update),
    line("CPU for an update of an Event, µs", 1, "kinds, events", KINDS, update),
    line("CPU for an update of a Lease, µs", 1, "kinds, leases", KINDS, update),
    line("CPU for an update of an EndpointSlice, µs", 1, "kinds, endpointslices", KINDS, update),
    line("CPU for an update of a custom resource, µs", 1, "kinds, widgets", KINDS, update),
    line("50 informers: CPU until synced, s", 2, "informers, 50 informers", PODS, sync),
    line("50 informers: CPU for an update, µs", 1, "informers, 50 informers", PODS, update),
    line("50 informers: memory (RSS) at the end, MiB", 0, "informers, 50 informers", PODS, |report| {
        Some(report["events"]["rss"].as_f64()? / MIB)
    }),
    line(P99, 0, "latency", PODS, p99),
    line("the same over TLS and HTTP/2, µs", 0, "latency", HTTP2, p99),
];

const MIB: f64 = 1_048_576.0;

/// Microseconds of CPU for each update.
fn update(report: &Value) -> Option<f64> {
    let mut arguments = report["arguments"].as_array()?.iter().filter_map(Value::as_str);
    let events: f64 = arguments.find_map(|argument| argument.strip_prefix("--events="))?.parse().ok()?;
    Some(report["events"]["cpu"].as_f64()? * 1e6 / events)
}

fn sync(report: &Value) -> Option<f64> {
    report["sync"]["cpu"].as_f64()
}

fn p99(report: &Value) -> Option<f64> {
    report["latency_last"]["p99"].as_f64()
}

fn read(report: &Value, name: &str) -> Option<f64> {
    reads_of(report, name)?["median"].as_f64()
}
