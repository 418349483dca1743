//! HTTP/1.1 on a port: the endpoint's, and that of the recording proxy and of replayed recordings.

use std::convert::Infallible;
use std::error::Error;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use http::{Request, Response};
use hyper::body::{Body as HttpBody, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::answer::Body;
use crate::connections::{CONNECTIONS, Connections, Progress};
use crate::endpoint::Endpoint;

/// The time that a client has to send a request. Who asks has connected because of it, and sends it at once.
const PATIENCE: Duration = Duration::from_secs(2);

/// The time that a request and its answer may take.
const ANSWER: Duration = Duration::from_secs(30);

/// How long a stream of events lasts. A page connects again by itself; of a viewer that went without a word the place is free
/// again then.
const VIEW: Duration = Duration::from_secs(15 * 60);

/// An HTTP server that answers at an address until this is dropped.
#[derive(Debug)]
pub struct Listening {
    address: SocketAddr,
    _tasks: JoinSet<()>,
}

/// The rules of a listener for its connections. For the crates of this project only.
#[doc(hidden)]
#[derive(Debug)]
pub struct Rules<B> {
    /// The time that a client has to send the head of a request.
    pub patience: Duration,
    /// The time that a request and its answer may take.
    pub answer: Duration,
    /// The time that an answer may take after that if it is a stream.
    pub view: Duration,
    /// How many connections are served at once. If there are more, the oldest goes that is of no use.
    pub connections: usize,
    /// Whether a connection may have more than one request.
    pub keep_alive: bool,
    /// Whether a body is a stream.
    pub is_stream: fn(&B) -> bool,
}

impl Listening {
    /// The address, with the actual port if port 0 was asked for.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers every request with what a function makes of it and of the address of ours that it came to. For the crates of this
    /// project only.
    #[doc(hidden)]
    pub async fn serve<A, F, B>(address: SocketAddr, rules: Rules<B>, answer: A) -> io::Result<Self>
    where
        A: Fn(Request<Incoming>, IpAddr) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Response<B>> + Send + 'static,
        B: HttpBody<Data: Send, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
    {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(listener, rules, answer));
        Ok(Self { address, _tasks: tasks })
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
        self.hosts = self.hosts.bound_to(address.ip());
        let rules = Rules {
            patience,
            answer: ANSWER,
            view: VIEW,
            connections: CONNECTIONS,
            keep_alive: false,
            is_stream: Body::is_stream,
        };
        let answer =
            move |request: Request<Incoming>, local| std::future::ready(self.respond(&request, local));
        Listening::serve(address, rules, answer).await
    }
}

async fn accept<A, F, B>(listener: TcpListener, rules: Rules<B>, answer: A)
where
    A: Fn(Request<Incoming>, IpAddr) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response<B>> + Send + 'static,
    B: HttpBody<Data: Send, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    let mut connections = Connections::at_most(rules.connections);
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                connections.room().await;
                connections.serve(|progress| serve(stream, rules, progress, answer.clone()));
            }
            // For example too many open files; wait until others are closed.
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

async fn serve<A, F, B>(stream: TcpStream, rules: Rules<B>, progress: Progress, answer: A)
where
    A: Fn(Request<Incoming>, IpAddr) -> F,
    F: Future<Output = Response<B>>,
    B: HttpBody<Error: Into<Box<dyn Error + Send + Sync>>> + 'static,
{
    // If that is not known, the client has gone already.
    let Ok(local) = stream.local_addr() else { return };
    // An event is sent when it is there, and not together with the next one. Without it everything only comes later.
    stream.set_nodelay(true).ok();
    let answer = service_fn(|request: Request<Incoming>| {
        let (answer, progress) = (answer(request, local.ip()), &progress);
        async move {
            let answer = answer.await;
            progress.answered((rules.is_stream)(answer.body()));
            Ok::<_, Infallible>(answer)
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(rules.patience)
        .keep_alive(rules.keep_alive)
        .serve_connection(TokioIo::new(stream), answer);
    let mut connection = std::pin::pin!(connection);
    // An error means that the client has gone, or that the body is to break off, and needs no report.
    if timeout(rules.answer, connection.as_mut()).await.is_err() && progress.is_viewing() {
        timeout(rules.view, connection).await.ok();
    }
}

impl<B> Clone for Rules<B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for Rules<B> {}

#[cfg(test)]
mod tests;
