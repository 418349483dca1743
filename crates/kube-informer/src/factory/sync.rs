//! Waiting until the caches of a factory are filled.

use std::time::Duration;

use futures::future::join_all;
use tokio::time::Instant;

use crate::error::{Awaited, SyncError};
use crate::factory::SharedInformerFactory;
use crate::status::Patience;

impl SharedInformerFactory {
    /// Waits until the caches of all informers registered so far are filled. The error names each informer that is not
    /// synced, each of its scopes, and the reason.
    ///
    /// If the factory was never started, it returns an error at once, unless there is no informer to wait for.
    pub async fn wait_for_cache_sync(&self, patience: impl Into<Patience>) -> Result<(), SyncError> {
        let patience = patience.into();
        let begun = Instant::now();
        let (informers, started) =
            self.inner.registry(|registry| (registry.informers(), registry.is_started()));
        let each = if started { patience } else { Duration::ZERO.into() };
        let waits = informers.iter().map(|informer| informer.wait_synced(each));
        let errors = join_all(waits).await.into_iter().filter_map(Result::err);
        let unsynced: Vec<_> = errors.flat_map(SyncError::into_informers).collect();
        if unsynced.is_empty() {
            return Ok(());
        }
        let awaited = Awaited::Factory { started, informers: informers.len() };
        let waited = patience.limit().unwrap_or_else(|| begun.elapsed());
        Err(SyncError::new(awaited, unsynced, waited))
    }
}
