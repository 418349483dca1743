//! One object and its last changes, while somebody looks at it.
//!
//! What an object was before is not in the cache. So the events of this one object are listened to from the moment that somebody
//! looks: that holds at most [`PENDING`] versions until they are compared, and then at most [`LAST`] lists of differences.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::{BoxStream, unfold};
use hyper::body::Bytes;
use kube_informer::{Event, Object, ObjectKey, SharedInformer};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::task::yield_now;
use tokio::time::{Instant, Interval};

use super::changes::change;
use super::difference::differences;
use super::query::Query;
use super::rows::row;
use super::viewer::{NOTHING, SILENCE, Turn, Viewer};
use super::watching::Watching;
use super::yaml::{content, yaml};
use crate::answer::event;
use crate::stream::every;

/// So many versions wait to be compared; of more the oldest are forgotten.
const PENDING: usize = 10;

/// So many changes are shown.
const LAST: usize = 10;

/// Not more often than this.
const EVERY: Duration = Duration::from_secs(1);

/// A change that was not compared yet.
struct Change {
    at: Instant,
    what: &'static str,
    old: Option<Object<()>>,
    new: Object<()>,
}

/// The changes since the last event was sent.
#[derive(Default)]
struct Heard {
    changes: VecDeque<Change>,
    forgotten: u64,
}

struct View {
    informer: SharedInformer<()>,
    key: ObjectKey,
    is_sensitive: bool,
    heard: Arc<Mutex<Heard>>,
    /// What is shown of the changes before.
    last: VecDeque<(Instant, Value)>,
    forgotten: u64,
    /// When something was last sent.
    sent: Option<Instant>,
    tick: Interval,
    _watching: Watching,
    viewer: Viewer,
}

pub(super) fn stream(
    informer: &SharedInformer<()>,
    query: &Query,
    viewer: Viewer,
) -> Result<BoxStream<'static, Bytes>, String> {
    let name = query.text("name").ok_or("the name of an object is missing")?;
    let key = match query.text("namespace") {
        Some(namespace) => ObjectKey::namespaced(namespace, name),
        None => ObjectKey::cluster(name),
    };
    let heard = Arc::new(Mutex::new(Heard::default()));
    let (hears, wanted) = (heard.clone(), key.clone());
    let watching = Watching::new(informer, move |event| hears.lock().hear(&wanted, event))?;
    let view = View {
        informer: informer.clone(),
        key,
        is_sensitive: informer.status().sensitive,
        heard,
        last: VecDeque::new(),
        forgotten: 0,
        sent: None,
        tick: every(EVERY),
        _watching: watching,
        viewer,
    };
    Ok(unfold(view, |mut view| async move { Some((view.next().await, view)) }).boxed())
}

impl Heard {
    fn hear(&mut self, wanted: &ObjectKey, event: &Event<()>) {
        let Some((what, new)) = change(event).filter(|(_, object)| object.key() == wanted) else { return };
        let old = match event {
            Event::Updated { old, .. } => Some(old.clone()),
            _ => None,
        };
        if self.changes.len() == PENDING {
            self.changes.pop_front();
            self.forgotten += 1;
        }
        self.changes.push_back(Change { at: Instant::now(), what, old, new: new.clone() });
    }
}

impl View {
    async fn next(&mut self) -> Bytes {
        loop {
            self.tick.tick().await;
            let is_news = self.sent.is_none() || !self.heard.lock().changes.is_empty();
            let is_due = is_news || self.sent.is_none_or(|sent| sent.elapsed() >= SILENCE);
            if !is_due {
                continue;
            }
            // Who has opened it waits for its first sight.
            let turn = if self.sent.is_none() { Turn::Answer } else { Turn::News };
            self.viewer.turn(turn).await;
            self.sent = Some(Instant::now());
            let heard = std::mem::take(&mut *self.heard.lock());
            let is_news = is_news || !heard.changes.is_empty();
            self.forgotten += heard.forgotten;
            for change in heard.changes {
                if self.last.len() == LAST {
                    self.last.pop_back();
                }
                self.last.push_front((change.at, self.entry(&change)));
                // Large objects take their time to be compared, and there may be as many as were kept.
                yield_now().await;
            }
            return if is_news { event(&self.report()) } else { Bytes::from_static(NOTHING) };
        }
    }

    fn entry(&self, change: &Change) -> Value {
        let differences = match &change.old {
            Some(old) if !self.is_sensitive => differences(&content(old), &content(&change.new)),
            _ => Value::Null,
        };
        json!({ "what": change.what, "bytes": change.new.packed_size(), "differences": differences })
    }

    fn report(&self) -> Value {
        let object = self.informer.lister().by_key(&self.key).ok();
        let changes = self.last.iter().map(|(at, entry)| {
            let mut entry = entry.clone();
            entry["secondsAgo"] = at.elapsed().as_secs_f64().into();
            entry
        });
        json!({
            "object": object.as_ref().map(|object| row(object, self.is_sensitive)),
            "yaml": object.filter(|_| !self.is_sensitive).map(|object| yaml(content(&object))),
            "sensitive": self.is_sensitive,
            "changes": changes.collect::<Vec<_>>(),
            "forgotten": self.forgotten,
        })
    }
}
