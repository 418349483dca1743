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

/// Connections that are held at once; the next ones wait in the backlog of the socket.
const CONNECTIONS: usize = 8_192;
/// What is buffered of one connection in each direction.
const BUFFER: usize = 64 * 1024;
/// For the head of a request, and between two requests.
const HEADER_PATIENCE: Duration = Duration::from_secs(30);
/// For a client that does not read.
const WRITE_PATIENCE: Duration = Duration::from_secs(30);
/// For what is under way when the server is told to stop.
const GRACE: Duration = Duration::from_secs(5);
/// After a failure to accept, which is mostly too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The server on a TCP address, until it is stopped or dropped.
///
/// Made by [`EmbeddedApiserver::listen`](crate::EmbeddedApiserver::listen). Dropping it cuts all connections at once.
#[derive(Debug)]
pub struct Endpoint {
    address: SocketAddr,
    token: Option<String>,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Endpoint {
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

    /// The same as a configuration for [`kube_client::Client`], with the namespace `default`.
    ///
    /// Such a client asks again by itself when it is answered with 429, 503 or 504, unless `default_retry` is set to
    /// false. One without sockets does not.
    pub fn config(&self) -> kube_client::Config {
        kubeconfig::config(self.address, self.token.as_deref())
    }

    /// Stops listening, ends all watches cleanly, lets answers finish for up to 5 s, and closes all connections.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        // Fails only if the task panicked, and then it has ended as well.
        let _ = (&mut self.task).await;
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Takes connections until told to stop. The tasks of the connections end with this future.
async fn accept(listener: TcpListener, front: Arc<Front>, stop: Stop) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let next = async {
            // Never closed, so there always is a permit in the end.
            let place = places.clone().acquire_owned().await.ok();
            (listener.accept().await, place)
        };
        tokio::select! {
            biased;
            () = stop.clone().told() => break,
            (accepted, place) = next => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve(stream, front.clone(), stop.clone(), place));
                }
                Err(_) => sleep(ACCEPT_PAUSE).await,
            },
        }
        // Forgets those that have ended.
        while connections.join_next().now_or_never().flatten().is_some() {}
    }
    drop(listener);
    // Those that are not done by then are cut with the set.
    let _ = timeout(GRACE, async { while connections.join_next().await.is_some() {} }).await;
}

/// Serves one connection until either side ends it.
async fn serve(stream: TcpStream, front: Arc<Front>, stop: Stop, place: Option<OwnedSemaphorePermit>) {
    // Only delays small answers; without it they are merely slower.
    let _ = stream.set_nodelay(true);
    let answering = {
        let stop = stop.clone();
        service_fn(move |request: Request<Incoming>| {
            let (front, stop) = (front.clone(), stop.clone());
            async move {
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
        () = stop.told() => None,
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
