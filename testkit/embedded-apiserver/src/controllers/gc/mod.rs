//! The garbage collector: deletes objects whose owners are gone, and deletes or orphans the dependents of objects that are
//! being deleted.

mod decide;
mod graph;

use std::sync::Weak;

use tokio::time::{Instant, sleep_until};

use super::Knowledge as _;
use super::requests::{Refusal, Requests, Write};
use crate::front::Front;
use crate::kinds::StorageId;
use crate::storage::{Feed, Stored};
use decide::{Decide, Writes};
use graph::{Graph, Task};

const USER: &str = "system:serviceaccount:kube-system:generic-garbage-collector";

/// How many objects are decided about before the first of the writes that follow is made. The real one has so many workers,
/// which do not see one another's writes either: an object that loses two owners, of which one owns the other, first loses
/// the reference to the one that went first, and then goes with the other.
const WORKERS: usize = 20;

/// Runs until the server is gone.
pub(super) async fn run(server: Weak<Front>, objects: Vec<(StorageId, Stored)>, mut feed: Feed) {
    let Some(registry) = server.upgrade().map(|front| front.api.registry.clone()) else { return };
    let mut kinds = registry.changes();
    let mut graph = Graph::new(registry);
    graph.start_over(&objects);
    drop(objects);
    loop {
        let Some(front) = server.upgrade() else { return };
        graph.catch_up(&front.api.storage, &mut feed);
        if kinds.has_changed().unwrap_or_default() {
            kinds.mark_unchanged();
            graph.retry_unserved();
        }
        let tasks: Vec<_> = std::iter::from_fn(|| graph.next()).take(WORKERS).collect();
        if tasks.is_empty() {
            drop(front);
            let due = graph.due();
            let is_there = tokio::select! {
                biased;
                is_there = feed.changed() => is_there,
                changed = kinds.changed() => {
                    graph.retry_unserved();
                    changed.is_ok()
                }
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => true,
            };
            if !is_there {
                return;
            }
            continue;
        }
        let mut decide = Decide { graph: &mut graph, api: &front.api };
        let decided: Vec<_> = tasks.into_iter().map(|task| (decide.writes(&task), task)).collect();
        let requests = Requests { front: &front, user: USER };
        for (Writes { writes, again }, task) in decided {
            match send_all(requests, writes).await {
                Ok(()) if again => graph.add(task),
                Ok(()) => {}
                // Somebody else has changed it meanwhile.
                Err(Refusal { code: 409, .. }) => graph.add(task),
                Err(Refusal { code, message }) => {
                    tracing::warn!(code, message, ?task, "the garbage collector was refused a write");
                    // An event that cannot be written is not worth a second try.
                    if !matches!(task, Task::Report(..)) {
                        graph.add_later(task);
                    }
                }
            }
        }
    }
}

/// Makes these writes until one is refused.
async fn send_all(requests: Requests<'_>, writes: Vec<Write>) -> Result<(), Refusal> {
    for write in writes {
        match requests.send(write).await {
            // Or it is gone already.
            Ok(()) | Err(Refusal { code: 404, .. }) => {}
            Err(refusal) => return Err(refusal),
        }
    }
    Ok(())
}
