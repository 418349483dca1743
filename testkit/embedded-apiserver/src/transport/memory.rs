//! Requests from within the process, without sockets.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::{HeaderValue, Request, Response, header};
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt as _;
use tower::Service;

use super::stop::Stop;
use crate::body::Body;
use crate::front::Front;

/// The server as a [`Service`] for [`kube_client::Client::new`] and `ClientBuilder::new`: a stack of your own, with
/// layers of your own, and no socket beneath it.
///
/// Most tests want [`EmbeddedApiserver::client`](crate::EmbeddedApiserver::client). Dropping an answer, or the
/// future of one, ends the request. This value keeps the server alive.
#[derive(Clone, Debug)]
pub struct InMemory {
    front: Arc<Front>,
    /// Without faults and journal.
    aside: bool,
}

impl InMemory {
    pub(crate) fn new(front: Arc<Front>) -> Self {
        Self { front, aside: false }
    }

    pub(crate) fn aside(front: Arc<Front>) -> Self {
        Self { front, aside: true }
    }
}

impl Service<Request<kube_client::client::Body>> for InMemory {
    type Response = Response<AnswerBody>;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<Self::Response>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<kube_client::client::Body>) -> Self::Future {
        let Self { front, aside } = self.clone();
        let mut request = request.map(|body| body.map_err(io::Error::other).boxed_unsync());
        if let (Some(token), false) = (front.token(), request.headers().contains_key(header::AUTHORIZATION))
            && let Ok(value) = HeaderValue::try_from(format!("Bearer {token}"))
        {
            request.headers_mut().insert(header::AUTHORIZATION, value);
        }
        async move {
            let answer = if aside {
                front.answer_aside(request).await
            } else {
                front.answer(request, Stop::never()).await
            };
            answer.map(|answer| answer.map(AnswerBody))
        }
        .boxed()
    }
}

/// The body of an answer.
pub struct AnswerBody(Body);

impl fmt::Debug for AnswerBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnswerBody").finish_non_exhaustive()
    }
}

impl http_body::Body for AnswerBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        Pin::new(&mut self.0).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}
