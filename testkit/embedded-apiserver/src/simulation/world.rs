//! The state of the simulated cluster.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;

use super::Simulation;
use super::agenda::{Action, Agenda};
use super::write::Write;

pub(super) type NodeId = usize;
pub(super) type DeploymentId = usize;
pub(super) type SetId = usize;
pub(super) type PodId = u64;

const APPS: [&str; 10] = [
    "checkout", "catalog", "payments", "search", "identity", "ledger", "gateway", "profile", "media",
    "orders",
];
/// The characters of names that the API server generates.
const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
/// New events are started while fewer actions than this are scheduled.
const UNDER_WAY: usize = 60;

/// A node and its pods.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) is_ready: bool,
    /// Since when it has been ready, or not ready.
    pub(super) since: String,
    pub(super) pods: BTreeSet<PodId>,
}

#[derive(Debug)]
pub(super) struct Deployment {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) app: &'static str,
    pub(super) replicas: u32,
    /// The revision of the template; the image depends on it.
    pub(super) revision: u32,
    /// How often its spec has been written.
    pub(super) generation: u64,
    /// Its ReplicaSets, the newest last.
    pub(super) sets: Vec<SetId>,
    /// The numbers in its last status; the status is written only if they change.
    pub(super) written_status: [u64; 4],
    pub(super) status_is_due: bool,
}

#[derive(Debug)]
pub(super) struct ReplicaSet {
    pub(super) deployment: DeploymentId,
    pub(super) name: String,
    /// The `pod-template-hash`, which is different in each ReplicaSet of a deployment.
    pub(super) hash: String,
    pub(super) revision: u32,
    /// The desired number of pods.
    pub(super) replicas: u32,
    /// `spec.replicas` as it was last written.
    pub(super) written_replicas: u32,
    pub(super) generation: u64,
    pub(super) pods: BTreeSet<PodId>,
    /// The number of the next pod name. Each ReplicaSet starts at a different one.
    pub(super) named: u64,
    /// How many pods are scheduled to be created.
    pub(super) coming: u32,
    /// The same as in [`Deployment`].
    pub(super) written_status: [u64; 4],
    pub(super) status_is_due: bool,
}

#[derive(Debug)]
pub(super) struct Pod {
    pub(super) set: SetId,
    pub(super) name: String,
    pub(super) node: Option<NodeId>,
    pub(super) stage: Stage,
    /// Since when it has been at this stage.
    pub(super) since: String,
    /// When it was bound to its node.
    pub(super) placed: String,
    pub(super) restarts: u32,
    /// Whether it has been deleted, or its deletion is scheduled.
    pub(super) is_doomed: bool,
}

/// The stages of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// It has been created.
    Pending,
    /// Its containers are being started.
    Starting,
    /// It is ready.
    Running,
    /// A container has exited and waits to be restarted.
    Crashed,
    /// It was deleted, and the kubelet is stopping it.
    Terminating,
}

/// The simulated cluster. It depends on the seed alone, and has no contact with a server.
#[derive(Debug)]
pub(super) struct World {
    pub(super) rng: Rng,
    pub(super) agenda: Agenda,
    /// In milliseconds.
    pub(super) now: u64,
    /// The time for timestamps of objects.
    pub(super) time: String,
    pub(super) nodes: Vec<Node>,
    pub(super) namespaces: Vec<String>,
    pub(super) deployments: Vec<Deployment>,
    /// The entry of a deleted ReplicaSet is used again for the next one.
    pub(super) sets: Vec<ReplicaSet>,
    pub(super) free_sets: Vec<SetId>,
    pub(super) pods: BTreeMap<PodId, Pod>,
    pub(super) next_pod: PodId,
}

impl World {
    /// A cluster in which everything runs and nothing is scheduled.
    pub(super) fn new(simulation: &Simulation, time: &str) -> Self {
        let node = |number| Node {
            name: format!("node-{number:03}"),
            is_ready: true,
            since: time.to_owned(),
            pods: BTreeSet::new(),
        };
        let mut world = Self {
            rng: Rng::with_seed(simulation.seed),
            agenda: Agenda::default(),
            now: 0,
            time: time.to_owned(),
            nodes: (0..simulation.nodes).map(node).collect(),
            namespaces: (0..simulation.namespaces).map(|number| format!("team-{number}")).collect(),
            deployments: Vec::new(),
            sets: Vec::new(),
            free_sets: Vec::new(),
            pods: BTreeMap::new(),
            next_pod: 0,
        };
        for number in 0..simulation.deployments {
            world.add_deployment(number, simulation.replicas);
        }
        world
    }

    fn add_deployment(&mut self, number: usize, replicas: u32) {
        let app = APPS[number % APPS.len()];
        self.deployments.push(Deployment {
            namespace: self.namespaces[number % self.namespaces.len()].clone(),
            name: format!("{app}-{number}"),
            app,
            replicas,
            revision: 1,
            generation: 1,
            sets: Vec::new(),
            written_status: [0; 4],
            status_is_due: false,
        });
        let set = self.add_set(number, replicas);
        for _ in 0..replicas {
            let pod = self.add_pod(set);
            let node = self.node_for_a_pod();
            self.place(pod, node);
            self.set_stage(pod, Stage::Running);
        }
        self.sets[set].written_status = self.set_summary(set);
        self.deployments[number].written_status = self.deployment_summary(number);
    }

    /// Adds a ReplicaSet for the current revision of a deployment.
    pub(super) fn add_set(&mut self, deployment: DeploymentId, replicas: u32) -> SetId {
        let hash = self.letters(10);
        let named = self.rng.u64(..1 << 20);
        let owner = &mut self.deployments[deployment];
        let set = ReplicaSet {
            deployment,
            name: format!("{}-{hash}", owner.name),
            hash,
            revision: owner.revision,
            replicas,
            written_replicas: replicas,
            generation: 1,
            pods: BTreeSet::new(),
            named,
            coming: 0,
            written_status: [0; 4],
            status_is_due: false,
        };
        let id = match self.free_sets.pop() {
            Some(id) => {
                self.sets[id] = set;
                id
            }
            None => {
                self.sets.push(set);
                self.sets.len() - 1
            }
        };
        owner.sets.push(id);
        id
    }

    pub(super) fn add_pod(&mut self, set: SetId) -> PodId {
        let owner = &mut self.sets[set];
        owner.named += 1;
        let name = format!("{}-{}", owner.name, name_end(owner.named));
        let id = self.next_pod;
        self.next_pod += 1;
        let since = self.time.clone();
        let placed = self.time.clone();
        let node = None;
        let stage = Stage::Pending;
        let restarts = 0;
        let is_doomed = false;
        self.pods.insert(id, Pod { set, name, node, stage, since, placed, restarts, is_doomed });
        self.sets[set].pods.insert(id);
        id
    }

    pub(super) fn place(&mut self, pod: PodId, node: NodeId) {
        self.nodes[node].pods.insert(pod);
        if let Some(pod) = self.pods.get_mut(&pod) {
            pod.node = Some(node);
            pod.placed.clone_from(&self.time);
        }
    }

    pub(super) fn set_stage(&mut self, pod: PodId, stage: Stage) {
        if let Some(pod) = self.pods.get_mut(&pod) {
            pod.stage = stage;
            pod.since.clone_from(&self.time);
        }
    }

    /// Of two random nodes the one with fewer pods. Ready nodes are preferred.
    pub(super) fn node_for_a_pod(&mut self) -> NodeId {
        let ready: Vec<NodeId> = (0..self.nodes.len()).filter(|&node| self.nodes[node].is_ready).collect();
        let mut pick = || match ready.as_slice() {
            [] => self.rng.usize(..self.nodes.len()),
            ready => ready[self.rng.usize(..ready.len())],
        };
        let one = pick();
        let other = pick();
        if self.nodes[other].pods.len() < self.nodes[one].pods.len() { other } else { one }
    }

    pub(super) fn letters(&mut self, count: usize) -> String {
        (0..count).map(|_| char::from(ALPHABET[self.rng.usize(..ALPHABET.len())])).collect()
    }

    /// Schedules an action after a random time between `from` and `to`, in milliseconds.
    pub(super) fn soon(&mut self, from: u64, to: u64, action: Action) {
        let delay = self.rng.u64(from..=to);
        self.agenda.add(self.now + delay, action);
    }

    /// The write for a time, which is given in milliseconds and as a timestamp: the next scheduled action, or else a new
    /// event.
    pub(super) fn next(&mut self, at: u64, time: String) -> Write {
        self.now = at;
        self.time = time;
        if let Some(write) = self.next_consequence(at) {
            return write;
        }
        let begun = (self.agenda.len() < UNDER_WAY).then(|| self.begin_something()).flatten();
        begun.unwrap_or_else(|| self.heartbeat())
    }

    /// The write of the next scheduled action that is due.
    pub(super) fn next_consequence(&mut self, until: u64) -> Option<Write> {
        loop {
            let action = self.agenda.next_before(until)?;
            if let Some(write) = self.perform(action) {
                return Some(write);
            }
        }
    }
}

/// Five characters that look random, and are different for each of millions of consecutive numbers.
fn name_end(number: u64) -> String {
    const ENDS: u64 = 27 * 27 * 27 * 27 * 27;
    // `ENDS` is a power of 3 and the factor is no multiple of 3, so no two numbers below `ENDS` have the same result.
    let mut place = number % ENDS * 9_999_991 % ENDS;
    let mut end = String::new();
    for _ in 0..5 {
        end.push(char::from(ALPHABET[usize::try_from(place % 27).unwrap_or_default()]));
        place /= 27;
    }
    end
}
