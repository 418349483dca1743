//! A workload to test and measure with: deployments that roll out, pods that start, fail and move between nodes.

mod agenda;
mod apply;
mod controllers;
mod objects;
mod pod;
mod running;
mod stories;
mod world;
mod write;

use crate::server::EmbeddedApiserver;
use apply::Applier;
pub use running::RunningSimulation;
use world::World;

/// A simulated workload: nodes, and deployments in a few namespaces with their ReplicaSets and pods.
/// [`populate`](Self::populate) creates all of it at once; [`run`](Self::run) then makes things happen: deployments roll
/// out and are scaled, pods crash and are evicted, nodes fail and come back, and controllers, scheduler and kubelets write
/// what they would write in a real cluster.
///
/// Each write is an ordinary write to the API server: it has a resourceVersion, and watches send it. But faults do not
/// affect it, and the journal does not record it.
///
/// The same seed makes the same writes in the same order. Uids and timestamps come from the server.
///
/// ```
/// use embedded_apiserver::{EmbeddedApiserver, Simulation};
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// let server = EmbeddedApiserver::new();
/// let simulation = Simulation::new(7).nodes(3).deployments(5).replicas(4).rate(100.0);
/// let running = simulation.run(&server); // 5 deployments with 4 pods each, and 100 changes per second from now on
/// tokio::time::sleep(std::time::Duration::from_secs(10)).await;
/// assert!(running.writes() >= 990);
/// running.stop().await;
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Simulation {
    seed: u64,
    nodes: usize,
    namespaces: usize,
    deployments: usize,
    replicas: u32,
    rate: f64,
}

impl Simulation {
    /// A small workload: 5 nodes, 10 deployments with 3 pods each in 2 namespaces, 10 changes per second.
    pub fn new(seed: u64) -> Self {
        Self { seed, nodes: 5, namespaces: 2, deployments: 10, replicas: 3, rate: 10.0 }
    }

    /// How many nodes there are; at least one.
    pub fn nodes(mut self, nodes: usize) -> Self {
        self.nodes = nodes.max(1);
        self
    }

    /// In how many namespaces the deployments are; at least one.
    pub fn namespaces(mut self, namespaces: usize) -> Self {
        self.namespaces = namespaces.max(1);
        self
    }

    /// How many deployments there are.
    pub fn deployments(mut self, deployments: usize) -> Self {
        self.deployments = deployments;
        self
    }

    /// How many pods each deployment has at first; at least one.
    pub fn replicas(mut self, replicas: u32) -> Self {
        self.replicas = replicas.max(1);
        self
    }

    /// How many writes there are per second. A negative or otherwise invalid number means none.
    pub fn rate(mut self, writes_per_second: f64) -> Self {
        self.rate = if writes_per_second.is_finite() { writes_per_second.max(0.0) } else { 0.0 };
        self
    }

    /// Creates all objects at once, in the state in which everything runs, with one write for each.
    pub fn populate(&self, server: &EmbeddedApiserver) {
        self.begin(server);
    }

    /// Creates all objects at once, and from then on changes them at the [`rate`](Self::rate) on tokio's clock, until the
    /// returned value is stopped or dropped.
    ///
    /// The simulation does not notice if something else changes or deletes its objects: its writes to objects that are gone
    /// are refused and dropped.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn run(&self, server: &EmbeddedApiserver) -> RunningSimulation {
        let (world, applier) = self.begin(server);
        RunningSimulation::start(server.clone(), world, applier, self.rate)
    }

    fn begin(&self, server: &EmbeddedApiserver) -> (World, Applier) {
        let world = World::new(self, &server.api().clock.now());
        let mut applier = Applier::default();
        applier.populate(server.api(), &world);
        (world, applier)
    }
}

#[cfg(test)]
mod tests;
