//! The result of adding a handler: shows the handler's progress, and removes it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::error::{Unmet, WaitError};
use crate::handler::listener::{Ending, Listener};
use crate::status::{HandlerStatus, Patience};

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
            slowest: counters.slowest(),
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

    /// Whether the handler has been called for every object that was in the cache when the handler was added, or when
    /// the informer first filled its cache.
    pub fn has_synced(&self) -> bool {
        self.listener.state().borrow().synced
    }

    /// Waits until the handler has been called for every object that was in the cache when the handler was added, and
    /// those calls have returned.
    ///
    /// It is also an error if the handler is removed or the informer stops before that.
    pub async fn wait_synced(&self, patience: impl Into<Patience>) -> Result<(), WaitError> {
        let mut state = self.listener.state();
        let over = state.wait_for(|state| state.synced || state.ending == Ending::Closed);
        let handler = self.listener.name.clone();
        match patience.into().wait(over).await {
            Ok(Ok(state)) if state.synced => Ok(()),
            Ok(_) => Err(self.error(Unmet::HandlerEnded { handler })),
            Err(waited) => Err(self.error(Unmet::NotSynced { handler, waited })),
        }
    }

    /// Waits until the handler has been called with all that is pending for it now, and those calls have returned. What
    /// happens meanwhile is not waited for.
    ///
    /// It is also an error if the handler is removed or the informer stops before that. Must not be awaited from within the
    /// handler itself.
    pub async fn wait_drained(&self, patience: impl Into<Patience>) -> Result<(), WaitError> {
        let handler = self.listener.name.clone();
        match patience.into().wait(self.listener.drained()).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.error(Unmet::HandlerEnded { handler })),
            Err(waited) => {
                let left = self.listener.backlog();
                Err(self.error(Unmet::NotDelivered { handler, waited, left }))
            }
        }
    }

    fn error(&self, unmet: Unmet) -> WaitError {
        WaitError::new(self.listener.reporter.kind(), unmet)
    }

    /// Removes the handler and discards its pending events. Does not wait for a call in progress.
    ///
    /// Removing it twice, or after the informer has stopped, does nothing.
    pub fn remove(&self) {
        self.listener.end(Ending::Closed);
    }

    /// Removes the handler after it has been called with its pending events, but with none that happen later. Returns
    /// when its last call has returned.
    ///
    /// Events that are still pending when the patience is at its end are discarded, and the error says how many. Must not
    /// be awaited from within the handler itself.
    pub async fn remove_and_drain(&self, patience: impl Into<Patience>) -> Result<(), WaitError> {
        self.listener.end(Ending::Draining);
        let mut state = self.listener.state();
        if !state.borrow().started {
            self.listener.end(Ending::Closed);
            return Ok(()); // It was never called and never will be.
        }
        let Err(waited) = patience.into().wait(state.wait_for(|state| state.finished)).await else {
            return Ok(());
        };
        let discarded = self.listener.backlog();
        self.listener.end(Ending::Closed);
        let handler = self.listener.name.clone();
        Err(self.error(Unmet::NotDrained { handler, waited, discarded }))
    }

    /// The handler's status: how many events it has been called with, and how many are pending.
    pub fn status(&self) -> HandlerStatus {
        HandlerStatus::of(&self.listener)
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Registration").field(&self.status()).finish()
    }
}
