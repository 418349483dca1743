//! The actions that are scheduled.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::world::{DeploymentId, NodeId, PodId, SetId};

/// A scheduled action. Whether it is still possible is checked when it is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Action {
    /// The deployment controller creates the ReplicaSet of the present revision.
    CreateSet(DeploymentId),
    /// The deployment controller sets the replicas of a ReplicaSet.
    ScaleSet(SetId),
    /// The deployment controller deletes a ReplicaSet beyond the revision history limit.
    DeleteSet(SetId),
    /// The deployment controller writes the status of a deployment.
    DeploymentStatus(DeploymentId),
    /// The ReplicaSet controller creates a pod.
    CreatePod(SetId),
    /// The ReplicaSet controller writes the status of a ReplicaSet.
    SetStatus(SetId),
    /// The scheduler binds a pod to a node.
    Schedule(PodId),
    /// The kubelet begins to start a pod.
    Start(PodId),
    /// The containers of a pod run, and it is ready.
    Ready(PodId),
    /// A pod is deleted.
    DeletePod(PodId),
    /// The kubelet has stopped a pod that was deleted.
    Gone(PodId),
    /// All pods of a node that is not ready are deleted.
    Evict(NodeId),
    /// A node is ready again.
    NodeUp(NodeId),
}

/// The scheduled actions by time. Those of the same time are in the order in which they were added.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    actions: BinaryHeap<Reverse<(u64, u64, Action)>>,
    decided: u64,
}

impl Agenda {
    /// Schedules an action at a time in milliseconds.
    pub(super) fn add(&mut self, at: u64, action: Action) {
        self.decided += 1;
        self.actions.push(Reverse((at, self.decided, action)));
    }

    /// The next action, if it is due before `until`.
    pub(super) fn next_before(&mut self, until: u64) -> Option<Action> {
        let Reverse((at, ..)) = self.actions.peek()?;
        if *at > until {
            return None;
        }
        self.actions.pop().map(|Reverse((_, _, action))| action)
    }

    pub(super) fn len(&self) -> usize {
        self.actions.len()
    }
}
