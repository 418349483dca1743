//! Connections to the server, whichever way they go: direct, or through a proxy of any sort.
//!
//! The HTTP client with its TLS is generic over the connection, and large. Were each way a type of its own, all of it would
//! be compiled four times; behind a trait object it is compiled once, for one indirect call per read or write of a socket.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use http::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};
use tower::util::BoxCloneSyncService;
use tower::{BoxError, Service, ServiceExt as _};

/// Makes connections to the server.
pub(super) type Connector = BoxCloneSyncService<Uri, Socket, BoxError>;

/// Any connector as the one type.
pub(super) fn boxed<C>(connector: C) -> Connector
where
    C: Service<Uri> + Clone + Send + Sync + 'static,
    C::Response: Duplex + 'static,
    C::Future: Send + 'static,
    C::Error: Into<BoxError>,
{
    let socket = |connection| Socket(Box::new(connection));
    BoxCloneSyncService::new(connector.map_response(socket).map_err(Into::into))
}

/// A connection that bytes come and go through.
pub(super) struct Socket(Box<dyn Duplex>);

/// What a connection has to be able to do.
pub(super) trait Duplex: Connection + Read + Write + Send + Unpin {}

impl<T: Connection + Read + Write + Send + Unpin> Duplex for T {}

impl Connection for Socket {
    fn connected(&self) -> Connected {
        self.0.connected()
    }
}

impl Read for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_read(context, buffer)
    }
}

impl Write for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.0).poll_write_vectored(context, parts)
    }
}
