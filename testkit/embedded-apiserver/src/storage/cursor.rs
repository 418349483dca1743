//! The position of a watch in the changes of its resource.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::collection::Collection;
use super::log::Event;
use crate::kinds::StorageId;

/// When a watch is ended because its client is too slow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slowness {
    /// How many changes may wait for the client for any time.
    pub(crate) buffer: usize,
    /// How long more changes than that may wait.
    pub(crate) patience: Duration,
}

impl Default for Slowness {
    fn default() -> Self {
        Self { buffer: 1000, patience: Duration::from_secs(1) }
    }
}

/// The position of a watch in the changes of its resource. It holds no copies, so a slow watch takes no more memory.
#[derive(Debug)]
pub(crate) struct Cursor {
    pub(super) id: StorageId,
    incarnation: u64,
    /// The number of the next change to read.
    next: u64,
    /// Whether it has ever read all changes. Before that it is reading history, and a backlog does not mean that the client
    /// is slow.
    caught_up: bool,
    changed: watch::Receiver<()>,
}

/// What a watch does next.
#[derive(Debug)]
pub(crate) enum Read {
    /// Send these changes.
    Events(Vec<Arc<Event>>),
    /// Wait: everything up to this version has been read.
    UpToDate(u64),
    /// End: the next change is forgotten, the client is too slow, or the collection was replaced.
    Ended,
}

impl Cursor {
    /// At the first change after a version.
    pub(super) fn after(id: StorageId, collection: &Collection, version: u64) -> Self {
        Self {
            id,
            incarnation: collection.incarnation,
            next: collection.log.number_after(version),
            caught_up: false,
            changed: collection.changed.subscribe(),
        }
    }

    /// Reads the next changes.
    pub(super) fn read(
        &mut self,
        collection: &Collection,
        version: u64,
        count: usize,
        slowness: Slowness,
    ) -> Read {
        self.changed.borrow_and_update();
        let log = &collection.log;
        if collection.incarnation != self.incarnation || self.next < log.start() {
            return Read::Ended;
        }
        if self.next >= log.end() {
            self.caught_up = true;
            if collection.retired {
                return Read::Ended;
            }
            return Read::UpToDate(version);
        }
        // The age of the first change that exceeds the buffer.
        let overdue = log.age(self.next.saturating_add(slowness.buffer as u64));
        if self.caught_up && overdue.is_some_and(|age| age > slowness.patience) {
            return Read::Ended;
        }
        let events = log.read(self.next, count);
        self.next += events.len() as u64;
        Read::Events(events)
    }

    /// Waits until there is something to read.
    pub(crate) async fn changed(&mut self) {
        // An error means that the storage is gone, and then there are no more changes.
        if self.changed.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
