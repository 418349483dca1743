//! Events from outside of the cluster: releases, load, failures.

use super::agenda::Action;
use super::world::{DeploymentId, NodeId, PodId, Stage, World};
use super::write::Write;
use super::{objects, pod};

impl World {
    /// Starts a random event; `None` if it is not possible at the moment.
    pub(super) fn begin_something(&mut self) -> Option<Write> {
        match self.rng.u32(..100) {
            0..=29 => {
                let deployment = self.some_deployment()?;
                self.begin_rollout(deployment)
            }
            30..=44 => {
                let deployment = self.some_deployment()?;
                Some(self.rescale(deployment))
            }
            45..=69 => {
                let pod = self.some_running_pod()?;
                Some(self.crash(pod))
            }
            70..=84 => {
                let pod = self.some_running_pod()?;
                self.perform(Action::DeletePod(pod))
            }
            85 => {
                let node = self.rng.usize(..self.nodes.len());
                self.lose_node(node)
            }
            _ => None,
        }
    }

    /// The heartbeat of a node.
    pub(super) fn heartbeat(&mut self) -> Write {
        let node = self.rng.usize(..self.nodes.len());
        objects::node_status(self, node)
    }

    fn some_deployment(&mut self) -> Option<DeploymentId> {
        (!self.deployments.is_empty()).then(|| self.rng.usize(..self.deployments.len()))
    }

    fn some_running_pod(&mut self) -> Option<PodId> {
        let deployment = self.some_deployment()?;
        let set = *self.deployments[deployment].sets.last()?;
        let runs = |pod: &&PodId| self.pods[pod].stage == Stage::Running && !self.pods[pod].is_doomed;
        let running: Vec<PodId> = self.sets[set].pods.iter().filter(runs).copied().collect();
        (!running.is_empty()).then(|| running[self.rng.usize(..running.len())])
    }

    /// A new image for a deployment that is not rolling one out already.
    fn begin_rollout(&mut self, deployment: DeploymentId) -> Option<Write> {
        if !self.is_settled(deployment) {
            return None;
        }
        let changed = &mut self.deployments[deployment];
        changed.revision += 1;
        changed.generation += 1;
        let write = objects::deployment_template(changed);
        self.deployment_changed(deployment);
        self.soon(20, 300, Action::CreateSet(deployment));
        Some(write)
    }

    /// Changes the replicas of a deployment.
    fn rescale(&mut self, deployment: DeploymentId) -> Write {
        let replicas = self.deployments[deployment].replicas;
        let more = replicas.div_ceil(4);
        let grows = self.rng.bool() && replicas < 10_000;
        let replicas = if grows || replicas <= more { replicas + more } else { replicas - more };
        let changed = &mut self.deployments[deployment];
        changed.replicas = replicas;
        changed.generation += 1;
        let write = objects::deployment_replicas(changed);
        self.deployment_changed(deployment);
        self.sync_deployment(deployment);
        write
    }

    fn crash(&mut self, id: PodId) -> Write {
        self.set_stage(id, Stage::Crashed);
        if let Some(pod) = self.pods.get_mut(&id) {
            pod.restarts += 1;
        }
        self.soon(1000, 10_000, Action::Ready(id));
        self.status_changed(id);
        pod::status(self, id)
    }

    /// A node is no longer ready. At most half of the nodes may fail at the same time.
    fn lose_node(&mut self, node: NodeId) -> Option<Write> {
        let lost = self.nodes.iter().filter(|node| !node.is_ready).count();
        if !self.nodes[node].is_ready || 2 * (lost + 1) > self.nodes.len() {
            return None;
        }
        self.set_ready(node, false);
        self.soon(2000, 5000, Action::Evict(node));
        self.soon(20_000, 60_000, Action::NodeUp(node));
        Some(objects::node_status(self, node))
    }
}
