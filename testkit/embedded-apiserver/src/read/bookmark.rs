//! Bookmarks: events that carry only the version that a watch has reached.

use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use super::Envelope;
use crate::kinds::Resource;
use crate::request::Form;

/// When the bookmarks of a watch are due.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule {
    pub(super) interval: Duration,
    /// When the last bookmark is due, shortly before the watch ends.
    pub(super) before_end: Instant,
}

impl Schedule {
    pub(super) fn next(&self, now: Instant) -> Instant {
        // With an interval of zero the watch would send bookmarks and nothing else.
        let regular = later(now, self.interval.max(Duration::from_millis(1)));
        if self.before_end > now { regular.min(self.before_end) } else { regular }
    }
}

/// A later time. Very long durations are cut to thirty years, because an `Instant` may not be able to represent them.
pub(super) fn later(now: Instant, duration: Duration) -> Instant {
    const FOR_EVER: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);
    now + duration.min(FOR_EVER)
}

/// The line of a bookmark. For built-in kinds the real server sends an empty Go struct, so required fields are there, with
/// empty values.
pub(super) fn line(
    resource: &Resource,
    envelope: &Envelope,
    version: u64,
    ends_initial_events: bool,
) -> Bytes {
    let head = envelope.head();
    let marker = r#""annotations":{"k8s.io/initial-events-end":"true"}"#;
    let metadata = match (ends_initial_events, resource.custom) {
        (false, _) => format!(r#"{{"resourceVersion":"{version}"}}"#),
        (true, false) => format!(r#"{{"resourceVersion":"{version}",{marker}}}"#),
        (true, true) => format!(r#"{{{marker},"resourceVersion":"{version}"}}"#),
    };
    let rest = match envelope.form() {
        Form::Whole => empty_object(resource),
        Form::Metadata => "",
    };
    format!("{{\"type\":\"BOOKMARK\",\"object\":{{{head}\"metadata\":{metadata}{rest}}}}}\n").into()
}

/// The fields of an empty Go struct of that kind, for kinds whose decoders require them.
fn empty_object(resource: &Resource) -> &'static str {
    match (&*resource.group, &*resource.plural) {
        ("", "pods") => r#","spec":{"containers":null},"status":{}"#,
        ("", "events") => {
            r#","involvedObject":{},"source":{},"firstTimestamp":null,"lastTimestamp":null,"eventTime":null,"reportingComponent":"","reportingInstance":"""#
        }
        ("", "services") => r#","spec":{},"status":{"loadBalancer":{}}"#,
        ("", "nodes" | "namespaces") => r#","spec":{},"status":{}"#,
        ("apps", "deployments") => {
            r#","spec":{"replicas":0,"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}"#
        }
        _ => "",
    }
}
