//! Caches that are not filled in time.

use std::fmt;
use std::time::Duration;

use crate::report::advice;
use crate::status::{InformerStatus, ScopeStatus};

/// The cache of an informer, or of some informers of a factory, has not been filled in time. Names each of these
/// informers, its scopes, and the reason.
#[derive(Clone, Debug)]
pub struct SyncError(Box<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    awaited: Awaited,
    waited: Duration,
    informers: Vec<InformerStatus>,
}

/// What was waited for.
#[derive(Clone, Debug)]
pub(crate) enum Awaited {
    /// All scopes of one informer.
    Informer,
    /// One namespace of an informer. The flag says that it was removed meanwhile.
    Namespace { removed: bool },
    /// A namespace that the informer does not watch.
    NoNamespace(String),
    /// All informers of a factory.
    Factory { started: bool, informers: usize },
}

impl SyncError {
    pub(crate) fn new(awaited: Awaited, informers: Vec<InformerStatus>, waited: Duration) -> Self {
        Self(Box::new(Inner { awaited, waited, informers }))
    }

    /// The status of each informer that was not synced when the timeout had passed: its kind and name, and its scopes
    /// with their phases and last errors. After a wait for one namespace, only that scope is included.
    pub fn informers(&self) -> &[InformerStatus] {
        &self.0.informers
    }

    /// Only the statuses of the informers.
    pub(crate) fn into_informers(self) -> Vec<InformerStatus> {
        self.0.informers
    }

    /// The scopes of all these informers that have not been listed.
    pub fn scopes(&self) -> impl Iterator<Item = &ScopeStatus> {
        self.0.informers.iter().flat_map(unsynced)
    }

    /// How long the call waited.
    pub fn waited(&self) -> Duration {
        self.0.waited
    }

    /// Whether the informer, or any unsynced informer of the factory, has stopped and so will never be synced.
    pub fn is_stopped(&self) -> bool {
        self.0.informers.iter().any(|informer| informer.stopped)
    }

    /// Whether the factory or informer was not started: call `start` of the factory, or `run` of the informer.
    pub fn is_not_started(&self) -> bool {
        match self.0.awaited {
            Awaited::Factory { started, .. } => !started,
            _ => self.0.informers.iter().any(|informer| !informer.started && !informer.stopped),
        }
    }

    /// Whether the informer does not watch the namespace, or no longer does.
    pub fn is_out_of_scope(&self) -> bool {
        matches!(self.0.awaited, Awaited::Namespace { removed: true } | Awaited::NoNamespace(_))
    }
}

fn unsynced(informer: &InformerStatus) -> impl Iterator<Item = &ScopeStatus> {
    informer.scopes.iter().filter(|scope| !scope.synced)
}

impl fmt::Display for SyncError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { awaited, waited, informers } = &*self.0;
        let &Awaited::Factory { started, informers: all } = awaited else {
            return informers.iter().try_for_each(|informer| self.write_one(f, informer));
        };
        let unsynced = informers.len();
        let noun = if all == 1 { "informer" } else { "informers" };
        if !started {
            return write!(f, "{unsynced} of {all} {noun} not synced: the factory was not started");
        }
        write!(f, "{unsynced} of {all} {noun} not synced after {waited:?}")?;
        for informer in informers {
            let (name, kind) = (&informer.name, &informer.kind);
            f.write_str("\n  ")?;
            // The default name is the resource, which the text contains already.
            if *name != kind.resource() {
                write!(f, "{name:?}: ")?;
            }
            if informer.started || informer.stopped {
                self.write_one(f, informer)?;
            } else {
                write!(f, "{kind} not synced: it waits until others have their lists")?;
            }
        }
        Ok(())
    }
}

impl SyncError {
    fn write_one(&self, f: &mut fmt::Formatter<'_>, informer: &InformerStatus) -> fmt::Result {
        let kind = &informer.kind;
        write!(f, "{kind} not synced")?;
        if informer.stopped {
            return f.write_str(": the informer has stopped");
        }
        match &self.0.awaited {
            Awaited::Namespace { removed: true } => {
                let scopes: Vec<_> = informer.scopes.iter().map(|scope| scope.scope.to_string()).collect();
                return write!(f, ": {} was removed", scopes.join(", "));
            }
            Awaited::NoNamespace(namespace) => {
                return write!(f, ": the informer does not look at namespace {namespace:?}; add it first");
            }
            Awaited::Namespace { removed: false } | Awaited::Informer | Awaited::Factory { .. } => {}
        }
        write!(f, " after {:?}", self.0.waited)?;
        if !informer.started {
            return f.write_str(": the informer was not started");
        }
        for scope in unsynced(informer) {
            write!(f, "; {} is {}", scope.scope, scope.phase)?;
            if let Some(error) = &scope.last_error {
                let (status, message) = (error.cause.http_status(), error.cause.message());
                if let Some(status) = status {
                    write!(f, " (HTTP {status})")?;
                }
                write!(f, ": {message}")?;
                if let Some(advice) = advice(kind, status, message) {
                    write!(f, "; {advice}")?;
                }
            }
        }
        Ok(())
    }
}

impl std::error::Error for SyncError {}
