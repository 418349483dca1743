//! How an informer is doing: synced or not and why, fresh or not.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::handler::HandlerStatus;
use crate::informer::SharedInformer;
use crate::informer::engine::{Engine, InformerState};
use crate::informer::scopes::ScopeSlot;
use crate::kind::KindInfo;
use crate::metrics::Commit;
use crate::report::{Failure, advice};
use crate::scope::Scope;
use crate::status::{LastError, Phase, ScopeStatus};
use crate::store::plan::Counts;
use crate::version::ResourceVersion;

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
}

/// The informer has not been synced in time, and why.
#[derive(Clone, Debug)]
pub struct NotSynced {
    kind: KindInfo,
    waited: Duration,
    started: bool,
    stopped: bool,
    /// The one namespace that was waited for is no longer looked at.
    removed: bool,
    scopes: Vec<UnsyncedScope>,
}

/// A scope that has not been listed, and what stands in the way.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UnsyncedScope {
    /// The scope.
    pub scope: Scope,
    /// What it is doing.
    pub phase: Phase,
    /// The last error of its requests.
    pub error: Option<LastError>,
}

impl NotSynced {
    fn new(engine: &Engine, unsynced: &[Arc<ScopeSlot>], waited: Duration) -> Self {
        let state = *engine.state.borrow();
        let scopes = unsynced.iter().map(|slot| {
            let status = slot.status.get();
            UnsyncedScope { scope: status.scope, phase: status.phase, error: status.last_error }
        });
        Self {
            kind: engine.kind.clone(),
            waited,
            started: state.started,
            stopped: state.stopped,
            removed: false,
            scopes: scopes.collect(),
        }
    }

    /// One scope has not been synced.
    pub(crate) fn one(engine: &Engine, slot: &Arc<ScopeSlot>, waited: Duration) -> Self {
        let removed = !engine.scopes.has(slot);
        Self { removed, ..Self::new(engine, std::slice::from_ref(slot), waited) }
    }

    /// The kind that is not synced.
    pub fn kind(&self) -> &KindInfo {
        &self.kind
    }

    /// Whether it has not even been started.
    pub(crate) fn is_pending(&self) -> bool {
        !self.started && !self.stopped
    }

    /// The scopes that have not been listed.
    pub fn scopes(&self) -> &[UnsyncedScope] {
        &self.scopes
    }
}

impl fmt::Display for NotSynced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} not synced", self.kind)?;
        if self.stopped {
            return f.write_str(": the informer has stopped");
        }
        if self.removed {
            let scopes: Vec<_> = self.scopes.iter().map(|scope| scope.scope.to_string()).collect();
            return write!(f, ": {} was removed", scopes.join(", "));
        }
        write!(f, " after {:?}", self.waited)?;
        if !self.started {
            return f.write_str(": the informer was not started");
        }
        for scope in &self.scopes {
            write!(f, "; {} is {}", scope.scope, scope.phase)?;
            if let Some(error) = &scope.error {
                if let Some(status) = error.http_status {
                    write!(f, " (HTTP {status})")?;
                }
                write!(f, ": {}", error.message)?;
                if let Some(advice) = advice(&self.kind, error.http_status, &error.message) {
                    write!(f, "; {advice}")?;
                }
            }
        }
        Ok(())
    }
}

impl std::error::Error for NotSynced {}

impl<K: 'static> SharedInformer<K> {
    /// Whether all that the informer looks at has been in the cache. Stays true from then on, whatever becomes of the
    /// connection.
    ///
    /// Only [adding a namespace](Self::add_namespace) makes it false again, until that has been listed or is removed.
    pub fn has_synced(&self) -> bool {
        self.engine().state.borrow().synced
    }

    /// Waits until the cache has been filled; on time-out the error says which scope is not and why. Namespaces that are
    /// added meanwhile count.
    ///
    /// Handlers may not have heard of everything yet: see [`Registration::synced`](crate::Registration::synced).
    pub async fn wait_synced(&self, deadline: Duration) -> Result<(), NotSynced> {
        let mut state = self.engine().state.subscribe();
        let done = state.wait_for(|state| state.synced || state.stopped);
        match tokio::time::timeout(deadline, done).await {
            Ok(Ok(state)) if state.synced => Ok(()),
            _ => Err(self.not_synced(deadline)),
        }
    }

    fn not_synced(&self, waited: Duration) -> NotSynced {
        let engine = self.engine();
        let slots = engine.scopes.now();
        let unsynced: Vec<_> = slots.iter().filter(|slot| !engine.indexer.synced(slot.id)).cloned().collect();
        NotSynced::new(engine, &unsynced, waited)
    }

    /// Whether the informer has stopped. It does not start again.
    pub fn is_stopped(&self) -> bool {
        self.engine().is_stopped()
    }

    /// The version up to which the cache is complete; with several scopes the oldest of theirs. Empty before it is
    /// synced, and while it looks at no namespace.
    pub fn last_sync_resource_version(&self) -> ResourceVersion {
        self.engine().oldest_version()
    }

    /// How it is doing at this moment.
    pub fn status(&self) -> InformerStatus {
        let engine = self.engine();
        let state = *engine.state.borrow();
        let origin = engine.ingest.origin();
        let scopes: Vec<_> = engine.scopes.now().iter().map(|slot| slot.status.get()).collect();
        InformerStatus {
            name: engine.name.to_string(),
            kind: engine.kind.clone(),
            synced: state.synced,
            stopped: state.stopped,
            phase: scopes.iter().map(|scope| scope.phase).max_by_key(|phase| phase.gravity()).unwrap_or(
                match state {
                    InformerState { stopped: true, .. } => Phase::Stopped,
                    InformerState { started: true, .. } => Phase::Watching,
                    _ => Phase::Pending,
                },
            ),
            objects: engine.indexer.len(),
            queued: engine.queue.len(),
            queued_bytes: engine.queue.bytes(),
            versions_alive: origin.alive.load(Ordering::Relaxed),
            bytes_alive: origin.alive_bytes.load(Ordering::Relaxed),
            wrong_type: engine.ingest.wrong_type(),
            decode_hits: origin.shelf.hits(),
            decode_misses: origin.shelf.misses(),
            failures: engine.reporter.count(),
            last_failure: engine.reporter.last(),
            handlers: engine.handlers(),
            scopes,
        }
    }
}

impl Engine {
    /// The oldest of the versions of the scopes, empty if one has none.
    fn oldest_version(&self) -> ResourceVersion {
        self.indexer.oldest_version(self.scopes.now().iter().map(|slot| slot.id))
    }

    /// Whether every scope that is looked at has been listed.
    pub(crate) fn all_synced(&self) -> bool {
        self.scopes.now().iter().all(|slot| self.indexer.synced(slot.id))
    }

    /// Whether any scope that is looked at has been listed.
    pub(crate) fn any_synced(&self) -> bool {
        self.scopes.now().iter().any(|slot| self.indexer.synced(slot.id))
    }

    /// Notes a commit: wakes who waits for one, and tells the metrics. True if this one made the informer synced.
    pub(crate) fn committed(&self, counts: Counts, took: Duration) -> bool {
        let mut became_synced = false;
        self.state.send_modify(|state| {
            // Asked in here, so that a scope which is added at this moment is not overlooked.
            became_synced = state.started && !state.synced && self.all_synced();
            state.synced |= became_synced;
        });
        self.metrics.committed(&Commit {
            objects: self.indexer.len(),
            version: &self.oldest_version(),
            synced: self.state.borrow().synced,
            duplicates: counts.duplicates,
            unknown_deletes: counts.unknown_deletes,
            outside_scope: counts.outside_scope,
            took,
        });
        became_synced
    }
}
