//! A port on loopback, and the tasks behind it.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::Body;

/// The time that a client has to send the head of a request.
const PATIENCE: Duration = Duration::from_secs(10);

/// Something that answers at an address until this is dropped.
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

    /// A kubeconfig that leads clients here, without credentials, as YAML. JavaScript's client talks to servers without TLS only if
    /// TLS is not to be verified; to others that says nothing here.
    pub fn kubeconfig(&self) -> String {
        format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: recording\n\
             clusters:\n- name: recording\n  cluster:\n    server: http://{}\n    insecure-skip-tls-verify: true\n\
             contexts:\n- name: recording\n  context:\n    cluster: recording\n    user: recording\n\
             users:\n- name: recording\n  user: {{}}\n",
            self.address
        )
    }

    /// Answers every request with what a function makes of it. The address has to be on loopback: whoever reaches it can do
    /// what this program can.
    pub(super) async fn start<A, F>(address: SocketAddr, answer: A) -> io::Result<Self>
    where
        A: Fn(Request<Incoming>) -> F + Clone + Send + 'static,
        F: Future<Output = Response<Body>> + Send + 'static,
    {
        if !address.ip().is_loopback() {
            let problem =
                format!("{address} can be reached from other machines; only loopback is listened on");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        }
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(listener, answer));
        Ok(Self { address, _tasks: tasks })
    }
}

async fn accept<A, F>(listener: TcpListener, answer: A)
where
    A: Fn(Request<Incoming>) -> F + Clone + Send + 'static,
    F: Future<Output = Response<Body>> + Send + 'static,
{
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        match listener.accept().await {
            Ok((stream, _)) => {
                connections.spawn(serve(stream, answer.clone()));
            }
            // For example too many open files; wait until others are closed.
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

async fn serve<A, F>(stream: TcpStream, answer: A)
where
    A: Fn(Request<Incoming>) -> F,
    F: Future<Output = Response<Body>>,
{
    // An event is sent when it is there, and not together with the next one. Without it everything only comes later.
    stream.set_nodelay(true).ok();
    let answer = service_fn(move |request| {
        let answer = answer(request);
        async move { Ok::<_, Infallible>(answer.await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .serve_connection(TokioIo::new(stream), answer);
    // An error means that the client has gone, or that the body is to break off.
    connection.await.ok();
}
