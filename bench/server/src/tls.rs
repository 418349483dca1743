//! TLS, with a certificate made at the start.

use std::net::TcpStream;
use std::num::NonZeroUsize;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::{DEFAULT_VERSIONS, ServerConfig, StreamOwned};

use crate::{States, http2, serve};

/// How connections are accepted.
#[derive(Clone)]
pub(crate) struct Tls {
    acceptor: TlsAcceptor,
}

impl Tls {
    /// Offers `http1`, or `http2` and HTTP/1.1. Also returns the certificate that clients have to trust, as PEM.
    pub(crate) fn new(protocol: &str) -> Result<(Self, String)> {
        let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()])?;
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).map_err(anyhow::Error::msg)?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(DEFAULT_VERSIONS)?
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)?;
        config.alpn_protocols = match protocol {
            "http1" => vec![b"http/1.1".to_vec()],
            "http2" => vec![b"h2".to_vec(), b"http/1.1".to_vec()],
            _ => bail!("--tls {protocol}: http1 or http2"),
        };
        Ok((Self { acceptor: TlsAcceptor::from(Arc::new(config)) }, made.cert.pem()))
    }

    /// Answers the requests of one connection.
    pub(crate) fn serve(
        &self,
        states: &States,
        stream: TcpStream,
        pieces: Option<NonZeroUsize>,
    ) -> Result<()> {
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let accept = async { self.acceptor.accept(tokio::net::TcpStream::from_std(stream)?).await };
        let stream = runtime.block_on(accept).context("no handshake")?;
        if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
            return runtime.block_on(http2::serve(states, stream, pieces));
        }
        // From here on as without TLS.
        let (stream, session) = stream.into_inner();
        let stream = stream.into_std()?;
        stream.set_nonblocking(false)?;
        serve(states, &mut StreamOwned::new(session, stream), pieces)
    }
}
