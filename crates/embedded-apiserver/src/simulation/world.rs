//! The state of the simulated cluster, and what happens in it next.

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
/// As in names that the API server makes up.
const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
/// Until so many things are under way, new ones are begun.
const UNDER_WAY: usize = 60;

/// A node and what the scheduler knows of it.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) is_ready: bool,
    /// Since when it is ready, or is not.
    pub(super) since: String,
    pub(super) pods: BTreeSet<PodId>,
}

#[derive(Debug)]
pub(super) struct Deployment {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) app: &'static str,
    pub(super) replicas: u32,
    /// Of the template; the image depends on it.
    pub(super) revision: u32,
    /// How often its spec was written.
    pub(super) generation: u64,
    /// Its ReplicaSets, the newest last.
    pub(super) sets: Vec<SetId>,
    /// What it says about its pods and about what it has seen; written again only if that has changed.
    pub(super) written_status: [u64; 4],
    pub(super) status_is_due: bool,
}

#[derive(Debug)]
pub(super) struct ReplicaSet {
    pub(super) deployment: DeploymentId,
    pub(super) name: String,
    /// What tells the pods of this one from those of others of the deployment.
    pub(super) hash: String,
    pub(super) revision: u32,
    /// How many pods it is to have.
    pub(super) replicas: u32,
    /// How many it says it is to have.
    pub(super) written_replicas: u32,
    pub(super) generation: u64,
    pub(super) pods: BTreeSet<PodId>,
    /// So many names were given to pods of it, and a beginning that is its own.
    pub(super) named: u64,
    /// So many are on the agenda.
    pub(super) coming: u32,
    /// As of a deployment.
    pub(super) written_status: [u64; 4],
    pub(super) status_is_due: bool,
}

#[derive(Debug)]
pub(super) struct Pod {
    pub(super) set: SetId,
    pub(super) name: String,
    pub(super) node: Option<NodeId>,
    pub(super) stage: Stage,
    /// Since when it is at this stage.
    pub(super) since: String,
    /// When it was given its node.
    pub(super) placed: String,
    pub(super) restarts: u32,
    /// It is, or is about to be, deleted.
    pub(super) is_doomed: bool,
}

/// How far a pod has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// It is there.
    Pending,
    /// Its containers are being made.
    Starting,
    /// It does what it should.
    Running,
    /// A container has ended and is not started again at once.
    Crashed,
    /// It was deleted, and ends.
    Terminating,
}

/// The simulated cluster. Pure: it depends on the seed alone and touches nothing.
#[derive(Debug)]
pub(super) struct World {
    pub(super) rng: Rng,
    pub(super) agenda: Agenda,
    /// In milliseconds.
    pub(super) now: u64,
    /// The time of day, as objects have it.
    pub(super) time: String,
    pub(super) nodes: Vec<Node>,
    pub(super) namespaces: Vec<String>,
    pub(super) deployments: Vec<Deployment>,
    /// The place of one that was deleted is for the next one.
    pub(super) sets: Vec<ReplicaSet>,
    pub(super) free_sets: Vec<SetId>,
    pub(super) pods: BTreeMap<PodId, Pod>,
    pub(super) next_pod: PodId,
}

impl World {
    /// Everything runs, and nothing is under way.
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

    /// Adds a ReplicaSet for the present revision of a deployment.
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
        let (since, placed) = (self.time.clone(), self.time.clone());
        let (node, stage, restarts, is_doomed) = (None, Stage::Pending, 0, false);
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

    /// The emptier one of two that are ready; of any two if none is.
    pub(super) fn node_for_a_pod(&mut self) -> NodeId {
        let ready: Vec<NodeId> = (0..self.nodes.len()).filter(|&node| self.nodes[node].is_ready).collect();
        let mut pick = || match ready.as_slice() {
            [] => self.rng.usize(..self.nodes.len()),
            ready => ready[self.rng.usize(..ready.len())],
        };
        let (one, other) = (pick(), pick());
        if self.nodes[other].pods.len() < self.nodes[one].pods.len() { other } else { one }
    }

    pub(super) fn letters(&mut self, count: usize) -> String {
        (0..count).map(|_| char::from(ALPHABET[self.rng.usize(..ALPHABET.len())])).collect()
    }

    /// Lets something happen after a time between the two, in milliseconds.
    pub(super) fn soon(&mut self, from: u64, to: u64, action: Action) {
        let delay = self.rng.u64(from..=to);
        self.agenda.add(self.now + delay, action);
    }

    /// The write that is due at a time, in milliseconds and as the time of day: what follows from earlier ones, or else
    /// something new.
    pub(super) fn next(&mut self, at: u64, time: String) -> Write {
        (self.now, self.time) = (at, time);
        if let Some(write) = self.next_consequence(at) {
            return write;
        }
        let begun = (self.agenda.len() < UNDER_WAY).then(|| self.begin_something()).flatten();
        begun.unwrap_or_else(|| self.heartbeat())
    }

    /// The next write that follows from earlier ones, and is due.
    pub(super) fn next_consequence(&mut self, until: u64) -> Option<Write> {
        loop {
            let action = self.agenda.next_before(until)?;
            if let Some(write) = self.perform(action) {
                return Some(write);
            }
        }
    }
}

/// Five letters that look made up, and are others for each of the next millions of numbers.
fn name_end(number: u64) -> String {
    const ENDS: u64 = 27 * 27 * 27 * 27 * 27;
    // No multiple of 3, so that no two numbers below `ENDS` lead to the same place.
    let mut place = number % ENDS * 9_999_991 % ENDS;
    let mut end = String::new();
    for _ in 0..5 {
        end.push(char::from(ALPHABET[usize::try_from(place % 27).unwrap_or_default()]));
        place /= 27;
    }
    end
}
