//! The changes of all resources in the order of their versions, for controllers.

use std::sync::Arc;

use tokio::sync::watch;

use super::{Event, Storage, Stored};
use crate::kinds::StorageId;

/// A position in the changes of all resources. It holds no copies.
#[derive(Debug)]
pub(crate) struct Feed {
    /// The version of the last change that was read.
    after: u64,
    /// How often writes had been undone when it was made.
    rewinds: u64,
    changed: watch::Receiver<u64>,
}

/// What a controller does next.
#[derive(Debug)]
pub(crate) enum News {
    /// Look at these changes.
    Changes(Vec<(StorageId, Arc<Event>)>),
    /// Wait: everything has been read.
    UpToDate,
    /// Read everything anew: changes have been forgotten or undone.
    Lost,
}

impl Feed {
    /// Waits until there is something to read; `false` if the storage is gone.
    pub(crate) async fn changed(&mut self) -> bool {
        self.changed.changed().await.is_ok()
    }
}

impl Storage {
    /// All objects, and the position of the changes that follow.
    pub(crate) fn feed(&self) -> (Vec<(StorageId, Stored)>, Feed) {
        let state = self.state.lock();
        let mut objects: Vec<(StorageId, Stored)> = Vec::new();
        for (id, collection) in &state.collections {
            objects.extend(collection.objects.values().map(|stored| (id.clone(), stored.clone())));
        }
        objects.sort_by_key(|(_, stored)| stored.version);
        let changed = self.version.subscribe();
        (objects, Feed { after: state.version, rewinds: state.rewinds, changed })
    }

    /// Reads the next changes, at most `count`.
    pub(crate) fn news(&self, feed: &mut Feed, count: usize) -> News {
        let state = self.state.lock();
        feed.changed.borrow_and_update();
        let after = feed.after;
        if feed.rewinds != state.rewinds || !state.collections.values().all(|it| it.reaches(after)) {
            return News::Lost;
        }
        let mut changes = Vec::new();
        for (id, collection) in &state.collections {
            // The first `count` of all are among the first `count` of each.
            let next = collection.log.after(after).take(count);
            changes.extend(next.map(|event| (id.clone(), event.clone())));
        }
        changes.sort_by_key(|(_, event)| event.version);
        changes.truncate(count);
        match changes.last() {
            Some((_, last)) => {
                feed.after = last.version;
                News::Changes(changes)
            }
            None => {
                feed.after = state.version;
                News::UpToDate
            }
        }
    }
}
