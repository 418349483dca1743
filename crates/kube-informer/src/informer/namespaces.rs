//! Namespaces that come and go while the informer runs.

use std::sync::Arc;
use std::time::Duration;

use crate::error::{Awaited, InformerError, SyncError, Unmet, WaitError};
use crate::informer::SharedInformer;
use crate::scope::Scope;

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
    ///   alone use [`wait_namespace_synced`](Self::wait_namespace_synced). Handlers that have been synced before remain so.
    /// - All who share the informer see the namespace: its clones, and who asks the factory for the same kind or name.
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

    /// Waits until a namespace that the informer looks at is in the cache as a whole; on time-out the error says why it is
    /// not.
    ///
    /// Ends with an error as well if the informer does not look at the namespace, if the informer stops, and if the
    /// namespace is removed: also if it has been added again since, because this waits for the one that was there when it
    /// was called.
    pub async fn wait_namespace_synced(&self, namespace: &str, timeout: Duration) -> Result<(), SyncError> {
        let engine = self.engine();
        let Some(slot) = engine.scopes.of_namespace(namespace) else {
            return Err(engine.not_synced(Awaited::NoNamespace(namespace.to_owned()), &[], timeout));
        };
        let has_synced = || engine.indexer.synced(slot.id);
        let mut state = engine.state.subscribe();
        let over = state.wait_for(|state| has_synced() || state.stopped || !engine.scopes.has(&slot));
        tokio::time::timeout(timeout, over).await.ok();
        if has_synced() {
            return Ok(());
        }
        let awaited = Awaited::Namespace { removed: !engine.scopes.has(&slot) };
        Err(engine.not_synced(awaited, &[slot], timeout))
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
    /// - Waiting for an object of the namespace ends with an error that [is out of
    ///   scope](crate::error::WaitError::is_out_of_scope).
    ///
    /// An informer whose last namespace is removed goes on, with an empty cache, until one is added.
    pub fn remove_namespace(&self, namespace: &str) -> Result<(), InformerError> {
        self.check_limited()?;
        match self.engine().remove_scope(&Scope::namespace(namespace))? {
            true => Ok(()),
            false => Err(InformerError::unknown_namespace(self.kind(), namespace)),
        }
    }

    /// Waits until the objects of a namespace that was [removed](Self::remove_namespace) have left the cache and every
    /// handler has the news, or has it waiting. An error if that takes longer, or if the informer stops before.
    ///
    /// It waits for removals that were begun before it is called. If there is none, or all are done, it is done at once,
    /// whether or not the namespace has been added again.
    pub async fn wait_namespace_removed(&self, namespace: &str, timeout: Duration) -> Result<(), WaitError> {
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
        tokio::time::timeout(timeout, all_left).await.unwrap_or_else(|_| {
            let namespace = namespace.to_owned();
            Err(WaitError::new(self.kind(), Unmet::NotRemoved { namespace, waited: timeout }))
        })
    }

    fn check_limited(&self) -> Result<(), InformerError> {
        match self.engine().scopes.find(&Scope::All) {
            Some(_) => Err(InformerError::not_limited(self.kind())),
            None => Ok(()),
        }
    }
}
