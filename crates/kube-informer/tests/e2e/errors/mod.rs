//! What a user sees when it does not work, word for word. `docs/errors.md` has the same texts.

mod answers;
mod proxies;

use std::time::Duration;

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::Pod;
use kube_client::Config;
use kube_client::api::DynamicObject;
use kube_client::config::{KubeConfigOptions, Kubeconfig};
use kube_client::core::ApiResource;
use kube_informer::source::HttpSource;
use kube_informer::{Kind, SharedInformer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::{cluster, cluster_with_rules};
use crate::support::PATIENCE;

/// The document that promises these texts.
const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors.md");

/// A certificate authority that issued nothing.
const OTHER_CA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/e2e/other-ca.pem");

/// What the error callback and the one who waits for sync are told.
#[derive(Debug)]
pub(crate) struct Seen {
    failure: String,
    not_synced: String,
}

impl Seen {
    /// Checks both texts, and that the document has them.
    pub(crate) fn assert(&self, failure: &str, not_synced: &str) -> Result<()> {
        assert_eq!(self.failure, failure);
        assert_eq!(self.not_synced, not_synced);
        let document = std::fs::read_to_string(DOCUMENT).context("docs/errors.md")?;
        for text in [failure, not_synced] {
            assert!(document.contains(text), "docs/errors.md does not say: {text}");
        }
        Ok(())
    }
}

/// Runs an informer until the first failure is reported, and gives up waiting for it to be synced.
pub(crate) async fn first_failure(config: Config, resource: &ApiResource) -> Result<Seen> {
    let server = config.cluster_url.authority().context("the server has an address")?.to_string();
    let proxy = config.proxy_url.as_ref().and_then(|url| url.authority()).map(ToString::to_string);
    let source = HttpSource::new(config, DynamicObject::info(resource))?;
    let (sender, mut failures) = mpsc::unbounded_channel();
    let informer = SharedInformer::<DynamicObject>::builder_with(source, resource)
        .namespace("default")
        .on_error(move |failure| {
            sender.send(failure.to_string()).ok();
        })
        .build()?;
    let running = tokio::spawn({
        let informer = informer.clone();
        async move { informer.run(std::future::pending()).await }
    });
    let failure = tokio::time::timeout(PATIENCE, failures.recv()).await.context("no failure was reported")?;
    let waited = async {
        // The failure is reported a moment before the phase changes.
        loop {
            let error = informer.wait_synced(Duration::from_millis(10)).await.expect_err("it is not synced");
            if !error.to_string().contains("is listing") {
                return error.to_string();
            }
        }
    };
    let not_synced = tokio::time::timeout(PATIENCE, waited).await.context("it goes on listing")?;
    running.abort();
    // The port is another one each time, the number of an error another one on each system.
    let as_documented = |text: &str| {
        let text = text.replace(&server, "127.0.0.1:6443").replace("(os error 61)", "(os error 111)");
        proxy.as_ref().map_or(text.clone(), |proxy| text.replace(proxy, "127.0.0.1:3128"))
    };
    let failure = failure.context("the informer has ended")?;
    Ok(Seen { failure: as_documented(&failure), not_synced: as_documented(&not_synced) })
}

pub(crate) fn pods() -> ApiResource {
    ApiResource::erase::<Pod>(&())
}

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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connection_refused() -> Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    drop(listener);
    let config = Config::new(format!("https://{address}").parse()?);
    first_failure(config, &pods()).await?.assert(
        "cannot list pods in namespace \"default\": no answer from https://127.0.0.1:6443: cannot connect: \
         tcp connect error: Connection refused (os error 111); check the server's address and that it is running: \
         nothing listens there",
        "pods not synced after 10ms; namespace \"default\" is unreachable: no answer from https://127.0.0.1:6443: \
         cannot connect: tcp connect error: Connection refused (os error 111); check the server's address \
         and that it is running: nothing listens there",
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn not_a_kubernetes_server() -> Result<()> {
    let (address, _server) = answering("200 OK").await?;
    first_failure(Config::new(address.parse()?), &pods()).await?.assert(
        "cannot list pods in namespace \"default\": the answer is not JSON: expected an object; check the server's \
         address and proxies on the way: no Kubernetes API server answers like this",
        "pods not synced after 10ms; namespace \"default\" is backing off: the answer is not JSON: expected an \
         object; check the server's address and proxies on the way: no Kubernetes API server answers like this",
    )?;
    let (address, _server) = answering("404 Not Found").await?;
    first_failure(Config::new(address.parse()?), &pods()).await?.assert(
        "cannot list pods in namespace \"default\" (HTTP 404): <html>Welcome</html>; v1 Pod is not served there: \
         install its CustomResourceDefinition, or check group, version and the server's address",
        "pods not synced after 10ms; namespace \"default\" is gone (HTTP 404): <html>Welcome</html>; v1 Pod is not \
         served there: install its CustomResourceDefinition, or check group, version and the server's address",
    )
}

/// A web server that has the same answer for everything. Ends with the runtime of the test.
async fn answering(status: &'static str) -> Result<(String, tokio::task::JoinHandle<()>)> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = format!("http://{}", listener.local_addr()?);
    let server = tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let body = "<html>Welcome</html>";
            let answer = format!(
                "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") && matches!(client.read_buf(&mut request).await, Ok(1..)) {}
            client.write_all(answer.as_bytes()).await.ok();
            client.shutdown().await.ok();
        }
    });
    Ok((address, server))
}
