//! What a user sees when a real server does not do what was asked of it, word for word. What needs no server
//! is in `tests/e2e_embedded/errors`.

mod answers;

use anyhow::{Context, Result};
use kube_client::Config;
use kube_client::config::{KubeConfigOptions, Kubeconfig};

use super::{cluster, cluster_with_rules};
use crate::support::failure::{first_failure, pods};

/// A certificate authority that issued nothing.
const OTHER_CA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/e2e/other-ca.pem");

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_ca() -> Result<()> {
    let Some(cluster) = tokio::task::block_in_place(|| cluster("wrong_ca")) else { return Ok(()) };
    let mut kubeconfig = Kubeconfig::from_yaml(&cluster.kubeconfig_yaml())?;
    let authority = kubeconfig.clusters[0].cluster.as_mut().context("the kubeconfig has a cluster")?;
    authority.certificate_authority_data = None;
    authority.certificate_authority = Some(OTHER_CA.into());
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    // The server is on loopback, whatever proxy the environment names.
    config.proxy_url = None;
    first_failure(config, &pods()).await?.assert(
        "cannot list pods in namespace \"default\": no answer from https://127.0.0.1:6443: cannot connect: \
         invalid peer certificate: UnknownIssuer; check certificate-authority in the kubeconfig: the server's \
         certificate was not issued by it",
        "pods not synced after 10ms; namespace \"default\" is unreachable: no answer from https://127.0.0.1:6443: \
         cannot connect: invalid peer certificate: UnknownIssuer; check certificate-authority in the \
         kubeconfig: the server's certificate was not issued by it",
    )
}
