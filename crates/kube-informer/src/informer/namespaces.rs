//! Namespaces that come and go while the informer runs.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::informer::SharedInformer;
use crate::informer::engine::{Engine, Stopped};
use crate::informer::scopes::ScopeSlot;
use crate::informer::state::NotSynced;
use crate::kind::KindInfo;
use crate::scope::Scope;

/// A namespace could not be added or removed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NamespaceError {
    /// Objects of this kind live in no namespace.
    #[error("{kind} belong to the whole cluster: there is no namespace to look at")]
    ClusterWide {
        /// The kind.
        kind: KindInfo,
    },
    /// The informer was built without a namespace and looks at all of them.
    #[error("the informer of {kind} looks at all namespaces; name one when it is built to choose them")]
    AllNamespaces {
        /// The kind.
        kind: KindInfo,
    },
    /// The name is empty.
    #[error("the name of a namespace of {kind} is empty")]
    Empty {
        /// The kind.
        kind: KindInfo,
    },
    /// The informer does not look at this namespace.
    #[error("the informer of {kind} does not look at namespace {namespace:?}")]
    Unknown {
        /// The kind.
        kind: KindInfo,
        /// The namespace.
        namespace: String,
    },
    /// The informer has stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// A namespace that an informer was told to look at.
#[derive(Clone)]
pub struct AddedNamespace {
    engine: Arc<Engine>,
    slot: Arc<ScopeSlot>,
}

/// A namespace that an informer was told to look at no longer.
#[derive(Clone)]
pub struct RemovedNamespace {
    engine: Arc<Engine>,
    slot: Arc<ScopeSlot>,
}

impl<K: 'static> SharedInformer<K> {
    /// The namespaces it looks at, sorted; `None` if it looks at all of them.
    pub fn namespaces(&self) -> Option<Vec<String>> {
        let slots = self.engine().scopes.now();
        slots.iter().map(|slot| slot.scope.as_namespace().map(str::to_owned)).collect()
    }

    /// Looks at one more namespace, at any time before the informer has stopped.
    ///
    /// For informers that were built over namespaces ([`InformerBuilder::namespace`](crate::InformerBuilder::namespace),
    /// [`namespaces`](crate::InformerBuilder::namespaces)). A namespace that is looked at already is no error, and nothing
    /// happens: namespaces are not counted, so one call removes what two have added.
    ///
    /// - The namespace is listed and watched on its own; the others are not disturbed, also if it is denied.
    /// - When its list has come in, readers see all of it at once, and every handler hears an
    ///   [`Added`](crate::Event::Added) with `initial` for each of its objects.
    /// - Until then the informer is [not synced](Self::has_synced), so
    ///   [`wait_synced`](Self::wait_synced) waits for it too and names it if it does not come; to wait for this namespace
    ///   alone use what is returned. Handlers that have been synced before remain so.
    /// - All who share the informer see the namespace: its clones, and who asks the factory for the same kind or name.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_informer::{ScriptedSource, SharedInformer};
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = ScriptedSource::of::<ConfigMap>();
    /// for namespace in ["shop", "bank"] {
    ///     server.create(&json!({ "metadata": { "namespace": namespace, "name": "settings" } }))?;
    /// }
    /// let informer = SharedInformer::<ConfigMap>::builder(server).namespace("shop").build()?;
    /// let running = tokio::spawn({
    ///     let informer = informer.clone();
    ///     async move { informer.run(std::future::pending()).await }
    /// });
    /// informer.wait_synced(Duration::from_secs(10)).await?;
    /// assert_eq!(informer.lister().len(), 1);
    ///
    /// informer.add_namespace("bank")?.synced(Duration::from_secs(10)).await?;
    /// assert_eq!(informer.lister().len(), 2);
    ///
    /// informer.remove_namespace("shop")?.done().await?;
    /// assert_eq!(informer.lister().len(), 1);
    /// assert_eq!(informer.namespaces(), Some(vec!["bank".to_owned()]));
    /// running.abort();
    /// # Ok(())
    /// # }
    /// ```
    pub fn add_namespace(&self, namespace: impl Into<Arc<str>>) -> Result<AddedNamespace, NamespaceError> {
        let namespace = namespace.into();
        let kind = || self.engine().kind.clone();
        self.check_limited()?;
        if namespace.is_empty() {
            return Err(NamespaceError::Empty { kind: kind() });
        }
        let slot = self.engine().add_scope(Scope::Namespace(namespace))?;
        Ok(AddedNamespace { engine: self.engine().clone(), slot })
    }

    /// Looks at a namespace no longer.
    ///
    /// - Its watch ends first. Then all its objects leave the cache in one step, so a reader sees all of them or none.
    /// - Every handler hears a [`Deleted`](crate::Event::Deleted) for each object it knows, with `final_state_known: false`:
    ///   nobody deleted the object, it left our view, and what is handed over is the last state known of it.
    /// - Nothing of the namespace comes afterwards, whatever was on its way.
    /// - It can be added again at any time, also while this is going on: it is listed anew and handlers hear of all its
    ///   objects again. A handler that falls behind meanwhile hears the difference, as always: an object that has not
    ///   changed when it returns is no news to somebody who has not heard that it left.
    /// - Waiting for an object of the namespace ends with [`OutOfScope`](crate::WaitError::OutOfScope).
    ///
    /// An informer whose last namespace is removed goes on, with an empty cache, until one is added.
    pub fn remove_namespace(&self, namespace: &str) -> Result<RemovedNamespace, NamespaceError> {
        self.check_limited()?;
        let Some(slot) = self.engine().remove_scope(&Scope::namespace(namespace))? else {
            let (kind, namespace) = (self.engine().kind.clone(), namespace.to_owned());
            return Err(NamespaceError::Unknown { kind, namespace });
        };
        Ok(RemovedNamespace { engine: self.engine().clone(), slot })
    }

    fn check_limited(&self) -> Result<(), NamespaceError> {
        let kind = self.engine().kind.clone();
        match self.engine().scopes.find(&Scope::All) {
            Some(_) if kind.is_namespaced() == Some(false) => Err(NamespaceError::ClusterWide { kind }),
            Some(_) => Err(NamespaceError::AllNamespaces { kind }),
            None => Ok(()),
        }
    }
}

impl AddedNamespace {
    /// Its name.
    pub fn namespace(&self) -> &str {
        self.slot.scope.as_namespace().unwrap_or_default()
    }

    /// Whether the whole namespace is in the cache. False again once it has been removed.
    pub fn has_synced(&self) -> bool {
        self.engine.indexer.synced(self.slot.id)
    }

    /// Waits until the whole namespace is in the cache; on time-out the error says why it is not.
    ///
    /// Ends with an error as well if the namespace is removed or the informer stops.
    pub async fn synced(&self, deadline: Duration) -> Result<(), NotSynced> {
        let mut state = self.engine.state.subscribe();
        let over =
            state.wait_for(|state| self.has_synced() || state.stopped || !self.engine.scopes.has(&self.slot));
        tokio::time::timeout(deadline, over).await.ok();
        if self.has_synced() { Ok(()) } else { Err(NotSynced::one(&self.engine, &self.slot, deadline)) }
    }
}

impl RemovedNamespace {
    /// Its name.
    pub fn namespace(&self) -> &str {
        self.slot.scope.as_namespace().unwrap_or_default()
    }

    /// Waits until its objects have left the cache and every handler has the news, or has it waiting. An error if the
    /// informer stops before that.
    pub async fn done(&self) -> Result<(), Stopped> {
        let mut removed = self.slot.removed.subscribe();
        let mut state = self.engine.state.subscribe();
        tokio::select! {
            biased;
            Ok(_) = removed.wait_for(|removed| *removed) => Ok(()),
            _ = state.wait_for(|state| state.stopped) => Err(self.engine.stopped()),
        }
    }
}

impl fmt::Debug for AddedNamespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AddedNamespace").field(&self.namespace()).finish()
    }
}

impl fmt::Debug for RemovedNamespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RemovedNamespace").field(&self.namespace()).finish()
    }
}
