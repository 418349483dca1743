//! Whether the program is ready, and if not, why.

use std::time::Duration;

use kube_informer::status::{InformerStatus, Phase, ScopeStatus};

use crate::withheld::shown_failure;

/// Whether all informers are ready, and a line about each.
pub(crate) fn readiness(informers: &[InformerStatus], max_staleness: Option<Duration>) -> (bool, String) {
    let mut ready = true;
    let mut lines = String::new();
    for informer in informers {
        let (is_ready, line) = line(informer, max_staleness);
        ready &= is_ready;
        lines.push_str(if is_ready { "[+] " } else { "[-] " });
        lines.push_str(&line);
        lines.push('\n');
    }
    lines.push_str(if ready { "ready\n" } else { "not ready\n" });
    (ready, lines)
}

fn line(informer: &InformerStatus, max_staleness: Option<Duration>) -> (bool, String) {
    let name = &informer.name;
    if !informer.synced {
        return (false, format!("{name} has not synced: {}", why(informer)));
    }
    if informer.stopped {
        return (false, format!("{name} has stopped"));
    }
    let age = staleness(informer);
    let is_stale = max_staleness.is_some_and(|most| age > Some(most));
    let heard = age.map_or_else(String::new, |age| format!(", last heard of {} s ago", age.as_secs()));
    let trouble = match informer.phase {
        Phase::Watching | Phase::Listing => String::new(),
        _ => format!("; {}", why(informer)),
    };
    (!is_stale, format!("{name} synced, {} objects{heard}{trouble}", informer.objects))
}

/// How long the most stale scope has received nothing.
pub(crate) fn staleness(informer: &InformerStatus) -> Option<Duration> {
    informer.scopes.iter().filter_map(|scope| Some(scope.last_byte?.elapsed())).max()
}

/// The scopes with failures, and the last error of each.
fn why(informer: &InformerStatus) -> String {
    let about = |scope: &ScopeStatus| {
        let place = match informer.scopes.len() {
            1 => String::new(),
            _ => format!("{} is ", scope.scope),
        };
        let error = match &scope.last_error {
            Some(failure) => {
                let cause = shown_failure(failure).cause;
                match cause.http_status() {
                    Some(status) => format!(" (HTTP {status}: {})", cause.message()),
                    None => format!(" ({})", cause.message()),
                }
            }
            None => String::new(),
        };
        format!("{place}{}{error}", scope.phase)
    };
    let in_trouble = |scope: &&ScopeStatus| scope.phase != Phase::Watching;
    let told: Vec<_> = informer.scopes.iter().filter(in_trouble).map(about).collect();
    told.join("; ")
}
