//! The client certificate is replaced by one of another authority, in time and too late.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kube_client::Config;
use kube_client::api::ListParams;
use kube_informer::status::Phase;
use serde_json::json;
use test_cluster::{Authority, Cluster, Issued, Options};
use tokio::task::block_in_place;

use super::access::last_status;
use crate::support::forward::{Admits, Forward};
use crate::support::link::Link;
use crate::support::metered::What;
use crate::support::objects::{Objects, config_maps};
use crate::support::watched::{Fault, Watched};
use crate::support::{cluster_with, config_from, eventually, kubeconfig_of};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn certificate_replaced() -> Result<()> {
    let [first, second, third] =
        [Authority::new("first")?, Authority::new("second")?, Authority::new("third")?];
    let options = Options::default().client_authorities(&[&first, &second]);
    let Some(cluster) = block_in_place(|| cluster_with("certificate_replaced", options)) else {
        return Ok(());
    };
    let objects = Objects::seeded(&cluster).await?;
    let folder = tempfile::tempdir()?;
    let by_files = Way::files(folder.path());
    let by_plugin = Way::Plugin { says: folder.path().join("credential.json") };
    let proxy = Forward::http(Admits::Everybody).await?;
    let through_proxy = Some(format!("http://{}", proxy.address()));
    let mut readers = [
        Reader::start(&cluster, by_files, &first, None).await?,
        Reader::start(&cluster, by_plugin, &first, through_proxy).await?,
    ];

    // As it should be: the new one is there while the old one still works.
    let names = ["certificate file replaced in time", "plugin's certificate replaced in time"];
    let mut faults = begin(&mut readers, names);
    for reader in &readers {
        reader.way.put(&second.issue("reader")?)?;
    }
    cluster.trust_client_authorities(&[&second])?;
    until_refused(&cluster, &first).await?;
    for reader in &readers {
        reader.link.cut();
    }
    objects.change(1).await?;
    faults.iter_mut().for_each(Fault::is_over);
    for (reader, fault) in readers.iter_mut().zip(faults) {
        let recovery = reader.watched.recovered(fault, &objects).await?;
        assert_eq!(
            recovery.count(What::Watch),
            recovery.requests.len(),
            "resumed, not listed: {recovery:#?}"
        );
        let refused = recovery.failures.iter().any(|failure| failure.cause.http_status() == Some(401));
        assert!(!refused, "the new certificate was used at once: {recovery:#?}");
    }

    let names = ["certificate file replaced late (401)", "plugin's certificate replaced late (401)"];
    let mut faults = begin(&mut readers, names);
    cluster.trust_client_authorities(&[&third])?;
    until_refused(&cluster, &second).await?;
    for reader in &readers {
        let before = reader.watched.cached();
        reader.link.cut();
        reader
            .watched
            .until("the old certificate is refused", |status| last_status(status) == Some(401))
            .await?;
        reader.watched.until("it waits", |status| status.phase == Phase::BackingOff).await?;
        assert_eq!(reader.watched.cached(), before, "the cache is kept while the certificate is refused");
    }
    objects.change(2).await?;
    for reader in &readers {
        reader.way.put(&third.issue("reader")?)?;
    }
    faults.iter_mut().for_each(Fault::is_over);
    for (reader, fault) in readers.iter_mut().zip(faults) {
        let recovery = reader.watched.recovered(fault, &objects).await?;
        let text =
            ["cannot watch configmaps in namespace \"default\" (HTTP 401): Unauthorized", "certificate"];
        assert!(recovery.reported(&text), "{recovery:#?}");
        assert_eq!(
            recovery.count(What::Watch),
            recovery.requests.len(),
            "resumed, not listed: {recovery:#?}"
        );
        assert!(recovery.asked_at_most(10), "{recovery:#?}");
    }
    ensure!(!proxy.asked().is_empty(), "the plugin's certificates went through the proxy");
    Ok(())
}

/// An informer that is known by its certificate.
struct Reader {
    watched: Watched,
    link: Link,
    way: Way,
}

impl Reader {
    async fn start(
        cluster: &Cluster,
        way: Way,
        authority: &Authority,
        proxy: Option<String>,
    ) -> Result<Self> {
        way.put(&authority.issue("reader")?)?;
        let (link, mut config) = Link::to(way.config(cluster).await?).await?;
        config.proxy_url = proxy.map(|proxy| proxy.parse()).transpose()?;
        let watched = Watched::start(config, &config_maps(), kube_informer::Options::default()).await?;
        Ok(Self { watched, link, way })
    }
}

fn begin(readers: &mut [Reader; 2], names: [&'static str; 2]) -> [Fault; 2] {
    let [one, other] = readers;
    [one.watched.fault(names[0]), other.watched.fault(names[1])]
}

/// How an informer gets its certificate.
pub(super) enum Way {
    Files {
        certificate: PathBuf,
        key: PathBuf,
    },
    /// A credential plugin that says what is in a file.
    Plugin {
        says: PathBuf,
    },
}

impl Way {
    pub(super) fn files(folder: &Path) -> Self {
        Self::Files { certificate: folder.join("tls.crt"), key: folder.join("tls.key") }
    }

    /// What it gets from now on.
    pub(super) fn put(&self, issued: &Issued) -> Result<()> {
        match self {
            Self::Files { certificate, key } => {
                std::fs::write(certificate, &issued.certificate_pem)?;
                std::fs::write(key, &issued.key_pem)?;
            }
            Self::Plugin { says } => {
                // Soon enough that the plugin is asked again before each request.
                let expires = Timestamp::now() + SignedDuration::from_secs(30);
                let credential = json!({
                    "apiVersion": "client.authentication.k8s.io/v1",
                    "kind": "ExecCredential",
                    "status": {
                        "expirationTimestamp": expires.to_string(),
                        "clientCertificateData": issued.certificate_pem,
                        "clientKeyData": issued.key_pem,
                    },
                });
                std::fs::write(says, credential.to_string())?;
            }
        }
        Ok(())
    }

    /// As a user has it in a kubeconfig.
    pub(super) fn user(&self) -> String {
        match self {
            Self::Files { certificate, key } => {
                format!("client-certificate: {certificate:?}\n    client-key: {key:?}")
            }
            Self::Plugin { says } => format!(
                "exec: {{ apiVersion: client.authentication.k8s.io/v1, command: cat, args: [{says:?}], \
                 interactiveMode: Never }}"
            ),
        }
    }

    async fn config(&self, cluster: &Cluster) -> Result<Config> {
        config_from(&kubeconfig_of(cluster, cluster.url(), &self.user())).await
    }
}

/// Waits until the server no longer accepts what this authority issued.
pub(super) async fn until_refused(cluster: &Cluster, authority: &Authority) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let way = Way::files(folder.path());
    way.put(&authority.issue("another")?)?;
    let objects = Objects::new(way.config(cluster).await?, config_maps())?;
    eventually("the old authority is not trusted", || async {
        let refused = matches!(objects.api.list(&ListParams::default()).await,
            Err(kube_client::Error::Api(status)) if status.code == 401);
        ensure!(refused, "it is not refused yet");
        Ok(())
    })
    .await
}
