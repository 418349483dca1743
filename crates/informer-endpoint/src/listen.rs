//! The endpoint on a port of its own.

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

/// More at once are not answered before others have gone.
const CONNECTIONS: usize = 64;

/// Who does not send a request in this time is cut off.
const PATIENCE: Duration = Duration::from_secs(10);

/// An endpoint that answers at an address until this is dropped.
#[derive(Debug)]
pub struct Listening {
    address: SocketAddr,
    _tasks: JoinSet<()>,
}

impl Listening {
    /// Where it answers, with the port that was found if any was asked for.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Endpoint {
    /// Answers at an address, on a task of its own, until what is returned is dropped. Port 0 takes any that is free.
    ///
    /// What it shows is meant for the operators of the program: keep it on loopback or within the pod's network.
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
            // Out of file descriptors, say: others may close some.
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
    // Who breaks off is not waited for any more; there is nobody to tell.
    tokio::time::timeout(PATIENCE * 3, connection).await.ok();
}
