//! HTTP/1.1 on a TCP socket.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use http::Request;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

use super::patience::Patient;
use super::stop::Stop;
use crate::front::Front;
use crate::kubeconfig;

/// How many connections are open at once; more wait in the backlog of the socket.
const CONNECTIONS: usize = 8_192;
/// The buffer of a connection, in each direction.
const BUFFER: usize = 64 * 1024;
/// How long the head of a request may take, and how long a connection may be idle between two requests.
const HEADER_PATIENCE: Duration = Duration::from_secs(30);
/// How long a client may go without reading.
const WRITE_PATIENCE: Duration = Duration::from_secs(30);
/// How long requests in progress may take after [`TcpServer::stop`].
const GRACE: Duration = Duration::from_secs(5);
/// The wait after a failed accept, which mostly means too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The server on a TCP address, until it is stopped or dropped.
///
/// Made by [`EmbeddedApiserver::listen`](crate::EmbeddedApiserver::listen). Dropping it cuts all connections at once.
#[derive(Debug)]
pub struct TcpServer {
    address: SocketAddr,
    token: Option<String>,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl TcpServer {
    pub(crate) async fn bind(front: Arc<Front>, address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let token = front.token().map(str::to_owned);
        let (stop, stopped) = Stop::channel();
        let task = tokio::spawn(accept(listener, front, stopped));
        Ok(Self { address, token, stop, task })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its URL, such as `http://127.0.0.1:40001`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A kubeconfig with its address and token, as YAML.
    pub fn kubeconfig(&self) -> String {
        kubeconfig::yaml(&self.url(), self.token.as_deref())
    }

    /// Writes the kubeconfig to a file that only its owner may read.
    pub fn write_kubeconfig(&self, path: impl AsRef<Path>) -> io::Result<()> {
        kubeconfig::write(path.as_ref(), &self.kubeconfig())
    }

    /// The address and token as a configuration for [`kube_client::Client`], with the namespace `default`.
    ///
    /// Such a client repeats requests that are answered with 429, 503 or 504, unless `default_retry` is set to false. A
    /// client without sockets does not.
    pub fn config(&self) -> kube_client::Config {
        kubeconfig::config(self.address, self.token.as_deref())
    }

    /// Stops listening, ends all watches cleanly, lets answers finish for up to 5 s, and closes all connections.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        // An error means that the task panicked, and then it has ended too.
        let _ = (&mut self.task).await;
    }
}

impl Drop for TcpServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Accepts connections until `stop`. Dropping this future ends the tasks of all connections.
async fn accept(listener: TcpListener, front: Arc<Front>, stop: Stop) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let next = async {
            // The semaphore is never closed, so this only waits.
            let place = places.clone().acquire_owned().await.ok();
            (listener.accept().await, place)
        };
        tokio::select! {
            biased;
            () = stop.clone().requested() => break,
            (accepted, place) = next => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve(stream, front.clone(), stop.clone(), place));
                }
                Err(_) => sleep(ACCEPT_PAUSE).await,
            },
        }
        // Removes connections that have ended.
        while connections.join_next().now_or_never().flatten().is_some() {}
    }
    drop(listener);
    // Dropping the set breaks the connections that have not ended by then.
    let _ = timeout(GRACE, async { while connections.join_next().await.is_some() {} }).await;
}

/// Serves one connection until either side ends it.
async fn serve(stream: TcpStream, front: Arc<Front>, stop: Stop, place: Option<OwnedSemaphorePermit>) {
    // On failure small answers are slower, and nothing else.
    let _ = stream.set_nodelay(true);
    let answering = {
        let stop = stop.clone();
        service_fn(move |request: Request<Incoming>| {
            let front = front.clone();
            let stop = stop.clone();
            async move {
                if let Some(refusal) = front.hosts.as_ref().and_then(|hosts| hosts.refusal(request.headers()))
                {
                    return Ok(refusal.into_response());
                }
                let request = request.map(|body| body.map_err(io::Error::other).boxed_unsync());
                front.answer(request, stop).await
            }
        })
    };
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_PATIENCE)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(Patient::new(stream, WRITE_PATIENCE)), answering);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => Some(ended),
        () = stop.requested() => None,
    };
    let ended = match ended {
        Some(ended) => ended,
        None => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
    drop(place);
}
