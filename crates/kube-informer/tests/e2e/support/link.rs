//! The way to the server: a TCP link that can be cut, refuse connections, or stall without closing anything.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result};
use kube_client::Config;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

/// Passes bytes between clients and one server until told otherwise. Closed when dropped.
pub(crate) struct Link {
    address: SocketAddr,
    state: watch::Sender<State>,
    connections: watch::Receiver<Connections>,
    task: JoinHandle<()>,
}

/// The connections of clients.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Connections {
    /// Those there are.
    pub(crate) open: usize,
    /// The most there were at once.
    pub(crate) peak: usize,
    /// All there ever were.
    pub(crate) made: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct State {
    newcomers: Newcomers,
    /// A connection that is older than the last of these is closed.
    cuts: u64,
    /// A connection that is older than the last of these carries nothing any more.
    stalls: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Newcomers {
    Forwarded,
    Refused,
    Stalled,
}

impl Link {
    /// A link to the server that a configuration names, and the configuration that goes through it.
    pub(crate) async fn to(mut config: Config) -> Result<(Self, Config)> {
        let authority = config.cluster_url.authority().context("the server has an address")?;
        let server: SocketAddr = authority.as_str().parse()?;
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let (state, seen) = watch::channel(State { newcomers: Newcomers::Forwarded, cuts: 0, stalls: 0 });
        let (counter, connections) = watch::channel(Connections::default());
        let task = tokio::spawn(accept(listener, server, seen, counter));
        let scheme = config.cluster_url.scheme_str().context("the server's address has a scheme")?;
        config.cluster_url = format!("{scheme}://{address}/").parse()?;
        Ok((Self { address, state, connections, task }, config))
    }

    /// Where clients find it, as the address of a server.
    pub(crate) fn url(&self) -> String {
        format!("https://{}", self.address)
    }

    /// The connections now.
    pub(crate) fn connections(&self) -> Connections {
        *self.connections.borrow()
    }

    /// Waits until no more than so many connections are open.
    pub(crate) async fn until_open(&self, at_most: usize, patience: Duration) -> Result<()> {
        let mut connections = self.connections.clone();
        let closed = tokio::time::timeout(patience, connections.wait_for(|now| now.open <= at_most)).await;
        closed.with_context(|| format!("connections stay open: {:?}", self.connections()))??;
        Ok(())
    }

    /// Closes all connections; new ones work.
    pub(crate) fn cut(&self) {
        self.state.send_modify(|state| state.cuts += 1);
    }

    /// Closes all connections, and new ones at once.
    pub(crate) fn refuse(&self) {
        self.state.send_modify(|state| {
            state.newcomers = Newcomers::Refused;
            state.cuts += 1;
        });
    }

    /// The connections there are stay open and carry nothing any more; new ones work.
    pub(crate) fn stall_open_connections(&self) {
        self.state.send_modify(|state| state.stalls += 1);
    }

    /// Connections, also new ones, are open and carry nothing.
    pub(crate) fn stall(&self) {
        self.state.send_modify(|state| {
            state.newcomers = Newcomers::Stalled;
            state.stalls += 1;
        });
    }

    /// New connections work again. Those that stalled do not.
    pub(crate) fn restore(&self) {
        self.state.send_modify(|state| state.newcomers = Newcomers::Forwarded);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").field("address", &self.address).field("state", &*self.state.borrow()).finish()
    }
}

async fn accept(
    listener: TcpListener,
    server: SocketAddr,
    state: watch::Receiver<State>,
    counter: watch::Sender<Connections>,
) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        let counted = Counted::new(counter.clone());
        let carried = carry(client, server, state.clone());
        connections.spawn(async move {
            carried.await;
            drop(counted);
        });
        while connections.try_join_next().is_some() {}
    }
}

/// An open connection, however it ends.
struct Counted(watch::Sender<Connections>);

impl Counted {
    fn new(counter: watch::Sender<Connections>) -> Self {
        counter.send_modify(|now| {
            now.made += 1;
            now.open += 1;
            now.peak = now.peak.max(now.open);
        });
        Self(counter)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.send_modify(|now| now.open -= 1);
    }
}

async fn carry(mut client: TcpStream, server: SocketAddr, mut state: watch::Receiver<State>) {
    let born = *state.borrow_and_update();
    match born.newcomers {
        Newcomers::Refused => return,
        Newcomers::Stalled => {}
        Newcomers::Forwarded => {
            let Ok(mut server) = TcpStream::connect(server).await else { return };
            let touched = |now: &State| now.cuts != born.cuts || now.stalls != born.stalls;
            tokio::select! {
                // What comes after the link was touched does not pass.
                biased;
                _ = state.wait_for(touched) => {}
                _ = copy_bidirectional(&mut client, &mut server) => return,
            }
        }
    }
    // Stalled: both ends stay open until the link is cut. An error means that the link is gone.
    state.wait_for(|now| now.cuts != born.cuts).await.ok();
}
