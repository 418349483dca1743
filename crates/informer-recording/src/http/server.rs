//! A recording as an API server.

use std::io;
use std::net::SocketAddr;

use bytes::Bytes;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use http::header::{ACCEPT, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;

use super::listen::Listening;
use super::{Body, Broken, body, form, refusal, status};
use crate::exchange::Happened;
use crate::record::{Head, RequestLine};
use crate::recording::Recording;
use crate::replay::{Match, Playing};
use crate::target::Target;

/// Answers clients of any make as the server did when it was recorded.
///
/// A request gets the answer that was recorded for the same method, path and query, at the same place in the order. A read that is
/// not a watch gets its last answer again when there is no other left. What was never asked for is 404.
#[derive(Clone, Debug)]
pub struct ReplayServer {
    recording: Recording,
}

impl ReplayServer {
    /// A server that replays a recording.
    pub fn new(recording: Recording) -> Self {
        Self { recording }
    }

    /// Listens on an address of loopback until the returned value is dropped; port 0 takes any free port.
    pub async fn listen(self, address: SocketAddr) -> io::Result<Listening> {
        Listening::start(address, move |request| self.clone().answer(request)).await
    }

    async fn answer(self, request: Request<Incoming>) -> Response<Body> {
        if let Some(refusal) = refusal(request.headers()) {
            return refusal;
        }
        let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
        let accept =
            request.headers().get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
        let method = request.method().as_str();
        let line = RequestLine { method: method.to_owned(), ..RequestLine::get(target, form(accept)) };
        let Recording { contents, replay } = &self.recording;
        let repeats = method == "GET" || method == "HEAD";
        match replay.find(contents, &line, &Target::parse(target), repeats) {
            Match::Recorded(playing) => replayed(playing).await,
            Match::Silent => {
                let head = Head { status: 200, ..Head::default() };
                answer(&head, stream::pending().boxed())
            }
            Match::NotStreamed => {
                let message =
                    "the recording has lists that were not streamed: sendInitialEvents is not supported";
                status(StatusCode::BAD_REQUEST, "BadRequest", message)
            }
            Match::Unknown => {
                let message = format!("the recording has no answer to {method} {target}");
                status(StatusCode::NOT_FOUND, "NotFound", message)
            }
        }
    }
}

async fn replayed(mut playing: Playing) -> Response<Body> {
    let head = loop {
        match playing.next().await {
            Happened::Answer(head) => break head,
            Happened::Failed(text) => {
                // There was no answer at all: the connection breaks in the middle of one, which is as near as HTTP comes to it.
                let broken = stream::iter([Err(Broken::from(text))]).boxed();
                return answer(&Head { status: 200, ..Head::default() }, broken);
            }
            Happened::Left => {
                let broken = stream::iter([Err(Broken::from("the answer was not waited for"))]).boxed();
                return answer(&Head { status: 200, ..Head::default() }, broken);
            }
            Happened::Chunk(_) | Happened::End => {}
        }
    };
    let chunks = stream::unfold(Some(playing), |playing| async move {
        let mut playing = playing?;
        match playing.next().await {
            Happened::Chunk(bytes) => Some((Ok(bytes), Some(playing))),
            Happened::Failed(text) => Some((Err(Broken::from(text)), None)),
            Happened::Answer(_) | Happened::End | Happened::Left => None,
        }
    });
    answer(&head, chunks.boxed())
}

fn answer(head: &Head, chunks: BoxStream<'static, Result<Bytes, Broken>>) -> Response<Body> {
    let mut answer = Response::new(body(chunks));
    *answer.status_mut() = StatusCode::from_u16(head.status).unwrap_or(StatusCode::OK);
    let form = head.content_type.as_deref().unwrap_or("application/json");
    if let Ok(form) = HeaderValue::from_str(form) {
        answer.headers_mut().insert(CONTENT_TYPE, form);
    }
    if let Some(seconds) = head.retry_after {
        answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    answer
}
