//! How far the cache has come, as a value that can be kept, compared and waited on.

use crate::error::{Unmet, WaitError};
use crate::informer::SharedInformer;
use crate::status::{Patience, Progress};

impl<K: 'static> SharedInformer<K> {
    /// How far the cache has come.
    pub fn progress(&self) -> Progress {
        let (commit, rewinds, scopes) = self.engine().indexer.scopes();
        Progress {
            commit,
            rewinds,
            versions: scopes.into_iter().map(|scope| (scope.scope, scope.version)).collect(),
        }
    }

    /// Waits until the cache has changed since this progress, and returns the new progress. Sends nothing to the
    /// server.
    ///
    /// For code that reads the whole cache after each change: every commit ends every such wait. To wait for one object
    /// use [`wait_for`](Self::wait_for), which a commit wakes only if it concerns that object.
    pub async fn wait_progress(
        &self,
        since: &Progress,
        patience: impl Into<Patience>,
    ) -> Result<Progress, WaitError> {
        let engine = self.engine();
        let mut state = engine.state.subscribe();
        let further = async {
            loop {
                let stopped = state.borrow_and_update().stopped;
                let now = self.progress();
                if now.commit > since.commit {
                    return Ok(now);
                }
                if stopped || state.changed().await.is_err() {
                    return Err(engine.stopped().into());
                }
            }
        };
        patience.into().wait(further).await.unwrap_or_else(|waited| {
            Err(WaitError::new(&engine.kind, Unmet::NoProgress { waited, commit: since.commit }))
        })
    }
}
