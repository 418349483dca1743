//! Tasks that end with their owner: dropping the handle ends the task, on whatever runs it.

use std::future::Future;
use std::sync::Arc;

use futures::future::{AbortHandle, Abortable, BoxFuture};
use tokio::runtime::Handle;
use tokio::sync::watch;

/// What runs tasks: tokio, or in tests an executor that polls them in random order.
pub(crate) trait Spawn: Send + Sync {
    fn spawn(&self, task: BoxFuture<'static, ()>);
}

/// The tokio runtime that the informer's future is polled on.
pub(crate) struct OnTokio;

impl Spawn for OnTokio {
    fn spawn(&self, task: BoxFuture<'static, ()>) {
        tokio::spawn(task);
    }
}

/// This tokio runtime, from whatever thread it is called.
impl Spawn for Handle {
    fn spawn(&self, task: BoxFuture<'static, ()>) {
        Self::spawn(self, task);
    }
}

/// A running task. Dropping it ends the task at its next pause.
pub(crate) struct Task {
    abort: AbortHandle,
    /// Its sender is dropped when the task is over.
    ended: watch::Receiver<()>,
}

impl Task {
    pub(crate) fn start(spawn: &Arc<dyn Spawn>, future: BoxFuture<'static, ()>) -> Self {
        let (task, handle) = Self::prepare(future);
        spawn.spawn(task);
        handle
    }

    /// On a thread of its own, for code that blocks. It can only be ended between two calls.
    pub(crate) fn start_thread(name: &str, future: BoxFuture<'static, ()>) -> std::io::Result<Self> {
        let (task, handle) = Self::prepare(future);
        let runtime = Handle::current();
        // The one character that the name of a thread cannot have.
        let name = name.replace('\0', " ");
        std::thread::Builder::new().name(name).spawn(move || runtime.block_on(task))?;
        Ok(handle)
    }

    fn prepare(future: BoxFuture<'static, ()>) -> (BoxFuture<'static, ()>, Self) {
        let (abort, registration) = AbortHandle::new_pair();
        let (end, ended) = watch::channel(());
        let future = Abortable::new(future, registration);
        let task = Box::pin(async move {
            // Dropped, and so signalled, however the task ends: done, aborted, panicked, or its executor gone.
            let _end = end;
            future.await.ok();
        });
        (task, Self { abort, ended })
    }

    /// Ends the task at its next pause; [`ended`](Self::ended) waits for that.
    pub(crate) fn abort(&self) {
        self.abort.abort();
    }

    pub(crate) fn is_over(&self) -> bool {
        self.ended.has_changed().is_err()
    }

    /// Waits until the task is over.
    pub(crate) fn ended(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut ended = self.ended.clone();
        async move { while ended.changed().await.is_ok() {} }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.abort.abort();
    }
}
