//! What a reflector is doing, and why it reads everything, in the words of a status.

use std::fmt;

/// What the reflector of a scope is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// It has not started.
    #[default]
    Pending,
    /// It is listing the whole scope.
    Listing,
    /// It is following changes.
    Watching,
    /// A request failed; the reflector waits before it tries again.
    BackingOff,
    /// The server cannot be reached. One informer tries for all of them, and all go on as soon as there is an answer.
    Unreachable,
    /// It has sent so many requests in a short time, successful or not, that the next one has to wait.
    Throttled,
    /// RBAC allows the account to list but not to watch, so the reflector lists periodically.
    Polling,
    /// It is connected, but has received nothing for so long that the connection may be dead.
    Stalled,
    /// The server does not serve the kind; the cache keeps its objects, and the reflector tries again periodically.
    Gone,
    /// The server has gone back in time, such as after the restore of a backup; the scope is being listed again.
    Rewound,
    /// It has ended.
    Stopped,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pending => "not started",
            Self::Listing => "listing",
            Self::Watching => "watching",
            Self::BackingOff => "backing off",
            Self::Unreachable => "unreachable",
            Self::Throttled => "throttled",
            Self::Polling => "polling",
            Self::Stalled => "stalled",
            Self::Gone => "gone",
            Self::Rewound => "rewound",
            Self::Stopped => "stopped",
        })
    }
}

/// Why a scope was listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RelistReason {
    /// It was the first list.
    First,
    /// The server no longer had the requested resource version.
    Expired,
    /// The requested resource version was ahead of the server.
    TooLarge,
    /// The watch sent something that is not JSON.
    NotJson,
    /// The watch failed again and again.
    RepeatedErrors,
    /// Several watches in a row died without a byte: see `Tuning::silences_to_relist`.
    Dead,
    /// The kind was not served for a while.
    Gone,
    /// The server went back in time.
    Rewound,
    /// The program called `refresh`.
    Refresh,
    /// Watching is not allowed, listing is.
    Polling,
    /// Callers waited for more objects than could be requested one by one.
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

/// The higher, the worse: the phase of an informer is the worst phase of its scopes.
pub fn gravity(phase: Phase) -> u8 {
    match phase {
        Phase::Watching => 0,
        Phase::Pending => 1,
        Phase::Listing => 2,
        Phase::Polling => 3,
        Phase::Throttled => 4,
        Phase::BackingOff => 5,
        Phase::Stalled => 6,
        Phase::Unreachable => 7,
        Phase::Rewound => 8,
        Phase::Gone => 9,
        Phase::Stopped => 10,
    }
}

#[cfg(test)]
mod tests;
