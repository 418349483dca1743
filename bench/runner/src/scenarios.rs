//! What is compared.

use std::rc::Rc;

use serde_json::Value;

use crate::build::Program::{self, ClientGo, KubeRs, Ours};
use crate::cli::Settings;
use crate::scenario::{Columns, Metric, Participant, Scenario, Transport};
use crate::transports::HTTP2;
use crate::{controllers, informers, reads, transports, work};

pub(crate) const MIB: f64 = 1_048_576.0;

pub(crate) fn all(settings: &Settings) -> Vec<Scenario> {
    let mut all = vec![sync(settings)];
    all.extend(kinds(settings));
    all.extend(work::all(settings));
    all.extend(stuck(settings));
    all.extend(reads::all(settings));
    all.push(latency(settings));
    all.extend(informers::all(settings));
    all.extend(transports::all(settings));
    all.extend(controllers::all(settings));
    all
}

pub(crate) fn participant(label: &str, program: Program, arguments: &str) -> Participant {
    Participant {
        label: label.to_owned(),
        program,
        arguments: arguments.split_whitespace().map(str::to_owned).collect(),
        transport: Transport::default(),
        baseline: false,
        once: false,
    }
}

pub(crate) fn baseline(label: &str, program: Program, arguments: &str) -> Participant {
    Participant { baseline: true, ..participant(label, program, arguments) }
}

/// Every participant with these arguments too.
pub(crate) fn with(participants: Vec<Participant>, arguments: &str) -> Vec<Participant> {
    participants
        .into_iter()
        .map(|mut participant| {
            participant.arguments.extend(arguments.split_whitespace().map(str::to_owned));
            participant
        })
        .collect()
}

pub(crate) fn server(objects: u64, more: &str) -> Vec<String> {
    format!("--objects {objects} {more}").split_whitespace().map(str::to_owned).collect()
}

pub(crate) fn metric(
    title: &'static str,
    digits: usize,
    per: f64,
    value: impl Fn(&Value) -> Option<f64> + 'static,
) -> Metric {
    Metric { title, digits, value: Rc::new(value), per }
}

/// The only table of a scenario.
pub(crate) fn one_table(metrics: Vec<Metric>) -> Vec<Columns> {
    vec![Columns { subtitle: "", metrics }]
}

/// How often handlers were called for the updates: a client that merges updates is seen to do so.
pub(crate) fn calls() -> Metric {
    metric("calls", 0, 1.0, |report| report["calls"].as_f64())
}

#[allow(clippy::cast_precision_loss)] // Counts.
fn sync_metrics(events: u64) -> Vec<Metric> {
    vec![
        metric("sync CPU s", 2, 1.0, |report| report["sync"]["cpu"].as_f64()),
        metric("sync wall s", 2, 1.0, |report| report["sync"]["wall"].as_f64()),
        metric("RSS MiB", 0, MIB, |report| report["sync"]["rss"].as_f64()),
        metric("peak MiB", 0, MIB, |report| report["sync"]["peak"].as_f64()),
        metric("live heap MiB", 0, MIB, |report| report["sync"]["heap"].as_f64()),
        metric("CPU µs/event", 1, events as f64 / 1e6, |report| report["events"]["cpu"].as_f64()),
        metric("RSS at the end MiB", 0, MIB, |report| report["events"]["rss"].as_f64()),
        calls(),
    ]
}

pub(crate) fn counts(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

fn sync(settings: &Settings) -> Scenario {
    let (objects, events) = (settings.scaled(20_000, 600), settings.scaled(50_000, 1_000));
    let participants = vec![
        participant("ours, packed", Ours, "--mode=packed"),
        baseline("client-go, protobuf", ClientGo, "--mode=protobuf"),
        baseline("kube-rs", KubeRs, ""),
        participant("ours, packed, LIST", Ours, "--mode=packed --list=list"),
        baseline("client-go, protobuf, LIST", ClientGo, "--mode=protobuf --list=list"),
        participant("kube-rs, LIST", KubeRs, "--list=list"),
        participant("ours, decoded", Ours, "--mode=decoded"),
        participant("client-go, protobuf, managedFields stripped", ClientGo, "--mode=protobuf-stripped"),
        participant("ours, metadata", Ours, "--mode=metadata"),
        Participant { once: true, ..participant("client-go, JSON", ClientGo, "--mode=json") },
    ];
    let mut metrics = sync_metrics(events);
    metrics.push(metric("relist CPU s", 2, 1.0, |report| report["relist"]["cpu"].as_f64()));
    metrics.push(metric("relist peak MiB", 0, MIB, |report| report["relist"]["peak"].as_f64()));
    Scenario {
        name: "sync",
        part: "",
        title: format!(
            "{} pods, then {} updates, then a relist of unchanged objects",
            counts(objects),
            counts(events)
        ),
        server: server(objects, ""),
        participants: with(participants, &format!("--events={events} --relist")),
        tables: one_table(metrics),
        floor: true,
    }
}

fn kinds(settings: &Settings) -> Vec<Scenario> {
    let (objects, events) = (settings.scaled(20_000, 300), settings.scaled(50_000, 500));
    let scenario = |(kind, what): (&'static str, &'static str)| {
        let participants = vec![
            participant("ours, packed", Ours, ""),
            baseline(
                "client-go",
                ClientGo,
                if kind == "widgets" { "--mode=json" } else { "--mode=protobuf" },
            ),
            baseline("kube-rs", KubeRs, ""),
        ];
        Scenario {
            name: "kinds",
            part: kind,
            title: format!("{} {what}, then {} updates", counts(objects), counts(events)),
            server: server(objects, &format!("--kind {kind}")),
            participants: with(participants, &format!("--kind={kind} --events={events}")),
            tables: one_table(sync_metrics(events)),
            floor: false,
        }
    };
    let kinds = [
        ("configmaps", "ConfigMaps"),
        ("secrets", "Secrets (incompressible)"),
        ("events", "Events"),
        ("leases", "Leases"),
        ("endpointslices", "EndpointSlices"),
        ("widgets", "custom resources (dynamic, JSON for all)"),
    ];
    kinds.map(scenario).into()
}

fn stuck(settings: &Settings) -> Vec<Scenario> {
    let objects = settings.scaled(20_000, 300);
    let scenario = |part: &'static str, hot: u64| {
        let (ours, theirs) = (settings.scaled(1_000_000, 2_000), settings.scaled(200_000, 1_000));
        Scenario {
            name: "stuck",
            part,
            title: format!(
                "One handler that never returns: {} pods, {} updates among {} of them ({} for client-go, whose memory grows with them)",
                counts(objects),
                counts(ours),
                counts(hot),
                counts(theirs),
            ),
            server: server(objects, ""),
            participants: vec![
                participant("ours, packed", Ours, &format!("--stuck --hot={hot} --events={ours}")),
                participant(
                    "client-go, protobuf",
                    ClientGo,
                    &format!("--stuck --hot={hot} --events={theirs}"),
                ),
            ],
            tables: one_table(vec![
                metric("RSS before MiB", 1, MIB, |report| report["sync"]["rss"].as_f64()),
                metric("RSS after MiB", 1, MIB, |report| report["events"]["rss"].as_f64()),
                metric("live heap before MiB", 1, MIB, |report| report["sync"]["heap"].as_f64()),
                metric("live heap after MiB", 1, MIB, |report| report["events"]["heap"].as_f64()),
                metric("live heap more, MiB", 1, MIB, |report| {
                    Some(report["events"]["heap"].as_f64()? - report["sync"]["heap"].as_f64()?)
                }),
            ]),
            floor: false,
        }
    };
    vec![
        scenario("updates of a twentieth", settings.scaled(1_000, 30)),
        scenario("updates of all", settings.scaled(20_000, 300)),
    ]
}

fn latency(settings: &Settings) -> Scenario {
    let (objects, events, rate) =
        (settings.scaled(20_000, 300), settings.scaled(50_000, 1_000), settings.scaled(10_000, 1_000));
    let participants = vec![
        participant("ours, packed", Ours, "--mode=packed"),
        baseline("client-go, protobuf", ClientGo, "--mode=protobuf"),
        baseline("kube-rs", KubeRs, ""),
        // What API servers speak; kube-rs has no HTTP/2.
        Participant { transport: HTTP2, ..participant("ours: TLS, HTTP/2", Ours, "--mode=packed") },
        Participant { transport: HTTP2, ..baseline("client-go: TLS, HTTP/2", ClientGo, "--mode=protobuf") },
    ];
    Scenario {
        name: "latency",
        part: "",
        title: format!(
            "From the server's write to the handler's call: ten handlers, {} updates a second of {} pods; microseconds",
            counts(rate),
            counts(objects)
        ),
        server: server(objects, ""),
        participants: with(participants, &format!("--latency --handlers=10 --events={events} --rate={rate}")),
        tables: one_table(latency_metrics()),
        floor: false,
    }
}

pub(crate) fn latency_metrics() -> Vec<Metric> {
    vec![
        metric("p50", 0, 1.0, |report| report["latency"]["p50"].as_f64()),
        metric("p99", 0, 1.0, |report| report["latency"]["p99"].as_f64()),
        metric("p99.9", 0, 1.0, |report| report["latency"]["p999"].as_f64()),
        metric("p99 of the last handler", 0, 1.0, |report| report["latency_last"]["p99"].as_f64()),
        calls(),
    ]
}
