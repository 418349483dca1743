//! Which resources a server has, and what a name means there.

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

/// What the server said it has when it was last asked.
#[derive(Default)]
pub(super) struct Discovery {
    known: Mutex<Option<Arc<Catalogue>>>,
    /// Held while the server is asked, so that it is not asked by many at once.
    asking: tokio::sync::Mutex<()>,
}

impl Discovery {
    /// What a name means, if that is known.
    fn find(&self, name: ResourceName<'_>) -> Option<KindInfo> {
        self.known.lock().clone()?.resolve(name).ok()
    }
}

/// Asking by name.
impl SharedInformerFactory {
    /// A resource of the server, by any of its names: `pods`, `po`, `Deployment`, `deployments.apps`,
    /// `deployments.v1.apps`. A `GroupVersionResource` is a kind for [`kind_of`](Self::kind_of).
    ///
    /// If the kind is held as a type already, it is the same informer. The server is asked what it has the first time, and
    /// again for a name that is not known. For a kind that is yet to be installed use [`kind_of`](Self::kind_of), which
    /// waits for it.
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

    /// What a name means at the server, without an informer of it.
    ///
    /// A name that is known is answered at once, also while the server is being asked about another. A part of the server
    /// that does not answer within 30 s is named in the error, if the name is not found elsewhere.
    pub async fn resolve(&self, name: &str) -> Result<KindInfo, ResourceError> {
        let name = ResourceName(name);
        let discovery = &self.inner.discovery;
        if let Some(kind) = discovery.find(name) {
            return Ok(kind);
        }
        let _asking = discovery.asking.lock().await;
        // Somebody else may have asked meanwhile.
        match discovery.find(name) {
            Some(kind) => Ok(kind),
            None => self.discover().await?.resolve(name),
        }
    }

    /// All resources of the server that can be listed and watched, in each version that it serves. Asks the server.
    ///
    /// Groups that cannot be asked, or do not answer within 30 s, are missing; a warning in the log names them. It is an
    /// error only if nothing can be asked at all.
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
