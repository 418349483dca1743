//! The way from a program to the server, which may be slow, and may keep an answer for itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use embedded_apiserver::EmbeddedApiserver;
use futures::future::pending;
use futures::stream::unfold;
use http::{Method, Request};
use http_body_util::{BodyExt as _, StreamBody};
use kube_client::Client;
use kube_client::client::Body;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};
use tower::Service as _;

#[derive(Clone)]
pub(crate) struct Link {
    /// By how much everything that a watch sends is late.
    late: Duration,
    /// The number of the write whose answer never comes, from 1. The server has stored what it asks for.
    unanswered: Option<u64>,
    writes: Arc<AtomicU64>,
    is_held: watch::Sender<bool>,
}

impl Link {
    pub(crate) fn new(late: Duration, unanswered: Option<u64>) -> Self {
        Self { late, unanswered, writes: Arc::default(), is_held: watch::Sender::new(false) }
    }

    /// How many writes went through, events and Leases not counted.
    pub(crate) fn writes(&self) -> u64 {
        self.writes.load(Ordering::SeqCst)
    }

    /// Waits until the write whose answer never comes has been stored.
    pub(crate) async fn held(&self) {
        // Never an error: the sender is here.
        let _ = self.is_held.subscribe().wait_for(|is_held| *is_held).await;
    }

    pub(crate) fn client(&self, server: &EmbeddedApiserver) -> Client {
        let (link, service) = (self.clone(), server.service());
        let pass_on = move |request: Request<Body>| {
            let (link, mut service) = (link.clone(), service.clone());
            async move {
                let (path, query) = (request.uri().path(), request.uri().query().unwrap_or_default());
                let is_work = !path.contains("/events") && !path.contains("/leases");
                let is_write = request.method() != Method::GET && is_work;
                let late = if query.contains("watch=") && is_work { link.late } else { Duration::ZERO };
                let answer = service.call(request).await?;
                if is_write && Some(link.writes.fetch_add(1, Ordering::SeqCst) + 1) == link.unanswered {
                    link.is_held.send_replace(true);
                    pending::<()>().await;
                }
                Ok::<_, std::io::Error>(answer.map(|body| slowed(body, late)))
            }
        };
        Client::new(tower::service_fn(pass_on), "default")
    }
}

/// The same a little later. It is not slower: what comes at once is late at once.
fn slowed<B>(mut body: B, late: Duration) -> impl http_body::Body<Data = B::Data, Error = B::Error> + Send
where
    B: http_body::Body<Data: Send, Error: Send> + Send + Unpin + 'static,
{
    let (sender, frames) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        loop {
            let frame = tokio::select! {
                frame = body.frame() => frame,
                // Nobody reads it any more.
                () = sender.closed() => return,
            };
            let Some(frame) = frame else { return };
            if sender.send((Instant::now() + late, frame)).is_err() {
                return;
            }
        }
    });
    StreamBody::new(unfold(frames, |mut frames| async move {
        let (due, frame) = frames.recv().await?;
        sleep_until(due).await;
        Some((frame, frames))
    }))
}
