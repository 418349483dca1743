//! The status of one scope while it changes: written by its reflector, read by anyone.

use informer_core::scope::Scope;
use informer_wire::ResourceVersion;
use metrics::{Counter, Gauge};
use parking_lot::Mutex;
use tokio::time::Instant;

use super::{Phase, RelistReason, ScopeStatus};
use crate::metrics::{CounterBy, Metrics, unix_time};
use crate::report::Failure;

/// The status of one scope, shared between its reflector and the readers.
pub(crate) struct StatusCell {
    status: Mutex<ScopeStatus>,
    counters: Option<Counters>,
}

/// What is counted for metrics too.
struct Counters {
    relists: CounterBy,
    watches: Counter,
    streaming_fallbacks: Counter,
    restarts: CounterBy,
    last_byte: Gauge,
    last_event: Gauge,
    last_bookmark: Gauge,
}

/// Why a watch is opened again where the last one ended; the names are those of the reflector's troubles.
pub(crate) const RESTARTS: &[&str] =
    &["ended", "transport", "http", "cut_short", "too_big", "very_short", "silent"];

impl StatusCell {
    pub(crate) fn new(scope: Scope, now: Instant) -> Self {
        let status = ScopeStatus {
            scope,
            phase: Phase::Pending,
            phase_since: now,
            synced: false,
            last_error: None,
            last_error_at: None,
            last_byte: None,
            last_event: None,
            last_bookmark: None,
            last_version: None,
            lists: 0,
            lookups: 0,
            watches: 0,
            probes: 0,
            reconnects: 0,
            streaming_fallbacks: 0,
            events: 0,
            bookmarks: 0,
            relists: [0; RelistReason::ALL.len()],
            looked_up: ResourceVersion::empty(),
        };
        Self { status: Mutex::new(status), counters: None }
    }

    /// Counts relists, watches and fallbacks there too.
    pub(crate) fn with_metrics(mut self, metrics: &Metrics) -> Self {
        self.counters = Some(Counters {
            relists: metrics
                .relists(&RelistReason::ALL.iter().map(|reason| reason.name()).collect::<Vec<_>>()),
            watches: metrics.watches(),
            streaming_fallbacks: metrics.streaming_fallbacks(),
            restarts: metrics.watch_restarts(RESTARTS),
            last_byte: metrics.last_byte(),
            last_event: metrics.last_event(),
            last_bookmark: metrics.last_bookmark(),
        });
        self
    }

    pub(crate) fn get(&self) -> ScopeStatus {
        self.status.lock().clone()
    }

    /// The newest version that the server has been seen at, empty before the first list.
    pub(crate) fn newest_version(&self) -> ResourceVersion {
        let status = self.status.lock();
        match &status.last_version {
            Some(last) if !last.is_older_than(&status.looked_up) => last.clone(),
            _ => status.looked_up.clone(),
        }
    }

    /// The server was seen at this version by a lookup.
    pub(crate) fn looked_up(&self, version: &ResourceVersion) {
        self.edit(|status| {
            if !version.is_older_than(&status.looked_up) {
                status.looked_up = version.clone();
            }
        });
    }

    /// The server went back in time: what was seen before does not count.
    pub(crate) fn rewound(&self) {
        self.edit(|status| status.looked_up = ResourceVersion::empty());
    }

    pub(crate) fn phase(&self) -> Phase {
        self.status.lock().phase
    }

    /// Changes anything but the phase.
    pub(crate) fn edit(&self, edit: impl FnOnce(&mut ScopeStatus)) {
        edit(&mut self.status.lock());
    }

    /// Enters a phase. Nothing happens if it is the present one, or if the scope has stopped, which is for good.
    pub(crate) fn enter(&self, phase: Phase, now: Instant) {
        let mut status = self.status.lock();
        if status.phase != phase && status.phase != Phase::Stopped {
            status.phase = phase;
            status.phase_since = now;
        }
    }

    pub(crate) fn byte(&self, now: Instant) {
        self.edit(|status| status.last_byte = Some(now));
        if let Some(counters) = &self.counters {
            counters.last_byte.set(unix_time());
        }
    }

    pub(crate) fn event(&self, now: Instant) {
        self.edit(|status| {
            status.last_event = Some(now);
            status.events += 1;
        });
        if let Some(counters) = &self.counters {
            counters.last_event.set(unix_time());
        }
    }

    pub(crate) fn bookmark(&self, now: Instant) {
        self.edit(|status| {
            status.last_bookmark = Some(now);
            status.bookmarks += 1;
        });
        if let Some(counters) = &self.counters {
            counters.last_bookmark.set(unix_time());
        }
    }

    pub(crate) fn version(&self, version: &ResourceVersion) {
        if !version.is_empty() {
            self.edit(|status| status.last_version = Some(version.clone()));
        }
    }

    pub(crate) fn relist(&self, reason: RelistReason) {
        self.edit(|status| status.relists[reason as usize] += 1);
        if let Some(counters) = &self.counters {
            counters.relists.increment(reason.name());
        }
    }

    pub(crate) fn watch(&self) {
        self.edit(|status| status.watches += 1);
        if let Some(counters) = &self.counters {
            counters.watches.increment(1);
        }
    }

    /// A watch is opened again where the last one ended, for this reason.
    pub(crate) fn reconnect(&self, reason: &'static str) {
        self.edit(|status| status.reconnects += 1);
        if let Some(counters) = &self.counters {
            counters.restarts.increment(reason);
        }
    }

    pub(crate) fn streaming_fallback(&self) {
        self.edit(|status| status.streaming_fallbacks += 1);
        if let Some(counters) = &self.counters {
            counters.streaming_fallbacks.increment(1);
        }
    }

    pub(crate) fn error(&self, failure: Failure, now: Instant) {
        self.edit(|status| (status.last_error, status.last_error_at) = (Some(failure), Some(now)));
    }
}
