//! A proxy on the way to the server.

use anyhow::{Context, Result, ensure};
use kube_informer::Options;
use test_cluster::Authority;
use tokio::task::block_in_place;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

use crate::support::forward::{Admits, Forward, IN_ADDRESS};
use crate::support::link::Link;
use crate::support::metered::What;
use crate::support::objects::Objects;
use crate::support::watched::Watched;
use crate::support::{cluster, config};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn through_an_http_proxy() -> Result<()> {
    let proxy = Forward::http(Admits::WhoIsKnown).await?;
    through("through_an_http_proxy", "http", &proxy, None, "cut behind an HTTP proxy").await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn through_an_https_proxy() -> Result<()> {
    let authority = Authority::new("of the proxy")?;
    let proxy = Forward::https(&authority.issue_for_server("127.0.0.1")?, Admits::WhoIsKnown).await?;
    through("through_an_https_proxy", "https", &proxy, Some(&authority), "cut behind an HTTPS proxy").await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn through_a_socks5_proxy() -> Result<()> {
    let proxy = Forward::socks5(Admits::WhoIsKnown).await?;
    through("through_a_socks5_proxy", "socks5", &proxy, None, "cut behind a SOCKS5 proxy").await
}

/// An informer reads, watches and recovers through a proxy that asks who it is.
async fn through(
    test: &str,
    scheme: &str,
    proxy: &Forward,
    authority: Option<&Authority>,
    fault: &'static str,
) -> Result<()> {
    let Some(cluster) = block_in_place(|| cluster(test)) else { return Ok(()) };
    let objects = Objects::seeded(&cluster).await?;
    let (link, mut config) = Link::to(config(&cluster).await?).await?;
    let server = config.cluster_url.authority().context("the server has an address")?.to_string();
    config.proxy_url = Some(format!("{scheme}://{IN_ADDRESS}@{}", proxy.address()).parse()?);
    if let (Some(authority), Some(trusted)) = (authority, &mut config.root_cert) {
        let certificate = CertificateDer::from_pem_slice(authority.certificate_pem().as_bytes())?;
        trusted.push(certificate.to_vec());
    }
    let mut watched = Watched::start(config, &objects.resource, Options::default()).await?;
    objects.change(1).await?;
    watched.until_told("no fault yet", &objects.content().await?).await?;

    let before = proxy.asked().len();
    let mut fault = watched.fault(fault);
    link.cut();
    fault.is_over();
    objects.change(2).await?;
    let recovery = watched.recovered(fault, &objects).await?;
    assert_eq!(recovery.count(What::Watch), recovery.requests.len(), "resumed, not listed: {recovery:#?}");
    assert!(recovery.reported(&["cannot watch configmaps in namespace \"default\": "]), "{recovery:#?}");
    let asked = proxy.asked();
    ensure!(asked.len() > before, "the resumed watch went through the proxy: {asked:?}");
    ensure!(asked.iter().all(|target| *target == server), "{server} is all it was asked for: {asked:?}");
    assert_eq!(link.connections().made, asked.len(), "nothing went past the proxy");
    Ok(())
}
