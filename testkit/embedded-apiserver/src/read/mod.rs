//! GET, LIST and WATCH.

mod bookmark;
mod envelope;
mod get;
mod list;
mod list_text;
mod token;
mod watch;

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};

use crate::body::{Body, full};

pub(crate) use envelope::Envelope;
pub(crate) use get::object_answer;
pub(crate) use list_text::ListText;

/// An answer in JSON.
pub(crate) fn json_answer(status: StatusCode, body: Body) -> Response<Body> {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

/// An answer with one JSON document, followed by a newline.
pub(crate) fn document(status: StatusCode, mut text: Vec<u8>) -> Response<Body> {
    text.push(b'\n');
    json_answer(status, full(Bytes::from(text)))
}

/// A `continue` token for the same position at the latest version; `None` if `token` is invalid.
pub(crate) fn token_at_latest(token: &str) -> Option<String> {
    token::ContinueToken::decode(token).ok().map(|token| token.at_latest().encode())
}

#[cfg(test)]
mod tests;
