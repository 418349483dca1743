//! The work of controllers, scheduler and kubelets.

use super::agenda::Action;
use super::world::{DeploymentId, NodeId, Pod, PodId, SetId, Stage, World};
use super::write::Write;
use super::{objects, pod};

/// How many ReplicaSets of earlier revisions a deployment keeps.
const HISTORY: usize = 2;

impl World {
    /// Performs an action; `None` if it is no longer possible or needed.
    pub(super) fn perform(&mut self, action: Action) -> Option<Write> {
        match action {
            Action::CreateSet(deployment) => Some(self.create_set(deployment)),
            Action::ScaleSet(set) => self.scale_set(set),
            Action::DeleteSet(set) => {
                self.free_sets.push(set);
                Some(objects::delete_set(self, set))
            }
            Action::DeploymentStatus(deployment) => self.write_deployment_status(deployment),
            Action::CreatePod(set) => self.create_pod(set),
            Action::SetStatus(set) => self.write_set_status(set),
            Action::Schedule(id) => {
                self.pods.get(&id).filter(|pod| !pod.is_doomed && pod.node.is_none())?;
                let node = self.node_for_a_pod();
                self.place(id, node);
                self.soon(50, 500, Action::Start(id));
                Some(pod::binding(self, id))
            }
            Action::Start(id) => {
                self.pods.get(&id).filter(|pod| !pod.is_doomed && pod.stage == Stage::Pending)?;
                self.set_stage(id, Stage::Starting);
                self.soon(500, 4000, Action::Ready(id));
                Some(pod::status(self, id))
            }
            Action::Ready(id) => {
                let waits = |pod: &&Pod| matches!(pod.stage, Stage::Starting | Stage::Crashed);
                self.pods.get(&id).filter(|pod| !pod.is_doomed).filter(waits)?;
                self.set_stage(id, Stage::Running);
                self.status_changed(id);
                self.sync_deployment_of(id);
                Some(pod::status(self, id))
            }
            Action::DeletePod(id) => self.delete_pod(id),
            Action::Gone(id) => {
                self.pods.get(&id)?;
                let write = pod::gone(self, id);
                self.remove_pod(id);
                Some(write)
            }
            Action::Evict(node) => {
                if !self.nodes[node].is_ready {
                    for pod in self.nodes[node].pods.clone() {
                        self.soon(0, 1000, Action::DeletePod(pod));
                    }
                }
                None
            }
            Action::NodeUp(node) => {
                self.set_ready(node, true);
                Some(objects::node_status(self, node))
            }
        }
    }

    /// Whether a deployment has all its pods, and all of them are of the current revision.
    pub(super) fn is_settled(&self, deployment: DeploymentId) -> bool {
        let deployment = &self.deployments[deployment];
        let Some((newest, older)) = deployment.sets.split_last() else { return false };
        let newest = &self.sets[*newest];
        newest.revision == deployment.revision
            && newest.replicas == deployment.replicas
            && older.iter().all(|set| self.sets[*set].replicas == 0)
    }

    /// How many pods of a ReplicaSet are not being deleted, and how many of them are ready.
    pub(super) fn counts(&self, set: SetId) -> (u32, u32) {
        let staying = || self.sets[set].pods.iter().map(|pod| &self.pods[pod]).filter(|pod| !pod.is_doomed);
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        (count(staying().count()), count(staying().filter(|pod| pod.stage == Stage::Running).count()))
    }

    /// The numbers in the status of a ReplicaSet: observed generation, pods, ready pods.
    pub(super) fn set_summary(&self, set: SetId) -> [u64; 4] {
        let (here, ready) = self.counts(set);
        [self.sets[set].generation, here.into(), ready.into(), 0]
    }

    /// The same for a deployment, with the number of pods of the current revision.
    pub(super) fn deployment_summary(&self, id: DeploymentId) -> [u64; 4] {
        let deployment = &self.deployments[id];
        let [mut here, mut ready, mut updated] = [0; 3];
        for &set in &deployment.sets {
            let [_, here_of_set, ready_of_set, _] = self.set_summary(set);
            here += here_of_set;
            ready += ready_of_set;
            updated += here_of_set * u64::from(self.sets[set].revision == deployment.revision);
        }
        [deployment.generation, here, ready, updated]
    }

    fn write_set_status(&mut self, set: SetId) -> Option<Write> {
        let summary = self.set_summary(set);
        let owner = &self.deployments[self.sets[set].deployment];
        let is_there = owner.sets.contains(&set);
        let written = &mut self.sets[set];
        written.status_is_due = false;
        let is_news = std::mem::replace(&mut written.written_status, summary) != summary;
        (is_there && is_news).then(|| objects::set_status(self, set))
    }

    fn write_deployment_status(&mut self, deployment: DeploymentId) -> Option<Write> {
        let summary = self.deployment_summary(deployment);
        let written = &mut self.deployments[deployment];
        written.status_is_due = false;
        let is_news = std::mem::replace(&mut written.written_status, summary) != summary;
        is_news.then(|| objects::deployment_status(self, deployment))
    }

    pub(super) fn set_ready(&mut self, node: NodeId, is_ready: bool) {
        self.nodes[node].is_ready = is_ready;
        self.nodes[node].since.clone_from(&self.time);
    }

    /// Schedules status updates of the owners of a pod whose readiness has changed.
    pub(super) fn status_changed(&mut self, pod: PodId) {
        let Some(set) = self.pods.get(&pod).map(|pod| pod.set) else { return };
        self.set_changed(set);
    }

    fn set_changed(&mut self, set: SetId) {
        if !std::mem::replace(&mut self.sets[set].status_is_due, true) {
            self.soon(20, 200, Action::SetStatus(set));
        }
        self.deployment_changed(self.sets[set].deployment);
    }

    pub(super) fn deployment_changed(&mut self, deployment: DeploymentId) {
        if !std::mem::replace(&mut self.deployments[deployment].status_is_due, true) {
            self.soon(50, 400, Action::DeploymentStatus(deployment));
        }
    }

    fn sync_deployment_of(&mut self, pod: PodId) {
        if let Some(set) = self.pods.get(&pod).map(|pod| pod.set) {
            self.sync_deployment(self.sets[set].deployment);
        }
    }

    /// Does one step of a rollout: a few more pods of the new revision, and one less of the old ones for each new pod that
    /// is ready.
    pub(super) fn sync_deployment(&mut self, id: DeploymentId) {
        let deployment = &self.deployments[id];
        let Some((&newest, older)) = deployment.sets.split_last() else { return };
        let older = older.to_vec();
        if self.sets[newest].revision != deployment.revision {
            return; // The ReplicaSet of this revision does not exist yet.
        }
        let replicas = deployment.replicas;
        let at_most = replicas + replicas.div_ceil(4);
        let all: u32 = deployment.sets.iter().map(|&set| self.sets[set].replicas).sum();
        let of_newest = self.sets[newest].replicas;
        let wanted = if of_newest < replicas {
            replicas.min(of_newest + at_most.saturating_sub(all))
        } else {
            replicas
        };
        self.want(newest, wanted);
        let ready: u32 = self.deployments[id].sets.iter().map(|&set| self.counts(set).1).sum();
        let mut spare = ready.saturating_sub(replicas);
        for &set in &older {
            let (here, ready) = self.counts(set);
            // Pods that are not ready can be removed without loss.
            let goes = self.sets[set].replicas.min(spare + (here - ready));
            spare = spare.saturating_sub(goes);
            self.want(set, self.sets[set].replicas - goes);
        }
        for &set in older.iter().rev().skip(HISTORY) {
            if self.sets[set].replicas == 0 && self.sets[set].pods.is_empty() && self.sets[set].coming == 0 {
                self.deployments[id].sets.retain(|kept| *kept != set);
                self.soon(100, 1000, Action::DeleteSet(set));
            }
        }
    }

    fn want(&mut self, set: SetId, replicas: u32) {
        if self.sets[set].replicas != replicas {
            self.sets[set].replicas = replicas;
            self.soon(20, 200, Action::ScaleSet(set));
        }
    }

    fn create_set(&mut self, deployment: DeploymentId) -> Write {
        let replicas = self.deployments[deployment].replicas.div_ceil(4);
        let set = self.add_set(deployment, replicas);
        self.sync_set(set);
        self.set_changed(set);
        objects::create_set(self, set)
    }

    fn scale_set(&mut self, set: SetId) -> Option<Write> {
        let scaled = &mut self.sets[set];
        if scaled.written_replicas == scaled.replicas {
            return None;
        }
        scaled.written_replicas = scaled.replicas;
        scaled.generation += 1;
        self.sync_set(set);
        self.set_changed(set);
        Some(objects::set_replicas(self, set))
    }

    /// Creates or deletes pods until a ReplicaSet has its replicas.
    fn sync_set(&mut self, set: SetId) {
        let (here, _) = self.counts(set);
        let wanted = self.sets[set].written_replicas;
        for _ in (here + self.sets[set].coming)..wanted {
            self.sets[set].coming += 1;
            self.soon(10, 500, Action::CreatePod(set));
        }
        let mut staying: Vec<PodId> =
            self.sets[set].pods.iter().filter(|pod| !self.pods[pod].is_doomed).copied().collect();
        // Pods that are not ready are deleted first, and younger ones before older ones.
        staying.sort_by_key(|pod| (self.pods[pod].stage == Stage::Running, std::cmp::Reverse(*pod)));
        for &pod in staying.iter().take(here.saturating_sub(wanted) as usize) {
            self.doom(pod);
            self.soon(10, 300, Action::DeletePod(pod));
        }
    }

    fn doom(&mut self, pod: PodId) {
        if let Some(pod) = self.pods.get_mut(&pod) {
            pod.is_doomed = true;
        }
    }

    fn create_pod(&mut self, set: SetId) -> Option<Write> {
        self.sets[set].coming -= 1;
        if self.counts(set).0 >= self.sets[set].written_replicas {
            return None;
        }
        let id = self.add_pod(set);
        self.soon(10, 300, Action::Schedule(id));
        self.set_changed(set);
        Some(pod::create(self, id))
    }

    fn delete_pod(&mut self, id: PodId) -> Option<Write> {
        let pod = self.pods.get(&id).filter(|pod| pod.stage != Stage::Terminating)?;
        let set = pod.set;
        let is_placed = pod.node.is_some();
        self.doom(id);
        let write = pod::delete(self, id);
        if is_placed {
            self.set_stage(id, Stage::Terminating);
            self.soon(500, 3000, Action::Gone(id));
            self.set_changed(set);
            self.sync_set(set);
        } else {
            // It has no node, so no kubelet has to stop it, and it is gone at once.
            self.remove_pod(id);
        }
        Some(write)
    }

    fn remove_pod(&mut self, id: PodId) {
        let Some(pod) = self.pods.remove(&id) else { return };
        self.sets[pod.set].pods.remove(&id);
        if let Some(node) = pod.node {
            self.nodes[node].pods.remove(&id);
        }
        self.set_changed(pod.set);
        self.sync_set(pod.set);
        self.sync_deployment(self.sets[pod.set].deployment);
    }
}
