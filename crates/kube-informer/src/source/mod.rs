//! Where objects come from: the one seam between the network and the pipeline.

pub(crate) mod decode;
pub(crate) mod decode_list;
pub(crate) mod http;
mod request;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod scripted;
mod sources;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
pub(crate) mod tuning;

pub(crate) use http::Cluster;
pub use http::{FindCluster, HttpSource, HttpSources, SendIf};
#[cfg(test)]
pub(crate) use request::VersionMatch;
pub(crate) use request::{ListParams, Verb, WatchParams};
pub use request::{Request, Selection, StreamingList};
#[cfg(test)]
pub(crate) use scripted::{Fault, ScriptedSource};
pub use sources::Sources;
pub use tuning::Tuning;

pub(crate) use informer_wire::Status;

pub(crate) use crate::error::{self, SourceError};
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

    /// The API server that the requests go to in the end, if there is one. A source that passes them on should say so: the
    /// informer then looks after silent watches as the server's connections need it, and waits together with all others when the
    /// server cannot be reached.
    fn server(&self) -> Option<&HttpSources> {
        None
    }
}
