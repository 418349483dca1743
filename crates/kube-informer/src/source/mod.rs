//! Where objects come from: the one seam between the network and the pipeline.

mod capture;
mod container;
pub(crate) mod decode;
pub(crate) mod decode_list;
mod error;
pub(crate) mod frames;
mod http;
pub(crate) mod intake;
mod list_frames;
mod request;
mod scan;
#[cfg(any(test, feature = "testing"))]
mod scripted;
pub(crate) mod status;
pub(crate) mod stream_error;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use error::{HttpFailure, SourceError};
pub use http::{FindClusterError, FoundCluster, HttpSource, find_cluster};
pub use request::{ListParams, Request, Verb, VersionMatch, WatchParams};
#[cfg(any(test, feature = "testing"))]
pub use scripted::{Fault, InjectedFault, ScriptedSource};

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::stream::BoxStream;

/// The body of an answer, chunk by chunk as it comes in.
pub type ByteStream = BoxStream<'static, Result<Bytes, SourceError>>;

/// Something that answers LIST and WATCH requests of one kind with bytes: a Kubernetes API server, or a script.
///
/// Dropping the future or the stream ends the request.
pub trait ListWatch: Send + Sync + 'static {
    /// Sends a request. Succeeds once the server has answered with a 2xx status; the body follows as a stream.
    fn open(&self, request: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>>;
}
