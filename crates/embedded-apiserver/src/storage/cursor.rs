//! Where a watch is in the changes of its resource.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::collection::Collection;
use super::log::Event;
use crate::kinds::StorageId;

/// When a watch is given up because its client does not keep up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slowness {
    /// So many changes may wait for the client.
    pub(crate) buffer: usize,
    /// More than that only for so long.
    pub(crate) patience: Duration,
}

impl Default for Slowness {
    fn default() -> Self {
        Self { buffer: 1000, patience: Duration::from_secs(1) }
    }
}

/// Where a watch is in the changes of its resource. It has no copy of them, so that it costs nothing to be slow.
#[derive(Debug)]
pub(crate) struct Cursor {
    pub(super) id: StorageId,
    incarnation: u64,
    /// The number of the next change to read.
    next: u64,
    /// Whether it has been at the end: what is still to be read of the past is no sign of slowness.
    caught_up: bool,
    changed: watch::Receiver<()>,
}

/// What a watch is to do.
#[derive(Debug)]
pub(crate) enum Read {
    /// Tell these changes.
    Events(Vec<Arc<Event>>),
    /// Wait: everything up to this version is told.
    UpToDate(u64),
    /// End: what comes next is forgotten, or the resource is no longer what it was.
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

    /// Reads on.
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
        // The age of the first change for which there is no room.
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
        // The other end goes away only with the storage, and then nothing is ever read again.
        if self.changed.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
