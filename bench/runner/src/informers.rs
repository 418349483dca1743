//! Many informers in one process, each of a namespace: what a program has that may not read all namespaces.

use crate::build::Program::{ClientGo, KubeRs, Ours};
use crate::cli::Settings;
use crate::scenario::Scenario;
use crate::scenarios::{MIB, baseline, calls, counts, metric, one_table, participant, server, with};

/// As many pods in all, in many small informers and in some larger ones.
pub(crate) fn all(settings: &Settings) -> [Scenario; 2] {
    [scenario(settings, 50, "50 informers"), scenario(settings, 10, "10 informers")]
}

#[allow(clippy::cast_precision_loss)] // Counts.
fn scenario(settings: &Settings, informers: u64, part: &'static str) -> Scenario {
    let (objects, events) = (settings.scaled(20_000, 500), settings.scaled(50_000, 500));
    let participants = vec![
        participant("ours, packed", Ours, "--mode=packed"),
        baseline("client-go, protobuf", ClientGo, "--mode=protobuf"),
        baseline("kube-rs", KubeRs, ""),
    ];
    Scenario {
        name: "informers",
        part,
        title: format!(
            "{informers} informers of {} pods each, then {} updates",
            counts(objects / informers),
            counts(events)
        ),
        server: server(objects, &format!("--namespaces {informers}")),
        participants: with(participants, &format!("--informers={informers} --events={events}")),
        tables: one_table(vec![
            metric("sync CPU s", 2, 1.0, |report| report["sync"]["cpu"].as_f64()),
            metric("sync wall s", 2, 1.0, |report| report["sync"]["wall"].as_f64()),
            metric("RSS MiB", 0, MIB, |report| report["sync"]["rss"].as_f64()),
            metric("peak MiB", 0, MIB, |report| report["sync"]["peak"].as_f64()),
            metric("live heap MiB", 0, MIB, |report| report["sync"]["heap"].as_f64()),
            metric("CPU µs/event", 1, events as f64 / 1e6, |report| report["events"]["cpu"].as_f64()),
            metric("RSS at the end MiB", 0, MIB, |report| report["events"]["rss"].as_f64()),
            calls(),
        ]),
        floor: false,
    }
}
