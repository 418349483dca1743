//! Answers: a text, or a stream of events for as long as somebody reads it.

use std::borrow::Cow;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures::future::BoxFuture;
use futures::stream::{BoxStream, Stream as _};
use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue, Response, StatusCode};
use hyper::body::{Body as HttpBody, Bytes, Frame, SizeHint};
use serde::Serialize;
use serde_json::Value;

/// The body of an answer.
pub(crate) enum Body {
    Text(Option<Bytes>),
    /// Server-sent events. Whoever makes them is dropped with the connection.
    Events(BoxStream<'static, Bytes>),
    /// A text that the connection makes when it is read, and not before.
    Later(BoxFuture<'static, String>),
}

impl Body {
    pub(crate) fn is_stream(&self) -> bool {
        matches!(self, Self::Events(_))
    }

    /// Whether there is nothing of it yet, so that who does not want it need not pay for it.
    pub(crate) fn is_to_come(&self) -> bool {
        !matches!(self, Self::Text(_))
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Self::Text(Some(text.into()))
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Self::Text(text) => Poll::Ready(text.take().map(|text| Ok(Frame::data(text)))),
            Self::Later(text) => {
                let text = ready!(text.as_mut().poll(context));
                *self = Self::Text(None);
                Poll::Ready(Some(Ok(Frame::data(text.into()))))
            }
            Self::Events(events) => {
                Pin::new(events).poll_next(context).map(|event| event.map(|event| Ok(Frame::data(event))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Text(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Text(text) => SizeHint::with_exact(text.as_ref().map_or(0, |text| text.len() as u64)),
            Self::Events(_) | Self::Later(_) => SizeHint::default(),
        }
    }
}

/// Why a request is not answered.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    why: Cow<'static, str>,
    header: Option<(HeaderName, &'static str)>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, why: impl Into<Cow<'static, str>>) -> Self {
        Self { status, why: why.into(), header: None }
    }

    /// With a header that says what to do.
    pub(crate) fn with(self, name: HeaderName, value: &'static str) -> Self {
        Self { header: Some((name, value)), ..self }
    }

    pub(crate) fn answer(self) -> Response<String> {
        let mut answer = text(self.status, format!("{}\n", self.why));
        answer.headers_mut().extend(self.header.map(|(name, value)| (name, HeaderValue::from_static(value))));
        answer
    }
}

pub(crate) fn text(status: StatusCode, body: impl Into<String>) -> Response<String> {
    typed(status, "text/plain; charset=utf-8", body.into())
}

pub(crate) fn json(body: &Value) -> Response<String> {
    typed(StatusCode::OK, "application/json", body.to_string())
}

pub(crate) fn typed<B>(status: StatusCode, content_type: &'static str, body: B) -> Response<B> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// An answer that goes on.
pub(crate) fn events(events: BoxStream<'static, Bytes>) -> Response<Body> {
    typed(StatusCode::OK, "text/event-stream", Body::Events(events))
}

/// JSON that is made while it is sent.
pub(crate) fn later(json: BoxFuture<'static, String>) -> Response<Body> {
    typed(StatusCode::OK, "application/json", Body::Later(json))
}

/// One event. JSON without line breaks is one line of data.
pub(crate) fn event(data: &impl Serialize) -> Bytes {
    let data = serde_json::to_string(data).unwrap_or_default();
    format!("data: {data}\n\n").into()
}
