//! One request and its answer, as they come in.

use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use futures::future::BoxFuture;
use tokio::time::Instant;

use crate::source::{ByteStream, ListWatch, Request, SourceError};

/// A request under way. Dropping it ends it.
pub(super) struct Connection {
    state: State,
    /// Taken before the request is sent: a proxy may hold back the head of the answer.
    opened: Instant,
    answered: bool,
}

enum State {
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
        Self { state: State::Opening(source.open(request)), opened, answered: false }
    }

    /// Waits for the next thing. Nothing is lost if the wait is given up.
    pub(super) async fn arrival(&mut self) -> Arrival {
        let (state, arrival) = match &mut self.state {
            State::Opening(opening) => match opening.await {
                Ok(stream) => {
                    self.answered = true;
                    (State::Open(stream), Arrival::Answered)
                }
                Err(error) => (State::Done, Arrival::Failed(error)),
            },
            State::Open(stream) => match stream.next().await {
                Some(Ok(bytes)) => return Arrival::Bytes(bytes),
                Some(Err(error)) => (State::Done, Arrival::Failed(error)),
                None => (State::Done, Arrival::Ended),
            },
            State::Done => return Arrival::Ended,
        };
        self.state = state;
        arrival
    }

    /// Whether the server accepted the request.
    pub(super) fn answered(&self) -> bool {
        self.answered
    }

    /// The time since the request was sent.
    pub(super) fn elapsed(&self) -> Duration {
        self.opened.elapsed()
    }
}
