//! Waiting until the caches of a factory are filled.

use std::time::Duration;

use futures::future::join_all;

use crate::error::{Awaited, SyncError};
use crate::factory::SharedInformerFactory;

impl SharedInformerFactory {
    /// Waits until the caches of all informers registered so far are filled. The error names each informer that is not
    /// synced, each of its scopes, and the reason.
    ///
    /// If the factory was never started, it returns an error at once, unless there is no informer to wait for.
    pub async fn wait_for_cache_sync(&self, timeout: Duration) -> Result<(), SyncError> {
        let (informers, started) =
            self.inner.registry(|registry| (registry.informers(), registry.is_started()));
        let patience = if started { timeout } else { Duration::ZERO };
        let waits = informers.iter().map(|informer| informer.wait_synced(patience));
        let errors = join_all(waits).await.into_iter().filter_map(Result::err);
        let unsynced: Vec<_> = errors.flat_map(SyncError::into_informers).collect();
        if unsynced.is_empty() {
            return Ok(());
        }
        let awaited = Awaited::Factory { started, informers: informers.len() };
        Err(SyncError::new(awaited, unsynced, timeout))
    }
}
