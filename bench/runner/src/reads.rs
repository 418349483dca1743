//! Reads of the cache while updates come.

use serde_json::Value;

use crate::build::Program::{ClientGo, KubeRs, Ours};
use crate::cli::Settings;
use crate::scenario::{Columns, Metric, Participant, Scenario};
use crate::scenarios::{baseline, counts, metric, participant, server, with};

/// Of 20,000 pods, and of a million.
pub(crate) fn all(settings: &Settings) -> Vec<Scenario> {
    let all = vec![
        participant("ours, packed", Ours, "--mode=packed"),
        participant("ours, decoded", Ours, "--mode=decoded"),
        baseline("client-go", ClientGo, ""),
        participant("kube-rs", KubeRs, ""),
    ];
    let mut scenarios = vec![scenario(settings, "", settings.scaled(20_000, 600), all)];
    if !settings.quick {
        // Of the others a million does not fit into the machine's memory.
        let ours = vec![participant("ours, packed", Ours, "--mode=packed")];
        scenarios.push(scenario(settings, "a million", 1_000_000, ours));
    }
    scenarios
}

fn scenario(
    settings: &Settings,
    part: &'static str,
    objects: u64,
    participants: Vec<Participant>,
) -> Scenario {
    // As many as come while all of it is read.
    let (rate, events) = (settings.scaled(10_000, 1_000), settings.scaled(240_000, 2_000));
    let length = settings.scaled(1_500, 20);
    Scenario {
        name: "reads",
        part,
        title: format!(
            "Reads of {} pods, about 100 a namespace and a node, while {} updates a second are applied; nanoseconds",
            counts(objects),
            counts(rate),
        ),
        server: server(objects, &format!("--namespaces {}", objects.div_ceil(100))),
        participants: with(participants, &format!("--reads={length} --events={events} --rate={rate}")),
        tables: tables(),
        floor: false,
    }
}

fn tables() -> Vec<Columns> {
    let median = |title, name| read(title, name, "median");
    let lookups = vec![
        median("get", "get"),
        median("list of a namespace", "list of a namespace"),
        median("selector in a namespace", "selector in a namespace"),
        median("index", "index"),
        median("get and decode, 1,000 hot keys", "decoded, 1,000 hot keys"),
        median("list of everything", "list of everything"),
        median("an object at hand", "at hand"),
        read("p99.9 of get while another lists everything", "get while another reads everything", "p999"),
        read("p99.9 of get during a relist", "get during a relist", "p999"),
    ];
    let hot_and_cold = |hot, cold| {
        vec![
            read("hot: median", hot, "median"),
            read("mean", hot, "mean"),
            read("p99", hot, "p99"),
            read("reads a second", hot, "rate"),
            read("cold: median", cold, "median"),
            read("mean", cold, "mean"),
            read("p99", cold, "p99"),
            read("reads a second", cold, "rate"),
        ]
    };
    let scans = |get, view| {
        vec![
            read("get(): median", get, "median"),
            read("mean", get, "mean"),
            read("p99", get, "p99"),
            // Scans are slow enough for the digits after the point.
            Metric { digits: 2, ..read("scans a second", get, "rate") },
            read("view(): median", view, "median"),
            read("mean", view, "mean"),
            read("p99", view, "p99"),
            Metric { digits: 2, ..read("scans a second", view, "rate") },
        ]
    };
    vec![
        Columns { subtitle: "Lookups and lists, median", metrics: lookups },
        Columns {
            subtitle: "`get()` of one of 1,000 hot keys, 100,000 a second, and of any key, 10,000 a second",
            metrics: with_at_hand(hot_and_cold("decoded, 1,000 hot keys, paced", "decoded, any key, paced")),
        },
        Columns {
            subtitle: "`view()` of one of 1,000 hot keys and of any key, 10,000 a second",
            metrics: hot_and_cold("viewed, 1,000 hot keys, paced", "viewed, any key, paced"),
        },
        Columns {
            subtitle: "`list()` of everything, then `get()` or `view()` of each",
            metrics: scans("list, then all decoded", "list, then all viewed"),
        },
    ]
}

/// And the least that a hot key could take: an object that is at hand, in the same rhythm.
fn with_at_hand(mut metrics: Vec<Metric>) -> Vec<Metric> {
    metrics.push(read("one of 1,000 objects at hand: median", "at hand, 1,000 hot objects, paced", "median"));
    metrics
}

/// A figure of the reads of this name.
fn read(title: &'static str, name: &'static str, figure: &'static str) -> Metric {
    metric(title, 0, 1.0, move |report| reads_of(report, name)?[figure].as_f64())
}

/// What a report says about the reads of this name.
pub(crate) fn reads_of<'a>(report: &'a Value, name: &str) -> Option<&'a Value> {
    report["reads"].as_array()?.iter().find(|read| read["name"] == name)
}
