//! A proxy as networks have it at their border: asked by HTTP `CONNECT` or SOCKS5 to connect to somewhere.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use parking_lot::Mutex;
use test_cluster::Issued;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// What is asked of it to let somebody through.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Admits {
    Everybody,
    /// Who knows [`USER`] and [`PASSWORD`].
    WhoIsKnown,
    Nobody,
}

pub(crate) const USER: &str = "user";
/// With a character that an address cannot have as it is.
pub(crate) const PASSWORD: &str = "p@ss";
/// Both as an address has them.
pub(crate) const IN_ADDRESS: &str = "user:p%40ss";
/// Both as HTTP has them.
const BASIC: &str = "proxy-authorization: basic dXNlcjpwQHNz";

/// A running proxy. Ends with all its connections when dropped.
pub(crate) struct Forward {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Forward {
    pub(crate) async fn http(admits: Admits) -> Result<Self> {
        Self::start(move |client, asked| http(client, admits, asked)).await
    }

    /// The same over TLS, with this certificate.
    pub(crate) async fn https(certificate: &Issued, admits: Admits) -> Result<Self> {
        let chain = vec![CertificateDer::from_pem_slice(certificate.certificate_pem.as_bytes())?];
        let key = PrivateKeyDer::from_pem_slice(certificate.key_pem.as_bytes())?;
        let config = ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key)?;
        let tls = TlsAcceptor::from(Arc::new(config));
        Self::start(move |client, asked| {
            let accepted = tls.accept(client);
            async move { http(accepted.await?, admits, asked).await }
        })
        .await
    }

    pub(crate) async fn socks5(admits: Admits) -> Result<Self> {
        Self::start(move |client, asked| socks5(client, admits, asked)).await
    }

    /// Where it listens, such as `127.0.0.1:3128`.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it was asked to connect to, in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().clone()
    }

    async fn start<F>(
        serve: impl Fn(TcpStream, Arc<Mutex<Vec<String>>>) -> F + Send + 'static,
    ) -> Result<Self>
    where
        F: Future<Output = Result<()>> + Send + 'static,
    {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let (address, asked) = (listener.local_addr()?, Arc::<Mutex<Vec<_>>>::default());
        let task = tokio::spawn({
            let asked = asked.clone();
            async move {
                let mut connections = JoinSet::new();
                while let Ok((client, _)) = listener.accept().await {
                    // A connection that breaks is what both ends hear of.
                    connections.spawn(serve(client, asked.clone()));
                    while connections.try_join_next().is_some() {}
                }
            }
        });
        Ok(Self { address, asked, task })
    }
}

impl Drop for Forward {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn http(mut client: impl Stream, admits: Admits, asked: Arc<Mutex<Vec<String>>>) -> Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(client.read_u8().await?);
    }
    let head = String::from_utf8(head)?;
    let target = head.split(' ').nth(1).context("a target")?;
    ensure!(head.starts_with("CONNECT "), "not to be tunnelled: {head}");
    asked.lock().push(target.to_owned());
    let known = head.lines().any(|line| line.eq_ignore_ascii_case(BASIC));
    let answer = match admits {
        Admits::Nobody => "403 Forbidden",
        Admits::WhoIsKnown if !known => "407 Proxy Authentication Required",
        _ => "200 Connection established",
    };
    client.write_all(format!("HTTP/1.1 {answer}\r\n\r\n").as_bytes()).await?;
    if answer.starts_with("200") { forward(client, target).await } else { Ok(()) }
}

async fn socks5(mut client: TcpStream, admits: Admits, asked: Arc<Mutex<Vec<String>>>) -> Result<()> {
    const NO_CREDENTIALS: u8 = 0;
    const CREDENTIALS: u8 = 2;
    const NONE_OF_THESE: u8 = 255;
    ensure!(client.read_u8().await? == 5, "another version");
    let offered = counted(&mut client).await?;
    let wanted = if admits == Admits::WhoIsKnown { CREDENTIALS } else { NO_CREDENTIALS };
    let method = if offered.contains(&wanted) { wanted } else { NONE_OF_THESE };
    client.write_all(&[5, method]).await?;
    if method == CREDENTIALS {
        client.read_u8().await?;
        let (user, password) = (counted(&mut client).await?, counted(&mut client).await?);
        let known = user == USER.as_bytes() && password == PASSWORD.as_bytes();
        client.write_all(&[1, u8::from(!known)]).await?;
        ensure!(known, "somebody else");
    }
    let mut request = [0; 4];
    client.read_exact(&mut request).await?;
    let host = match request {
        [5, 1, 0, 1] => std::net::Ipv4Addr::from(client.read_u32().await?).to_string(),
        [5, 1, 0, 3] => String::from_utf8(counted(&mut client).await?)?,
        other => bail!("not to be connected: {other:?}"),
    };
    let target = format!("{host}:{}", client.read_u16().await?);
    asked.lock().push(target.clone());
    let not_allowed = u8::from(admits == Admits::Nobody) * 2;
    client.write_all(&[5, not_allowed, 0, 1, 0, 0, 0, 0, 0, 0]).await?;
    if not_allowed == 0 { forward(client, &target).await } else { Ok(()) }
}

/// What carries bytes, in the clear or not.
trait Stream: AsyncRead + AsyncWrite + Unpin {}

impl<S: AsyncRead + AsyncWrite + Unpin> Stream for S {}

/// Bytes after their number.
async fn counted(client: &mut TcpStream) -> Result<Vec<u8>> {
    let mut bytes = vec![0; client.read_u8().await?.into()];
    client.read_exact(&mut bytes).await?;
    Ok(bytes)
}

async fn forward(mut client: impl Stream, target: &str) -> Result<()> {
    let mut server = TcpStream::connect(target).await?;
    copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}
