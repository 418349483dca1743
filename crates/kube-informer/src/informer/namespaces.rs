//! Namespaces that are added and removed while the informer runs.

use std::sync::Arc;

use tokio::time::Instant;

use informer_core::scope::Scope;

use crate::error::{Awaited, InformerError, SyncError, Unmet, WaitError};
use crate::informer::SharedInformer;
use crate::status::Patience;

impl<K: 'static> SharedInformer<K> {
    /// The namespaces that the informer watches, sorted; `None` if it watches all of them.
    pub fn namespaces(&self) -> Option<Vec<String>> {
        let slots = self.engine().scopes.now();
        slots.iter().map(|slot| slot.scope.as_namespace().map(str::to_owned)).collect()
    }

    /// Adds a namespace to watch, at any time before the informer has stopped.
    ///
    /// Only for informers that were built with namespaces
    /// ([`InformerBuilder::namespace`](crate::InformerBuilder::namespace),
    /// [`namespaces`](crate::InformerBuilder::namespaces)). Adding a namespace that is watched already is no error and
    /// does nothing: namespaces are not counted, so after adding one twice, a single call removes it.
    ///
    /// - The namespace is listed and watched on its own; the other namespaces are not affected, even if access to this
    ///   one is denied.
    /// - When its list is complete, readers see all of its objects at once, and every handler is called with an
    ///   [`Added`](crate::Event::Added) with `initial` for each of them.
    /// - Until then the informer is [not synced](Self::has_synced), so
    ///   [`wait_synced`](Self::wait_synced) waits for the namespace too and names it in its error if it cannot be
    ///   listed in time; to wait for this namespace alone use [`wait_namespace_synced`](Self::wait_namespace_synced).
    ///   Handlers that were synced before remain synced.
    /// - Everything that shares the informer sees the namespace: its clones, and every access to the same kind or name
    ///   of its factory.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_informer::testing::ScriptedSource;
    /// use kube_informer::SharedInformer;
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
    /// informer.add_namespace("bank")?;
    /// informer.wait_namespace_synced("bank", Duration::from_secs(10)).await?;
    /// assert_eq!(informer.lister().len(), 2);
    ///
    /// informer.remove_namespace("shop")?;
    /// informer.wait_namespace_removed("shop", Duration::from_secs(10)).await?;
    /// assert_eq!(informer.lister().len(), 1);
    /// assert_eq!(informer.namespaces(), Some(vec!["bank".to_owned()]));
    /// running.abort();
    /// # Ok(())
    /// # }
    /// ```
    pub fn add_namespace(&self, namespace: impl Into<Arc<str>>) -> Result<(), InformerError> {
        let namespace = namespace.into();
        self.check_limited()?;
        if namespace.is_empty() {
            return Err(InformerError::empty_namespace(self.kind()));
        }
        self.engine().add_scope(Scope::Namespace(namespace))
    }

    /// Waits until all objects of a namespace that the informer watches are in the cache; if the timeout passes, the
    /// error says why they are not.
    ///
    /// It is also an error if the informer does not watch the namespace, if the informer stops, or if the namespace is
    /// removed meanwhile, even if it has been added again since.
    pub async fn wait_namespace_synced(
        &self,
        namespace: &str,
        patience: impl Into<Patience>,
    ) -> Result<(), SyncError> {
        let patience = patience.into();
        let begun = Instant::now();
        let engine = self.engine();
        let waited = || patience.limit().unwrap_or_else(|| begun.elapsed());
        let Some(slot) = engine.scopes.of_namespace(namespace) else {
            return Err(engine.not_synced(Awaited::NoNamespace(namespace.to_owned()), &[], waited()));
        };
        let has_synced = || engine.indexer.synced(slot.id);
        let mut state = engine.state.subscribe();
        let over = state.wait_for(|state| has_synced() || state.stopped || !engine.scopes.has(&slot));
        patience.wait(over).await.ok();
        if has_synced() {
            return Ok(());
        }
        let awaited = Awaited::Namespace { removed: !engine.scopes.has(&slot) };
        Err(engine.not_synced(awaited, &[slot], waited()))
    }

    /// Stops watching a namespace.
    ///
    /// - Its watch ends first. Then all its objects leave the cache in one step, so a reader sees all of them or none.
    /// - Every handler is called with a [`Deleted`](crate::Event::Deleted) for each of these objects that it knows,
    ///   with `final_state_known: false`: the object was not deleted on the server, it only left the cache. The event
    ///   carries the last known state.
    /// - After that no events of the namespace are delivered, even if some were already received from the server.
    /// - The namespace can be added again at any time, also while it is being removed: it is listed again and handlers
    ///   are called with an add for each of its objects. For a slow handler the delete and the add may be merged, as
    ///   always: if an object has come back unchanged before the handler was called with its delete, the handler is
    ///   called with neither.
    /// - Waits for an object of the namespace end with an error for which
    ///   [`is_out_of_scope`](crate::error::WaitError::is_out_of_scope) is true.
    ///
    /// An informer whose last namespace is removed keeps running with an empty cache, until a namespace is added.
    pub fn remove_namespace(&self, namespace: &str) -> Result<(), InformerError> {
        self.check_limited()?;
        if self.engine().remove_scope(&Scope::namespace(namespace))? {
            Ok(())
        } else {
            Err(InformerError::unknown_namespace(self.kind(), namespace))
        }
    }

    /// Waits until the objects of a namespace that was [removed](Self::remove_namespace) have left the cache and the
    /// deletes have been delivered to every handler or are pending for it. It is an error if that takes longer than the
    /// timeout, or if the informer stops before.
    ///
    /// It waits for removals that were begun before this call. If there is none, or all are complete, it returns at
    /// once, whether or not the namespace has been added again.
    pub async fn wait_namespace_removed(
        &self,
        namespace: &str,
        patience: impl Into<Patience>,
    ) -> Result<(), WaitError> {
        let engine = self.engine();
        let all_left = async {
            for slot in engine.scopes.leaving(&Scope::namespace(namespace)) {
                let mut removed = slot.removed.subscribe();
                let mut state = engine.state.subscribe();
                tokio::select! {
                    biased;
                    Ok(_) = removed.wait_for(|removed| *removed) => {}
                    _ = state.wait_for(|state| state.stopped) => return Err(engine.stopped().into()),
                }
            }
            Ok(())
        };
        patience.into().wait(all_left).await.unwrap_or_else(|waited| {
            let namespace = namespace.to_owned();
            Err(WaitError::new(self.kind(), Unmet::NotRemoved { namespace, waited }))
        })
    }

    fn check_limited(&self) -> Result<(), InformerError> {
        match self.engine().scopes.find(&Scope::All) {
            Some(_) => Err(InformerError::not_limited(self.kind())),
            None => Ok(()),
        }
    }
}
