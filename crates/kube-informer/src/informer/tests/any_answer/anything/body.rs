//! The body of an answer, as it comes in.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use futures::{StreamExt, stream};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::source::{ByteStream, SourceError};

/// What becomes of answers that are under way when the honest server takes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parting {
    /// It has not taken over.
    Lying,
    /// The connection is reset.
    Reset,
    /// The body ends.
    End,
    /// Nothing comes any more, and nobody says so. A list that never gets to its end does not get there either.
    Left,
}

/// Waits until the honest server takes over.
pub(super) async fn parted(parting: &mut watch::Receiver<Parting>) -> Parting {
    let waited = parting.wait_for(|parting| *parting != Parting::Lying).await;
    waited.map_or(Parting::Left, |parting| *parting)
}

pub(super) fn reset() -> SourceError {
    SourceError::Transport("connection reset by peer (anything)".to_owned())
}

pub(super) enum Piece {
    Bytes(Bytes),
    Pause(Duration),
}

/// What follows the pieces.
pub(super) enum Tail {
    Clean,
    Reset,
    Silence,
    /// The next bytes every so often, for ever.
    Forever(Duration, Box<dyn FnMut() -> Bytes + Send>),
}

pub(super) struct Body {
    pub(super) pieces: VecDeque<Piece>,
    pub(super) tail: Tail,
    /// Whether it is a list that has not come to its end: one that the client has to give up.
    pub(super) endures: bool,
}

impl Body {
    pub(super) fn stream(self, parting: watch::Receiver<Parting>) -> ByteStream {
        let next = |(mut body, mut parting): (Self, watch::Receiver<Parting>)| async move {
            let now = *parting.borrow();
            let item = match now {
                Parting::Lying => tokio::select! {
                    biased;
                    how = parted(&mut parting) => body.part(how).await,
                    item = body.next() => item,
                },
                how => body.part(how).await,
            };
            item.map(|item| (item, (body, parting)))
        };
        stream::unfold((self, parting), next).boxed()
    }

    async fn part(&mut self, how: Parting) -> Option<Result<Bytes, SourceError>> {
        match how {
            Parting::Left if self.endures => self.next().await,
            Parting::Left | Parting::Lying => std::future::pending().await,
            Parting::End => None,
            Parting::Reset => {
                *self = Self { pieces: VecDeque::new(), tail: Tail::Clean, endures: true };
                Some(Err(reset()))
            }
        }
    }

    async fn next(&mut self) -> Option<Result<Bytes, SourceError>> {
        while let Some(piece) = self.pieces.pop_front() {
            match piece {
                Piece::Bytes(bytes) => return Some(Ok(bytes)),
                Piece::Pause(pause) => sleep(pause).await,
            }
        }
        match &mut self.tail {
            Tail::Clean => None,
            Tail::Reset => {
                self.tail = Tail::Clean;
                Some(Err(reset()))
            }
            Tail::Silence => std::future::pending().await,
            Tail::Forever(every, more) => {
                sleep(*every).await;
                Some(Ok(more()))
            }
        }
    }
}
