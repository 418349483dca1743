//! One HTTP/1.1 connection: one request after the other.

use http::{Request, Response};
use hyper::client::conn::http1::{Builder, Connection, SendRequest};
use kube_client::client::Body;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::grants::Attempt;
use super::{Failed, IDLE, PooledBody, SentBody, Socket, in_origin_form};

/// A connection that has just been made.
pub(super) struct Opened {
    sender: SendRequest<SentBody>,
    connection: Connection<Socket, SentBody>,
}

/// A connection that is free for one request.
pub(super) struct Single {
    sender: SendRequest<SentBody>,
    /// Where it goes after the request, to be used again.
    back: Option<mpsc::UnboundedSender<SendRequest<SentBody>>>,
}

/// How much is read from the socket at once. Without a bound the buffer of every connection grows to nearly half a megabyte while a
/// list comes in, and stays so large; reading is no faster for it.
const READ: usize = 64 << 10;

pub(super) async fn handshake(socket: Socket) -> Result<Opened, hyper::Error> {
    let (sender, connection) = Builder::new().max_buf_size(READ).handshake(socket).await?;
    Ok(Opened { sender, connection })
}

/// A connection for one request only.
pub(super) async fn alone(socket: Socket) -> Result<Single, hyper::Error> {
    let Opened { sender, connection } = handshake(socket).await?;
    tokio::spawn(async move {
        if let Err(error) = connection.with_upgrades().await {
            tracing::debug!(%error, "a connection broke");
        }
    });
    Ok(Single { sender, back: None })
}

/// Has the connection used, again and again, until it ends or nobody needs it.
pub(super) async fn drive(opened: Opened, attempt: Attempt) {
    let pool = attempt.pool();
    let Opened { mut sender, connection } = opened;
    let (back, mut returned) = mpsc::unbounded_channel();
    let single = |sender| Single { sender, back: Some(back.clone()) };
    tokio::pin!(connection);
    let ready = tokio::select! {
        ended = &mut connection => ended.map_err(Into::into).and(Err("the server closed the connection".into())),
        ready = sender.ready() => ready.map_err(Into::into),
    };
    if let Err(error) = ready {
        return attempt.failed(error);
    }
    let Some(inner) = pool.upgrade() else { return };
    attempt.made(&inner, |state| {
        state.limit = Some(1);
        state.idle.push(single(sender));
    });
    drop(inner);
    let mut idle = Instant::now() + IDLE;
    loop {
        tokio::select! {
            ended = &mut connection => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection broke");
                }
                break;
            }
            Some(sender) = returned.recv() => {
                let mut sender: SendRequest<SentBody> = sender;
                let ready = tokio::select! {
                    _ = &mut connection => break,
                    ready = sender.ready() => ready.is_ok(),
                };
                // Not if the answer was not read to its end.
                if !ready { break }
                idle = Instant::now() + IDLE;
                let Some(pool) = pool.upgrade() else { break };
                pool.change(|state| state.idle.push(single(sender)));
            }
            () = sleep_until(idle) => {
                idle = Instant::now() + IDLE;
                // If it is at work it is not among them; without a pool there is nobody who could use it again, but an answer
                // may still be read.
                if let Some(pool) = pool.upgrade() {
                    pool.change(|state| state.idle.retain(|single| !single.is_of(&back)));
                }
            }
        }
    }
    if let Some(pool) = pool.upgrade() {
        pool.change(|state| state.idle.retain(|single| !single.is_of(&back)));
    }
}

impl Single {
    pub(super) fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    fn is_of(&self, back: &mpsc::UnboundedSender<SendRequest<SentBody>>) -> bool {
        self.back.as_ref().is_some_and(|own| own.same_channel(back))
    }

    pub(super) async fn send(mut self, mut request: Request<Body>) -> Result<Response<PooledBody>, Failed> {
        let uri = request.uri().clone();
        in_origin_form(&mut request);
        match self.sender.try_send_request(SentBody::of(request)).await {
            Ok(answer) => Ok(answer.map(|body| PooledBody::connection(body, self))),
            Err(mut failed) => {
                let request = failed.take_message().map(SentBody::back).map(|mut request| {
                    *request.uri_mut() = uri;
                    request
                });
                Err(Failed { request, unseen: false, error: failed.into_error().into() })
            }
        }
    }

    /// The answer has been read, or nobody wants the rest of it.
    pub(super) fn give_back(self) {
        if let Some(back) = self.back {
            // The connection may have ended.
            back.send(self.sender).ok();
        }
    }
}
