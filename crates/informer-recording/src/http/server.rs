//! A recording as an API server.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use http::header::{ACCEPT, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::{Request, Response, StatusCode};

use super::accept::form;
use super::listen::LocalServer;
use super::reads::Reads;
use super::timelines::Timelines;
use super::{Body, Broken, body, discovery, json_answer, refusal, status};
use crate::exchange::Happened;
use crate::record::{Head, RequestLine};
use crate::recording::Recording;
use crate::replay::{Asked, Match, Playing};
use crate::target::{Resource, Target};

/// Answers clients of any make: as the server did when it was recorded, and beyond that from what it showed.
///
/// A request gets the answer that was recorded for the same method, path and query, at the same place in the order, with all
/// that went wrong. Once there is none left, or the next one is far away or meant for whoever still reads the one before it, a
/// read is answered from the state of the cluster at this moment of the replay, as far as lists and watches of any client
/// show it: lists, single objects, and watches, whose events come when they are due. So there may be as many clients
/// as one likes, and they may ask for what was not asked for. At [`Speed::Fastest`](crate::Speed::Fastest) it is the state at the
/// end. Objects count from the beginning if they are in the first list of their kind.
///
/// Objects are given as JSON, whole or only their metadata; there are no tables. Namespaces, labels and fields are selected.
/// Documents of discovery that were not recorded name the kinds that were. Writes that were not recorded are 405, and what
/// nothing is known of is 404.
#[derive(Clone, Debug)]
pub struct ReplayServer {
    recording: Recording,
    timelines: Arc<Timelines>,
}

impl ReplayServer {
    /// A server that replays a recording.
    pub fn new(recording: Recording) -> Self {
        Self { timelines: Arc::new(Timelines::of(&recording)), recording }
    }

    /// Listens on an address of loopback until the returned value is dropped; port 0 takes any free port.
    pub async fn listen(self, address: SocketAddr) -> io::Result<LocalServer> {
        LocalServer::start(address, move |request| self.clone().answer(request)).await
    }

    async fn answer<B>(self, request: Request<B>) -> Response<Body> {
        if let Some(refusal) = refusal(request.uri(), request.headers()) {
            return refusal;
        }
        let asked = request.uri().path_and_query().map_or("/", |target| target.as_str());
        let accepts = request.headers().get_all(ACCEPT).iter();
        let accept = accepts.filter_map(|accept| accept.to_str().ok()).collect::<Vec<_>>().join(",");
        let method = request.method().as_str();
        let line = RequestLine { method: method.to_owned(), ..RequestLine::get(asked, form(&accept)) };
        let target = Target::parse(asked);
        let is_read = method == "GET" || method == "HEAD";
        let resource = Resource::of(&target.path);
        if let Some(resource) = resource.filter(|resource| is_read && self.may_show(resource)) {
            // Or the time of the first client would be that of what it happens to ask for, however late that was recorded.
            self.recording.replay.clock(&self.recording.contents);
            if let Some(answer) = self.recorded(&line, &target, false, true).await {
                return answer;
            }
            if let Some(answer) = self.state_of(resource, &target, asked, &accept).await {
                return answer;
            }
        }
        if let Some(answer) = self.recorded(&line, &target, is_read, false).await {
            return answer;
        }
        if !is_read {
            let message = format!(
                "this is a recording, which can be read and not be changed: it has no answer to {method} {}",
                target.path
            );
            return status(StatusCode::METHOD_NOT_ALLOWED, "MethodNotAllowed", message);
        }
        self.about_the_server(&target.path).await.unwrap_or_else(|| {
            let message =
                format!("the recording has no answer to {method} {asked}, and no list or watch of it");
            status(StatusCode::NOT_FOUND, "NotFound", message)
        })
    }

    async fn recorded(
        &self,
        line: &RequestLine,
        target: &Target,
        repeats: bool,
        has_choice: bool,
    ) -> Option<Response<Body>> {
        let Recording { contents, replay } = &self.recording;
        match replay.find(contents, &Asked { line, target, repeats, has_choice }) {
            Match::Recorded(playing) => Some(replayed(playing).await),
            Match::Silent if !has_choice => {
                let head = Head { status: 200, ..Head::default() };
                Some(answer(&head, stream::pending().boxed()))
            }
            // The state can be streamed, whether or not its lists were.
            Match::NotStreamed if !has_choice => {
                let message =
                    "the recording has lists that were not streamed: sendInitialEvents is not supported";
                Some(status(StatusCode::BAD_REQUEST, "BadRequest", message))
            }
            Match::Silent | Match::NotStreamed | Match::Unknown => None,
        }
    }

    /// Whether there can be a state of it. A log is not among what lists show, nor is the old form of watches worth it.
    fn may_show(&self, resource: &Resource) -> bool {
        resource.part.is_none() && !resource.is_old_watch && self.timelines.has(resource)
    }

    async fn state_of(
        &self,
        resource: Resource,
        target: &Target,
        asked: &str,
        accept: &str,
    ) -> Option<Response<Body>> {
        let Recording { contents, replay } = &self.recording;
        let (kind, timeline) = self.timelines.timeline(&resource, contents).await?;
        let reads = Reads { kind, timeline, clock: replay.clock(contents) };
        Some(reads.answer(resource, target, asked, accept).await)
    }

    async fn about_the_server(&self, path: &str) -> Option<Response<Body>> {
        let text = |text: String| stream::iter([Ok(Bytes::from(text))]).boxed();
        if matches!(path, "/healthz" | "/livez" | "/readyz") {
            let head = Head { status: 200, content_type: Some("text/plain".to_owned()), retry_after: None };
            return Some(answer(&head, text("ok".to_owned())));
        }
        let contents = &self.recording.contents;
        let document = match path.strip_prefix("/api/v1/namespaces/") {
            // kubectl asks for the namespace of an object that it does not find.
            Some(name) => {
                let is_there = !name.contains('/') && self.timelines.has_namespace(name, contents).await;
                is_there.then(|| discovery::namespace(name))?
            }
            None => discovery::document(path, &self.timelines.kinds(contents).await)?,
        };
        Some(json_answer(text(document.to_string())))
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

#[cfg(test)]
mod tests;
