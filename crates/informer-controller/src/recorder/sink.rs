//! Brings to the server what the rules say.

use std::future::pending;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use k8s_openapi::api::events::v1 as api;
use k8s_openapi::jiff::Timestamp;
use kube_client::api::{Patch, PatchParams, PostParams};
use kube_client::{Api, Client, Error};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until, timeout};

use super::core::{Body, Core, Now, Outcome, Write};
use super::event::{Note, Reference};
use super::meter::Meter;
use crate::clock;

/// How many requests are under way at a time.
const AT_ONCE: usize = 4;
/// How long a request may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long to wait until it is tried again, give or take a quarter. As in client-go.
const PAUSE: Duration = Duration::from_secs(10);
/// How long the last events may take when nobody has the recorder any more.
const LAST: Duration = Duration::from_secs(30);

/// What is said to the task of a recorder.
pub(super) enum Message {
    Event(Box<(Reference, Note, Timestamp)>),
    Flush(oneshot::Sender<()>),
}

/// Writes until nobody can say anything any more, and all is written.
pub(super) async fn run(mut core: Core, mut told: mpsc::Receiver<Message>, client: Client, meter: Meter) {
    let mut writes = FuturesUnordered::new();
    let mut flushes: Vec<oneshot::Sender<()>> = Vec::new();
    let mut end: Option<Instant> = None;
    loop {
        while writes.len() < AT_ONCE
            && let Some(write) = core.next(Instant::now())
        {
            let client = client.clone();
            writes.push(async move { (write.series, send(client, write).await) });
        }
        if (end.is_some() || !flushes.is_empty()) && core.is_flushed() {
            for flush in flushes.drain(..) {
                flush.send(()).ok();
            }
            if end.is_some() {
                return;
            }
        }
        let wake = if writes.len() < AT_ONCE { core.deadline() } else { None };
        tokio::select! {
            message = told.recv(), if end.is_none() => match message {
                Some(Message::Event(event)) => {
                    let (regarding, event, time) = *event;
                    let now = Now { instant: Instant::now(), time };
                    meter.count(core.observe(regarding, event, now));
                }
                Some(Message::Flush(flush)) => {
                    core.flush(Instant::now());
                    flushes.push(flush);
                }
                None => {
                    core.flush(Instant::now());
                    end = Some(Instant::now() + LAST);
                }
            },
            Some((series, outcome)) = writes.next(), if !writes.is_empty() => {
                let now = Now { instant: Instant::now(), time: clock::now() };
                if outcome == Outcome::Done {
                    meter.written();
                }
                meter.count(core.wrote(series, outcome, now));
            }
            () = until(wake) => {}
            () = until(end) => {
                tracing::warn!(series = core.unwritten(), "the server did not take the last events in time");
                return;
            }
        }
    }
}

async fn until(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => pending().await,
    }
}

async fn send(client: Client, write: Write) -> Outcome {
    let events: Api<api::Event> = Api::namespaced(client, &write.namespace);
    let is_patch = matches!(write.body, Body::Patch(_));
    let request = async {
        match &write.body {
            Body::Create(event) => events.create(&PostParams::default(), event).await,
            Body::Patch(series) => {
                let patch = Patch::Merge(json!({ "series": series }));
                events.patch(&write.name, &PatchParams::default(), &patch).await
            }
        }
    };
    let pause = PAUSE.mul_f64(0.75 + fastrand::f64() / 2.0);
    let error = match timeout(PATIENCE, request).await {
        Ok(Ok(_)) => return Outcome::Done,
        Ok(Err(error)) => error,
        Err(_) => return Outcome::Again(pause),
    };
    let outcome = outcome(&error, is_patch, pause);
    match outcome {
        Outcome::Refused => {
            tracing::warn!(namespace = write.namespace, event = write.name, %error, "the server does not take an event");
        }
        _ => {
            tracing::debug!(namespace = write.namespace, event = write.name, %error, "an event was not written yet");
        }
    }
    outcome
}

fn outcome(error: &Error, is_patch: bool, pause: Duration) -> Outcome {
    let Error::Api(status) = error else { return Outcome::Again(pause) };
    match status.code {
        404 if is_patch => Outcome::Gone,
        409 if !is_patch && status.reason == "AlreadyExists" => Outcome::Exists,
        // Credentials are renewed, and servers recover.
        401 | 408 | 409 | 429 | 500.. => Outcome::Again(pause),
        // Not allowed; malformed; the namespace is not there, or on its way out.
        _ => Outcome::Refused,
    }
}
