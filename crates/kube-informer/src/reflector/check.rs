//! Is the server's history still the one that we have seen?
//!
//! A server that was restored from a backup accepts a watch from a version that it has not reached yet and stays silent,
//! for hours or for ever; and once it has passed that version it sends what is new and nothing of what is different. So
//! whenever a watch is resumed the server is asked for the newest object that we hold, by name: a consistent read, which
//! also shows which version the server has reached.

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use futures::StreamExt;
use informer_wire::{ResourceVersion, Uid};
use parking_lot::Mutex;
use serde::Deserialize;
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use super::budget::Budget;
pub(crate) use super::cursor::Finding;
use super::newest::{Newest, Seen};
use super::turn::turn;
use super::{Target, connection, lookup};
use crate::source::{ListParams, ListWatch, Verb};
use crate::status::StatusCell;

/// How long one request may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often the request is sent if there is no answer.
const ATTEMPTS: u32 = 3;

/// The most that is read of an answer: the largest object, and some.
const LARGEST_ANSWER: usize = 32 << 20;

/// What one scope knows of the server's history, and how it can be asked about it.
pub(crate) struct Witness {
    pub(crate) source: Arc<dyn ListWatch>,
    pub(crate) target: Target,
    pub(crate) status: Arc<StatusCell>,
    pub(crate) probes: Arc<Mutex<Budget>>,
    newest: Arc<Mutex<Newest>>,
    /// The newest object when the last watch was lost, until the server has been asked for it. It is kept apart because the
    /// objects that the next watch brings may come from a server that has gone back already, and would prove nothing.
    before: Mutex<Option<Seen>>,
    /// Rung when another scope of the cluster has reason to think that the server went back in time.
    pub(crate) doubt: Arc<Notify>,
}

impl Witness {
    pub(crate) fn new(
        source: Arc<dyn ListWatch>,
        target: Target,
        status: Arc<StatusCell>,
        probes: Arc<Mutex<Budget>>,
        newest: Arc<Mutex<Newest>>,
        doubt: Arc<Notify>,
    ) -> Self {
        Self { source, target, status, probes, newest, before: Mutex::default(), doubt }
    }

    /// Changes what is known of the newest objects.
    pub(crate) fn newest(&self, edit: impl FnOnce(&mut Newest)) {
        edit(&mut self.newest.lock());
    }

    /// A watch is about to be resumed.
    pub(crate) fn resuming(&self) {
        let newest = self.newest.lock().last().cloned();
        let mut before = self.before.lock();
        // If the server has not been asked for an earlier one yet, that one stays: it was surely seen before the rewind.
        *before = before.take().or(newest);
    }

    /// The server has been asked, or everything was read anew.
    pub(crate) fn settled(&self) {
        *self.before.lock() = None;
    }

    /// The object to ask for, if there is one.
    pub(crate) fn last_seen(&self) -> Option<Seen> {
        self.before.lock().clone().or_else(|| self.newest.lock().last().cloned())
    }

    /// The newest version that the server has been seen at.
    pub(crate) fn version(&self) -> ResourceVersion {
        self.status.newest_version()
    }

    /// Asks the server for the newest object of this scope, a few times if it does not answer. Also gives the version that
    /// the server is at.
    pub(crate) async fn ask(&self) -> (Finding, ResourceVersion) {
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                sleep(Duration::from_secs(1)).await;
            }
            turn(&self.probes).await;
            // Read before the question is sent: the server cannot have been further than it says.
            let (seen, at) = (self.last_seen(), self.version());
            let Ok(Some(answer)) = timeout(PATIENCE, self.read(seen.as_ref())).await else { continue };
            let version = ResourceVersion::new(&answer.metadata.resource_version);
            return (self.judge(seen, &at, &version, &answer.items), version);
        }
        (Finding::Unknown, ResourceVersion::empty())
    }

    async fn read(&self, seen: Option<&Seen>) -> Option<ListAnswer> {
        self.status.edit(|status| status.probes += 1);
        let request = match seen {
            Some(seen) => lookup::request(&self.target, &seen.key),
            None => self.target.request(Verb::List(ListParams { limit: Some(1), ..ListParams::default() })),
        };
        let mut chunks = connection::open(&*self.source, request).await.ok()?;
        let mut body = BytesMut::new();
        while let Some(chunk) = chunks.next().await {
            body.extend_from_slice(&chunk.ok()?);
            if body.len() > LARGEST_ANSWER {
                return None;
            }
        }
        serde_json::from_slice(&body).ok()
    }

    fn judge(
        &self,
        seen: Option<Seen>,
        at: &ResourceVersion,
        version: &ResourceVersion,
        items: &[ListedItem],
    ) -> Finding {
        if version.is_older_than(at) {
            return Finding::Rewound;
        }
        let Some(seen) = seen else { return Finding::Same };
        let is_it = |item: &&ListedItem| {
            item.metadata.name == seen.key.name()
                && item.metadata.namespace.as_deref().filter(|name| !name.is_empty()) == seen.key.namespace()
        };
        let Some(found) = items.iter().find(is_it) else {
            // A server that does not look at the selector has said nothing about the object.
            let ignores_selector = !items.is_empty();
            let still_held = self.newest.lock().has(&seen);
            return match version.compare(&seen.version) {
                Some(_) if still_held && !ignores_selector => {
                    Finding::Missing { key: seen.key, version: version.clone() }
                }
                Some(_) => Finding::Same,
                None => Finding::Unknown,
            };
        };
        let found_at = ResourceVersion::new(&found.metadata.resource_version);
        match found_at.compare(&seen.version) {
            Some(Ordering::Less) => Finding::Rewound,
            // Two objects cannot have been written at the same version.
            Some(Ordering::Equal) if Uid::new(&found.metadata.uid) != seen.uid => Finding::Rewound,
            Some(Ordering::Equal | Ordering::Greater) => Finding::Same,
            None => Finding::Unknown,
        }
    }
}

/// As much of a list as is looked at.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListAnswer {
    metadata: ListMetadata,
    #[serde(default, deserialize_with = "null_is_empty")]
    items: Vec<ListedItem>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListMetadata {
    resource_version: String,
}

#[derive(Deserialize)]
struct ListedItem {
    metadata: ItemMetadata,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ItemMetadata {
    name: String,
    namespace: Option<String>,
    #[serde(default)]
    uid: String,
    #[serde(default)]
    resource_version: String,
}

fn null_is_empty<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<ListedItem>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
mod tests;
