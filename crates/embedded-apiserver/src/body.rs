//! Bodies of requests and answers.

use std::io;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};

use futures::{Stream, StreamExt as _};
use http_body::Frame;

/// The body of an answer. An error in it cuts the connection where it is.
pub(crate) type Body = UnsyncBoxBody<Bytes, io::Error>;

/// All of a body at once.
pub(crate) fn full(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into()).map_err(|never| match never {}).boxed_unsync()
}

/// A body that comes piece by piece.
pub(crate) fn streamed(pieces: impl Stream<Item = io::Result<Bytes>> + Send + 'static) -> Body {
    StreamBody::new(pieces.map(|piece| piece.map(Frame::data))).boxed_unsync()
}
