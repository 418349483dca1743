//! The same objects and events over other connections.
//!
//! The other scenarios have plain HTTP/1.1 in large chunks, where the clients themselves are all that costs. API servers speak
//! TLS, mostly with HTTP/2, in records and frames of at most 16 KiB, and write an object in several pieces.

use crate::build::Program::{ClientGo, KubeRs, Ours};
use crate::cli::Settings;
use crate::scenario::{Participant, Scenario, Transport};
use crate::scenarios::{MIB, calls, counts, latency_metrics, metric, one_table, participant, server, with};

/// What API servers speak.
pub(crate) const HTTP2: Transport = Transport { server: "--tls http2", http2: true, list: false };

/// How the rows are called, and how they talk to the server.
const TRANSPORTS: [(&str, Transport); 7] = [
    ("plain HTTP/1.1", transport("")),
    ("in pieces of 4 KiB", transport("--pieces 4096")),
    ("in pieces of 1 KiB", transport("--pieces 1024")),
    ("TLS, HTTP/1.1", transport("--tls http1")),
    ("TLS, HTTP/2", HTTP2),
    ("LIST, plain HTTP/1.1", Transport { list: true, ..transport("") }),
    ("LIST, in pieces of 4 KiB", Transport { list: true, ..transport("--pieces 4096") }),
];

const fn transport(server: &'static str) -> Transport {
    Transport { server, http2: false, list: false }
}

/// Every client with these transports. A client that does not speak one of them is found out.
fn participants(transports: impl Iterator<Item = (&'static str, Transport)>) -> Vec<Participant> {
    let clients = [
        ("ours", Ours, "--mode=packed"),
        ("client-go", ClientGo, "--mode=protobuf"),
        ("kube-rs", KubeRs, ""),
    ];
    let rows = |(connection, transport): (&str, Transport)| {
        let list = if transport.list { "--list=list" } else { "" };
        clients.map(|(client, program, arguments)| Participant {
            transport,
            baseline: program != Ours,
            ..participant(&format!("{client}: {connection}"), program, &format!("{arguments} {list}"))
        })
    };
    transports.flat_map(rows).collect()
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
        part: "sync",
        title: format!("{} pods, then {} updates, over other connections", counts(objects), counts(events)),
        server: server(objects, ""),
        participants: with(participants(TRANSPORTS.into_iter()), &format!("--events={events}")),
        tables: one_table(vec![
            metric("sync CPU s", 2, 1.0, |report| report["sync"]["cpu"].as_f64()),
            metric("CPU µs/object", 1, objects as f64 / 1e6, |report| report["sync"]["cpu"].as_f64()),
            metric("sync wall s", 2, 1.0, |report| report["sync"]["wall"].as_f64()),
            metric("RSS MiB", 0, MIB, |report| report["sync"]["rss"].as_f64()),
            metric("CPU µs/event", 1, events as f64 / 1e6, |report| report["events"]["cpu"].as_f64()),
            metric("RSS at the end MiB", 0, MIB, |report| report["events"]["rss"].as_f64()),
            calls(),
        ]),
        floor: false,
    }
}

/// A tenth of the rate of `latency`: one that every client keeps up with over every connection.
fn latency(settings: &Settings) -> Scenario {
    let (objects, events) = (settings.scaled(20_000, 300), settings.scaled(5_000, 500));
    let rate = 1_000;
    // Updates come the same way, however the state came.
    let streamed = TRANSPORTS.into_iter().filter(|(_, transport)| !transport.list);
    Scenario {
        name: "transport",
        part: "latency",
        title: format!(
            "From the server's write to the handler's call, over other connections: ten handlers, {} updates a second of {} pods; microseconds",
            counts(rate),
            counts(objects)
        ),
        server: server(objects, ""),
        participants: with(
            participants(streamed),
            &format!("--latency --handlers=10 --events={events} --rate={rate}"),
        ),
        tables: one_table(latency_metrics()),
        floor: false,
    }
}
