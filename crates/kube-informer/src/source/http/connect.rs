//! Connections to the server, whichever way they go: direct, or through a proxy of any sort. Each stage of the way has a
//! limit of its own, so that a link on which a byte takes seconds can be used, and a server that hangs is noticed.
//!
//! The HTTP client with its TLS is generic over the connection, and large. Were each way a type of its own, all of it would
//! be compiled four times; behind a trait object it is compiled once, for one indirect call per read or write of a socket.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use kube_client::client::ConfigExt as _;
use kube_client::{Config, Error};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tower::util::BoxCloneSyncService;
use tower::{BoxError, Service, ServiceExt as _};

use super::pool::{Offer, Protocol};

/// How long one stage of making a connection may take: TCP, the answer of a proxy, TLS. A server that was stopped still accepts
/// connections: its kernel does.
const STAGE: Duration = Duration::from_secs(10);

/// Makes connections, without TLS.
pub(super) type Connector = BoxCloneSyncService<Uri, Socket, BoxError>;

/// Any connector as the one type.
pub(super) fn boxed<C>(connector: C) -> Connector
where
    C: Service<Uri> + Clone + Send + Sync + 'static,
    C::Response: Duplex + 'static,
    C::Future: Send + 'static,
    C::Error: Into<BoxError>,
{
    BoxCloneSyncService::new(connector.map_response(Socket::new).map_err(Into::into))
}

/// Makes connections to one server, and finds out which protocol it speaks.
#[derive(Clone)]
pub(super) struct ServerConnector {
    server: Uri,
    connector: Connector,
    /// How long the connector may take.
    patience: Duration,
    tls: Option<Tls>,
}

#[derive(Clone)]
struct Tls {
    name: ServerName<'static>,
    /// Both share the sessions that the server lets us take up again.
    both: TlsConnector,
    http1_only: TlsConnector,
}

impl ServerConnector {
    /// Without TLS there is nothing that a server could say what it speaks with: it is HTTP/1.1 then.
    pub(super) fn new(config: &Config, connector: Connector) -> Result<Self, Error> {
        let server = config.cluster_url.clone();
        let tls = match server.scheme_str() {
            Some("http") => None,
            _ => Some(Tls::new(config)?),
        };
        // To the proxy, perhaps with TLS, and on to the server.
        let stages = if config.proxy_url.is_some() { 3 } else { 1 };
        Ok(Self { server, connector, patience: STAGE * stages, tls })
    }

    pub(super) async fn connect(self, offer: Offer) -> Result<(Socket, Protocol), BoxError> {
        let connecting = timeout(self.patience, self.connector.oneshot(self.server));
        let socket = connecting.await.map_err(|_| too_slow("connection", self.patience))??;
        let Some(tls) = self.tls else { return Ok((socket, Protocol::Http1)) };
        let connector = match offer {
            Offer::Both => tls.both,
            Offer::Http1Only => tls.http1_only,
        };
        let shaking_hands = timeout(STAGE, connector.connect(tls.name, TokioIo::new(socket)));
        let stream = shaking_hands.await.map_err(|_| too_slow("TLS handshake", STAGE))??;
        let protocol = match stream.get_ref().1.alpn_protocol() {
            Some(b"h2") => Protocol::Http2,
            _ => Protocol::Http1,
        };
        Ok((Socket::new(TokioIo::new(stream)), protocol))
    }
}

fn too_slow(stage: &str, patience: Duration) -> BoxError {
    format!("there was no {stage} within {patience:?}").into()
}

impl Tls {
    fn new(config: &Config) -> Result<Self, Error> {
        let host = config.cluster_url.host().unwrap_or_default();
        // An IPv6 address is in brackets in an address, and not in a certificate.
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let name = config.tls_server_name.as_deref().unwrap_or(host).to_owned();
        let name = ServerName::try_from(name).map_err(|error| Error::Service(error.into()))?;
        let mut both = config.rustls_client_config()?;
        let mut http1_only = both.clone();
        both.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        http1_only.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { name, both: Arc::new(both).into(), http1_only: Arc::new(http1_only).into() })
    }
}

/// A connection that bytes come and go through.
pub(super) struct Socket(Box<dyn Duplex>);

/// What a connection has to be able to do.
pub(super) trait Duplex: Read + Write + Send + Unpin {}

impl<T: Read + Write + Send + Unpin> Duplex for T {}

impl Socket {
    pub(super) fn new(duplex: impl Duplex + 'static) -> Self {
        Self(Box::new(duplex))
    }
}

impl Read for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_read(context, buffer)
    }
}

impl Write for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.0).poll_write_vectored(context, parts)
    }
}

#[cfg(test)]
mod tests;
