//! What a user sees when it does not work, word for word. `docs/errors.md` has the same texts.

use std::time::Duration;

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::Pod;
use kube_client::Config;
use kube_client::api::DynamicObject;
use kube_client::core::ApiResource;
use kube_informer::source::HttpSource;
use kube_informer::{Kind, SharedInformer};
use tokio::sync::mpsc;

use super::PATIENCE;

/// The document that promises these texts.
const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors.md");

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
