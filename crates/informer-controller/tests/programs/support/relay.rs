//! A way to a server that can be cut, and that keeps what comes from the client.
//!
//! It speaks plain HTTP with the client, and what the server wants with the server: so it can read the requests.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, split};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};

/// A request that the client has sent, whether it was passed on or not.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    /// When its last byte was here.
    pub(crate) at: Instant,
    /// `PATCH /api/v1/…`.
    pub(crate) line: String,
    pub(crate) body: String,
}

/// What does not come through. Connections stay open, and what was under way is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Cut {
    #[default]
    Nothing,
    /// Requests for Leases, and what comes after them on the same connection.
    Leases,
    Everything,
}

/// Passes on what it gets, until it is cut.
pub(crate) struct Relay {
    pub(crate) address: SocketAddr,
    cut: watch::Sender<Cut>,
    log: Log,
    _tasks: JoinSet<()>,
}

type Log = Arc<Mutex<Vec<Sent>>>;

/// A server that this leads to: its address, and whom to trust if it speaks TLS.
#[derive(Clone)]
pub(crate) struct Target {
    address: SocketAddr,
    tls: Option<TlsConnector>,
}

impl Target {
    pub(crate) fn new(address: SocketAddr, ca_pem: Option<&str>) -> Self {
        let tls = ca_pem.map(|pem| {
            let mut roots = RootCertStore::empty();
            for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
                roots.add(certificate.unwrap()).unwrap();
            }
            let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
            let config = config.with_safe_default_protocol_versions().unwrap();
            TlsConnector::from(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
        });
        Self { address, tls }
    }
}

impl Relay {
    pub(crate) async fn to(server: Target) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, sender) = (listener.local_addr().unwrap(), watch::Sender::default());
        let (mut tasks, cut, log) = (JoinSet::new(), sender.subscribe(), Log::default());
        let kept = log.clone();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                connections.spawn(connection(client, server.clone(), cut.clone(), kept.clone()));
                while connections.try_join_next().is_some() {}
            }
        });
        Self { address, cut: sender, log, _tasks: tasks }
    }

    pub(crate) fn cut(&self, cut: Cut) {
        self.cut.send_replace(cut);
    }

    /// What has come from the client so far.
    pub(crate) fn sent(&self) -> Vec<Sent> {
        self.log.lock().unwrap().clone()
    }
}

async fn connection(client: TcpStream, server: Target, mut cut: watch::Receiver<Cut>, log: Log) {
    // Nobody is told that the other one cannot be reached, and what is lost is lost: afterwards the connection is of no use.
    let healed = {
        let mut cut = cut.clone();
        async move {
            cut.wait_for(|cut| *cut != Cut::Nothing).await.ok();
            cut.wait_for(|cut| *cut == Cut::Nothing).await.ok();
        }
    };
    let passing = async {
        if *cut.borrow_and_update() == Cut::Everything {
            return pass_on(client, tokio::io::join(tokio::io::empty(), tokio::io::sink()), cut, log).await;
        }
        let Ok(there) = TcpStream::connect(server.address).await else { return };
        match &server.tls {
            None => pass_on(client, there, cut, log).await,
            Some(tls) => {
                let name = ServerName::IpAddress(server.address.ip().into());
                let Ok(there) = tls.connect(name, there).await else { return };
                pass_on(client, there, cut, log).await;
            }
        }
    };
    tokio::select! {
        () = healed => {}
        () = passing => {}
    }
}

/// Until one of them ends.
async fn pass_on(
    client: TcpStream,
    server: impl AsyncRead + AsyncWrite,
    cut: watch::Receiver<Cut>,
    log: Log,
) {
    let ((mut from_client, mut to_client), (mut from_server, mut to_server)) = (split(client), split(server));
    let there = async {
        let (mut chunk, mut unread, mut is_lost) = (vec![0; 16 * 1024], Vec::new(), false);
        while let Ok(count @ 1..) = from_client.read(&mut chunk).await {
            unread.extend_from_slice(&chunk[..count]);
            let cut = *cut.borrow();
            let is_of_lease = unread.windows(7).any(|bytes| bytes == b"/leases");
            is_lost |= cut == Cut::Everything || (cut == Cut::Leases && is_of_lease);
            while let Some(request) = request(&mut unread) {
                log.lock().unwrap().push(request);
            }
            if !is_lost && to_server.write_all(&chunk[..count]).await.is_err() {
                return;
            }
            to_server.flush().await.ok();
        }
    };
    let back = async {
        let mut chunk = vec![0; 16 * 1024];
        while let Ok(count @ 1..) = from_server.read(&mut chunk).await {
            if *cut.borrow() != Cut::Everything && to_client.write_all(&chunk[..count]).await.is_err() {
                return;
            }
        }
        // Without a server there are no answers.
        if *cut.borrow() == Cut::Everything {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = there => {}
        () = back => {}
    }
}

/// Takes a request from what has been read, if it is whole.
fn request(unread: &mut Vec<u8>) -> Option<Sent> {
    let end = unread.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&unread[..end]).into_owned();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    let whole = end + length.unwrap_or(0_usize);
    if unread.len() < whole {
        return None;
    }
    let body = String::from_utf8_lossy(&unread[end..whole]).into_owned();
    unread.drain(..whole);
    let line = head.lines().next().unwrap_or_default().to_owned();
    Some(Sent { at: Instant::now(), line, body })
}
