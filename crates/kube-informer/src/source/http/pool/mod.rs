//! The connections to one server, shared by all requests to it.
//!
//! Which protocol a server speaks is known after the first handshake. Until then everybody waits for that one. With HTTP/2 a
//! connection carries as many requests as the server allows, watches among them, for as long as they last; a further
//! connection is made when those are not enough. With HTTP/1.1 every request under way needs a connection of its own.
//!
//! hyper's own pool makes one HTTP/2 connection and lets the request that exceeds the server's limit wait for another to
//! end. Watches do not end, so here requests are counted.

mod body;
mod grants;
mod http1;
mod http2;
mod sent;

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use http::header::{HOST, UPGRADE};
use http::{HeaderValue, Request, Response, Uri};
use kube_client::client::Body;
use parking_lot::Mutex;
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;
use tower::BoxError;

pub(super) use self::body::PooledBody;
use self::grants::{Duty, Grant};
use self::http1::Single;
use self::http2::Multiplexed;
pub use self::sent::SendIf;
use self::sent::SentBody;
use super::connect::Socket;

/// An attempt to connect that takes longer than this gets a second one beside it: the first may have been sent to a server
/// that is gone.
const LATE: Duration = Duration::from_secs(5);

/// A request that has waited for a connection for this long fails with the next attempt that fails, even if others are under
/// way.
const PATIENCE: Duration = Duration::from_secs(10);

/// A connection that nobody uses is kept for this long.
const IDLE: Duration = Duration::from_secs(30);

/// How often a request is sent that was surely not looked at: the connection was closing.
const ATTEMPTS: usize = 4;

/// What a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    Http1,
    Http2,
}

/// Makes a connection, and says which of the offered protocols was agreed on.
pub(super) type Connect =
    dyn Fn(Offer) -> BoxFuture<'static, Result<(Socket, Protocol), BoxError>> + Send + Sync;

/// Which protocols are offered to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offer {
    Both,
    Http1Only,
}

/// The connections to one server. Clones share them.
#[derive(Clone)]
pub(super) struct Pool {
    inner: Arc<Inner>,
}

struct Inner {
    connect: Box<Connect>,
    state: Mutex<State>,
    /// Its end tells the connections that nobody can send requests any more.
    alive: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    multiplexed: Vec<Arc<Multiplexed>>,
    /// HTTP/1.1 connections that wait for the next request, the one used last at the end.
    idle: Vec<Single>,
    /// How many connections are being made. With HTTP/2 one is until the server has said how many requests it takes, although it
    /// takes the first one before that.
    attempts: usize,
    /// How many of them take longer than [`LATE`].
    late: usize,
    /// How many requests the connection made last takes at the same time; not known before the first one.
    limit: Option<usize>,
    waiting: VecDeque<Waiting>,
}

/// What a request says that takes the place of one on which nothing came for so long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Silence(pub(super) Duration);

/// A request that needs a connection.
struct Waiting {
    since: Instant,
    duty: Duty,
    grant: oneshot::Sender<Result<Grant, ConnectError>>,
}

/// No connection could be made. Many requests may have waited for it.
#[derive(Clone, Debug)]
pub(super) struct ConnectError(Arc<BoxError>);

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot connect")
    }
}

impl ConnectError {
    fn new(cause: BoxError) -> Self {
        Self(Arc::new(cause))
    }
}

impl std::error::Error for ConnectError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&**self.0)
    }
}

impl Pool {
    pub(super) fn new(
        connect: impl Fn(Offer) -> BoxFuture<'static, Result<(Socket, Protocol), BoxError>>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        let (connect, state) = (Box::new(connect), Mutex::default());
        Self { inner: Arc::new(Inner { connect, state, alive: watch::Sender::new(()) }) }
    }

    /// Sends a request and gives the head of the answer. Nothing is repeated that the server may have looked at.
    pub(super) async fn send(self, mut request: Request<Body>) -> Result<Response<PooledBody>, BoxError> {
        if request.headers().contains_key(UPGRADE) {
            return self.upgrade(request).await;
        }
        let duty = Duty::of(&request);
        if let Some(Silence(silence)) = request.extensions().get() {
            let state = self.inner.state.lock();
            state.multiplexed.iter().for_each(|connection| connection.doubt(*silence));
        }
        // A connection that is about to close gives a request back and is used for no other: one more attempt for each.
        let (mut seen, mut most) = (0, ATTEMPTS);
        loop {
            let copy = copy(&request);
            let failed = match self.inner.grant(duty).await? {
                Grant::Stream(stream) => match stream.send(request).await {
                    Ok(answer) => return Ok(answer),
                    Err(failed) => failed,
                },
                Grant::Connection(connection) => match connection.send(request).await {
                    Ok(answer) => return Ok(answer),
                    Err(failed) => failed,
                },
            };
            seen += 1;
            if failed.request.is_some() {
                most = most.max(ATTEMPTS + self.connections());
            }
            let again = if failed.unseen { failed.request.or(copy) } else { failed.request };
            match again {
                Some(again) if seen < most => request = again,
                _ => return Err(failed.error),
            }
        }
    }

    /// What becomes of a connection that is no longer HTTP is not the pool's business, so it gets its own.
    async fn upgrade(self, request: Request<Body>) -> Result<Response<PooledBody>, BoxError> {
        let (socket, _) = (self.inner.connect)(Offer::Http1Only).await?;
        let connection = http1::alone(socket).await?;
        connection.send(request).await.map_err(|failed| failed.error)
    }

    /// How many connections there are, idle ones and those that are being made included.
    fn connections(&self) -> usize {
        let state = self.inner.state.lock();
        state.multiplexed.len() + state.idle.len() + state.attempts
    }
}

/// A request that failed.
struct Failed {
    error: BoxError,
    /// The request, if nothing of it was sent.
    request: Option<Request<Body>>,
    /// The server has said that it did not look at it.
    unseen: bool,
}

/// A copy of a request, unless its body comes from elsewhere bit by bit.
fn copy(request: &Request<Body>) -> Option<Request<Body>> {
    let body = request.body().try_clone()?;
    let mut copy = Request::new(body);
    request.method().clone_into(copy.method_mut());
    request.uri().clone_into(copy.uri_mut());
    *copy.headers_mut() = request.headers().clone();
    *copy.extensions_mut() = request.extensions().clone();
    Some(copy)
}

/// HTTP/1.1 has the server's name in a header and only the path in the first line; HTTP/2 has all of it in the address.
fn in_origin_form(request: &mut Request<Body>) {
    let uri = request.uri();
    if let Some(authority) = uri.authority()
        && let Ok(host) = HeaderValue::from_str(without_user(authority.as_str()))
    {
        request.headers_mut().entry(HOST).or_insert(host);
    }
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    if let Ok(path) = path.parse::<Uri>() {
        *request.uri_mut() = path;
    }
}

fn without_user(authority: &str) -> &str {
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}

#[cfg(test)]
mod tests;
