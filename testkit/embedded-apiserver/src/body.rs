//! Bodies of requests and answers.

use std::io;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};

use futures::{Stream, StreamExt as _};
use http_body::Frame;

/// The body of a request or an answer. An error in the middle of an answer's body breaks the connection at that point.
pub(crate) type Body = UnsyncBoxBody<Bytes, io::Error>;

/// A body that is complete.
pub(crate) fn full(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into()).map_err(|never| match never {}).boxed_unsync()
}

/// A body that is sent piece by piece.
pub(crate) fn streamed(pieces: impl Stream<Item = io::Result<Bytes>> + Send + 'static) -> Body {
    StreamBody::new(pieces.map(|piece| piece.map(Frame::data))).boxed_unsync()
}
