//! One request and its answer, as they come in.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use informer_core::panics::panic_text;
use tokio::time::Instant;

use crate::source::{ByteStream, ListWatch, Request, SourceError};

/// A request under way. Dropping it ends it.
pub(super) struct Connection {
    state: ConnectionState,
    /// Taken before the request is sent: a proxy may hold back the head of the answer.
    opened: Instant,
    answered: bool,
}

enum ConnectionState {
    Opening(BoxFuture<'static, Result<ByteStream, SourceError>>),
    Open(ByteStream),
    Done,
}

/// The next thing that comes in.
pub(super) enum Arrival {
    /// The server accepts the request; bytes follow.
    Answered,
    Bytes(Bytes),
    Failed(SourceError),
    /// The server ended the answer in good order.
    Ended,
}

impl Connection {
    pub(super) fn open(source: &dyn ListWatch, request: Request) -> Self {
        let opened = Instant::now();
        Self { state: ConnectionState::Opening(open(source, request)), opened, answered: false }
    }

    /// Waits for the next thing. Nothing is lost if the wait is given up.
    pub(super) async fn arrival(&mut self) -> Arrival {
        let (state, arrival) = match &mut self.state {
            ConnectionState::Opening(opening) => match opening.await {
                Ok(stream) => {
                    self.answered = true;
                    (ConnectionState::Open(stream), Arrival::Answered)
                }
                Err(error) => (ConnectionState::Done, Arrival::Failed(error)),
            },
            ConnectionState::Open(stream) => match AssertUnwindSafe(stream.next()).catch_unwind().await {
                Ok(Some(Ok(bytes))) => return Arrival::Bytes(bytes),
                Ok(Some(Err(error))) => (ConnectionState::Done, Arrival::Failed(error)),
                Ok(None) => (ConnectionState::Done, Arrival::Ended),
                Err(panic) => (ConnectionState::Done, Arrival::Failed(panicked(&*panic))),
            },
            ConnectionState::Done => return Arrival::Ended,
        };
        self.state = state;
        arrival
    }

    /// The time since the request was sent, if the server accepted it.
    pub(super) fn lasted(&self) -> Option<Duration> {
        self.answered.then(|| self.opened.elapsed())
    }
}

/// Sends a request. A source may be the user's own: if it panics, here or later, the request has failed.
pub(super) fn open(
    source: &dyn ListWatch,
    request: Request,
) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
    match catch_unwind(AssertUnwindSafe(|| source.open(request))) {
        Ok(opening) => AssertUnwindSafe(opening)
            .catch_unwind()
            .map(|answer| answer.unwrap_or_else(|panic| Err(panicked(&*panic))))
            .boxed(),
        Err(panic) => futures::future::ready(Err(panicked(&*panic))).boxed(),
    }
}

fn panicked(panic: &(dyn Any + Send)) -> SourceError {
    SourceError::transport(format!("the source panicked: {}", panic_text(panic)))
}
