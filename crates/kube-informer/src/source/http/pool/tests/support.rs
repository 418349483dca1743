//! A server over memory that speaks HTTP/2, or HTTP/1.1, and does as it is told.

use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures::FutureExt as _;
use futures::StreamExt as _;
use futures::stream;
use h2::RecvStream;
use h2::server::{Connection, SendResponse};
use http_body::Body as _;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use tokio::sync::mpsc;

use super::super::*;
use crate::source::http::connect::Socket;

/// A request that came to the server, and the way to answer it.
pub(super) type Asked = (Request<RecvStream>, SendResponse<Bytes>);

/// The server's end of the connections.
pub(super) struct Server {
    pub(super) connections: Arc<AtomicUsize>,
    accepted: mpsc::UnboundedReceiver<DuplexStream>,
}

/// A pool and the server that it connects to.
pub(super) fn pool(protocol: Protocol) -> (Pool, Server) {
    let (sender, accepted) = mpsc::unbounded_channel();
    let connections = Arc::new(AtomicUsize::new(0));
    let made = connections.clone();
    let pool = Pool::new(move |_| {
        let (near, far) = tokio::io::duplex(64 << 10);
        made.fetch_add(1, Ordering::Relaxed);
        let refused = sender.send(far).is_err();
        async move {
            if refused {
                return Err("connection refused".into());
            }
            Ok((Socket::new(TokioIo::new(near)), protocol))
        }
        .boxed()
    });
    (pool, Server { connections, accepted })
}

impl Server {
    pub(super) fn made(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    pub(super) async fn socket(&mut self) -> DuplexStream {
        self.accepted.recv().await.expect("the pool is gone")
    }

    /// The next connection, of a server that allows so many streams.
    pub(super) async fn accept(&mut self, streams: u32) -> Connection<DuplexStream, Bytes> {
        let socket = self.socket().await;
        h2::server::Builder::new().max_concurrent_streams(streams).handshake(socket).await.expect("a client")
    }

    /// Accepts every connection and gives what is asked on any of them.
    pub(super) fn serve(mut self, streams: u32) -> mpsc::UnboundedReceiver<Asked> {
        let (sender, asked) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Some(socket) = self.accepted.recv().await {
                let sender = sender.clone();
                tokio::spawn(async move {
                    let mut builder = h2::server::Builder::new();
                    let Ok(mut connection) =
                        builder.max_concurrent_streams(streams).handshake::<_, Bytes>(socket).await
                    else {
                        return;
                    };
                    while let Some(Ok(request)) = connection.accept().await {
                        sender.send(request).ok();
                    }
                });
            }
        });
        asked
    }
}

/// Asks for something.
pub(super) fn get(path: &str) -> Request<Body> {
    Request::get(format!("https://server{path}")).body(Body::empty()).expect("a request")
}

/// Answers with the head and the beginning of a body, which stays open.
pub(super) fn begin(asked: &mut Asked, chunk: &'static str) -> h2::SendStream<Bytes> {
    let mut body = asked.1.send_response(Response::new(()), false).expect("the stream is open");
    body.send_data(Bytes::from_static(chunk.as_bytes()), false).expect("the stream is open");
    body
}

/// The next piece of a body.
pub(super) async fn piece(body: &mut PooledBody) -> Option<Result<Bytes, hyper::Error>> {
    let mut frames = stream::poll_fn(|context| std::pin::Pin::new(&mut *body).poll_frame(context));
    frames.next().await.map(|frame| frame.map(|frame| frame.into_data().unwrap_or_default()))
}

/// Reads the head of a request of HTTP/1.1.
pub(super) async fn read_head(socket: &mut DuplexStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(socket.read_u8().await.expect("a request"));
    }
    String::from_utf8(head).expect("text")
}

/// Answers a request of HTTP/1.1.
pub(super) async fn write(socket: &mut DuplexStream, text: &str) {
    socket.write_all(text.as_bytes()).await.expect("the client is there");
}
