//! Waits that did not succeed.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use informer_wire::ObjectKey;

use crate::error::InformerError;
use crate::kind::KindInfo;

/// A wait did not succeed: its condition was not met in time, or can never be met any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: KindInfo,
    unmet: Unmet,
}

/// The condition that was not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unmet {
    /// The cache did not show the object at this version in time or, if `version` is empty, did not show in time that
    /// the object is gone. `at` is the version up to which the cache is complete; it is empty if the cache has not been
    /// filled.
    Timeout { key: ObjectKey, version: String, waited: Duration, at: String },
    /// The cache did not show in time what the server has of this object.
    NotRefreshed { key: ObjectKey, waited: Duration, at: String },
    /// The informer did not stop in time.
    NotStopped { waited: Duration },
    /// The versions cannot be compared, so it is not known whether the cache has passed this version.
    NotComparable { key: ObjectKey, version: String },
    /// The server went back in time, as after the restore of a backup: the write may be undone.
    Rewound { key: ObjectKey },
    /// The informer does not watch this object's namespace, or no longer does.
    OutOfScope { key: ObjectKey },
    /// The cache did not change after this commit in time.
    NoProgress { waited: Duration, commit: u64 },
    /// The objects of a namespace have not left the cache in time.
    NotRemoved { namespace: String, waited: Duration },
    /// The objects of the cache are not all in the index in time.
    NotReady { index: Arc<str>, waited: Duration },
    /// The handler was not called in time for every object that was in the cache when it was added.
    NotSynced { handler: Arc<str>, waited: Duration },
    /// The handler was removed, or its informer stopped, before that.
    HandlerEnded { handler: Arc<str> },
    /// The handler was not called in time with all events that were pending for it; so many are left.
    NotDelivered { handler: Arc<str>, waited: Duration, left: usize },
    /// The handler did not finish in time; its pending events have been discarded.
    NotDrained { handler: Arc<str>, waited: Duration, discarded: usize },
    /// The informer has stopped, or refuses this wait.
    Refused(InformerError),
}

impl WaitError {
    pub(crate) fn new(kind: &KindInfo, unmet: Unmet) -> Self {
        Self(Box::new(Inner { kind: kind.clone(), unmet }))
    }

    /// The condition that was not met.
    #[cfg(test)]
    pub(crate) fn unmet(&self) -> &Unmet {
        &self.0.unmet
    }

    /// The kind that the informer holds.
    pub fn kind(&self) -> &KindInfo {
        &self.0.kind
    }

    /// The object that the call waited for, if it waited for an object.
    pub fn key(&self) -> Option<&ObjectKey> {
        match &self.0.unmet {
            Unmet::Timeout { key, .. }
            | Unmet::NotRefreshed { key, .. }
            | Unmet::NotComparable { key, .. }
            | Unmet::Rewound { key }
            | Unmet::OutOfScope { key } => Some(key),
            _ => None,
        }
    }

    /// The handler that the call waited for, if it waited for a handler.
    pub fn handler(&self) -> Option<&str> {
        match &self.0.unmet {
            Unmet::NotSynced { handler, .. }
            | Unmet::NotDelivered { handler, .. }
            | Unmet::HandlerEnded { handler }
            | Unmet::NotDrained { handler, .. } => Some(handler),
            _ => None,
        }
    }

    /// How many pending events were discarded because the handler did not finish in time.
    pub fn discarded(&self) -> usize {
        match &self.0.unmet {
            Unmet::NotDrained { discarded, .. } => *discarded,
            _ => 0,
        }
    }

    /// Whether the timeout has passed. Waiting longer may help.
    pub fn is_timeout(&self) -> bool {
        use Unmet::{
            NoProgress, NotDelivered, NotDrained, NotReady, NotRefreshed, NotRemoved, NotStopped, NotSynced,
            Timeout,
        };
        matches!(
            self.0.unmet,
            Timeout { .. }
                | NotRefreshed { .. }
                | NotStopped { .. }
                | NotDelivered { .. }
                | NoProgress { .. }
                | NotRemoved { .. }
                | NotReady { .. }
                | NotSynced { .. }
                | NotDrained { .. }
        )
    }

    /// Whether the informer has stopped, or the handler that the call waited for was removed.
    pub fn is_stopped(&self) -> bool {
        match &self.0.unmet {
            Unmet::HandlerEnded { .. } => true,
            Unmet::Refused(error) => error.is_stopped(),
            _ => false,
        }
    }

    /// Whether the server went back in time, as after the restore of a backup: the write may be undone. Read the object
    /// again.
    pub fn is_rewound(&self) -> bool {
        matches!(self.0.unmet, Unmet::Rewound { .. })
    }

    /// Whether the versions cannot be compared, so that it is not known whether the cache has passed the requested one.
    pub fn is_not_comparable(&self) -> bool {
        matches!(self.0.unmet, Unmet::NotComparable { .. })
    }

    /// Whether the informer does not watch the object's namespace, or no longer does.
    pub fn is_out_of_scope(&self) -> bool {
        matches!(self.0.unmet, Unmet::OutOfScope { .. })
    }

    /// Why the informer refuses this wait: it has stopped, or the index does not exist.
    pub fn informer_error(&self) -> Option<&InformerError> {
        match &self.0.unmet {
            Unmet::Refused(error) => Some(error),
            _ => None,
        }
    }
}

impl From<InformerError> for WaitError {
    fn from(error: InformerError) -> Self {
        Self::new(&error.kind().clone(), Unmet::Refused(error))
    }
}

impl fmt::Display for WaitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = &self.0.kind;
        match &self.0.unmet {
            Unmet::Timeout { key, version, waited, at } => {
                let shown = match version.as_str() {
                    "" => format!("did not show within {waited:?} that {key} is gone"),
                    version => format!("did not show {key} at {version} within {waited:?}"),
                };
                write!(f, "the cache of {kind} {shown}; it {}", standing(at))
            }
            Unmet::NotRefreshed { key, waited, at } => {
                write!(
                    f,
                    "the cache of {kind} did not show within {waited:?} what the server has of {key}; it {}",
                    standing(at)
                )
            }
            Unmet::NotStopped { waited } => {
                write!(f, "the informer of {kind} did not stop within {waited:?}")
            }
            Unmet::NotComparable { key, version } => {
                write!(
                    f,
                    "resource version {version:?} of {kind} {key} cannot be compared with those in the cache"
                )
            }
            Unmet::Rewound { key } => {
                write!(f, "the server of {kind} has gone back in time; read {key} again before relying on it")
            }
            Unmet::OutOfScope { key } => {
                write!(f, "the informer of {kind} does not look at the namespace of {key}")
            }
            Unmet::NoProgress { waited, commit } => {
                write!(f, "the cache of {kind} did not go on from commit {commit} within {waited:?}")
            }
            Unmet::NotRemoved { namespace, waited } => {
                write!(
                    f,
                    "the objects of {kind} in namespace {namespace:?} did not leave the cache in {waited:?}"
                )
            }
            Unmet::NotReady { index, waited } => {
                write!(f, "index {index:?} of {kind} does not have all objects after {waited:?}")
            }
            Unmet::NotSynced { handler, waited } => {
                write!(f, "handler {handler:?} has not heard of everything that was there after {waited:?}")
            }
            Unmet::HandlerEnded { handler } => {
                write!(
                    f,
                    "handler {handler:?} was removed or its informer stopped before it had heard of everything"
                )
            }
            Unmet::NotDelivered { handler, waited, left } => {
                write!(
                    f,
                    "handler {handler:?} was not called with all that waited within {waited:?}; {left} events are left"
                )
            }
            Unmet::NotDrained { handler, waited, discarded } => {
                write!(
                    f,
                    "handler {handler:?} did not finish in {waited:?}; {discarded} events were discarded"
                )
            }
            Unmet::Refused(error) => write!(f, "{error}"),
        }
    }
}

/// How far a cache is: up to this version, which is empty before it has been filled.
fn standing(at: &str) -> String {
    if at.is_empty() { "has not been filled".to_owned() } else { format!("is at {at}") }
}

impl std::error::Error for WaitError {}
