//! How an informer, its scopes and its handlers are doing, as plain values that anybody may keep.

pub(crate) mod cell;
mod progress;

use std::fmt;

use tokio::time::Instant;

pub(crate) use self::cell::StatusCell;
pub use self::progress::Progress;
use crate::kind::KindInfo;
pub use crate::report::{Cause, Failure};
pub use crate::scope::Scope;
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
    pub const ALL: &'static [Self] = &[
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
    /// Whether all of it has been in the cache.
    pub synced: bool,
    /// The last request that failed, also when all is well since.
    pub last_error: Option<Failure>,
    /// When that was.
    pub last_error_at: Option<Instant>,
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

/// How an informer is doing at this moment.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InformerStatus {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: KindInfo,
    /// Whether all that it looks at has been in the cache: every namespace, those added later too.
    pub synced: bool,
    /// Whether it has been started.
    pub started: bool,
    /// Whether it has stopped.
    pub stopped: bool,
    /// The worst phase of its scopes. Of one that looks at no namespace, whether it runs.
    pub phase: Phase,
    /// Objects in the cache.
    pub objects: usize,
    /// Deltas that wait to be applied.
    pub queued: usize,
    /// Bytes of objects among them.
    pub queued_bytes: usize,
    /// Versions of objects that are alive: in the cache, on their way, in handlers' mailboxes and in users' hands.
    pub versions_alive: usize,
    /// Bytes that their packed bodies take. Heads, about 200 bytes a version, and decoded forms are not counted.
    pub bytes_alive: usize,
    /// What the decoder said, if no object of a sample decodes into the informer's type: the type is wrong.
    pub wrong_type: Option<String>,
    /// How often a decoded object was at hand already.
    pub decode_hits: u64,
    /// How often an object had to be decoded. If this keeps growing on a still cache, `decoded` mode fits better.
    pub decode_misses: u64,
    /// Failures survived so far.
    pub failures: u64,
    /// The last of them.
    pub last_failure: Option<Failure>,
    /// Who listens: handlers and streams.
    pub handlers: Vec<HandlerStatus>,
    /// Each scope on its own.
    pub scopes: Vec<ScopeStatus>,
    /// The name of another informer of the same factory that holds the same kind a second time: one of them holds its
    /// metadata, and whole objects were asked for when that had been started already. Only a factory knows.
    pub also_held_by: Option<String>,
}

/// How a handler or stream of an informer is doing at this moment.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HandlerStatus {
    /// As set with [`Handler::named`](crate::Handler::named), or made from the informer's.
    pub name: String,
    /// Whether it has heard of everything that was there when it joined, or when the informer first filled.
    pub synced: bool,
    /// Events that wait or are being delivered; keys whose changes were merged count once.
    pub backlog: usize,
    /// Changes that had no call of their own: they waited, and were told together with an earlier one of the same object.
    pub merged: u64,
    /// Calls that have returned.
    pub delivered: u64,
    /// Calls that panicked.
    pub panics: u64,
    /// Calls that kept the thread for more than [`Options::slow_call`](crate::Options::slow_call).
    pub slow: u64,
    /// Objects that did not decode for a typed handler.
    pub undecodable: u64,
}

#[cfg(test)]
mod tests;
