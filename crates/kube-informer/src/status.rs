//! How fresh one scope of an informer is: written by its reflector, read by anyone.

use std::fmt;

use metrics::{Counter, Gauge};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::metrics::{CounterBy, Metrics, unix_time};
use crate::scope::Scope;
use crate::version::ResourceVersion;

/// What the reflector of a scope is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// It has not started.
    #[default]
    Pending,
    /// It is reading the whole scope.
    Listing,
    /// It is following changes.
    Watching,
    /// Something failed; it waits before it tries again.
    BackingOff,
    /// It has sent so many requests in so short a time that the next one has to wait, whatever became of the others.
    Throttled,
    /// It may list but not watch, so it lists now and then.
    Polling,
    /// It is connected, but nothing has come for so long that the connection is in doubt.
    Stalled,
    /// The server does not serve the kind; what was known is kept and the server is asked again now and then.
    Gone,
    /// The server has gone back in time, such as after the restore of a backup; everything is being read anew.
    Rewound,
    /// It has ended.
    Stopped,
}

impl Phase {
    /// The more, the worse: the phase of an informer is the worst of its scopes.
    pub(crate) fn gravity(self) -> u8 {
        match self {
            Self::Watching => 0,
            Self::Pending => 1,
            Self::Listing => 2,
            Self::Polling => 3,
            Self::Throttled => 4,
            Self::BackingOff => 5,
            Self::Stalled => 6,
            Self::Rewound => 7,
            Self::Gone => 8,
            Self::Stopped => 9,
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pending => "not started",
            Self::Listing => "listing",
            Self::Watching => "watching",
            Self::BackingOff => "backing off",
            Self::Throttled => "throttled",
            Self::Polling => "polling",
            Self::Stalled => "stalled",
            Self::Gone => "gone",
            Self::Rewound => "rewound",
            Self::Stopped => "stopped",
        })
    }
}

/// Why a scope was read as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RelistReason {
    /// There was nothing yet.
    First,
    /// The server no longer had the history asked for.
    Expired,
    /// The server was not as far as the version asked for.
    TooLarge,
    /// The stream was not JSON.
    NotJson,
    /// The watch failed again and again.
    RepeatedErrors,
    /// Two connections in a row brought nothing.
    Dead,
    /// The kind was not served for a while.
    Gone,
    /// The server went back in time.
    Rewound,
    /// It was asked for.
    Refresh,
    /// Watching is not allowed, listing is.
    Polling,
    /// More objects were waited for than could be asked for one by one.
    Waited,
}

impl RelistReason {
    /// All reasons, in the order of their counters.
    pub const ALL: [Self; 11] = [
        Self::First,
        Self::Expired,
        Self::TooLarge,
        Self::NotJson,
        Self::RepeatedErrors,
        Self::Dead,
        Self::Gone,
        Self::Rewound,
        Self::Refresh,
        Self::Polling,
        Self::Waited,
    ];

    /// A short fixed name for logs and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Expired => "expired",
            Self::TooLarge => "too_large",
            Self::NotJson => "not_json",
            Self::RepeatedErrors => "repeated_errors",
            Self::Dead => "dead",
            Self::Gone => "gone",
            Self::Rewound => "rewound",
            Self::Refresh => "refresh",
            Self::Polling => "polling",
            Self::Waited => "waited",
        }
    }
}

impl fmt::Display for RelistReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The last thing that went wrong in a scope.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LastError {
    /// What the server or the connection said.
    pub message: String,
    /// The HTTP status, if the server answered with one.
    pub http_status: Option<u16>,
    /// When.
    pub at: Instant,
}

/// How fresh one scope is, at one moment.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ScopeStatus {
    /// All namespaces or one.
    pub scope: Scope,
    /// What its reflector is doing.
    pub phase: Phase,
    /// Since when.
    pub phase_since: Instant,
    /// The last failure, also when all is well since.
    pub last_error: Option<LastError>,
    /// When the server last sent anything.
    pub last_byte: Option<Instant>,
    /// When it last sent a change.
    pub last_event: Option<Instant>,
    /// When it last sent a bookmark.
    pub last_bookmark: Option<Instant>,
    /// The version up to which nothing has been missed; the store may be a few events behind.
    pub last_version: Option<ResourceVersion>,
    /// LIST requests sent, each page of a list counted.
    pub lists: u64,
    /// LIST requests of single objects that somebody waited for.
    pub lookups: u64,
    /// WATCH requests sent, streamed lists counted.
    pub watches: u64,
    /// LIST requests of single objects to find out whether the server went back in time.
    pub probes: u64,
    /// WATCH requests sent to resume where an earlier one ended.
    pub reconnects: u64,
    /// Streamed lists given up for a LIST.
    pub streaming_fallbacks: u64,
    /// Changes received.
    pub events: u64,
    /// Bookmarks received.
    pub bookmarks: u64,
    relists: [u64; RelistReason::ALL.len()],
    /// The newest version that the server has been seen at otherwise, by a lookup.
    looked_up: ResourceVersion,
}

impl ScopeStatus {
    /// How often the scope was read as a whole for this reason.
    pub fn relists(&self, reason: RelistReason) -> u64 {
        self.relists[reason as usize]
    }
}

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
    last_event: Gauge,
    last_bookmark: Gauge,
}

/// Why a watch is opened again where the last one ended; the names are those of the reflector's troubles.
pub(crate) const RESTARTS: [&str; 7] =
    ["ended", "transport", "http", "cut_short", "too_big", "very_short", "silent"];

impl StatusCell {
    pub(crate) fn new(scope: Scope, now: Instant) -> Self {
        let status = ScopeStatus {
            scope,
            phase: Phase::Pending,
            phase_since: now,
            last_error: None,
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
            relists: metrics.relists(&RelistReason::ALL.map(RelistReason::name)),
            watches: metrics.watches(),
            streaming_fallbacks: metrics.streaming_fallbacks(),
            restarts: metrics.watch_restarts(&RESTARTS),
            last_event: metrics.last_event(),
            last_bookmark: metrics.last_bookmark(),
        });
        self
    }

    pub(crate) fn get(&self) -> ScopeStatus {
        self.status.lock().clone()
    }

    /// The version up to which nothing has been missed, empty before the first list.
    pub(crate) fn last_version(&self) -> ResourceVersion {
        self.status.lock().last_version.clone().unwrap_or_else(ResourceVersion::empty)
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

    pub(crate) fn error(&self, message: String, http_status: Option<u16>, now: Instant) {
        self.edit(|status| status.last_error = Some(LastError { message, http_status, at: now }));
    }
}

#[cfg(test)]
mod tests;
