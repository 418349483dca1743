//! Recording and replaying for clients of any make, over HTTP on loopback.

mod accept;
mod discovery;
mod forwarded;
mod listen;
mod proxy;
mod reads;
mod server;
mod timelines;
mod watching;

use std::fmt::Display;
use std::iter;

use bytes::Bytes;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use http::header::{CONTENT_TYPE, HOST, HeaderMap, ORIGIN, UPGRADE};
use http::{Response, StatusCode, Uri};
use http_body_util::StreamBody;
use hyper::body::Frame;
use serde_json::{Value, json};

pub use self::listen::LocalServer;
pub use self::proxy::RecordingProxy;
pub use self::server::ReplayServer;
use crate::target::{Resource, Target};

/// What browsers say about the page that a request comes from.
const SITE: &str = "sec-fetch-site";

/// Why a body that has begun cannot be sent to its end. The client sees a connection that breaks.
type Broken = Box<dyn std::error::Error + Send + Sync>;

type Body = StreamBody<BoxStream<'static, Result<Frame<Bytes>, Broken>>>;

fn body(chunks: BoxStream<'static, Result<Bytes, Broken>>) -> Body {
    StreamBody::new(chunks.map(|chunk| chunk.map(Frame::data)).boxed())
}

/// An error as an API server tells it.
fn status(code: StatusCode, reason: &str, message: impl Display) -> Response<Body> {
    let status = status_object(code, reason, message);
    let mut answer = json_answer(stream::iter([Ok(Bytes::from(status.to_string()))]).boxed());
    *answer.status_mut() = code;
    answer
}

fn status_object(code: StatusCode, reason: &str, message: impl Display) -> Value {
    json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "code": code.as_u16(), "reason": reason, "message": message.to_string() })
}

fn json_answer(chunks: BoxStream<'static, Result<Bytes, Broken>>) -> Response<Body> {
    let mut answer = Response::new(body(chunks));
    answer.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static("application/json"));
    answer
}

/// Refuses what a page in a browser could send, and what is more than a request with an answer.
fn refusal(uri: &Uri, headers: &HeaderMap) -> Option<Response<Body>> {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let port = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    let name = port.map_or(host, |(name, _)| name);
    // A name that somebody else makes lead to this machine is not this machine's.
    if !matches!(name, "localhost" | "127.0.0.1" | "[::1]") {
        let message = "only clients that call this machine localhost or 127.0.0.1 are answered";
        return Some(status(StatusCode::FORBIDDEN, "Forbidden", message));
    }
    // Images and links have no origin, and say this instead. `none` is what somebody typed or has as a bookmark.
    let is_of_a_page = headers.get(SITE).is_some_and(|site| site != "none");
    if headers.contains_key(ORIGIN) || is_of_a_page {
        return Some(status(StatusCode::FORBIDDEN, "Forbidden", "pages in browsers are not answered"));
    }
    let protocols = headers.get_all(UPGRADE).iter();
    let protocols = protocols.flat_map(|names| names.as_bytes().split(|byte| *byte == b','));
    // HTTP/2 is only offered: an answer in HTTP/1.1 will do.
    let mut wanted = protocols.map(<[u8]>::trim_ascii).filter(|name| !name.eq_ignore_ascii_case(b"h2c"));
    let first = wanted.next()?;
    // Clients that ask for watches over a WebSocket first take 503 as "not here", and ask again without.
    if is_watch(uri) && iter::once(first).chain(wanted).any(|name| name.eq_ignore_ascii_case(b"websocket")) {
        let message = "watches are answered over HTTP only, not over a WebSocket: ask again without the header `Upgrade`";
        return Some(status(StatusCode::SERVICE_UNAVAILABLE, "ServiceUnavailable", message));
    }
    let message = "exec, attach and port-forward are not recorded: send them to the cluster itself";
    Some(status(StatusCode::NOT_IMPLEMENTED, "NotImplemented", message))
}

fn is_watch(uri: &Uri) -> bool {
    let target = Target::parse(uri.path_and_query().map_or("/", |target| target.as_str()));
    target.is_watch() || Resource::of(&target.path).is_some_and(|resource| resource.is_old_watch)
}

#[cfg(test)]
mod tests;
