//! What adding a handler gives back: its progress, and the way to remove it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::handler::listener::{Ending, Listener};

/// A handler that was added to an informer. Dropping it does not remove the handler.
#[derive(Clone)]
pub struct Registration {
    listener: Arc<Listener>,
}

/// What a handler has done and has yet to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HandlerStats {
    /// Events that wait or are being delivered; keys whose changes were merged count once.
    pub backlog: usize,
    /// Changes without a call of their own: they waited and were merged into an earlier change of the same object.
    pub merged: u64,
    /// Calls that have returned.
    pub delivered: u64,
    /// Calls that panicked.
    pub panics: u64,
    /// Calls that kept the thread for more than [`Settings::slow_call`](crate::Settings::slow_call).
    pub slow: u64,
    /// Objects that did not decode for a typed handler.
    pub undecodable: u64,
}

impl HandlerStats {
    fn of(listener: &Listener) -> Self {
        let counters = &listener.counters;
        Self {
            backlog: listener.backlog(),
            merged: listener.merged(),
            delivered: counters.delivered.load(Ordering::Relaxed),
            panics: counters.panics.load(Ordering::Relaxed),
            slow: counters.slow.load(Ordering::Relaxed),
            undecodable: counters.undecodable.load(Ordering::Relaxed),
        }
    }
}

/// A handler of an informer, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HandlerStatus {
    /// As set with [`Handler::named`](crate::Handler::named), or made from the informer's.
    pub name: String,
    /// Whether it has heard of everything that was there when it joined.
    pub synced: bool,
    /// What it has done and has yet to do.
    pub stats: HandlerStats,
}

impl HandlerStatus {
    /// `None` once it has heard its last.
    pub(crate) fn of(listener: &Listener) -> Option<Self> {
        let state = *listener.state().borrow();
        (!state.finished).then(|| Self {
            name: listener.name.to_string(),
            synced: state.synced,
            stats: HandlerStats::of(listener),
        })
    }
}

/// The handler was removed, or the informer stopped, before it happened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("handler {handler:?} was removed or its informer stopped before it was synced")]
pub struct HandlerEnded {
    handler: Arc<str>,
}

/// The handler did not finish in time; what was left has been discarded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("handler {handler:?} did not finish in {waited:?}; {discarded} events were discarded")]
pub struct DrainTimeout {
    handler: Arc<str>,
    waited: Duration,
    discarded: usize,
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
    pub async fn synced(&self) -> Result<(), HandlerEnded> {
        let mut state = self.listener.state();
        let ended = || HandlerEnded { handler: self.listener.name.clone() };
        let state = state
            .wait_for(|state| state.synced || state.ending == Ending::Closed)
            .await
            .map_err(|_| ended())?;
        if state.synced { Ok(()) } else { Err(ended()) }
    }

    /// Removes the handler and discards what it has not heard. A call in progress is not waited for.
    ///
    /// Removing twice, or after the informer stopped, is fine.
    pub fn remove(&self) {
        self.listener.end(Ending::Closed);
    }

    /// Removes the handler: it hears what waits for it, but nothing that happens later, and its last call is awaited.
    ///
    /// Must not be awaited from within the handler itself.
    pub async fn remove_and_drain(&self, deadline: Duration) -> Result<(), DrainTimeout> {
        self.listener.end(Ending::Draining);
        let mut state = self.listener.state();
        if !state.borrow().started {
            self.listener.end(Ending::Closed);
            return Ok(()); // It was never called and never will be.
        }
        let finished = state.wait_for(|state| state.finished);
        if tokio::time::timeout(deadline, finished).await.is_ok() {
            return Ok(());
        }
        let discarded = self.listener.backlog();
        self.listener.end(Ending::Closed);
        Err(DrainTimeout { handler: self.listener.name.clone(), waited: deadline, discarded })
    }

    /// What the handler has done and has yet to do.
    pub fn stats(&self) -> HandlerStats {
        HandlerStats::of(&self.listener)
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration")
            .field("handler", &self.listener.name)
            .field("stats", &self.stats())
            .finish()
    }
}
