//! On a real kube-apiserver.

#![allow(clippy::unwrap_used)]

mod helpers;
mod recorder;
mod siblings;
mod writes;

use kube_client::config::{KubeConfigOptions, Kubeconfig};
use kube_client::{Client, Config};
use test_cluster::{Cluster, Options};

/// A cluster and a client of it, or a word on why the test is skipped.
async fn cluster(test: &str) -> Option<(Cluster, Client)> {
    if let Err(why) = test_cluster::available() {
        test_cluster::print_skip(test, &why);
        return None;
    }
    let cluster = tokio::task::spawn_blocking(|| Cluster::start(Options::default())).await.unwrap().unwrap();
    let kubeconfig = Kubeconfig::from_yaml(&cluster.kubeconfig_yaml()).unwrap();
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();
    // The server is on loopback, whatever proxy the environment names.
    config.proxy_url = None;
    Some((cluster, Client::try_from(config).unwrap()))
}

/// Stopping the servers blocks.
async fn end(cluster: Cluster) {
    tokio::task::spawn_blocking(move || drop(cluster)).await.unwrap();
}
