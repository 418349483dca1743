//! Discovery: which resources a server serves, and which of them a name means.

mod catalogue;
mod documents;
mod nearest;

use std::sync::Arc;

use kube_core::DynamicObject;
use parking_lot::Mutex;

use self::catalogue::{Catalogue, ResourceName};
use crate::error::{NoResource, ResourceError};
use crate::factory::{Access, SharedInformerFactory};
use crate::kind::KindInfo;

/// The resources that the server listed in the last discovery.
#[derive(Default)]
pub(super) struct Discovery {
    known: Mutex<Option<Arc<Catalogue>>>,
    /// Held while discovery runs, so that concurrent callers share one run.
    asking: tokio::sync::Mutex<()>,
}

impl Discovery {
    /// The resource that a name means, if the last discovery knows it.
    fn find(&self, name: ResourceName<'_>) -> Option<KindInfo> {
        self.known.lock().clone()?.resolve(name).ok()
    }
}

/// Access to resources by name.
impl SharedInformerFactory {
    /// Access to a resource of the server by any of its names: `pods`, `po`, `Deployment`, `deployments.apps`,
    /// `deployments.v1.apps`. For a `GroupVersionResource` use [`kind_of`](Self::kind_of).
    ///
    /// If the kind is also used with a Rust type, both share one informer. The first call reads the server's discovery
    /// documents; a call with an unknown name reads them again. For a kind that is not installed yet use
    /// [`kind_of`](Self::kind_of): its informer waits until the server serves the kind.
    ///
    /// ```no_run
    /// # async fn ask(factory: kube_informer::SharedInformerFactory) -> Result<(), Box<dyn std::error::Error>> {
    /// let deployments = factory.for_resource("deploy").await?;
    /// assert_eq!(deployments.kind().api_version(), "apps/v1");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn for_resource(&self, name: &str) -> Result<Access<DynamicObject>, ResourceError> {
        Ok(self.kind_of(self.resolve(name).await?))
    }

    /// The kind that a name means on the server. Registers no informer.
    ///
    /// A known name is answered at once, also while discovery runs for another name. If the name is not found, the
    /// error lists the API groups that did not answer within 30 s.
    pub async fn resolve(&self, name: &str) -> Result<KindInfo, ResourceError> {
        let name = ResourceName(name);
        let discovery = &self.inner.discovery;
        if let Some(kind) = discovery.find(name) {
            return Ok(kind);
        }
        let _asking = discovery.asking.lock().await;
        // Another caller may have run discovery meanwhile.
        match discovery.find(name) {
            Some(kind) => Ok(kind),
            None => self.discover().await?.resolve(name),
        }
    }

    /// What [`resolve`](Self::resolve) says of each of several names. If some of them are not known the server is asked once for
    /// all, not once for each.
    ///
    /// The error is that of discovery, if it failed.
    pub async fn resolve_all(
        &self,
        names: &[impl AsRef<str>],
    ) -> Result<Vec<Result<KindInfo, ResourceError>>, ResourceError> {
        let discovery = &self.inner.discovery;
        let names: Vec<_> = names.iter().map(|name| ResourceName(name.as_ref())).collect();
        let known = || names.iter().map(|name| discovery.find(*name).map(Ok)).collect::<Option<Vec<_>>>();
        if let Some(kinds) = known() {
            return Ok(kinds);
        }
        let _asking = discovery.asking.lock().await;
        // Another caller may have run discovery meanwhile.
        if let Some(kinds) = known() {
            return Ok(kinds);
        }
        let before: Vec<_> = names.iter().map(|name| discovery.find(*name)).collect();
        let catalogue = self.discover().await?;
        let resolved = names.iter().zip(before);
        Ok(resolved.map(|(name, known)| known.map_or_else(|| catalogue.resolve(*name), Ok)).collect())
    }

    /// All resources of the server that can be listed and watched, in each version that it serves. Asks the server.
    ///
    /// API groups that fail or do not answer within 30 s are missing; a warning in the log names them. It is an error
    /// only if no group can be read at all.
    pub async fn resources(&self) -> Result<Vec<KindInfo>, ResourceError> {
        let _asking = self.inner.discovery.asking.lock().await;
        let catalogue = self.discover().await?;
        if !catalogue.unavailable.is_empty() {
            tracing::warn!(unavailable = ?catalogue.unavailable, "some resources of the server are not known");
        }
        let watchable = catalogue.served.iter().filter(|served| served.watchable);
        Ok(watchable.map(|served| served.kind.clone()).collect())
    }

    async fn discover(&self) -> Result<Arc<Catalogue>, ResourceError> {
        let read = documents::read(&self.inner.defaults.sources).await;
        let catalogue = Arc::new(read.map_err(NoResource::Discovery)?);
        *self.inner.discovery.known.lock() = Some(catalogue.clone());
        Ok(catalogue)
    }
}
