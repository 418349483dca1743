//! The debug page: the status of informers as JSON.

use std::time::Duration;

use kube_informer::status::{Failure, HandlerStatus, InformerStatus, RelistReason, ScopeStatus};
use serde_json::{Map, Value, json};

use crate::readiness::staleness;

pub(crate) fn informers(informers: &[InformerStatus]) -> String {
    let informers: Vec<_> = informers.iter().map(informer).collect();
    format!("{:#}\n", json!({ "informers": informers }))
}

fn informer(informer: &InformerStatus) -> Value {
    json!({
        "name": informer.name,
        "resource": informer.kind.resource(),
        "apiVersion": informer.kind.api_version(),
        "kind": informer.kind.kind(),
        "synced": informer.synced,
        "stopped": informer.stopped,
        "phase": informer.phase.to_string(),
        "objects": informer.objects,
        "versionsAlive": informer.versions_alive,
        "bytesAlive": informer.bytes_alive,
        "queued": informer.queued,
        "queuedBytes": informer.queued_bytes,
        "staleSeconds": seconds(staleness(informer)),
        "wrongType": informer.wrong_type,
        "managedFieldsCut": informer.managed_fields_cut,
        "decodeHits": informer.decode_hits,
        "decodeMisses": informer.decode_misses,
        "decodedBytes": informer.decoded_bytes,
        "failures": informer.failures,
        "lastFailure": informer.last_failure.as_ref().map(ToString::to_string),
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
        "message": failure.cause.message(),
        "httpStatus": failure.cause.http_status(),
        "secondsAgo": seconds_ago,
    })
}

/// Seconds with three decimals.
fn seconds(time: Option<Duration>) -> Option<f64> {
    time.map(|time| (time.as_secs_f64() * 1_000.0).round() / 1_000.0)
}
