//! Which resources a server has, and what a name means there.

mod catalogue;
mod documents;
mod nearest;

use std::sync::Arc;

use kube_core::DynamicObject;
use tokio::sync::Mutex;

pub use catalogue::ResourceName;

use self::catalogue::Catalogue;
use crate::factory::SharedInformerFactory;
use crate::kind::KindInfo;
use crate::shared::SharedInformer;
use crate::source::SourceError;

/// What the server said it has when it was last asked.
#[derive(Default)]
pub(super) struct Discovery(Mutex<Option<Arc<Catalogue>>>);

/// No informer can be had for a name.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ResourceError {
    /// The server has no such resource.
    #[error(
        "the server has no resource {name:?}{}{}",
        listed("; near names: ", near),
        listed("; could not be asked: ", unavailable)
    )]
    Unknown {
        /// What was asked for.
        name: String,
        /// What may have been meant.
        near: Vec<String>,
        /// Groups that could not be asked, and why.
        unavailable: Vec<String>,
    },
    /// It cannot be listed and watched.
    #[error("{kind} cannot be listed and watched, so there is no informer of it")]
    NotWatchable {
        /// The kind.
        kind: KindInfo,
    },
    /// The server did not say what it has.
    #[error("the server's resources cannot be read: {0}")]
    Discovery(SourceError),
}

fn listed(introduction: &str, names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("{introduction}{}", names.join(", ")) }
}

/// Asking by name.
impl SharedInformerFactory {
    /// The informer of a resource of the server, by any of its names: `pods`, `po`, `Deployment`, `deployments.apps`,
    /// `deployments.v1.apps`, or a `GroupVersionResource`.
    ///
    /// If the kind is held as a type already, it is that informer. The server is asked what it has the first time, and
    /// again for a name that is not known. For a kind that is yet to be installed use [`dynamic`](Self::dynamic), which
    /// waits for it.
    ///
    /// ```no_run
    /// # async fn ask(factory: kube_informer::SharedInformerFactory) -> Result<(), Box<dyn std::error::Error>> {
    /// let deployments = factory.for_resource("deploy").await?;
    /// assert_eq!(deployments.kind().api_version(), "apps/v1");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn for_resource(
        &self,
        name: impl Into<ResourceName>,
    ) -> Result<SharedInformer<DynamicObject>, ResourceError> {
        Ok(self.dynamic(self.resolve(name).await?))
    }

    /// What a name means at the server, without an informer of it.
    pub async fn resolve(&self, name: impl Into<ResourceName>) -> Result<KindInfo, ResourceError> {
        let name = name.into();
        let mut known = self.inner.discovery.0.lock().await;
        if let Some(kind) = known.as_ref().and_then(|catalogue| catalogue.resolve(&name).ok()) {
            return Ok(kind);
        }
        self.discover(&mut known).await?.resolve(&name)
    }

    /// All resources of the server that can be listed and watched, in each version that it serves. Asks the server.
    pub async fn resources(&self) -> Result<Vec<KindInfo>, ResourceError> {
        let catalogue = self.discover(&mut *self.inner.discovery.0.lock().await).await?;
        let watchable = catalogue.served.iter().filter(|served| served.watchable);
        Ok(watchable.map(|served| served.kind.clone()).collect())
    }

    async fn discover(&self, known: &mut Option<Arc<Catalogue>>) -> Result<Arc<Catalogue>, ResourceError> {
        let read = documents::read(&self.inner.defaults.sources).await;
        let catalogue = Arc::new(read.map_err(ResourceError::Discovery)?);
        *known = Some(catalogue.clone());
        Ok(catalogue)
    }
}
