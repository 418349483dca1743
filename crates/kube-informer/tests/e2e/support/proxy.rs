//! A TCP proxy on loopback that fails on command: what lies between a client and its server.
//!
//! The bytes are those of TLS and pass untouched. The API server's certificate is for 127.0.0.1, whatever the port,
//! so a client only needs the proxy's address.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// What is wrong with the way at present; every connection follows it.
#[derive(Clone, Copy, Default)]
struct Way {
    /// How often all connections have been cut.
    cuts: u64,
    stalled: bool,
    delay: Duration,
    /// A connection that is older than the last of these carries nothing any more.
    losses: u64,
}

/// A proxy in front of one server. Ends with all its connections when dropped.
pub(crate) struct Proxy {
    address: SocketAddr,
    /// Where new connections lead.
    target: Arc<Mutex<SocketAddr>>,
    /// Keeps the port ours while nobody listens on it.
    _port: TcpSocket,
    accepting: Option<JoinHandle<()>>,
    way: watch::Sender<Way>,
    connections: Arc<AtomicU64>,
}

impl Proxy {
    /// Starts a proxy on a free port for the server at `url`, such as `https://127.0.0.1:15017`.
    pub(crate) fn start(url: &str) -> Result<Self> {
        let target = Arc::new(Mutex::new(address_of(url)?));
        let port = socket(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        let address = port.local_addr()?;
        let (way, connections) = (watch::Sender::default(), Arc::default());
        let mut proxy = Self { address, target, _port: port, accepting: None, way, connections };
        proxy.accept()?;
        Ok(proxy)
    }

    /// Where clients find it, as the address of a server.
    pub(crate) fn url(&self) -> String {
        format!("https://{}", self.address)
    }

    /// How many connections were made so far.
    pub(crate) fn connections(&self) -> u64 {
        self.connections.load(Ordering::Relaxed)
    }

    /// Closes every connection; new ones are welcome.
    pub(crate) fn cut(&self) {
        self.way.send_modify(|way| way.cuts += 1);
    }

    /// The connections there are stay open and carry nothing any more, whatever happens, until they are cut; new ones work.
    pub(crate) fn lose_open_connections(&self) {
        self.way.send_modify(|way| way.losses += 1);
    }

    /// New connections lead to another server, those that are open stay where they are: what a load balancer does.
    pub(crate) fn lead_to(&self, url: &str) -> Result<()> {
        *self.target.lock() = address_of(url)?;
        Ok(())
    }

    /// New connections are refused, those that are open stay.
    pub(crate) async fn refuse(&mut self) {
        if let Some(accepting) = self.accepting.take() {
            accepting.abort();
            // Until the listener is gone.
            accepting.await.ok();
        }
    }

    /// Nothing passes any more, in either direction, and nothing is closed.
    pub(crate) fn stall(&self) {
        self.way.send_modify(|way| way.stalled = true);
    }

    /// Every piece of data takes this much longer.
    pub(crate) fn delay(&self, delay: Duration) {
        self.way.send_modify(|way| way.delay = delay);
    }

    /// All is well again; what was held back passes.
    pub(crate) fn resume(&mut self) -> Result<()> {
        self.way.send_modify(|way| *way = Way { cuts: way.cuts, losses: way.losses, ..Way::default() });
        if self.accepting.is_none() { self.accept() } else { Ok(()) }
    }

    fn accept(&mut self) -> Result<()> {
        let listener = socket(self.address)?.listen(128)?;
        let (target, way, connections) =
            (self.target.clone(), self.way.subscribe(), self.connections.clone());
        self.accepting = Some(tokio::spawn(accept(listener, target, way, connections)));
        Ok(())
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // The connections end because the sender of their commands is gone.
        self.accepting.iter().for_each(JoinHandle::abort);
    }
}

/// The socket of an address such as `https://127.0.0.1:15017`.
fn address_of(url: &str) -> Result<SocketAddr> {
    Ok(url.strip_prefix("https://").context("an https address")?.parse()?)
}

/// A socket bound to a port that another one of ours may be bound to as well.
fn socket(address: SocketAddr) -> Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.set_reuseport(true)?;
    socket.bind(address).with_context(|| format!("the proxy cannot have {address}"))?;
    Ok(socket)
}

async fn accept(
    listener: TcpListener,
    target: Arc<Mutex<SocketAddr>>,
    way: watch::Receiver<Way>,
    connections: Arc<AtomicU64>,
) {
    while let Ok((client, _)) = listener.accept().await {
        connections.fetch_add(1, Ordering::Relaxed);
        let (target, way) = (*target.lock(), way.clone());
        tokio::spawn(async move {
            let mut cut = way.clone();
            let cuts = cut.borrow_and_update().cuts;
            tokio::select! {
                // Cut and resumed at once, nothing of what was held back passes.
                biased;
                _ = cut.wait_for(|way| way.cuts != cuts) => {}
                // A connection that breaks is what both ends hear of.
                _ = connect(client, target, way) => {}
            }
        });
    }
}

async fn connect(client: TcpStream, target: SocketAddr, way: watch::Receiver<Way>) -> Result<()> {
    let server = TcpStream::connect(target).await?;
    for stream in [&client, &server] {
        stream.set_nodelay(true)?;
    }
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::try_join!(forward(from_client, to_server, way.clone()), forward(from_server, to_client, way))?;
    Ok(())
}

async fn forward(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut way: watch::Receiver<Way>,
) -> Result<()> {
    let mut buffer = vec![0; 16 << 10];
    let losses = way.borrow().losses;
    loop {
        let read = from.read(&mut buffer).await?;
        let delay = way.wait_for(|way| !way.stalled && way.losses == losses).await?.delay;
        if !delay.is_zero() {
            // Held back for that long, or until there is no delay any more.
            tokio::time::timeout(delay, way.wait_for(|way| way.delay.is_zero())).await.ok();
        }
        if read == 0 {
            return Ok(to.shutdown().await?);
        }
        to.write_all(&buffer[..read]).await?;
    }
}

#[tokio::test]
async fn a_proxy_forwards_cuts_stalls_and_refuses() -> Result<()> {
    // What the server does does not matter: it says back what it hears.
    let echo = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let mut proxy = Proxy::start(&format!("https://{}", echo.local_addr()?))?;
    let address = proxy.address;
    tokio::spawn(async move {
        while let Ok((stream, _)) = echo.accept().await {
            let (mut read, mut write) = stream.into_split();
            tokio::spawn(async move { tokio::io::copy(&mut read, &mut write).await });
        }
    });
    let mut heard = [0];
    let mut client = TcpStream::connect(address).await?;
    client.write_all(b"a").await?;
    client.read_exact(&mut heard).await?;
    assert_eq!(&heard, b"a");

    proxy.stall();
    client.write_all(b"b").await?;
    let nothing = tokio::time::timeout(Duration::from_millis(50), client.read_exact(&mut heard)).await;
    assert!(nothing.is_err(), "nothing passes");
    proxy.resume()?;
    client.read_exact(&mut heard).await?;
    assert_eq!(&heard, b"b");

    proxy.refuse().await;
    let refused = TcpStream::connect(address).await.unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
    proxy.delay(Duration::from_millis(1));
    client.write_all(b"c").await?;
    client.read_exact(&mut heard).await?;
    assert_eq!(&heard, b"c", "the open connection stays");

    proxy.cut();
    assert_eq!(client.read(&mut heard).await.unwrap_or(0), 0, "it is closed");
    proxy.resume()?;
    let mut client = TcpStream::connect(address).await?;
    client.write_all(b"d").await?;
    client.read_exact(&mut heard).await?;

    proxy.lose_open_connections();
    proxy.resume()?;
    client.write_all(b"e").await?;
    let nothing = tokio::time::timeout(Duration::from_millis(50), client.read_exact(&mut heard)).await;
    assert!(nothing.is_err(), "nothing passes, also when all is well");
    let other = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    proxy.lead_to(&format!("https://{}", other.local_addr()?))?;
    let (_client, accepted) = tokio::join!(TcpStream::connect(address), other.accept());
    accepted?;
    Ok(())
}
