//! The body of an open watch of the scripted server.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures::Stream;
use tokio::time::Sleep;

use super::Shared;
use super::state::Piece;
use crate::source::error::SourceError;

/// Reads the queue of one watch. Dropping this value closes the watch.
pub(super) struct WatchBody {
    shared: Arc<Shared>,
    id: u64,
    /// When the server ends the watch.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl WatchBody {
    pub(super) fn new(shared: Arc<Shared>, id: u64, timeout_seconds: u32) -> Self {
        // Without a runtime there is no clock, and so no end.
        let timed = timeout_seconds > 0 && tokio::runtime::Handle::try_current().is_ok();
        let timeout = Duration::from_secs(timeout_seconds.into());
        let deadline = timed.then(|| Box::pin(tokio::time::sleep(timeout)));
        Self { shared, id, deadline }
    }

    fn deadline_passed(&mut self, context: &mut Context<'_>) -> bool {
        match &mut self.deadline {
            Some(deadline) => deadline.is_elapsed() || deadline.as_mut().poll(context).is_ready(),
            None => false,
        }
    }
}

impl Stream for WatchBody {
    type Item = Result<Bytes, SourceError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let passed = self.deadline_passed(context);
        let id = self.id;
        let (piece, ends) = {
            let mut state = self.shared.state.lock();
            let stalled = state.stalled;
            let piece = state.read(id);
            let ends = passed && !stalled;
            if let Some(watch) = state.watches.get_mut(&id) {
                match &piece {
                    None if ends => watch.ended = true,
                    None => watch.waker = Some(context.waker().clone()),
                    Some(_) => {}
                }
            }
            (piece, ends)
        };
        match piece {
            Some(Piece::Bytes(bytes)) => Poll::Ready(Some(Ok(bytes))),
            Some(Piece::Fail(error)) => Poll::Ready(Some(Err(error))),
            Some(Piece::End) => Poll::Ready(None),
            None if ends => {
                self.shared.changed.notify_waiters();
                Poll::Ready(None)
            }
            None => Poll::Pending,
        }
    }
}

impl Drop for WatchBody {
    fn drop(&mut self) {
        self.shared.state.lock().watches.remove(&self.id);
        self.shared.changed.notify_waiters();
    }
}
