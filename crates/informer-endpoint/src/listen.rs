//! Serves the endpoint on its own port.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use http::Request;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::endpoint::Endpoint;

/// How many connections are served at once; more have to wait.
const CONNECTIONS: usize = 64;

/// The time that a client has to send a request.
const PATIENCE: Duration = Duration::from_secs(10);

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
    /// The pages are for the operators of the program: listen on loopback, or keep the port within the cluster.
    pub async fn listen(self, address: SocketAddr) -> io::Result<Listening> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
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
    let answer = service_fn(move |request: Request<Incoming>| {
        let answer = endpoint.answer(request.method(), request.uri().path());
        async move { Ok::<_, Infallible>(answer.map(|body| Full::new(Bytes::from(body)))) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), answer);
    // An error means that the client has gone, and needs no report.
    tokio::time::timeout(PATIENCE * 3, connection).await.ok();
}
