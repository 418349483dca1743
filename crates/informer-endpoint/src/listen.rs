//! Serves the endpoint on its own port.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::endpoint::Endpoint;

/// How many connections are served at once; more have to wait.
const CONNECTIONS: usize = 64;

/// The time that a client has to send a request.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a stream of events lasts. A page connects again by itself; of a viewer that went without a word the place is free
/// again then.
const VIEW: Duration = Duration::from_secs(15 * 60);

/// An endpoint that answers at an address until this is dropped.
#[derive(Debug)]
pub struct Listening {
    address: SocketAddr,
    _tasks: JoinSet<()>,
}

impl Listening {
    /// The address, with the actual port if port 0 was asked for.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Endpoint {
    /// Serves the endpoint at an address in a new task, until the returned value is dropped. Port 0 takes any free port.
    ///
    /// It is an error if contents of [objects](Endpoint::objects) are to be shown where others can connect, without a token.
    ///
    /// The pages are for the operators of the program: listen on loopback, or keep the port within the cluster.
    pub async fn listen(mut self, address: SocketAddr) -> io::Result<Listening> {
        if let Some(why) = self.objects.as_ref().and_then(|objects| objects.refusal(address.ip())) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        self.hosts = self.hosts.bound_to(address.ip());
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(self, listener));
        Ok(Listening { address, _tasks: tasks })
    }
}

async fn accept(endpoint: Endpoint, listener: TcpListener) {
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        if connections.len() == CONNECTIONS {
            connections.join_next().await;
        }
        match listener.accept().await {
            Ok((stream, _)) => {
                connections.spawn(serve(endpoint.clone(), stream));
            }
            // For example too many open files; wait until others are closed.
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

async fn serve(endpoint: Endpoint, stream: TcpStream) {
    // If that is not known, the client has gone already.
    let Ok(local) = stream.local_addr() else { return };
    let is_view = AtomicBool::new(false);
    let answer = service_fn(|request: Request<Incoming>| {
        let answer = endpoint.respond(&request, local.ip());
        is_view.store(answer.body().is_stream(), Ordering::Relaxed);
        std::future::ready(Ok::<_, Infallible>(answer))
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), answer);
    let mut connection = std::pin::pin!(connection);
    // An error means that the client has gone, and needs no report.
    if timeout(PATIENCE * 3, connection.as_mut()).await.is_err() && is_view.load(Ordering::Relaxed) {
        timeout(VIEW, connection).await.ok();
    }
}
