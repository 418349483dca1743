//! Endurance: informers on a real kube-apiserver with etcd, and a random walk over everything that can go wrong. Run with
//! `cargo xtask soak`; docs/soak.md says what is done and checked.

mod faults;
#[allow(dead_code, reason = "shared with the end-to-end tests, and used in part")]
#[path = "../e2e/support/mod.rs"]
mod support;
mod walk;
mod world;

use anyhow::Result;

use crate::walk::settings::Settings;
use crate::world::processes;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_walk() -> Result<(), String> {
    // As text, because the harness would print where the error came from, too, and bury what was printed before.
    run().await.map_err(|error| format!("{error:#}"))
}

async fn run() -> Result<()> {
    if let Some(kubeconfig) = std::env::var_os(processes::KUBECONFIG) {
        // One of the processes that the test starts.
        return processes::watch(&kubeconfig).await;
    }
    match Settings::from_environment()? {
        Some(settings) => walk::run(&settings).await,
        None => {
            test_cluster::print_skip("random_walk", "it takes minutes: `cargo xtask soak` runs it");
            Ok(())
        }
    }
}
