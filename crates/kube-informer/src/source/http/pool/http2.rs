//! One HTTP/2 connection and the requests on it.

use std::error::Error as _;
use std::future::{pending, poll_fn};
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt as _;
use http::{Request, Response};
use hyper::client::conn::http2::{Builder, Connection, SendRequest};
use hyper::rt::{Read, ReadBuf, ReadBufCursor, Write};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use kube_client::client::Body;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};
use tower::BoxError;

use super::grants::{Attempt, Duty, reserve};
use super::{ConnectError, Failed, IDLE, Inner, PooledBody, SentBody, Socket};

/// After so much silence the server is asked whether it is still there.
const PING_AFTER: Duration = Duration::from_secs(30);

/// It has to answer within this time.
const PING_PATIENCE: Duration = Duration::from_secs(15);

/// How much a server may send on one stream before it has been read. The default of hyper for a connection lets three
/// streams that nobody reads block all the others.
const STREAM_WINDOW: u32 = 1 << 20;

/// No more requests on one connection, whatever the server allows.
const MOST_STREAMS: u32 = 100;

/// As much for each of them.
const CONNECTION_WINDOW: u32 = MOST_STREAMS * STREAM_WINDOW;

/// How long the server may take from the end of the TLS handshake to its first word, which are its settings.
const FIRST_WORD: Duration = Duration::from_secs(10);

/// A request that was given up after it had waited for this long, on a connection that has been silent for as long, says
/// something about the connection.
const DOUBT_AFTER: Duration = Duration::from_secs(1);

type Task = Connection<Heard, SentBody, TokioExecutor>;

/// A connection that carries many requests.
pub(super) struct Multiplexed {
    sender: SendRequest<SentBody>,
    /// Polled by the task that looks after the connection, and asked by everybody how many streams the server allows. None
    /// after its end: it holds requests that it has not sent, which are returned when it is dropped.
    task: Mutex<Option<Task>>,
    streams: AtomicUsize,
    closed: AtomicBool,
    used: Mutex<Instant>,
    pulse: Arc<Pulse>,
}

/// When the server was heard last.
struct Pulse {
    begun: Instant,
    /// `None` before its first word.
    heard: Mutex<Option<Instant>>,
    /// A request was given up because nothing came. Others go elsewhere until the server is heard again: that takes until
    /// the next ping is answered.
    doubtful: AtomicBool,
}

impl Pulse {
    fn new() -> Self {
        Self { begun: Instant::now(), heard: Mutex::default(), doubtful: AtomicBool::new(false) }
    }

    fn heard(&self) {
        *self.heard.lock() = Some(Instant::now());
        self.doubtful.store(false, Ordering::Release);
    }

    fn has_spoken(&self) -> bool {
        self.heard.lock().is_some()
    }

    fn doubt_after(&self, silence: Duration) {
        if self.heard.lock().unwrap_or(self.begun).elapsed() >= silence {
            self.doubtful.store(true, Ordering::Release);
        }
    }

    /// Ends when the server has said nothing for as long as its first word may take, and never if it has spoken.
    async fn stays_mute(&self) {
        if !self.has_spoken() {
            sleep_until(self.begun + FIRST_WORD).await;
        }
        if self.has_spoken() {
            pending::<()>().await;
        }
    }

    /// A request that was sent at this moment was given up before its answer began.
    fn given_up(&self, sent: Instant) {
        let heard = self.heard.lock().unwrap_or(self.begun);
        if heard.max(sent).elapsed() >= DOUBT_AFTER {
            self.doubtful.store(true, Ordering::Release);
        }
    }
}

/// Agrees on HTTP/2 and waits for the server's settings: only then it is known how many streams it allows. One request need
/// not wait for that, which takes a round trip.
pub(super) async fn handshake(socket: Socket, pool: Weak<Inner>) -> Result<Driven, BoxError> {
    let word = Arc::new(Notify::new());
    let pulse = Arc::new(Pulse::new());
    let io = Heard { socket, pulse: pulse.clone(), read: false, word: Arc::downgrade(&word) };
    let (sender, task) = Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        // If there were more than the server allows, some would wait in hyper, where nobody could take them back.
        .initial_max_send_streams(1)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .keep_alive_interval(PING_AFTER)
        .keep_alive_timeout(PING_PATIENCE)
        .keep_alive_while_idle(true)
        .handshake(io)
        .await?;
    let connection = Arc::new(Multiplexed {
        sender,
        task: Mutex::new(Some(task)),
        streams: AtomicUsize::new(0),
        closed: AtomicBool::new(false),
        used: Mutex::new(Instant::now()),
        pulse,
    });
    let driven = Driven { connection, pool };
    let Driven { connection, pool } = &driven;
    if let Some(pool) = pool.upgrade() {
        pool.change(|state| state.multiplexed.push(connection.clone()));
    }
    tokio::select! {
        () = word.notified() => {}
        ended = connection.ended() => {
            ended?;
            return Err("the server closed the connection before its first word".into());
        }
        () = sleep(FIRST_WORD) => return Err(silent()),
    }
    if connection.limit() == 0 {
        return Err("the server allows no requests".into());
    }
    Ok(driven)
}

fn silent() -> BoxError {
    format!("after the TLS handshake the server said nothing for {FIRST_WORD:?}").into()
}

/// Has the connection used until it ends.
pub(super) async fn drive(driven: Driven, attempt: Attempt) {
    let Driven { connection, pool } = &driven;
    let Some(inner) = pool.upgrade() else { return };
    attempt.made(&inner, |state| state.limit = Some(connection.limit()));
    let mut alive = inner.alive.subscribe();
    drop(inner);
    let ended = connection.clone();
    let ended = ended.ended();
    tokio::pin!(ended);
    loop {
        let until = *connection.used.lock() + IDLE;
        tokio::select! {
            ended = &mut ended => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection broke");
                }
                break;
            }
            // Answers that are still being read do not need us.
            _ = alive.changed() => break,
            () = sleep_until(until) => {
                if connection.streams.load(Ordering::Acquire) > 0 {
                    *connection.used.lock() = Instant::now();
                } else if connection.used.lock().elapsed() >= IDLE {
                    break;
                }
            }
        }
    }
}

/// A connection that is being driven. When that ends, also with the runtime, nobody may use it any more.
pub(super) struct Driven {
    connection: Arc<Multiplexed>,
    pool: Weak<Inner>,
}

impl Drop for Driven {
    fn drop(&mut self) {
        self.connection.closed.store(true, Ordering::Release);
        let task = self.connection.task.lock().take();
        drop(task);
        if let Some(pool) = self.pool.upgrade() {
            pool.change(|state| state.multiplexed.retain(|other| !Arc::ptr_eq(other, &self.connection)));
        }
    }
}

impl Multiplexed {
    /// How many streams the server allows now; one before it has said so.
    fn limit(&self) -> usize {
        let limit = self.task.lock().as_ref().map_or(0, Task::current_max_send_streams);
        // The window of the connection is for so many.
        limit.min(MOST_STREAMS as usize)
    }

    /// Drives the connection until it ends.
    async fn ended(&self) -> Result<(), hyper::Error> {
        poll_fn(|context| match self.task.lock().as_mut() {
            Some(task) => task.poll_unpin(context),
            None => Poll::Ready(Ok(())),
        })
        .await
    }

    #[cfg(test)]
    pub(super) fn streams(&self) -> usize {
        self.streams.load(Ordering::Acquire)
    }

    /// A request got nothing for so long. If nobody did, others go elsewhere until the server is heard again.
    pub(super) fn doubt(&self, silence: Duration) {
        self.pulse.doubt_after(silence);
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire) || self.sender.is_closed()
    }

    pub(super) fn has_room(&self, duty: Duty) -> bool {
        let limit = self.limit();
        let most = match duty {
            Duty::Long => limit - reserve(limit),
            Duty::Short => limit,
        };
        !self.pulse.doubtful.load(Ordering::Acquire) && self.streams.load(Ordering::Acquire) < most
    }
}

/// The right to one stream of a connection. It is given back when dropped.
pub(super) struct StreamLease {
    connection: Arc<Multiplexed>,
    pool: Weak<Inner>,
    /// When the request was sent that waits for its answer. Once that has begun, giving up the rest says nothing about the
    /// connection: a watch has no end but this.
    sent: Option<Instant>,
}

impl StreamLease {
    /// Only with the pool's lock held: that there is room has to be true still.
    pub(super) fn new(connection: Arc<Multiplexed>, pool: &Arc<Inner>) -> Self {
        connection.streams.fetch_add(1, Ordering::AcqRel);
        *connection.used.lock() = Instant::now();
        Self { connection, pool: Arc::downgrade(pool), sent: None }
    }

    pub(super) async fn send(mut self, request: Request<Body>) -> Result<Response<PooledBody>, Failed> {
        self.sent = Some(Instant::now());
        let sending = self.connection.sender.clone().try_send_request(SentBody::of(request));
        let answer = tokio::select! {
            biased;
            answer = sending => Some(answer),
            // The task that has the request would not fail it before a ping is due that nobody answers.
            () = self.connection.pulse.stays_mute() => None,
        };
        self.sent = None;
        let Some(answer) = answer else {
            return Err(Failed { unseen: false, request: None, error: ConnectError::new(silent()).into() });
        };
        let mut failed = match answer {
            Ok(answer) => return Ok(answer.map(|body| PooledBody::stream(body, self))),
            Err(failed) => failed,
        };
        let request = failed.take_message().map(SentBody::back);
        let error = failed.into_error();
        if !self.connection.pulse.has_spoken() && !error.is_user() {
            let error = mute(&self.connection.pulse, &error).into();
            return Err(Failed { unseen: false, request: None, error });
        }
        let cause = Cause::of(&error);
        if request.is_some() || cause == Cause::Closing {
            self.connection.closed.store(true, Ordering::Release);
        }
        Err(Failed { unseen: cause != Cause::Other, request, error: error.into() })
    }
}

/// The error for requests on a connection that ended before the server's first word: there was no connection to speak of.
fn mute(pulse: &Pulse, error: &hyper::Error) -> ConnectError {
    if pulse.begun.elapsed() >= FIRST_WORD {
        return ConnectError::new(silent());
    }
    let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
    ConnectError::new(format!("the server closed the connection before its first word{cause}").into())
}

impl Drop for StreamLease {
    fn drop(&mut self) {
        if let Some(sent) = self.sent {
            self.connection.pulse.given_up(sent);
        }
        self.connection.streams.fetch_sub(1, Ordering::AcqRel);
        if let Some(pool) = self.pool.upgrade() {
            pool.change(|_| {});
        }
    }
}

/// Why a request failed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cause {
    /// The server did not look at it, and takes no more on this connection.
    Closing,
    /// The server did not look at it.
    Refused,
    Other,
}

impl Cause {
    fn of(error: &hyper::Error) -> Self {
        let cause = error.source().and_then(|cause| cause.downcast_ref::<h2::Error>());
        match cause.map(|cause| (cause.is_go_away(), cause.reason())) {
            // Its stream is beyond the last one that the server answers.
            Some((true, Some(h2::Reason::NO_ERROR))) => Self::Closing,
            Some((false, Some(h2::Reason::REFUSED_STREAM))) => Self::Refused,
            _ => Self::Other,
        }
    }
}

/// Notes when the server was heard. Also tells when what it sent first has been read and looked at: the task that reads is
/// not ours, so there is no other way to learn that the server's settings have come.
struct Heard {
    socket: Socket,
    pulse: Arc<Pulse>,
    read: bool,
    /// Gone as soon as nobody waits for it.
    word: Weak<Notify>,
}

impl Read for Heard {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let Some(word) = self.word.upgrade() else {
            let polled = Pin::new(&mut self.socket).poll_read(context, buffer);
            if polled.is_ready() {
                self.pulse.heard();
            }
            return polled;
        };
        // What is read into the caller's buffer cannot be seen here, and the end of the connection is no word.
        let mut beginning = [0; 256];
        let room = beginning.len().min(buffer.remaining());
        let mut read = ReadBuf::new(&mut beginning[..room]);
        let polled = Pin::new(&mut self.socket).poll_read(context, read.unfilled());
        if !read.filled().is_empty() {
            self.read = true;
            self.pulse.heard();
            buffer.put_slice(read.filled());
        } else if polled.is_pending() && self.read {
            // The reader asks for more only when it has looked at what it got.
            word.notify_one();
        }
        polled
    }
}

impl Write for Heard {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write_vectored(context, parts)
    }
}
