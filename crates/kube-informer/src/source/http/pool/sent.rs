//! The body of a request, and whether it is still to be sent.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::Request;
use http_body::{Frame, SizeHint};
use kube_client::client::Body;
use tower::BoxError;

/// A condition for sending a request: put it among the [extensions](Request::extensions) of one that has a body, and send that with
/// [`SharedInformerFactory::client`](crate::SharedInformerFactory::client).
///
/// It is asked by the connection, right before the body is written. If it is not so any more, the request fails, and the
/// server, which has not got all of it, does nothing. Between a check before the request is given to the client and its way onto
/// the wire several tasks would have their turn, and a process can be stopped at any of them.
#[derive(Clone)]
pub struct SendIf(Arc<dyn Fn() -> bool + Send + Sync>);

impl SendIf {
    /// Sends a request only if this is so. It must not block.
    pub fn new(condition: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(condition))
    }
}

impl fmt::Debug for SendIf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SendIf").finish_non_exhaustive()
    }
}

/// The body of a request.
pub(super) struct SentBody {
    body: Body,
    condition: Option<SendIf>,
}

impl SentBody {
    pub(super) fn of(request: Request<Body>) -> Request<Self> {
        let condition = request.extensions().get().cloned();
        request.map(|body| Self { body, condition })
    }

    pub(super) fn back(request: Request<Self>) -> Request<Body> {
        request.map(|sent| sent.body)
    }
}

impl http_body::Body for SentBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if self.condition.as_ref().is_some_and(|condition| !condition.0()) {
            return Poll::Ready(Some(Err("it is not to be sent any more".into())));
        }
        Pin::new(&mut self.body).poll_frame(cx).map_err(Into::into)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }
}
