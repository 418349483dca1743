//! The status of informers and queues as JSON, which the page shows.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::LazyLock;
use std::time::Duration;

use kube_informer::status::{Failure, HandlerStatus, InformerStatus, RelistReason, ScopeStatus};
use serde_json::{Map, Value, json};

use crate::queue::QueueStatus;
use crate::readiness::staleness;
use crate::withheld::{shown_failure, shown_wrong_type};

/// What this run of the program calls itself. Whoever compares two documents knows by it whether they are of the same one: after a
/// restart, or from another replica behind the same address, counts begin elsewhere. It says nothing else.
static INSTANCE: LazyLock<String> =
    LazyLock::new(|| format!("{:016x}", RandomState::new().build_hasher().finish()));

/// `has_objects` says whether there is a browser of objects to go to.
pub(crate) fn document(
    informers: &[InformerStatus],
    queues: &[QueueStatus],
    uptime: Duration,
    has_objects: bool,
) -> Value {
    json!({
        "instance": *INSTANCE,
        "uptimeSeconds": seconds(Some(uptime)),
        "informers": informers.iter().map(informer).collect::<Vec<_>>(),
        "queues": queues.iter().map(queue).collect::<Vec<_>>(),
        "objects": has_objects,
    })
}

fn queue(queue: &QueueStatus) -> Value {
    let (oldest, age) = queue.oldest.clone().unzip();
    json!({
        "name": queue.name,
        "due": queue.due,
        "later": queue.later,
        "working": queue.working,
        "oldestKey": oldest,
        "oldestSeconds": seconds(age),
        "longestRunningSeconds": seconds(queue.longest_running),
        "runs": queue.runs,
        "failures": queue.failures,
        "retries": queue.retries,
    })
}

fn informer(informer: &InformerStatus) -> Value {
    json!({
        "name": informer.name,
        "resource": informer.kind.resource(),
        "apiVersion": informer.kind.api_version(),
        "kind": informer.kind.kind(),
        "sensitive": informer.sensitive,
        "synced": informer.synced,
        "stopped": informer.stopped,
        "phase": informer.phase.to_string(),
        "objects": informer.objects,
        "versionsAlive": informer.versions_alive,
        "bytesAlive": informer.bytes_alive,
        "queued": informer.queued,
        "queuedBytes": informer.queued_bytes,
        "staleSeconds": seconds(staleness(informer)),
        "wrongType": shown_wrong_type(informer),
        "managedFieldsCut": informer.managed_fields_cut,
        "decodeHits": informer.decode_hits,
        "decodeMisses": informer.decode_misses,
        "decodedBytes": informer.decoded_bytes,
        "failures": informer.failures,
        "lastFailure": informer.last_failure.as_ref().map(|failure| shown_failure(failure).to_string()),
        "handlers": informer.handlers.iter().map(handler).collect::<Vec<_>>(),
        "scopes": informer.scopes.iter().map(scope).collect::<Vec<_>>(),
    })
}

fn handler(handler: &HandlerStatus) -> Value {
    json!({
        "name": handler.name,
        "synced": handler.synced,
        "backlog": handler.backlog,
        "merged": handler.merged,
        "delivered": handler.delivered,
        "panics": handler.panics,
        "slow": handler.slow,
        "slowestSeconds": handler.slowest.as_secs_f64(),
        "undecodable": handler.undecodable,
    })
}

fn scope(scope: &ScopeStatus) -> Value {
    let since = |at: Option<tokio::time::Instant>| seconds(at.map(|at| at.elapsed()));
    let relists =
        RelistReason::ALL.iter().map(|reason| (reason.name().to_owned(), scope.relists(*reason).into()));
    json!({
        "scope": scope.scope.to_string(),
        "phase": scope.phase.to_string(),
        "phaseSeconds": since(Some(scope.phase_since)),
        "resourceVersion": scope.last_version.as_ref().map(ToString::to_string),
        "lastByteSeconds": since(scope.last_byte),
        "lastEventSeconds": since(scope.last_event),
        "lastBookmarkSeconds": since(scope.last_bookmark),
        "lists": scope.lists,
        "watches": scope.watches,
        "reconnects": scope.reconnects,
        "streamingFallbacks": scope.streaming_fallbacks,
        "events": scope.events,
        "bookmarks": scope.bookmarks,
        "relists": relists.filter(|(_, count)| *count != 0).collect::<Map<_, _>>(),
        "lastError": scope.last_error.as_ref().map(|failure| error(failure, since(scope.last_error_at))),
    })
}

fn error(failure: &Failure, seconds_ago: Option<f64>) -> Value {
    json!({
        "message": shown_failure(failure).cause.message(),
        "httpStatus": failure.cause.http_status(),
        "secondsAgo": seconds_ago,
    })
}

/// Seconds with three decimals.
fn seconds(time: Option<Duration>) -> Option<f64> {
    time.map(|time| (time.as_secs_f64() * 1_000.0).round() / 1_000.0)
}

#[cfg(test)]
mod tests;
