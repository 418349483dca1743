//! What is compared.

use serde_json::Value;

use crate::build::Program::{self, ClientGo, KubeRs, Ours};
use crate::cli::Settings;
use crate::scenario::{Metric, Participant, Scenario, Transport};
use crate::{controllers, transports};

pub(crate) const MIB: f64 = 1_048_576.0;

pub(crate) fn all(settings: &Settings) -> Vec<Scenario> {
    let mut all = vec![sync(settings)];
    all.extend(kinds(settings));
    all.push(work(settings));
    all.extend(stuck(settings));
    all.extend(reads(settings));
    all.push(latency(settings));
    all.extend(transports::all(settings));
    all.extend(controllers::all(settings));
    all
}

pub(crate) fn participant(label: &'static str, program: Program, arguments: &str) -> Participant {
    let arguments = arguments.split_whitespace().map(str::to_owned).collect();
    Participant { label, program, arguments, transport: Transport::default(), baseline: false, once: false }
}

pub(crate) fn baseline(label: &'static str, program: Program, arguments: &str) -> Participant {
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
    value: fn(&Value) -> Option<f64>,
) -> Metric {
    Metric { title, digits, value, per }
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
        title: format!(
            "{} pods, then {} updates, then a relist of unchanged objects",
            counts(objects),
            counts(events)
        ),
        server: server(objects, ""),
        participants: with(participants, &format!("--events={events} --relist")),
        metrics,
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
            title: format!("{} {what}, then {} updates", counts(objects), counts(events)),
            server: server(objects, &format!("--kind {kind}")),
            participants: with(participants, &format!("--kind={kind} --events={events}")),
            metrics: sync_metrics(events),
            floor: false,
        }
    };
    let kinds = [
        ("configmaps", "ConfigMaps"),
        ("secrets", "Secrets (incompressible)"),
        ("widgets", "custom resources (dynamic, JSON for all)"),
    ];
    kinds.map(scenario).into()
}

#[allow(clippy::cast_precision_loss)] // Counts.
fn work(settings: &Settings) -> Scenario {
    let (objects, events) = (settings.scaled(20_000, 300), settings.scaled(50_000, 500));
    let participants = vec![
        participant("ours, one handler, view()", Ours, "--work=view"),
        participant("ours, one handler, get()", Ours, "--work=get"),
        participant("ours decoded, one handler, get()", Ours, "--mode=decoded --work=get"),
        baseline("client-go, one handler", ClientGo, "--work=get"),
        baseline("kube-rs, one handler", KubeRs, "--work=get"),
        participant("ours, ten handlers, get()", Ours, "--work=get --handlers=10"),
        participant("client-go, ten handlers", ClientGo, "--work=get --handlers=10"),
        participant("kube-rs, ten handlers in turn", KubeRs, "--work=get --handlers=10"),
    ];
    Scenario {
        name: "work",
        title: format!(
            "Handlers that read a field of the status of every update: {} pods, {} updates",
            counts(objects),
            counts(events)
        ),
        server: server(objects, ""),
        participants: with(participants, &format!("--events={events}")),
        metrics: vec![
            metric("CPU µs/event", 1, events as f64 / 1e6, |report| report["events"]["cpu"].as_f64()),
            metric("RSS at the end MiB", 0, MIB, |report| report["events"]["rss"].as_f64()),
            metric("calls", 0, 1.0, |report| report["calls"].as_f64()),
        ],
        floor: false,
    }
}

fn stuck(settings: &Settings) -> Vec<Scenario> {
    let objects = settings.scaled(20_000, 300);
    let scenario = |hot: u64| {
        let (ours, theirs) = (settings.scaled(1_000_000, 2_000), settings.scaled(200_000, 1_000));
        Scenario {
            name: "stuck",
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
            metrics: vec![
                metric("RSS before MiB", 1, MIB, |report| report["sync"]["rss"].as_f64()),
                metric("RSS after MiB", 1, MIB, |report| report["events"]["rss"].as_f64()),
                metric("live heap before MiB", 1, MIB, |report| report["sync"]["heap"].as_f64()),
                metric("live heap after MiB", 1, MIB, |report| report["events"]["heap"].as_f64()),
                metric("live heap more, MiB", 1, MIB, |report| {
                    Some(report["events"]["heap"].as_f64()? - report["sync"]["heap"].as_f64()?)
                }),
            ],
            floor: false,
        }
    };
    vec![scenario(settings.scaled(1_000, 30)), scenario(settings.scaled(20_000, 300))]
}

fn reads(settings: &Settings) -> Vec<Scenario> {
    fn found<'a>(report: &'a Value, name: &str) -> Option<&'a Value> {
        report["reads"].as_array()?.iter().find(|read| read["name"] == name)
    }
    fn read(report: &Value, name: &str) -> Option<f64> {
        found(report, name)?["median"].as_f64()
    }
    fn hot(report: &Value, what: &str) -> Option<f64> {
        found(report, "decoded, 1,000 hot keys, paced")?[what].as_f64()
    }
    fn slow(report: &Value, name: &str) -> Option<f64> {
        found(report, name)?["p999"].as_f64()
    }
    let scenario = |objects: u64, participants: Vec<Participant>| {
        let (rate, events) = (settings.scaled(10_000, 1_000), settings.scaled(120_000, 2_000));
        let length = settings.scaled(1_500, 20);
        Scenario {
            name: "reads",
            title: format!(
                "Reads of {} pods, about 100 a namespace and a node, while {} updates a second are applied; nanoseconds, median",
                counts(objects),
                counts(rate),
            ),
            server: server(objects, &format!("--namespaces {}", objects.div_ceil(100))),
            participants: with(participants, &format!("--reads={length} --events={events} --rate={rate}")),
            metrics: vec![
                metric("get", 0, 1.0, |report| read(report, "get")),
                metric("list of a namespace", 0, 1.0, |report| read(report, "list of a namespace")),
                metric("selector in a namespace", 0, 1.0, |report| read(report, "selector in a namespace")),
                metric("index", 0, 1.0, |report| read(report, "index")),
                metric("get and decode, 1,000 hot keys", 0, 1.0, |report| {
                    read(report, "decoded, 1,000 hot keys")
                }),
                metric("the same, paced: median", 0, 1.0, |report| hot(report, "median")),
                metric("mean", 0, 1.0, |report| hot(report, "mean")),
                metric("p99", 0, 1.0, |report| hot(report, "p99")),
                metric("reads a second", 0, 1.0, |report| hot(report, "rate")),
                metric("list of everything", 0, 1.0, |report| read(report, "list of everything")),
                metric("p99.9 of get while another lists everything", 0, 1.0, |report| {
                    slow(report, "get while another reads everything")
                }),
                metric("p99.9 of get during a relist", 0, 1.0, |report| slow(report, "get during a relist")),
            ],
            floor: false,
        }
    };
    let all = || {
        vec![
            participant("ours, packed", Ours, "--mode=packed"),
            participant("ours, decoded", Ours, "--mode=decoded"),
            baseline("client-go", ClientGo, ""),
            participant("kube-rs", KubeRs, ""),
        ]
    };
    let mut scenarios = vec![scenario(settings.scaled(20_000, 600), all())];
    if !settings.quick {
        // Of the others a million does not fit into the machine's memory.
        scenarios.push(scenario(1_000_000, vec![participant("ours, packed", Ours, "--mode=packed")]));
    }
    scenarios
}

fn latency(settings: &Settings) -> Scenario {
    let (objects, events, rate) =
        (settings.scaled(20_000, 300), settings.scaled(50_000, 1_000), settings.scaled(10_000, 1_000));
    let participants = vec![
        participant("ours, packed", Ours, "--mode=packed"),
        baseline("client-go, protobuf", ClientGo, "--mode=protobuf"),
        baseline("kube-rs", KubeRs, ""),
    ];
    Scenario {
        name: "latency",
        title: format!(
            "From the server's write to the handler's call: ten handlers, {} updates a second of {} pods; microseconds",
            counts(rate),
            counts(objects)
        ),
        server: server(objects, ""),
        participants: with(participants, &format!("--latency --handlers=10 --events={events} --rate={rate}")),
        metrics: latency_metrics(),
        floor: false,
    }
}

pub(crate) fn latency_metrics() -> Vec<Metric> {
    vec![
        metric("p50", 0, 1.0, |report| report["latency"]["p50"].as_f64()),
        metric("p99", 0, 1.0, |report| report["latency"]["p99"].as_f64()),
        metric("p99.9", 0, 1.0, |report| report["latency"]["p999"].as_f64()),
        metric("calls", 0, 1.0, |report| report["calls"].as_f64()),
    ]
}
