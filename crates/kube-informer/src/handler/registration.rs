//! What adding a handler gives back: its progress, and the way to remove it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::error::{Unmet, WaitError};
use crate::handler::listener::{Ending, Listener};
use crate::status::HandlerStatus;

/// A handler that was added to an informer. Dropping it does not remove the handler.
#[derive(Clone)]
pub struct Registration {
    listener: Arc<Listener>,
}

impl HandlerStatus {
    pub(crate) fn of(listener: &Listener) -> Self {
        let counters = &listener.counters;
        Self {
            name: listener.name.to_string(),
            synced: listener.state().borrow().synced,
            backlog: listener.backlog(),
            merged: listener.merged(),
            delivered: counters.delivered.load(Ordering::Relaxed),
            panics: counters.panics.load(Ordering::Relaxed),
            slow: counters.slow.load(Ordering::Relaxed),
            undecodable: counters.undecodable.load(Ordering::Relaxed),
        }
    }
}

impl Registration {
    pub(crate) fn new(listener: Arc<Listener>) -> Self {
        Self { listener }
    }

    /// The handler's name.
    pub fn name(&self) -> &str {
        &self.listener.name
    }

    /// Whether the handler has heard of everything that was there when it joined, or when the informer first filled.
    pub fn has_synced(&self) -> bool {
        self.listener.state().borrow().synced
    }

    /// Waits until the handler has heard of everything that was there when it joined: the calls have returned.
    ///
    /// Ends with an error as well if the handler is removed or the informer stops before that.
    pub async fn wait_synced(&self, timeout: Duration) -> Result<(), WaitError> {
        let mut state = self.listener.state();
        let over = state.wait_for(|state| state.synced || state.ending == Ending::Closed);
        let handler = self.listener.name.clone();
        match tokio::time::timeout(timeout, over).await {
            Ok(Ok(state)) if state.synced => Ok(()),
            Ok(_) => Err(self.error(Unmet::HandlerEnded { handler })),
            Err(_) => Err(self.error(Unmet::NotSynced { handler, waited: timeout })),
        }
    }

    fn error(&self, unmet: Unmet) -> WaitError {
        WaitError::new(self.listener.reporter.kind(), unmet)
    }

    /// Removes the handler and discards what it has not heard. A call in progress is not waited for.
    ///
    /// Removing twice, or after the informer stopped, is fine.
    pub fn remove(&self) {
        self.listener.end(Ending::Closed);
    }

    /// Removes the handler: it hears what waits for it, but nothing that happens later, and its last call is awaited.
    ///
    /// What it has not heard when the time is over is discarded, and the error says how much that was. Must not be awaited
    /// from within the handler itself.
    pub async fn remove_and_drain(&self, timeout: Duration) -> Result<(), WaitError> {
        self.listener.end(Ending::Draining);
        let mut state = self.listener.state();
        if !state.borrow().started {
            self.listener.end(Ending::Closed);
            return Ok(()); // It was never called and never will be.
        }
        let finished = state.wait_for(|state| state.finished);
        if tokio::time::timeout(timeout, finished).await.is_ok() {
            return Ok(());
        }
        let discarded = self.listener.backlog();
        self.listener.end(Ending::Closed);
        let handler = self.listener.name.clone();
        Err(self.error(Unmet::NotDrained { handler, waited: timeout, discarded }))
    }

    /// What the handler has done and has yet to do.
    pub fn status(&self) -> HandlerStatus {
        HandlerStatus::of(&self.listener)
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Registration").field(&self.status()).finish()
    }
}
