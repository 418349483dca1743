//! The same objects and events over other connections.
//!
//! The other scenarios have plain HTTP/1.1 in large chunks, where the clients themselves are all that costs. API servers speak
//! TLS, mostly with HTTP/2, in records and frames of at most 16 KiB, and write an object in several pieces.

use crate::build::Program::{self, ClientGo, KubeRs, Ours};
use crate::cli::Settings;
use crate::scenario::{Participant, Scenario, Transport};
use crate::scenarios::{MIB, counts, latency_metrics, metric, participant, server, with};

/// The labels of ours, client-go's and kube-rs' rows, and how they talk to the server.
const TRANSPORTS: [([&str; 3], Transport); 5] = [
    (
        ["ours: plain HTTP/1.1", "client-go: plain HTTP/1.1", "kube-rs: plain HTTP/1.1"],
        Transport { server: "", http2: false },
    ),
    (
        ["ours: in pieces of 4 KiB", "client-go: in pieces of 4 KiB", "kube-rs: in pieces of 4 KiB"],
        Transport { server: "--pieces 4096", http2: false },
    ),
    (
        ["ours: in pieces of 1 KiB", "client-go: in pieces of 1 KiB", "kube-rs: in pieces of 1 KiB"],
        Transport { server: "--pieces 1024", http2: false },
    ),
    (
        ["ours: TLS, HTTP/1.1", "client-go: TLS, HTTP/1.1", "kube-rs: TLS, HTTP/1.1"],
        Transport { server: "--tls http1", http2: false },
    ),
    (
        ["ours: TLS, HTTP/2", "client-go: TLS, HTTP/2", "kube-rs: TLS, HTTP/2"],
        Transport { server: "--tls http2", http2: true },
    ),
];

/// Every client with every transport that it knows.
fn participants() -> Vec<Participant> {
    let row = |label, program: Program, arguments, transport| Participant {
        transport,
        baseline: program != Ours,
        ..participant(label, program, arguments)
    };
    TRANSPORTS
        .iter()
        .flat_map(|([ours, client_go, kube_rs], transport)| {
            [
                row(ours, Ours, "--mode=packed", *transport),
                row(client_go, ClientGo, "--mode=protobuf", *transport),
                row(kube_rs, KubeRs, "", *transport),
            ]
        })
        .collect()
}

/// The state, updates, and how long updates take to arrive.
pub(crate) fn all(settings: &Settings) -> [Scenario; 2] {
    [sync(settings), latency(settings)]
}

#[allow(clippy::cast_precision_loss)] // Counts.
fn sync(settings: &Settings) -> Scenario {
    let (objects, events) = (settings.scaled(20_000, 300), settings.scaled(50_000, 500));
    Scenario {
        name: "transport",
        title: format!("{} pods, then {} updates, over other connections", counts(objects), counts(events)),
        server: server(objects, ""),
        participants: with(participants(), &format!("--events={events}")),
        metrics: vec![
            metric("sync CPU s", 2, 1.0, |report| report["sync"]["cpu"].as_f64()),
            metric("CPU µs/object", 1, objects as f64 / 1e6, |report| report["sync"]["cpu"].as_f64()),
            metric("sync wall s", 2, 1.0, |report| report["sync"]["wall"].as_f64()),
            metric("RSS MiB", 0, MIB, |report| report["sync"]["rss"].as_f64()),
            metric("CPU µs/event", 1, events as f64 / 1e6, |report| report["events"]["cpu"].as_f64()),
            metric("RSS at the end MiB", 0, MIB, |report| report["events"]["rss"].as_f64()),
        ],
        floor: false,
    }
}

/// A tenth of the rate of `latency`: one that every client keeps up with over every connection.
fn latency(settings: &Settings) -> Scenario {
    let (objects, events) = (settings.scaled(20_000, 300), settings.scaled(5_000, 500));
    let rate = 1_000;
    Scenario {
        name: "transport",
        title: format!(
            "From the server's write to the handler's call, over other connections: ten handlers, {} updates a second of {} pods; microseconds",
            counts(rate),
            counts(objects)
        ),
        server: server(objects, ""),
        participants: with(
            participants(),
            &format!("--latency --handlers=10 --events={events} --rate={rate}"),
        ),
        metrics: latency_metrics(),
        floor: false,
    }
}
