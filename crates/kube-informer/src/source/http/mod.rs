//! The Kubernetes API server as a source, over kube-client.

mod client;
pub(crate) mod cluster;
mod connect;
mod credentials;
mod pool;
mod proxy;
pub(crate) mod reach;
mod told;

use std::error::Error as StdError;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::future::BoxFuture;
use futures::{StreamExt as _, stream};
use http::StatusCode;
use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use http_body::Body as _;
use informer_wire::Status;
use informer_wire::status::ErrorBody;
use kube_client::client::{AuthError, Body};
use kube_client::{Client, Config};
use tokio::time::Instant;

pub(crate) use self::cluster::Cluster;
pub use self::cluster::FindCluster;
pub use self::pool::SendIf;

use self::client::Renewable;
use self::cluster::Way;
use self::credentials::CredentialsError;
use self::reach::Reachability;
use self::told::{silent, told};
use super::error::{ClusterError, NoCluster, SourceError};
use super::request::{Request, Verb};
use super::{ByteStream, ListWatch};
use crate::kind::{Kind, KindInfo};

/// How much of an error body is read.
const ERROR_BODY: usize = 64 << 10;

/// For how long. What the status says must not wait for a body that does not come.
const ERROR_BODY_PATIENCE: Duration = Duration::from_secs(5);

/// The largest document that is read whole. Discovery's are a few hundred kilobytes.
const DOCUMENT: usize = 32 << 20;

/// Lists and watches one kind at a Kubernetes API server.
///
/// Cheap to clone; clones share the connections.
#[derive(Clone)]
pub struct HttpSource {
    sources: HttpSources,
    kind: KindInfo,
}

/// A Kubernetes API server as the source of all its kinds, which share the connections.
///
/// Cheap to clone; clones share the connections, too.
#[derive(Clone)]
pub struct HttpSources {
    client: Arc<Renewable>,
    /// For errors; not known of a client that was given.
    server: Option<Arc<str>>,
    peer: Arc<Peer>,
}

/// What is known of the other end of the connections.
#[derive(Default)]
struct Peer {
    /// Whether the connections are ours and lead to the server itself. A proxy answers pings in its place, and whether a
    /// client that was given sends any is not known.
    direct: bool,
    answered: AtomicBool,
    http2: AtomicBool,
    /// Not known of a client that was given: what it does before it fails is its own affair.
    reach: Option<Arc<Reachability>>,
}

impl Peer {
    /// Takes note of an answer, or that there is none.
    fn learn(&self, sent: Instant, answer: &Result<http::Response<Body>, kube_client::Error>) {
        match (answer, &self.reach) {
            (Ok(answer), reach) => {
                // What is no longer HTTP was HTTP/1.1, whatever other requests use.
                if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
                    self.http2.store(answer.version() == http::Version::HTTP_2, Ordering::Relaxed);
                }
                self.answered.store(true, Ordering::Release);
                reach.iter().for_each(|reach| reach.answered(sent));
            }
            (Err(error), Some(reach)) if is_of_the_way(error) => reach.unanswered(sent, fastrand::f64()),
            (Err(_), _) => {}
        }
    }
}

impl HttpSource {
    /// The source of a type of objects at a cluster. Has to be called within a tokio runtime.
    pub fn of<K: Kind<Dynamic = ()>>(cluster: impl Into<Cluster>) -> Result<Self, ClusterError> {
        Self::new(cluster, K::info(&()))
    }

    /// The source of a kind at a cluster, over a client as [`HttpSources::new`] describes it. Has to be called within a tokio
    /// runtime.
    pub fn new(cluster: impl Into<Cluster>, kind: KindInfo) -> Result<Self, ClusterError> {
        Ok(HttpSources::new(cluster)?.of_kind(kind))
    }

    /// The source of another kind at the same server, over the same client.
    #[must_use]
    pub fn for_kind(&self, kind: KindInfo) -> Self {
        self.sources.of_kind(kind)
    }
}

impl HttpSources {
    /// The sources of all kinds at a cluster. Has to be called within a tokio runtime.
    ///
    /// From a configuration it builds a client of its own:
    ///
    /// - kube-client's retries are switched off: beneath the informer they would hide every 429, 503 and 504 for up to
    ///   fifteen attempts, while the informer counts, reports and waits as the server asks.
    /// - Requests share connections: HTTP/2 where the server speaks it, with a ping after 30 s of silence, else HTTP/1.1. All have
    ///   TCP keep-alive.
    /// - `proxy_url` may name an HTTP, HTTPS or, with the feature `socks`, SOCKS5 proxy, with user and password. The certificate
    ///   of an HTTPS proxy is checked against the same authorities as the server's. Through a proxy
    ///   pings and keep-alive may reach as far as the proxy only: if the server behind it vanishes without a word, the informer's own
    ///   watchdogs notice. Which proxy the environment names is looked up by [`Cluster::find`], not here.
    /// - The client is built again after a 401, before a client certificate from a credential plugin expires, and when the
    ///   files of the client certificate or of the authorities change. Token files are read again every minute; a plugin is run again a minute before its token expires.
    pub fn new(cluster: impl Into<Cluster>) -> Result<Self, ClusterError> {
        let Cluster { way: server, manners, .. } = cluster.into();
        let config = match server {
            Way::Client(client) => {
                let client = Arc::new(Renewable::fixed(client));
                return Ok(Self { client, server: None, peer: Arc::default() });
            }
            Way::Config(config) => *config,
        };
        if tokio::runtime::Handle::try_current().is_err() {
            let problem = "a client can only be built within a tokio runtime".to_owned();
            return Err(NoCluster::Client(problem).into());
        }
        let server = Some(way(&config));
        let peer = Arc::new(Peer {
            direct: config.proxy_url.is_none(),
            reach: Some(Arc::default()),
            ..Peer::default()
        });
        let client =
            Renewable::from_config(config, manners).map_err(|error| NoCluster::Client(told(&error)))?;
        Ok(Self { client: Arc::new(client), server, peer })
    }

    /// The source of one kind.
    pub fn of_kind(&self, kind: KindInfo) -> HttpSource {
        HttpSource { sources: self.clone(), kind }
    }
}

#[cfg(test)]
impl HttpSources {
    /// A server that answers nothing but pings.
    pub(crate) fn pinging() -> Self {
        let silent =
            |_: http::Request<Body>| std::future::pending::<Result<http::Response<Body>, AuthError>>();
        let client = Arc::new(Renewable::fixed(Client::new(tower::service_fn(silent), "default")));
        let yes = || AtomicBool::new(true);
        let peer = Arc::new(Peer { direct: true, answered: yes(), http2: yes(), reach: None });
        Self { client, server: None, peer }
    }
}

impl HttpSources {
    /// A document of the server that is read whole, such as what discovery serves.
    pub(crate) fn document(&self, path: &str) -> BoxFuture<'static, Result<Bytes, SourceError>> {
        let opened = self.send(get(path, "application/json"), false);
        Box::pin(async move {
            let mut chunks = opened.await?;
            let mut document = BytesMut::new();
            while let Some(chunk) = chunks.next().await {
                document.extend_from_slice(&chunk?);
                if document.len() > DOCUMENT {
                    return Err(SourceError::transport(format!(
                        "the answer is larger than {DOCUMENT} bytes"
                    )));
                }
            }
            Ok(document.freeze())
        })
    }

    /// Whether both send over the same connections, with the same credentials.
    pub(crate) fn shares_connections(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.client, &other.client)
    }

    /// Whether a request fails by itself, within 45 s, if the server vanishes without a word. Not known before the first answer.
    pub(crate) fn pings(&self) -> Option<bool> {
        let Peer { direct, answered, http2, .. } = &*self.peer;
        answered.load(Ordering::Acquire).then(|| *direct && http2.load(Ordering::Relaxed))
    }

    /// Whether the server can be reached, if that is known for all requests together.
    pub(crate) fn reachability(&self) -> Option<Arc<Reachability>> {
        self.peer.reach.clone()
    }

    /// A client of the same server over the same connections, with the same credentials, renewed alike. It repeats nothing by
    /// itself.
    pub(crate) fn client(&self) -> Client {
        let (renewable, peer) = (self.client.clone(), self.peer.clone());
        let namespace = renewable.default_namespace();
        let service = tower::service_fn(move |request: http::Request<Body>| {
            let (renewable, peer) = (renewable.clone(), peer.clone());
            async move {
                let (using, attempt) = renewable.client().await;
                let sent = Instant::now();
                let answer = using.send(request).await;
                peer.learn(sent, &answer);
                if answer.as_ref().is_ok_and(|answer| answer.status() == StatusCode::UNAUTHORIZED) {
                    renewable.refused(attempt);
                }
                answer.map_err(silent)
            }
        });
        Client::new(service, namespace)
    }

    fn send(
        &self,
        request: Result<http::Request<Body>, SourceError>,
        sensitive: bool,
    ) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        let (client, server, peer) = (self.client.clone(), self.server.clone(), self.peer.clone());
        Box::pin(async move {
            let (using, attempt) = client.client().await;
            let sent = Instant::now();
            let answer = using.send(request?).await;
            peer.learn(sent, &answer);
            let answer = answer.map_err(|error| no_answer(server.as_deref(), &error))?;
            let (head, body) = answer.into_parts();
            if head.status == StatusCode::UNAUTHORIZED {
                client.refused(attempt);
            }
            if !head.status.is_success() {
                let retry_after = head.headers.get(RETRY_AFTER).and_then(seconds);
                let content_type = head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
                let body =
                    ErrorBody { content_type: content_type.map(str::to_owned), ..beginning(body).await };
                let failure = Status::from_answer(head.status.as_u16(), retry_after, &body);
                let failure = if sensitive { failure.without_content() } else { failure };
                return Err(SourceError::answered(failure));
            }
            match head.headers.get(CONTENT_ENCODING) {
                Some(encoding) if !is_identity(encoding) => Err(SourceError::transport(format!(
                    "the answer is compressed ({encoding:?}) although it was asked for as it is: a proxy, or a \
                     client stack that overwrites Accept-Encoding"
                ))),
                _ => Ok(chunks(body)),
            }
        })
    }
}

impl ListWatch for HttpSource {
    fn open(&self, request: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        self.sources.send(build(&request, &self.kind), informer_wire::kind::is_sensitive(&self.kind))
    }

    fn server(&self) -> Option<&HttpSources> {
        Some(&self.sources)
    }
}

impl fmt::Debug for HttpSources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpSources").field("server", &self.server).finish_non_exhaustive()
    }
}

impl fmt::Debug for HttpSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpSource").field("kind", &self.kind).finish_non_exhaustive()
    }
}

fn build(request: &Request, kind: &KindInfo) -> Result<http::Request<Body>, SourceError> {
    let form = match (&request.verb, request.metadata_only) {
        (_, false) => "application/json",
        (Verb::List(_), true) => "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
        (Verb::Watch(_), true) => "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
    };
    let accept = if request.drop_managed_fields {
        // The parameter is KEP-5958's. Servers that do not know it ignore it; for one that does not take it there is the
        // second choice.
        format!("{form};drop=metadata.managedFields,{form}")
    } else {
        form.to_owned()
    };
    let mut built = get(&request.path_and_query(kind), &accept)?;
    if let Some(silence) = request.silence {
        built.extensions_mut().insert(pool::Silence(silence));
    }
    Ok(built)
}

fn get(path_and_query: &str, accept: &str) -> Result<http::Request<Body>, SourceError> {
    http::Request::get(path_and_query)
        .header(ACCEPT, accept)
        // Newer servers compress watches in a form that most decoders give up on, and no list is worth the delay.
        .header(ACCEPT_ENCODING, "identity")
        .body(Body::empty())
        .map_err(|error| SourceError::transport(format!("cannot build the request: {error}")))
}

fn chunks(mut body: Body) -> ByteStream {
    stream::poll_fn(move |context| {
        loop {
            let frame = std::task::ready!(Pin::new(&mut body).poll_frame(context));
            let item = match frame {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => Some(Ok(data)),
                    Err(_trailers) => continue,
                },
                Some(Err(error)) => Some(Err(transport(&error))),
                None => None,
            };
            return std::task::Poll::Ready(item);
        }
    })
    .boxed()
}

/// The beginning of an error body. If it breaks off or stalls, what there is of it.
async fn beginning(body: Body) -> ErrorBody {
    let mut chunks = chunks(body);
    let mut read = ErrorBody::default();
    let until = Instant::now() + ERROR_BODY_PATIENCE;
    while let Ok(Some(Ok(chunk))) = tokio::time::timeout_at(until, chunks.next()).await {
        let room = ERROR_BODY - read.bytes.len();
        read.bytes.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        read.cut = chunk.len() > room;
        if read.cut {
            break;
        }
    }
    read
}

/// Whether a body is as it was asked for: names of encodings have no case.
fn is_identity(encoding: &http::HeaderValue) -> bool {
    encoding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"identity")
}

/// `Retry-After` in its form of seconds; the server sends no other.
fn seconds(value: &http::HeaderValue) -> Option<Duration> {
    value.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}

/// Where the server is, and the proxy on the way to it.
fn way(config: &Config) -> Arc<str> {
    let server = address(&config.cluster_url, "https");
    match &config.proxy_url {
        Some(proxy) => format!("{server} through the proxy {}", address(proxy, "http")).into(),
        None => server.into(),
    }
}

/// Credentials that an address may hold are left out.
fn address(of: &http::Uri, default_scheme: &str) -> String {
    let scheme = of.scheme_str().unwrap_or(default_scheme);
    let port = of.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{scheme}://{}{port}", of.host().unwrap_or_default())
}

/// Whether a failure says that the server cannot be reached. Credentials that cannot be had are another matter, and so is a
/// stream that the server has reset: it was there to do so.
fn is_of_the_way(error: &kube_client::Error) -> bool {
    let mut cause: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(error) = cause {
        let reset =
            error.downcast_ref::<h2::Error>().is_some_and(|error| error.is_reset() && error.is_remote());
        if reset || error.is::<AuthError>() || error.is::<CredentialsError>() {
            return false;
        }
        cause = error.source();
    }
    true
}

/// A failure without an answer, and where none came from.
fn no_answer(server: Option<&str>, error: &kube_client::Error) -> SourceError {
    let text = told(error);
    SourceError::transport(match server {
        Some(server) => format!("no answer from {server}: {text}"),
        None => text,
    })
}

/// A failure without an answer, with all that is known of its cause.
fn transport(error: &(dyn StdError + 'static)) -> SourceError {
    SourceError::transport(told(error))
}

#[cfg(test)]
mod tests;
