//! Handlers that read what they are told about, and such that do not.

use crate::build::Program::{ClientGo, KubeRs, Ours};
use crate::cli::Settings;
use crate::scenario::{Participant, Scenario};
use crate::scenarios::{MIB, baseline, calls, counts, metric, one_table, participant, server, with};
use crate::transports::HTTP2;

/// One handler, over two connections, and ten. What client-go and kube-rs hand to a handler is decoded already, so that they
/// have one row for all that a handler may do.
pub(crate) fn all(settings: &Settings) -> [Scenario; 2] {
    let one = vec![
        participant("ours, unread", Ours, ""),
        participant("ours, view()", Ours, "--work=view"),
        participant("ours, get()", Ours, "--work=get"),
        participant("ours decoded, get()", Ours, "--mode=decoded --work=get"),
        baseline("client-go", ClientGo, "--work=get"),
        baseline("kube-rs", KubeRs, "--work=get"),
        over_http2(participant("ours, unread: TLS, HTTP/2", Ours, "")),
        over_http2(participant("ours, view(): TLS, HTTP/2", Ours, "--work=view")),
        over_http2(participant("ours, get(): TLS, HTTP/2", Ours, "--work=get")),
        over_http2(baseline("client-go: TLS, HTTP/2", ClientGo, "--work=get")),
    ];
    let ten = vec![
        participant("ours, view()", Ours, "--work=view"),
        participant("ours, get()", Ours, "--work=get"),
        baseline("client-go", ClientGo, "--work=get"),
        baseline("kube-rs, in turn", KubeRs, "--work=get"),
    ];
    [
        scenario(
            settings,
            "one handler",
            "A handler that reads nothing, two fields or all of every update",
            one,
            1,
        ),
        scenario(settings, "ten handlers", "Ten handlers that read every update", ten, 10),
    ]
}

fn over_http2(participant: Participant) -> Participant {
    Participant { transport: HTTP2, ..participant }
}

#[allow(clippy::cast_precision_loss)] // Counts.
fn scenario(
    settings: &Settings,
    part: &'static str,
    what: &str,
    participants: Vec<Participant>,
    handlers: u64,
) -> Scenario {
    let (objects, events) = (settings.scaled(20_000, 300), settings.scaled(50_000, 500));
    Scenario {
        name: "work",
        part,
        title: format!("{what}: {} pods, {} updates", counts(objects), counts(events)),
        server: server(objects, ""),
        participants: with(participants, &format!("--handlers={handlers} --events={events}")),
        tables: one_table(vec![
            metric("CPU µs/event", 1, events as f64 / 1e6, |report| report["events"]["cpu"].as_f64()),
            metric("RSS at the end MiB", 0, MIB, |report| report["events"]["rss"].as_f64()),
            calls(),
        ]),
        floor: false,
    }
}
