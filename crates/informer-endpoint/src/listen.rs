//! Serves the endpoint on its own port.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::connections::{Connections, Progress};
use crate::endpoint::Endpoint;

/// The time that a client has to send a request. Who asks has connected because of it, and sends it at once.
const PATIENCE: Duration = Duration::from_secs(2);

/// The time that a request and its answer may take.
const ANSWER: Duration = Duration::from_secs(30);

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
    pub async fn listen(self, address: SocketAddr) -> io::Result<Listening> {
        self.listen_patiently(address, PATIENCE).await
    }

    /// With another patience: where that decides nothing, a test need not be quick.
    async fn listen_patiently(mut self, address: SocketAddr, patience: Duration) -> io::Result<Listening> {
        if let Some(why) = self.objects.as_ref().and_then(|objects| objects.refusal(address.ip())) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        self.hosts = self.hosts.bound_to(address.ip());
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(self, listener, patience));
        Ok(Listening { address, _tasks: tasks })
    }
}

async fn accept(endpoint: Endpoint, listener: TcpListener, patience: Duration) {
    let mut connections = Connections::default();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                connections.room().await;
                connections.serve(|progress| serve(endpoint.clone(), stream, patience, progress));
            }
            // For example too many open files; wait until others are closed.
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

async fn serve(endpoint: Endpoint, stream: TcpStream, patience: Duration, progress: Progress) {
    // If that is not known, the client has gone already.
    let Ok(local) = stream.local_addr() else { return };
    let answer = service_fn(|request: Request<Incoming>| {
        let answer = endpoint.respond(&request, local.ip());
        progress.answered(answer.body().is_stream());
        std::future::ready(Ok::<_, Infallible>(answer))
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), answer);
    let mut connection = std::pin::pin!(connection);
    // An error means that the client has gone, and needs no report.
    if timeout(ANSWER, connection.as_mut()).await.is_err() && progress.is_viewing() {
        timeout(VIEW, connection).await.ok();
    }
}

#[cfg(test)]
mod tests;
