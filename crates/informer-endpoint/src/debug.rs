//! The status of informers and queues as the document that the page and `informer top` show.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::LazyLock;
use std::time::Duration;

use informer_wire::QueueStatus;
use informer_wire::status_document::{
    ErrorEntry, HandlerEntry, InformerEntry, ScopeEntry, StatusDocument, count, seconds,
};
use kube_informer::status::{Failure, HandlerStatus, InformerStatus, RelistReason, ScopeStatus};

use crate::readiness::staleness;
use crate::withheld::{shown_failure, shown_wrong_type};

/// The name of this run of the program. Whoever compares two documents knows by it whether they are of the same one: after a
/// restart, or from another replica behind the same address, counts begin elsewhere. It says nothing else.
static INSTANCE: LazyLock<String> =
    LazyLock::new(|| format!("{:016x}", RandomState::new().build_hasher().finish()));

/// `has_objects` says whether there is a browser of objects to go to.
pub(crate) fn document(
    informers: &[InformerStatus],
    queues: Vec<QueueStatus>,
    uptime: Duration,
    has_objects: bool,
) -> StatusDocument {
    StatusDocument {
        instance: Some(INSTANCE.clone()),
        uptime_seconds: Some(seconds(uptime)),
        informers: informers.iter().map(informer).collect(),
        queues: queues.into_iter().map(Into::into).collect(),
        objects: Some(has_objects),
    }
}

fn informer(informer: &InformerStatus) -> InformerEntry {
    InformerEntry {
        name: Some(informer.name.clone()),
        resource: Some(informer.kind.resource().to_owned()),
        api_version: Some(informer.kind.api_version()),
        kind: Some(informer.kind.kind().to_owned()),
        sensitive: Some(informer.sensitive),
        synced: Some(informer.synced),
        stopped: Some(informer.stopped),
        phase: Some(informer.phase.to_string()),
        objects: count(informer.objects),
        versions_alive: count(informer.versions_alive),
        bytes_alive: count(informer.bytes_alive),
        queued: count(informer.queued),
        queued_bytes: count(informer.queued_bytes),
        stale_seconds: staleness(informer).map(seconds),
        wrong_type: shown_wrong_type(informer),
        managed_fields_cut: Some(informer.managed_fields_cut),
        decode_hits: Some(informer.decode_hits),
        decode_misses: Some(informer.decode_misses),
        decoded_bytes: count(informer.decoded_bytes),
        failures: Some(informer.failures),
        last_failure: informer.last_failure.as_ref().map(|failure| shown_failure(failure).to_string()),
        handlers: informer.handlers.iter().map(handler).collect(),
        scopes: informer.scopes.iter().map(scope).collect(),
    }
}

fn handler(handler: &HandlerStatus) -> HandlerEntry {
    HandlerEntry {
        name: Some(handler.name.clone()),
        synced: Some(handler.synced),
        backlog: count(handler.backlog),
        merged: Some(handler.merged),
        delivered: Some(handler.delivered),
        panics: Some(handler.panics),
        slow: Some(handler.slow),
        slowest_seconds: Some(handler.slowest.as_secs_f64()),
        undecodable: Some(handler.undecodable),
    }
}

fn scope(scope: &ScopeStatus) -> ScopeEntry {
    let since = |at: Option<tokio::time::Instant>| at.map(|at| seconds(at.elapsed()));
    let relists = RelistReason::ALL.iter().map(|reason| (reason.name().to_owned(), scope.relists(*reason)));
    ScopeEntry {
        scope: Some(scope.scope.to_string()),
        phase: Some(scope.phase.to_string()),
        phase_seconds: since(Some(scope.phase_since)),
        resource_version: scope.last_version.as_ref().map(ToString::to_string),
        last_byte_seconds: since(scope.last_byte),
        last_event_seconds: since(scope.last_event),
        last_bookmark_seconds: since(scope.last_bookmark),
        lists: Some(scope.lists),
        watches: Some(scope.watches),
        reconnects: Some(scope.reconnects),
        streaming_fallbacks: Some(scope.streaming_fallbacks),
        events: Some(scope.events),
        bookmarks: Some(scope.bookmarks),
        relists: relists.filter(|(_, count)| *count != 0).collect(),
        last_error: scope.last_error.as_ref().map(|failure| error(failure, since(scope.last_error_at))),
    }
}

fn error(failure: &Failure, seconds_ago: Option<f64>) -> ErrorEntry {
    let cause = shown_failure(failure).cause;
    ErrorEntry { message: Some(cause.message().to_owned()), http_status: cause.http_status(), seconds_ago }
}

#[cfg(test)]
mod tests;
