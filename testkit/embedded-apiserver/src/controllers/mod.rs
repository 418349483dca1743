//! Controllers of a cluster that act on the objects of a server. They are off unless they are switched on.
//!
//! Each is a task that reads the changes of all objects in their order and does what follows from them, one write after the
//! other. It asks nothing at intervals. Its writes are requests like those of a client, in the name of the controller's own
//! service account, and are in the journal; faults do not affect them. The task ends with the server.

mod gc;
mod namespace;
mod requests;

use std::sync::{Arc, Weak};

use serde::Deserialize;

use crate::front::Front;
use crate::kinds::StorageId;
use crate::storage::{Event, Feed, News, Storage, Stored};

/// A controller of kube-controller-manager that the server can run; see
/// [`Builder::controllers`](crate::Builder::controllers).
///
/// In the [`Journal`](crate::Journal) the user of their writes is the service account that they have in a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum BuiltinController {
    /// Deletes objects whose owners are gone, and deletes or orphans the dependents of an object that is deleted with such a
    /// `propagationPolicy`. Its user is `system:serviceaccount:kube-system:generic-garbage-collector`.
    GarbageCollector,
    /// Empties a namespace that is being deleted, says in its conditions what remains, and removes it in the end. Its user
    /// is `system:serviceaccount:kube-system:namespace-controller`.
    Namespace,
}

/// How many changes are read at a time.
const BATCH: usize = 64;

/// Starts the controllers of a server. They need a tokio runtime.
pub(crate) fn start(front: &Arc<Front>) {
    for controller in &front.api.options.controllers {
        let (objects, feed) = front.api.storage.feed();
        let front: Weak<Front> = Arc::downgrade(front);
        match controller {
            BuiltinController::GarbageCollector => drop(tokio::spawn(gc::run(front, objects, feed))),
            BuiltinController::Namespace => drop(tokio::spawn(namespace::run(front, objects, feed))),
        }
    }
}

/// What a controller knows of the objects.
trait Knowledge {
    /// Forgets everything, and looks at all objects that there are, the oldest version first.
    fn start_over(&mut self, objects: &[(StorageId, Stored)]);

    fn observe(&mut self, id: &StorageId, event: &Event);

    /// Observes all changes that have not been read yet.
    fn catch_up(&mut self, storage: &Storage, feed: &mut Feed) {
        loop {
            match storage.news(feed, BATCH) {
                News::Changes(changes) => changes.iter().for_each(|(id, event)| self.observe(id, event)),
                News::UpToDate => return,
                News::Lost => {
                    let objects;
                    (objects, *feed) = storage.feed();
                    self.start_over(&objects);
                }
            }
        }
    }
}

/// What controllers read of an object's metadata.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Metadata {
    owner_references: Vec<OwnerReference>,
    finalizers: Vec<String>,
    deletion_timestamp: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct OwnerReference {
    api_version: String,
    kind: String,
    name: String,
    uid: String,
    block_owner_deletion: Option<bool>,
}

impl Metadata {
    fn of(stored: &Stored) -> Self {
        stored.metadata().unwrap_or_default()
    }

    fn is_terminating(&self) -> bool {
        self.deletion_timestamp.is_some()
    }

    fn has(&self, finalizer: &str) -> bool {
        self.finalizers.iter().any(|other| other == finalizer)
    }

    /// Whether it is being deleted and a finalizer keeps it.
    fn is_kept_by(&self, finalizer: &str) -> bool {
        self.is_terminating() && self.has(finalizer)
    }
}

impl OwnerReference {
    fn blocks(&self) -> bool {
        self.block_owner_deletion == Some(true)
    }
}

#[cfg(test)]
mod tests;
