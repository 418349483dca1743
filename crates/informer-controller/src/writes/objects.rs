//! The objects of an informer as one run reads them.

use std::borrow::Borrow;
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use kube_client::core::DynamicObject;
use kube_client::core::labels::Selector;
use kube_informer::error::InformerError;
use kube_informer::{Index, Object, ObjectKey, SharedInformer};

use super::cache::Known;
use super::overlay::SharedOverlay;
use super::run::Run;

/// The objects of an informer, with what this run has written. Cheap to clone. See [the module](super).
///
/// It belongs to one run. What is written through it later is still waited for by the runs that begin after that, and when the
/// controller has ended, nothing is written any more.
pub struct Objects<C> {
    pub(super) informer: SharedInformer<C>,
    pub(super) run: Run,
    pub(super) overlay: SharedOverlay,
    pub(super) known: Arc<Known>,
}

/// Reading: what the cache has, and what this run has written.
impl<C: Send + Sync + 'static> Objects<C> {
    pub(super) fn new(informer: SharedInformer<C>, run: Run) -> Self {
        let (overlay, whole) = (run.overlays.of(&informer), informer.as_kind());
        let known = run.tracker.know(&whole, run.client.as_ref(), false);
        Self { informer, run, overlay, known }
    }

    /// The informer.
    pub fn informer(&self) -> &SharedInformer<C> {
        &self.informer
    }

    /// The object with this key.
    pub fn get(&self, key: &ObjectKey) -> Option<Object<C>> {
        self.overlay.lock().get(&self.informer, key)
    }

    /// All objects.
    pub fn list(&self) -> Vec<Object<C>> {
        self.overlay.lock().list(&self.informer, || self.informer.lister().list(), |_| true)
    }

    /// The objects in a namespace. An empty string stands for all of them.
    pub fn in_namespace(&self, namespace: &str) -> Vec<Object<C>> {
        let cached = || {
            let there = self.informer.as_kind::<DynamicObject>().lister().namespace(namespace).list();
            there.iter().map(Object::as_kind).collect()
        };
        let is_there = |object: &Object<C>| namespace.is_empty() || object.namespace() == Some(namespace);
        self.overlay.lock().list(&self.informer, cached, is_there)
    }

    /// The objects whose labels match a selector.
    pub fn matching(&self, selector: &Selector) -> Vec<Object<C>> {
        let cached = || self.informer.lister().matching(selector);
        self.overlay.lock().list(&self.informer, cached, |object| object.labels().matches(selector))
    }

    /// The objects that an index has under a value.
    pub fn by_index<V, Q>(&self, index: &Index<C, V>, value: &Q) -> Result<Vec<Object<C>>, InformerError>
    where
        V: Borrow<Q> + Eq + Hash + Clone + Send + Sync + 'static,
        Q: Eq + Hash + ?Sized,
    {
        let mut refused = None;
        let cached = || {
            let found = index.get(value);
            found.unwrap_or_else(|error| {
                refused = Some(error);
                Vec::new()
            })
        };
        let belongs = |object: &Object<C>| {
            index.values_of(object).is_ok_and(|values| values.iter().any(|other| other.borrow() == value))
        };
        let found = self.overlay.lock().list(&self.informer, cached, belongs);
        refused.map_or(Ok(found), Err)
    }

    /// What this run has written and no list has yet: the informer has a field selector about more than the name and the
    /// namespace, so only the server can tell whether these objects belong to it. [`get`](Self::get) finds them.
    pub fn left_out(&self) -> Vec<Object<C>> {
        self.overlay.lock().left_out(&self.informer)
    }
}

impl<C> Clone for Objects<C> {
    fn clone(&self) -> Self {
        Self {
            informer: self.informer.clone(),
            run: self.run.clone(),
            overlay: self.overlay.clone(),
            known: self.known.clone(),
        }
    }
}

impl<C> fmt::Debug for Objects<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Objects").field("key", &self.run.key).finish_non_exhaustive()
    }
}
