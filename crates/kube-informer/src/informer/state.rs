//! The status of an informer: whether it is synced, why not, and how fresh its cache is.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use informer_core::status::gravity;
use informer_core::store::plan::Counts;
use informer_wire::ResourceVersion;
use tokio::time::Instant;

use crate::error::{Awaited, SyncError, Unmet, WaitError};
use crate::informer::SharedInformer;
use crate::informer::engine::{Engine, InformerState};
use crate::informer::scopes::ScopeSlot;
use crate::metrics::Commit;
use crate::status::{InformerStatus, Patience, Phase, ScopeStatus};

impl<K: 'static> SharedInformer<K> {
    /// Whether the cache has been filled with all objects that the informer watches. Stays true from then on, also
    /// while the connection is broken.
    ///
    /// Only [adding a namespace](Self::add_namespace) makes it false again, until that namespace has been listed or is
    /// removed.
    pub fn has_synced(&self) -> bool {
        self.engine().state.borrow().synced
    }

    /// Waits until the cache has been filled; if the timeout passes, the error names the scopes that have not been
    /// listed, and why. This includes namespaces that are added meanwhile.
    ///
    /// Handlers may not have been called for every object yet: see
    /// [`Registration::wait_synced`](crate::Registration::wait_synced).
    pub async fn wait_synced(&self, patience: impl Into<Patience>) -> Result<(), SyncError> {
        let patience = patience.into();
        let begun = Instant::now();
        let engine = self.engine();
        let mut state = engine.state.subscribe();
        match patience.wait(state.wait_for(|state| state.synced || state.stopped)).await {
            Ok(Ok(state)) if state.synced => Ok(()),
            _ => {
                let waited = patience.limit().unwrap_or_else(|| begun.elapsed());
                Err(engine.not_synced(Awaited::Informer, &engine.scopes.now(), waited))
            }
        }
    }

    /// Whether the informer has stopped. It does not start again.
    pub fn is_stopped(&self) -> bool {
        self.engine().is_stopped()
    }

    /// Waits until the informer has stopped, for whatever reason. Its handlers may still be called with what is pending.
    pub async fn wait_stopped(&self, patience: impl Into<Patience>) -> Result<(), WaitError> {
        let mut over = self.engine().over.subscribe();
        match patience.into().wait(over.wait_for(|is_over| *is_over)).await {
            Ok(_) => Ok(()),
            Err(waited) => Err(WaitError::new(self.kind(), Unmet::NotStopped { waited })),
        }
    }

    /// The resource version up to which the cache is complete; with several scopes the oldest of their versions. Empty
    /// before the informer is synced, and while it watches no namespace.
    pub fn last_sync_resource_version(&self) -> ResourceVersion {
        self.engine().oldest_version()
    }

    /// The current status.
    pub fn status(&self) -> InformerStatus {
        self.engine().status(&self.engine().scopes.now())
    }
}

impl Engine {
    /// The status with these scopes.
    fn status(&self, slots: &[Arc<ScopeSlot>]) -> InformerStatus {
        let state = *self.state.borrow();
        let origin = self.ingest.origin();
        let scopes: Vec<_> = slots.iter().map(|slot| self.scope_status(slot)).collect();
        InformerStatus {
            name: self.name.to_string(),
            kind: self.kind.clone(),
            sensitive: origin.sensitive,
            synced: state.synced,
            started: state.started,
            stopped: state.stopped,
            altered: self.options.metadata_only
                || !self.options.drop_fields.is_empty()
                || self.options.transform.is_some(),
            phase: scopes.iter().map(|scope| scope.phase).max_by_key(|phase| gravity(*phase)).unwrap_or(
                match state {
                    InformerState { stopped: true, .. } => Phase::Stopped,
                    InformerState { started: true, .. } => Phase::Watching,
                    _ => Phase::Pending,
                },
            ),
            objects: self.indexer.len(),
            queued: self.queue.len(),
            queued_bytes: self.queue.bytes(),
            versions_alive: origin.alive.load(Ordering::Relaxed),
            bytes_alive: origin.bytes_alive(),
            wrong_type: self.ingest.wrong_type(),
            managed_fields_cut: origin.managed_fields_cut.load(Ordering::Relaxed),
            decode_hits: origin.decodes.hits(),
            decode_misses: origin.decodes.misses(),
            decoded_bytes: origin.decodes.kept(),
            failures: self.reporter.count(),
            last_failure: self.reporter.last(),
            handlers: self.handlers(),
            scopes,
            also_held_by: None,
        }
    }

    /// The status of one scope: that of its reflector, and whether the store holds all of its objects.
    fn scope_status(&self, slot: &ScopeSlot) -> ScopeStatus {
        let mut status = slot.status.get();
        status.synced = self.indexer.synced(slot.id);
        status
    }

    /// The error of a wait until these scopes are synced.
    pub(crate) fn not_synced(
        &self,
        awaited: Awaited,
        slots: &[Arc<ScopeSlot>],
        waited: Duration,
    ) -> SyncError {
        SyncError::new(awaited, vec![self.status(slots)], waited)
    }

    /// The oldest of the versions of the scopes; empty if a scope has none.
    fn oldest_version(&self) -> ResourceVersion {
        self.indexer.oldest_version(self.scopes.now().iter().map(|slot| slot.id))
    }

    /// Whether every watched scope has been listed.
    pub(crate) fn all_synced(&self) -> bool {
        self.scopes.now().iter().all(|slot| self.indexer.synced(slot.id))
    }

    /// Whether any watched scope has been listed.
    pub(crate) fn any_synced(&self) -> bool {
        self.scopes.now().iter().any(|slot| self.indexer.synced(slot.id))
    }

    /// Records a commit: wakes the callers that wait for one, and updates the metrics. True if this commit made the
    /// informer synced.
    pub(crate) fn committed(&self, counts: Counts, took: Duration) -> bool {
        let mut became_synced = false;
        self.state.send_modify(|state| {
            // Checked while the state is locked, so that a scope which is added at this moment is not overlooked.
            became_synced = state.started && !state.synced && self.all_synced();
            state.synced |= became_synced;
        });
        let origin = self.ingest.origin();
        self.metrics.committed(&Commit {
            objects: self.indexer.len(),
            version: &self.oldest_version(),
            synced: self.state.borrow().synced,
            duplicates: counts.duplicates,
            unknown_deletes: counts.unknown_deletes,
            outside_scope: counts.outside_scope,
            managed_fields_cut: origin.managed_fields_cut.load(Ordering::Relaxed),
            decode_hits: origin.decodes.hits(),
            decode_misses: origin.decodes.misses(),
            decoded_bytes: origin.decodes.kept(),
            took,
        });
        became_synced
    }
}
