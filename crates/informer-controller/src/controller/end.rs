//! How a controller ends, with all that was given to it.

use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use kube_informer::Registration;
use kube_informer::status::Patience;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::worker::Shared;
use crate::writes::Echoes;

/// How long a function that was told to end may still block its thread. Nobody can end it from outside.
pub(super) const BLOCKED: Duration = Duration::from_secs(1);

/// Handlers, which end with this.
pub(super) struct Registered {
    pub(super) handlers: Vec<Registration>,
    pub(super) echoes: Echoes,
}

impl Registered {
    /// No key comes any more.
    pub(super) fn remove(&self) {
        self.handlers.iter().for_each(Registration::remove);
        self.echoes.close();
    }

    /// The same, and waits until calls in progress have returned.
    pub(super) async fn end(&self, patience: Patience) {
        self.remove();
        let ends = self.handlers.iter().map(|handler| handler.remove_and_drain(patience));
        for ended in join_all(ends).await {
            if let Err(error) = ended {
                tracing::warn!(%error, "what says which objects to reconcile has not ended");
            }
        }
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.remove();
    }
}

impl<K: Send + Sync + 'static> Shared<K> {
    /// Drops what runs where it waits. A function that blocks its thread is not waited for: it ends when it next waits, and nothing of it
    /// is written any more.
    pub(super) async fn end(&self, workers: &mut JoinSet<()>) {
        if timeout(BLOCKED, workers.shutdown()).await.is_err() {
            let controller = &*self.name;
            tracing::warn!(
                controller,
                "ends though its function still blocks a thread; `spawn_blocking` is for what takes long"
            );
        }
    }
}

/// What waits aside and what is being written, which end with this.
pub(super) struct Aside<'a, K>(pub(super) &'a Arc<Shared<K>>);

impl<K> Drop for Aside<'_, K> {
    fn drop(&mut self) {
        self.0.tracker.end_now();
        let aside = self.0.aside.lock().take();
        drop(aside);
    }
}
