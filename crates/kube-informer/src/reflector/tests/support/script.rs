//! A server that plays what it is told.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::source::{ByteStream, ListParams, ListWatch, Request, SourceError, Status, Verb, WatchParams};

/// The answer to one request.
pub(crate) enum Reply {
    /// This, then the end.
    Body(Vec<Piece>),
    Refuse(SourceError),
    /// No answer ever.
    Silence,
    /// The source panics before it gives back anything.
    Panic,
    /// The source panics while it waits for the answer.
    PanicLater,
}

pub(crate) enum Piece {
    Text(String),
    Pause(Duration),
    Fail(SourceError),
    Hang,
    Panic,
}

/// Unwinds without the hook that prints.
fn quiet_panic() -> ! {
    std::panic::resume_unwind(Box::new("a bug of the source"))
}

pub(crate) fn refused() -> Reply {
    Reply::Refuse(SourceError::transport("connection refused"))
}

pub(crate) fn refuse(failure: Status) -> Reply {
    Reply::Refuse(SourceError::answered(failure))
}

/// A list of objects given as `name@version`.
pub(crate) fn list(version: &str, token: Option<&str>, objects: &[&str]) -> Reply {
    let items: Vec<Value> = objects.iter().map(|object| object_json(object)).collect();
    let body = json!({ "kind": "ConfigMapList", "items": items,
        "metadata": { "resourceVersion": version, "continue": token } });
    Reply::Body(vec![Piece::Text(body.to_string())])
}

fn object_json(object: &str) -> Value {
    let (name, version) = object.split_once('@').unwrap();
    json!({ "metadata": { "name": name, "namespace": "n", "uid": name, "resourceVersion": version } })
}

pub(crate) fn event(kind: &str, object: &str) -> Piece {
    Piece::Text(format!("{}\n", json!({ "type": kind, "object": object_json(object) })))
}

pub(crate) fn bookmark(version: &str) -> Piece {
    let object = json!({ "metadata": { "resourceVersion": version } });
    Piece::Text(format!("{}\n", json!({ "type": "BOOKMARK", "object": object })))
}

pub(crate) fn marker(version: &str) -> Piece {
    let annotations = json!({ "k8s.io/initial-events-end": "true" });
    let object = json!({ "metadata": { "resourceVersion": version, "annotations": annotations } });
    Piece::Text(format!("{}\n", json!({ "type": "BOOKMARK", "object": object })))
}

pub(crate) fn error_event(code: u16) -> Piece {
    let status = json!({ "kind": "Status", "code": code, "reason": "" });
    Piece::Text(format!("{}\n", json!({ "type": "ERROR", "object": status })))
}

/// A consistent read of one object.
fn is_probe(request: &Request) -> bool {
    matches!(&request.verb, Verb::List(params) if params.limit == Some(1) && params.resource_version.is_empty())
}

/// A reply for every request in turn; silence once they are used up. Questions about single objects have replies of
/// their own.
pub(crate) struct Server {
    replies: Mutex<VecDeque<Reply>>,
    requests: Mutex<Vec<(Instant, Request)>>,
    probe_replies: Mutex<VecDeque<Reply>>,
    probes: Mutex<Vec<(Instant, Request)>>,
    start: Instant,
    /// Bodies being read: a connection that is dropped is gone.
    open: Arc<()>,
}

impl ListWatch for Server {
    fn open(&self, request: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        let (asked, replies) = if is_probe(&request) {
            (&self.probes, &self.probe_replies)
        } else {
            (&self.requests, &self.replies)
        };
        asked.lock().push((Instant::now(), request));
        let reply = replies.lock().pop_front().unwrap_or(Reply::Silence);
        let open = self.open.clone();
        match reply {
            Reply::Refuse(error) => futures::future::ready(Err(error)).boxed(),
            Reply::Panic => quiet_panic(),
            Reply::PanicLater => async { quiet_panic() }.boxed(),
            Reply::Silence => async move {
                let _open = open;
                std::future::pending().await
            }
            .boxed(),
            Reply::Body(pieces) => {
                let body = stream::iter(pieces).filter_map(move |piece| {
                    // Held by the body for as long as it lives.
                    let _ = &open;
                    async move {
                        match piece {
                            Piece::Text(text) => Some(Ok(Bytes::from(text))),
                            Piece::Fail(error) => Some(Err(error)),
                            Piece::Pause(pause) => {
                                sleep(pause).await;
                                None
                            }
                            Piece::Hang => std::future::pending().await,
                            Piece::Panic => quiet_panic(),
                        }
                    }
                });
                futures::future::ready(Ok(body.boxed())).boxed()
            }
        }
    }
}

impl Server {
    pub(crate) fn new(replies: Vec<Reply>) -> Self {
        Self {
            replies: Mutex::new(replies.into()),
            requests: Mutex::default(),
            probe_replies: Mutex::default(),
            probes: Mutex::default(),
            start: Instant::now(),
            open: Arc::default(),
        }
    }

    /// What to answer to questions about single objects.
    pub(crate) fn answer_probes(&self, replies: Vec<Reply>) {
        *self.probe_replies.lock() = replies.into();
    }

    /// Questions about single objects, and when they came.
    pub(crate) fn probes(&self) -> Vec<(Duration, Request)> {
        self.probes.lock().iter().map(|(at, request)| (*at - self.start, request.clone())).collect()
    }

    pub(crate) fn lists(&self) -> Vec<ListParams> {
        let requests = self.requests.lock();
        requests
            .iter()
            .filter_map(|(_, request)| match &request.verb {
                Verb::List(params) => Some(params.clone()),
                Verb::Watch(_) => None,
            })
            .collect()
    }

    pub(crate) fn watches(&self) -> Vec<WatchParams> {
        let requests = self.requests.lock();
        requests
            .iter()
            .filter_map(|(_, request)| match &request.verb {
                Verb::Watch(params) => Some(params.clone()),
                Verb::List(_) => None,
            })
            .collect()
    }

    /// When each request came, since the start.
    pub(crate) fn times(&self) -> Vec<Duration> {
        self.requests.lock().iter().map(|(at, _)| *at - self.start).collect()
    }

    pub(crate) fn requests(&self) -> usize {
        self.requests.lock().len()
    }

    pub(crate) fn request(&self, number: usize) -> Request {
        self.requests.lock()[number].1.clone()
    }

    pub(crate) fn open_connections(&self) -> usize {
        Arc::strong_count(&self.open) - 1
    }
}
