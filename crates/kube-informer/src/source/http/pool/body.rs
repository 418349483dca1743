//! The body of an answer, which holds its place on the connection until it has been read or is dropped.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

use super::http1::Single;
use super::http2::StreamLease;

/// The body of an answer.
pub(in super::super) struct PooledBody {
    incoming: Incoming,
    held: Option<Held>,
}

enum Held {
    Stream(StreamLease),
    Connection(Single),
}

impl PooledBody {
    pub(super) fn stream(incoming: Incoming, lease: StreamLease) -> Self {
        Self { incoming, held: Some(Held::Stream(lease)) }
    }

    pub(super) fn connection(incoming: Incoming, connection: Single) -> Self {
        Self { incoming, held: Some(Held::Connection(connection)) }
    }

    /// Gives back what is held: the server has sent all, an error has come in its place, or nobody wants the rest.
    fn release(&mut self) {
        match self.held.take() {
            Some(Held::Connection(connection)) => connection.give_back(),
            Some(Held::Stream(stream)) => drop(stream),
            None => {}
        }
    }
}

impl Body for PooledBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let polled = Pin::new(&mut self.incoming).poll_frame(context);
        if let Poll::Ready(None | Some(Err(_))) = polled {
            self.release();
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}

impl Drop for PooledBody {
    fn drop(&mut self) {
        self.release();
    }
}
