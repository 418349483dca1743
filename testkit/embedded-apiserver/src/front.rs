//! Every request passes here before it reaches the API: credentials, limits, faults, the journal.

use std::io;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::StreamExt as _;
use http::{HeaderMap, HeaderValue, Response, header};
use http_body::Body as _;
use http_body_util::BodyExt as _;
use tokio::time::timeout;

use crate::api::Api;
use crate::body::{Body, streamed};
use crate::faults::{Before, Faults};
use crate::journal::{Journal, RecordedRequest};
use crate::request::{Request, Verb};
use crate::status::{ApiError, BODY_LIMIT};
use crate::transport::{Hosts, Stop};

/// How long the body of a request may take to arrive. The real server gives the whole request this long.
const BODY_PATIENCE: Duration = Duration::from_secs(60);
/// How much of a body that is too large is read and thrown away before the connection is closed. A client that reads
/// nothing until it has sent everything would not see the 413 otherwise.
const DRAIN_LIMIT: u64 = 16 * BODY_LIMIT as u64;

/// Paths that need no token.
const OPEN_TO_ALL: [&str; 4] = ["/healthz", "/livez", "/readyz", "/version"];

/// A user, known by a token.
#[derive(Clone, Debug)]
pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) token: String,
}

/// One server, shared by all transports.
#[derive(Debug)]
pub(crate) struct Front {
    pub(crate) api: Api,
    users: Vec<User>,
    /// The names that the server answers to over TCP; any if there are none.
    pub(crate) hosts: Option<Hosts>,
    pub(crate) faults: Faults,
    pub(crate) journal: Journal,
}

impl Front {
    /// Without users no token is needed.
    pub(crate) fn new(api: Api, users: Vec<User>) -> Self {
        Self { api, users, hosts: None, faults: Faults::default(), journal: Journal::new() }
    }

    /// The token of the first user, for clients that the server makes itself.
    pub(crate) fn token(&self) -> Option<&str> {
        self.users.first().map(|user| &*user.token)
    }

    /// Answers a request; an error breaks the connection. On `stop`, watches end cleanly, and a request that a fault
    /// holds up is given up.
    pub(crate) async fn answer(
        &self,
        request: http::Request<Body>,
        stop: Stop,
    ) -> io::Result<Response<Body>> {
        let (parts, body) = request.into_parts();
        let mut request = Request::new(parts);
        let user = self.user(&request.headers);
        request.user = user.unwrap_or_default().to_owned();
        let recorded = RecordedRequest::new(&request, user.unwrap_or_default());
        let entry = self.journal.enter(recorded.clone());
        let answer = match user {
            None if !OPEN_TO_ALL.contains(&request.uri.path()) => {
                finished(ApiError::unauthorized().into_response())
            }
            _ => self.answer_with_faults(request, body, &recorded, stop.clone()).await?,
        };
        entry.answered(answer.status().as_u16());
        Ok(match recorded.verb {
            Some(Verb::Watch) if !stop.is_never() => answer.map(|body| until(body, stop)),
            _ => answer,
        })
    }

    /// Answers without faults and without a record in the journal.
    pub(crate) async fn answer_aside(&self, request: http::Request<Body>) -> io::Result<Response<Body>> {
        let (parts, body) = request.into_parts();
        self.ask(Request::new(parts), body).await
    }

    /// Answers a request of a controller, whose user it names: with a record in the journal, without faults.
    pub(crate) async fn answer_controller(&self, request: &Request) -> Response<Body> {
        let entry = self.journal.enter(RecordedRequest::new(request, &request.user));
        let answer = finished(self.api.answer(request).await);
        entry.answered(answer.status().as_u16());
        answer
    }

    async fn answer_with_faults(
        &self,
        mut request: Request,
        body: Body,
        recorded: &RecordedRequest,
        stop: Stop,
    ) -> io::Result<Response<Body>> {
        let plan = self.faults.plan(&request, recorded);
        // The API has not seen the request yet, so giving it up leaves no write half done.
        let before = tokio::select! {
            before = plan.before(recorded, &mut request, &self.api) => before,
            () = stop.requested() => Before::Break(io::ErrorKind::ConnectionAborted.into()),
        };
        let answer = match before {
            Before::Break(error) => return Err(error),
            Before::Answer(error) => finished(error.into_response()),
            Before::Ask => self.ask(request, body).await?,
        };
        Ok(plan.after(recorded.verb, answer))
    }

    async fn ask(&self, mut request: Request, body: Body) -> io::Result<Response<Body>> {
        let Some(body) = timeout(BODY_PATIENCE, read(body)).await?? else {
            return Ok(finished(ApiError::entity_too_large().into_response()));
        };
        request.body = body;
        Ok(finished(self.api.answer(&request).await))
    }

    /// The name of the user that a request's token belongs to; `None` without a valid token.
    fn user(&self, headers: &HeaderMap) -> Option<&str> {
        if self.users.is_empty() {
            return Some("system:anonymous");
        }
        let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = given.and_then(|given| given.strip_prefix("Bearer "))?;
        self.users.iter().find(|user| user.token == token).map(|user| &*user.name)
    }
}

/// Adds the headers that all answers have.
fn finished(mut answer: Response<Body>) -> Response<Body> {
    let audit_id = format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        fastrand::u32(..),
        fastrand::u16(..),
        fastrand::u16(..0x1000),
        fastrand::u16(0x8000..0xc000),
        fastrand::u64(..1 << 48)
    );
    let headers = answer.headers_mut();
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache, private"));
    if let Ok(value) = HeaderValue::try_from(audit_id) {
        headers.insert("audit-id", value);
    }
    answer
}

/// Reads a body; `None` if it is too large.
async fn read(body: Body) -> io::Result<Option<Bytes>> {
    let mut too_large = body.size_hint().lower() > BODY_LIMIT as u64;
    let mut pieces = body.into_data_stream();
    let mut held = BytesMut::new();
    let mut length = 0;
    while let Some(piece) = pieces.next().await {
        let piece = piece?;
        length += piece.len() as u64;
        too_large |= length > BODY_LIMIT as u64;
        if !too_large {
            held.extend_from_slice(&piece);
            continue;
        }
        if length > DRAIN_LIMIT {
            break;
        }
        held = BytesMut::new();
    }
    Ok((!too_large).then(|| held.freeze()))
}

/// A watch that ends cleanly on `stop`.
fn until(body: Body, stop: Stop) -> Body {
    streamed(body.into_data_stream().take_until(Box::pin(stop.requested())))
}
