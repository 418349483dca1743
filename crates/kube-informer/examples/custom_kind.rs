//! A kind of your own, with a lister method of your own.
//!
//! Types with `#[derive(CustomResource)]` are kinds as they are. Here the kind is written by hand: a struct with the few
//! fields that the program reads of cert-manager's certificates. The definition need not exist yet: when it is installed,
//! the informer picks it up.
//!
//! Run with `cargo run --package kube-informer --example custom_kind`. Uses the cluster of your kubeconfig, or the one it runs in.

use std::time::Duration;

use kube_informer::kind::{KindInfo, Namespaced};
use kube_informer::{Cluster, Kind, Lister, Object, SharedInformerFactory};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Certificate {
    spec: CertificateSpec,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CertificateSpec {
    secret_name: String,
    #[serde(default)]
    dns_names: Vec<String>,
}

impl Kind for Certificate {
    type Scope = Namespaced;
    type Dynamic = ();

    fn info(_: &()) -> KindInfo {
        KindInfo::new("cert-manager.io", "v1", "Certificate", "certificates").namespaced(true)
    }
}

/// An extension trait is all it takes to give the lister of a kind methods of its own.
trait CertificateLister {
    fn for_host(&self, host: &str) -> Vec<Object<Certificate>>;
}

impl CertificateLister for Lister<Certificate> {
    fn for_host(&self, host: &str) -> Vec<Object<Certificate>> {
        let covers = |certificate: &Certificate| certificate.spec.dns_names.iter().any(|name| name == host);
        self.list().into_iter().filter(|object| object.get().is_ok_and(|decoded| covers(&decoded))).collect()
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let cluster = Cluster::find().await?;
    let factory = SharedInformerFactory::builder(cluster).build()?;
    let certificates = factory.kind::<Certificate>().lister();
    factory.start();
    if let Err(error) = factory.wait_for_cache_sync(Duration::from_secs(10)).await {
        // Without cert-manager: not served there; installed while this runs, it would be picked up.
        eprintln!("{error}");
    }
    for certificate in certificates.for_host("example.com") {
        println!("{} is in {}", certificate.key(), certificate.get()?.spec.secret_name);
    }
    factory.shutdown().await;
    Ok(())
}
