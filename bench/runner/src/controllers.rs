//! Whole controllers: from the server's write to the reconcile function.
//!
//! Every ReplicaSet owns a few pods. A run reads two fields of its ReplicaSet and of each of its pods, and writes nothing.

use crate::build::Program::{ControllerRuntime, KubeRs, Ours};
use crate::cli::Settings;
use crate::scenario::Scenario;
use crate::scenarios::{MIB, baseline, counts, metric, one_table, participant, server, with};

/// Pods of a ReplicaSet.
const OWNED: u64 = 3;

/// The objects themselves change, or what they own.
pub(crate) fn all(settings: &Settings) -> [Scenario; 2] {
    [scenario(settings, "replicasets", "ReplicaSets"), scenario(settings, "pods", "pods")]
}

#[allow(clippy::cast_precision_loss)] // Counts.
fn scenario(settings: &Settings, changes: &'static str, what: &str) -> Scenario {
    let (objects, events) = (settings.scaled(20_000, 300), settings.scaled(50_000, 500));
    // What one core of every client keeps up with.
    let rate = settings.scaled(1_000, 1_000);
    let participants = vec![
        participant("ours, view()", Ours, "--work=view"),
        participant("ours, get()", Ours, "--work=get"),
        participant("ours decoded, get()", Ours, "--mode=decoded --work=get"),
        baseline("controller-runtime", ControllerRuntime, ""),
        participant("controller-runtime, no copies", ControllerRuntime, "--mode=no-copies"),
        baseline("kube-rs, own index", KubeRs, ""),
    ];
    Scenario {
        name: "controller",
        part: changes,
        title: format!(
            "A controller of {} ReplicaSets with {OWNED} pods each, then {} updates of {what}, {} a second",
            counts(objects),
            counts(events),
            counts(rate)
        ),
        server: server(objects * OWNED, &format!("--owned {OWNED}")),
        participants: with(
            participants,
            &format!(
                "--controller={changes} --objects={objects} --owned={OWNED} --events={events} --rate={rate}"
            ),
        ),
        tables: one_table(vec![
            metric("sync CPU s", 2, 1.0, |report| report["sync"]["cpu"].as_f64()),
            metric("reconciles", 0, 1.0, |report| report["reconciles"]["sync"].as_f64()),
            metric("RSS MiB", 0, MIB, |report| report["sync"]["rss"].as_f64()),
            metric("peak MiB", 0, MIB, |report| report["sync"]["peak"].as_f64()),
            metric("CPU µs/update", 1, events as f64 / 1e6, |report| report["events"]["cpu"].as_f64()),
            metric("reconciles", 0, 1.0, |report| report["reconciles"]["events"].as_f64()),
            metric("RSS at the end MiB", 0, MIB, |report| report["events"]["rss"].as_f64()),
            metric("p50 µs", 0, 1.0, |report| report["latency"]["p50"].as_f64()),
            metric("p99 µs", 0, 1.0, |report| report["latency"]["p99"].as_f64()),
        ]),
        floor: false,
    }
}
