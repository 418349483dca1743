//! Who gets which connection, and when another one is made.

use std::pin::pin;
use std::sync::{Arc, Weak};

use http::Request;
use kube_client::client::Body;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};
use tower::BoxError;

use super::http1::{self, Single};
use super::http2::{self, Driven, StreamLease};
use super::{ConnectError, Inner, LATE, Offer, PATIENCE, Protocol, State, Waiting};

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
        let since = Instant::now();
        self.change(|state| state.waiting.push_back(Waiting { since, duty, grant: sender }));
        // The pool keeps the other end until it has decided.
        granted.await.unwrap_or_else(|_| Err(ConnectError::new("the client was dropped".into())))
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
        let mut attempt = Attempt { pool: Arc::downgrade(self), late: false, over: false };
        let pool = attempt.pool();
        tokio::spawn(async move {
            let mut making = pin!(async {
                let (socket, protocol) = connecting.await?;
                Ok::<_, BoxError>(match protocol {
                    Protocol::Http1 => Made::Http1(Box::new(http1::handshake(socket).await?)),
                    Protocol::Http2 => Made::Http2(http2::handshake(socket, pool).await?),
                })
            });
            let made = match timeout(LATE, &mut making).await {
                Ok(made) => made,
                Err(_) => {
                    attempt.is_late();
                    making.await
                }
            };
            match made {
                Ok(Made::Http1(connection)) => http1::drive(*connection, attempt).await,
                Ok(Made::Http2(connection)) => http2::drive(connection, attempt).await,
                Err(error) => attempt.failed(error),
            }
        });
    }
}

enum Made {
    Http1(Box<http1::Opened>),
    Http2(Driven),
}

/// A connection that is being made. However that ends, also with the runtime or a panic, those who wait learn of it.
pub(super) struct Attempt {
    pool: Weak<Inner>,
    late: bool,
    over: bool,
}

impl Attempt {
    pub(super) fn pool(&self) -> Weak<Inner> {
        self.pool.clone()
    }

    /// Those who wait for it need not rely on it alone.
    fn is_late(&mut self) {
        self.late = true;
        if let Some(pool) = self.pool.upgrade() {
            pool.change(|state| state.late += 1);
        }
    }

    /// It was made, and goes to where those who wait find it.
    pub(super) fn made(mut self, pool: &Arc<Inner>, edit: impl FnOnce(&mut State)) {
        self.over = true;
        pool.change(|state| {
            state.over(self.late);
            edit(state);
        });
    }

    /// It could not be made.
    pub(super) fn failed(mut self, error: BoxError) {
        self.over = true;
        let Some(pool) = self.pool.upgrade() else { return };
        let error = ConnectError::new(error);
        pool.change(|state| {
            state.over(self.late);
            state.fail(&error);
        });
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        let Some(pool) = self.pool.upgrade().filter(|_| !self.over) else { return };
        let error = ConnectError::new("the task that made the connection was ended".into());
        // Nobody goes on waiting for other attempts: when the runtime ends, one that is begun now would end within this call, and
        // begin the next.
        pool.change(|state| {
            state.over(self.late);
            state.fail_all(&error);
        });
    }
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

    /// How many requests a new connection can be expected to take; not known before the first one.
    fn expected(&self) -> Option<usize> {
        self.limit.map(|limit| (limit - reserve(limit)).max(1))
    }

    /// How many more connections those who wait need. Late ones are replaced once.
    fn missing(&self) -> usize {
        let needed = match self.expected() {
            Some(expected) => self.waiting.len().div_ceil(expected),
            None => usize::from(!self.waiting.is_empty()),
        };
        let prompt = self.attempts - self.late;
        needed.saturating_sub(prompt).min((2 * needed).saturating_sub(self.attempts))
    }

    /// An attempt to make a connection has ended, well or not.
    fn over(&mut self, late: bool) {
        self.attempts -= 1;
        self.late -= usize::from(late);
    }

    fn fail_all(&mut self, error: &ConnectError) {
        for one in self.waiting.drain(..) {
            one.grant.send(Err(error.clone())).ok();
        }
    }

    /// A connection could not be made. Those stay for whom another one is being made, but nobody who has waited for long:
    /// attempts that hang would keep a request for ever.
    fn fail(&mut self, error: &ConnectError) {
        let served = self.attempts.saturating_mul(self.expected().unwrap_or(usize::MAX));
        let mut unserved = self.waiting.len().saturating_sub(served);
        let waiting = std::mem::take(&mut self.waiting);
        for one in waiting {
            if unserved > 0 || one.since.elapsed() >= PATIENCE {
                unserved = unserved.saturating_sub(1);
                // It may have given up.
                one.grant.send(Err(error.clone())).ok();
            } else {
                self.waiting.push_back(one);
            }
        }
    }
}
