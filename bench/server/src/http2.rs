//! Connections that speak HTTP/2: one thread for the connection, one for each request.

use std::future::poll_fn;
use std::num::NonZeroUsize;
use std::thread;

use anyhow::{Context as _, Result};
use bytes::Bytes;
use h2::SendStream;
use h2::server::SendResponse;
use http::header::{ACCEPT, CONTENT_TYPE};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_rustls::server::TlsStream;

use crate::answer::{Answer, Part, Wire};
use crate::http::Request;
use crate::{States, respond};

/// As many as kube-apiserver allows.
const STREAMS: u32 = 100;

/// Parts of an answer that wait to be written.
const WAITING: usize = 4;

/// Answers the requests of one connection.
pub(crate) async fn serve(
    states: &States,
    stream: TlsStream<TcpStream>,
    pieces: Option<NonZeroUsize>,
) -> Result<()> {
    let mut connection = h2::server::Builder::new().max_concurrent_streams(STREAMS).handshake(stream).await?;
    while let Some(accepted) = connection.accept().await {
        let (request, stream) = accepted?;
        let accept = request.headers().get(ACCEPT).and_then(|accept| accept.to_str().ok());
        let target = request.uri().path_and_query().context("a request for nothing")?.as_str();
        let request = Request::new(target, accept.unwrap_or_default());
        let (parts, waiting) = mpsc::channel(WAITING);
        let states = states.clone();
        // A client that goes away ends the request; that is no news.
        thread::spawn(move || respond(&states, &request, Answer::new(Wire::Http2(parts), pieces)).ok());
        tokio::spawn(async move { write(stream, waiting).await.ok() });
    }
    Ok(())
}

/// Writes an answer, part by part.
async fn write(mut response: SendResponse<Bytes>, mut parts: mpsc::Receiver<Part>) -> Result<()> {
    let Some(Part::Head { status, content_type }) = parts.recv().await else { return Ok(()) };
    let head = http::Response::builder().status(status).header(CONTENT_TYPE, content_type).body(())?;
    let mut stream = response.send_response(head, false)?;
    while let Some(part) = parts.recv().await {
        if let Part::Data(data) = part {
            send(&mut stream, data).await?;
        }
    }
    Ok(stream.send_data(Bytes::new(), true)?)
}

/// Writes as much at a time as the client has room for.
async fn send(stream: &mut SendStream<Bytes>, mut data: Bytes) -> Result<()> {
    while !data.is_empty() {
        stream.reserve_capacity(data.len());
        let room =
            poll_fn(|context| stream.poll_capacity(context)).await.context("the stream is closed")??;
        stream.send_data(data.split_to(room.min(data.len())), false)?;
    }
    Ok(())
}
