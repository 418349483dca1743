//! The last changes of a kind, while somebody looks: which objects, and how, but not what is in them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::{BoxStream, unfold};
use hyper::body::Bytes;
use kube_informer::{Event, Object, SharedInformer};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{Instant, Interval};

use super::viewer::{NOTHING, SILENCE, Turn, Viewer};
use super::watching::Watching;
use crate::answer::event;
use crate::stream::every;

/// So many are remembered.
const LAST: usize = 30;

/// Not more often than this.
const EVERY: Duration = Duration::from_secs(1);

/// What happened to an object, of which nothing but the name and the size is kept.
struct Changed {
    at: Instant,
    what: &'static str,
    namespace: Option<String>,
    name: String,
    bytes: usize,
}

/// The last changes, and how many there were.
#[derive(Default)]
struct Recent {
    last: VecDeque<Changed>,
    count: u64,
}

struct Feed {
    recent: Arc<Mutex<Recent>>,
    /// When something was last sent, and how many changes there had been.
    sent: Option<(Instant, u64)>,
    tick: Interval,
    _watching: Watching,
    viewer: Viewer,
}

pub(super) fn stream(
    informer: &SharedInformer<()>,
    viewer: Viewer,
) -> Result<BoxStream<'static, Bytes>, String> {
    let recent = Arc::new(Mutex::new(Recent::default()));
    let heard = recent.clone();
    let watching = Watching::new(informer, move |event| {
        if let Some((what, object)) = change(event) {
            heard.lock().push(what, object);
        }
    })?;
    let feed = Feed { recent, sent: None, tick: every(EVERY), _watching: watching, viewer };
    Ok(unfold(feed, |mut feed| async move { Some((feed.next().await, feed)) }).boxed())
}

impl Feed {
    async fn next(&mut self) -> Bytes {
        loop {
            self.tick.tick().await;
            let count = self.recent.lock().count;
            let is_due = self.sent.is_none_or(|(at, sent)| sent != count || at.elapsed() >= SILENCE);
            if !is_due {
                continue;
            }
            self.viewer.turn(Turn::News).await;
            let recent = self.recent.lock();
            let before = self.sent.replace((Instant::now(), recent.count));
            return match before {
                Some((_, sent)) if sent == recent.count => Bytes::from_static(NOTHING),
                _ => event(&recent.report()),
            };
        }
    }
}

/// What an event says, unless the object was there before.
pub(super) fn change(event: &Event<()>) -> Option<(&'static str, &Object<()>)> {
    match event {
        Event::Added { object, initial: false } => Some(("added", object)),
        Event::Updated { new, resync: false, .. } => Some(("updated", new)),
        Event::Deleted { object, .. } => Some(("deleted", object)),
        _ => None,
    }
}

impl Recent {
    fn push(&mut self, what: &'static str, object: &Object<()>) {
        self.count += 1;
        if self.last.len() == LAST {
            self.last.pop_front();
        }
        self.last.push_back(Changed {
            at: Instant::now(),
            what,
            namespace: object.namespace().map(str::to_owned),
            name: object.name().to_owned(),
            bytes: object.packed_size(),
        });
    }

    fn report(&self) -> Value {
        let last = self.last.iter().rev().map(|changed| {
            json!({
                "secondsAgo": changed.at.elapsed().as_secs_f64(),
                "what": changed.what,
                "namespace": changed.namespace,
                "name": changed.name,
                "bytes": changed.bytes,
            })
        });
        json!({ "count": self.count, "last": last.collect::<Vec<_>>() })
    }
}
