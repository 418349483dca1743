//! What is going to happen, and when.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::world::{DeploymentId, NodeId, PodId, SetId};

/// Something that is going to happen. Whether it still can is seen when its time comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Action {
    /// The deployment controller makes the ReplicaSet of the present revision.
    CreateSet(DeploymentId),
    /// It writes how many pods a ReplicaSet is to have.
    ScaleSet(SetId),
    /// It deletes a ReplicaSet that is too old to go back to.
    DeleteSet(SetId),
    /// It writes the status of a deployment.
    DeploymentStatus(DeploymentId),
    /// The ReplicaSet controller makes a pod.
    CreatePod(SetId),
    /// It writes the status of a ReplicaSet.
    SetStatus(SetId),
    /// The scheduler finds a node for a pod.
    Schedule(PodId),
    /// The kubelet begins to start a pod.
    Start(PodId),
    /// The containers of a pod run, and it is ready.
    Ready(PodId),
    /// Somebody deletes a pod.
    DeletePod(PodId),
    /// The kubelet has ended a pod that was deleted.
    Gone(PodId),
    /// All pods of a node that does not answer are deleted.
    Evict(NodeId),
    /// A node answers again.
    NodeUp(NodeId),
}

/// What is going to happen, by time; at the same time in the order in which it was decided.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    actions: BinaryHeap<Reverse<(u64, u64, Action)>>,
    decided: u64,
}

impl Agenda {
    /// Lets something happen at a time, in milliseconds.
    pub(super) fn add(&mut self, at: u64, action: Action) {
        self.decided += 1;
        self.actions.push(Reverse((at, self.decided, action)));
    }

    /// The next thing that happens, if it happens before `until`.
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
