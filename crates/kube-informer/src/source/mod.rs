//! Where objects come from: the one seam between the network and the pipeline.

mod chunks;
pub(crate) mod decode;
pub(crate) mod decode_list;
mod ending;
pub(crate) mod frames;
pub(crate) mod http;
mod list_frames;
mod request;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod scripted;
mod sources;
pub(crate) mod status;
pub(crate) mod stream_error;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub(crate) use http::Cluster;
pub use http::{FindCluster, HttpSource};
pub(crate) use request::{ListParams, Verb, VersionMatch, WatchParams};
pub use request::{Request, Selection, StreamingList};
#[cfg(test)]
pub(crate) use scripted::{Fault, ScriptedSource};
pub(crate) use sources::Server;
pub use sources::Sources;

pub(crate) use crate::error::{self, HttpFailure, SourceError};
use std::any::Any;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::stream::BoxStream;

/// The body of an answer, chunk by chunk as it comes in.
pub type ByteStream = BoxStream<'static, Result<Bytes, SourceError>>;

/// Something that answers LIST and WATCH requests of one kind with bytes: a Kubernetes API server, or a script.
///
/// Dropping the future or the stream ends the request.
pub trait ListWatch: Any + Send + Sync {
    /// Sends a request. Succeeds once the server has answered with a 2xx status; the body follows as a stream.
    fn open(&self, request: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>>;

    /// Whether a request fails by itself, within 45 s, if the server vanishes without a word.
    ///
    /// `Some(false)`: no. The informer then moves a silent watch to another request now and then, see
    /// [`Options::idle_watch`](crate::Options::idle_watch). `Some(true)`: yes. It then only makes sure that silent watches
    /// still get bookmarks. `None`, the default: neither is necessary.
    fn pings(&self) -> Option<bool> {
        None
    }
}
