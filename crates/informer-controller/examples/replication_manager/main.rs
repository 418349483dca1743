//! What keeps the pods of ReplicaSets and ReplicationControllers at the number that they say, as kube-controller-manager does.
//!
//! Run with `cargo run --package informer-controller --example replication_manager -- --kubeconfig FILE`.

#[path = "../program/mod.rs"]
mod program;
mod replicas;

use kube_informer::SharedInformerFactory;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let factory = SharedInformerFactory::builder(program::cluster().await?).build()?;
    let client = factory.client().ok_or_else(|| anyhow::anyhow!("there is no cluster to write to"))?;
    let pods = replicas::Pods::new(factory.core().v1().pods().informer(), client);
    let sets = replicas::controller("replicaset", factory.apps().v1().replica_sets().informer(), &pods);
    let controllers = factory.core().v1().replication_controllers().informer();
    let controllers = replicas::controller("replicationcontroller", controllers, &pods);
    factory.start();
    println!("looks after replicas");
    let stop = program::stop();
    tokio::try_join!(sets.run(stop.clone()), controllers.run(stop))?;
    factory.shutdown().await;
    Ok(())
}
