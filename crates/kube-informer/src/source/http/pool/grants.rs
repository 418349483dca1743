//! Who gets which connection, and when another one is made.

use std::sync::{Arc, Weak};

use http::Request;
use kube_client::client::Body;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tower::BoxError;

use super::http1::{self, Single};
use super::http2::{self, Multiplexed, StreamLease};
use super::{ConnectError, HANDSHAKE, Inner, Offer, Protocol, State, Waiting, too_slow};

/// How long a request holds what it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Duty {
    /// A watch, or a log that is followed.
    Long,
    /// Anything else.
    Short,
}

impl Duty {
    pub(super) fn of(request: &Request<Body>) -> Self {
        let lasts = |pair: &str| matches!(pair, "watch=true" | "watch=1" | "follow=true" | "follow=1");
        let query = request.uri().query().unwrap_or_default();
        if query.split('&').any(lasts) { Self::Long } else { Self::Short }
    }
}

/// The right to send one request.
pub(super) enum Grant {
    Stream(StreamLease),
    Connection(Single),
}

/// How many of a connection's streams watches leave to other requests: lists, probes and writes must not have to wait for a
/// new connection.
pub(super) fn reserve(limit: usize) -> usize {
    (limit / 2).min(4)
}

impl Inner {
    /// Waits for a connection that can take a request.
    pub(super) async fn grant(self: &Arc<Self>, duty: Duty) -> Result<Grant, ConnectError> {
        let (sender, granted) = oneshot::channel();
        self.change(|state| state.waiting.push_back(Waiting { duty, grant: sender }));
        // The pool keeps the other end until it has decided.
        granted.await.unwrap_or_else(|_| Err(ConnectError(Arc::new("the client was dropped".into()))))
    }

    /// Changes something, and then serves those who wait as well as can be.
    pub(super) fn change(self: &Arc<Self>, edit: impl FnOnce(&mut State)) {
        let mut state = self.state.lock();
        edit(&mut state);
        let unwanted = state.serve(self);
        let missing = state.missing();
        state.attempts += missing;
        drop(state);
        // What is given back comes here again, so the lock must not be held.
        drop(unwanted);
        for _ in 0..missing {
            self.attempt();
        }
    }

    /// Makes one more connection, and looks after it as long as it lasts.
    fn attempt(self: &Arc<Self>) {
        let connecting = (self.connect)(Offer::Both);
        let attempt = Attempt { pool: Arc::downgrade(self), over: false };
        tokio::spawn(async move {
            let made = timeout(HANDSHAKE, async {
                let (socket, protocol) = connecting.await?;
                Ok::<_, BoxError>(match protocol {
                    Protocol::Http1 => Made::Http1(Box::new(http1::handshake(socket).await?)),
                    Protocol::Http2 => Made::Http2(http2::handshake(socket).await?),
                })
            });
            match made.await.unwrap_or_else(|_| Err(too_slow())) {
                Ok(Made::Http1(connection)) => http1::drive(*connection, attempt).await,
                Ok(Made::Http2(connection)) => http2::drive(connection, attempt).await,
                Err(error) => attempt.failed(error),
            }
        });
    }
}

enum Made {
    Http1(Box<http1::Opened>),
    Http2(Arc<Multiplexed>),
}

/// A connection that is being made. However that ends, also with the runtime or a panic, those who wait learn of it.
pub(super) struct Attempt {
    pool: Weak<Inner>,
    over: bool,
}

impl Attempt {
    pub(super) fn pool(&self) -> Weak<Inner> {
        self.pool.clone()
    }

    /// It was made, and is counted as such by [`State::made`].
    pub(super) fn made(mut self) {
        self.over = true;
    }

    pub(super) fn failed(mut self, error: BoxError) {
        self.over = true;
        failed(&self.pool, error);
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        if !self.over {
            failed(&self.pool, "the task that made the connection was ended".into());
        }
    }
}

/// A connection could not be made.
fn failed(pool: &Weak<Inner>, error: BoxError) {
    let Some(pool) = pool.upgrade() else { return };
    let error = ConnectError(Arc::new(error));
    pool.change(|state| {
        state.attempts -= 1;
        // Those stay for whom another connection is being made; if there is none, nobody.
        let served = state.attempts.saturating_mul(state.expected.unwrap_or(usize::MAX));
        for _ in served..state.waiting.len() {
            if let Some(waiting) = state.waiting.pop_front() {
                // It may have given up.
                waiting.grant.send(Err(error.clone())).ok();
            }
        }
    });
}

impl State {
    /// Gives what there is to those who wait, in their order. What nobody took is returned, to be dropped outside of the
    /// lock.
    fn serve(&mut self, pool: &Arc<Inner>) -> Vec<Grant> {
        let mut unwanted = Vec::new();
        let mut still = std::collections::VecDeque::new();
        while let Some(waiting) = self.waiting.pop_front() {
            if waiting.grant.is_closed() {
                continue;
            }
            match self.take(waiting.duty, pool) {
                Some(grant) => unwanted.extend(waiting.grant.send(Ok(grant)).err().and_then(Result::ok)),
                None => still.push_back(waiting),
            }
        }
        self.waiting = still;
        unwanted
    }

    fn take(&mut self, duty: Duty, pool: &Arc<Inner>) -> Option<Grant> {
        self.multiplexed.retain(|connection| !connection.is_closed());
        if let Some(connection) = self.multiplexed.iter().find(|connection| connection.has_room(duty)) {
            return Some(Grant::Stream(StreamLease::new(connection.clone(), pool)));
        }
        while let Some(connection) = self.idle.pop() {
            if !connection.is_closed() {
                return Some(Grant::Connection(connection));
            }
        }
        None
    }

    /// How many more connections those who wait need.
    fn missing(&self) -> usize {
        let needed = match self.expected {
            Some(expected) => self.waiting.len().div_ceil(expected),
            None => usize::from(!self.waiting.is_empty()),
        };
        needed.saturating_sub(self.attempts)
    }

    /// A connection was made.
    pub(super) fn made(&mut self, expected: usize) {
        self.attempts -= 1;
        self.expected = Some(expected.max(1));
    }
}
