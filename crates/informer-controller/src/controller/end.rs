//! How a controller ends, with all that was given to it.

use std::sync::Arc;
use std::time::Duration;

use futures::future::{OptionFuture, join, join_all};
use kube_informer::Registration;
use kube_informer::status::Patience;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::worker::Shared;
use crate::election::Leadership;
use crate::writes::Echoes;

/// How long a function that was told to end may still block its thread. Nobody can end it from outside.
const BLOCKED: Duration = Duration::from_secs(1);

/// How long the last events may take then.
const FLUSH: Duration = Duration::from_secs(5);

/// How a controller ended.
pub(super) enum End {
    /// All that was due has been done.
    Drained,
    /// Not all of it, in the time that there was.
    TooLate,
    /// Others may lead by now.
    LeadershipLost,
}

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
    /// Ends the controller: no key comes any more, what is due is done as long as the patience lasts, and then nothing is called
    /// or written any more. If the leadership is lost meanwhile, what runs is dropped where it is.
    pub(super) async fn drain(
        &self,
        workers: &mut JoinSet<()>,
        registered: &Registered,
        patience: Patience,
    ) -> End {
        registered.remove();
        self.queue.shut_down();
        // Keys that wait for their own writes are not waited for: nothing of them is under way, and whoever works next reconciles
        // them all.
        let aside = self.aside.lock().take();
        if let Some(mut aside) = aside {
            aside.shutdown().await;
        }
        let begin = Instant::now();
        let drained = async {
            let (is_empty, ()) = join(self.queue.drain(patience), registered.end(patience)).await;
            // What is still running ends here, and then nothing is written any more.
            self.end(workers).await;
            self.tracker.end(patience.left_after(begin.elapsed())).await && is_empty
        };
        let lost = OptionFuture::from(self.leadership.as_ref().map(Leadership::lost));
        let end = tokio::select! {
            biased;
            Some(()) = lost => End::LeadershipLost,
            drained = drained => if drained { End::Drained } else { End::TooLate },
        };
        if matches!(end, End::LeadershipLost) {
            self.end(workers).await;
            registered.end(BLOCKED.into()).await;
        }
        self.tracker.end_now();
        if let Some(recorder) = &self.recorder {
            recorder.flush(FLUSH).await;
        }
        end
    }

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
