//! The garbage collector: deletes objects whose owners are gone, and deletes or orphans the dependents of objects that are
//! being deleted.

mod attempt;
mod graph;

use std::sync::Weak;

use super::Knowledge as _;
use super::requests::Requests;
use crate::front::Front;
use crate::kinds::StorageId;
use crate::storage::{Feed, Stored};
use attempt::Attempt;
use graph::Graph;

const USER: &str = "system:serviceaccount:kube-system:generic-garbage-collector";

/// Runs until the server is gone.
pub(super) async fn run(server: Weak<Front>, objects: Vec<(StorageId, Stored)>, mut feed: Feed) {
    let Some(registry) = server.upgrade().map(|front| front.api.registry.clone()) else { return };
    let mut graph = Graph::new(registry);
    graph.start_over(&objects);
    drop(objects);
    loop {
        let Some(front) = server.upgrade() else { return };
        graph.catch_up(&front.api.storage, &mut feed);
        match graph.next() {
            Some(task) => {
                let requests = Requests { front: &front, user: USER };
                Attempt { graph: &mut graph, requests }.perform(task).await;
            }
            None => {
                drop(front);
                if !feed.changed().await {
                    return;
                }
            }
        }
    }
}
