//! Reading the cache.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use informer_core::object::origin::Origin;
use informer_core::object::record::Record;
use informer_core::scope::Scope;
use informer_core::store::indexer::Indexer;
use informer_wire::ObjectKey;
use kube_core::labels::Selector;
use serde::de::DeserializeOwned;

use crate::error::NotFoundError;
use crate::kind::{AcrossCluster, InNamespaces, Kind};
use crate::object::Object;
use crate::object::labels::Matcher;
use crate::report::Cause;

/// Reads an informer's cache. Cheap to clone; never talks to the server.
///
/// # What you can rely on
///
/// - A call answers from exactly one commit, and commits are whole: all of a batch of events, all of a relist. Between two
///   calls the cache may have moved on, but a later call never shows an earlier commit.
/// - The cache is changed before handlers are called: a handler finds the object that it is called with in the cache,
///   or a newer state.
/// - A returned value never changes: objects are shared and immutable, and a returned list stays as it was.
/// - A long scan delays neither the informer nor other readers, and no call waits for the server.
/// - The order of objects is unspecified, except where a method says sorted.
/// - Before the informer is synced, reading returns the objects that have arrived so far, perhaps none; after it has
///   stopped, the last state of the cache.
/// - Between the server and the cache some time passes. To read what you have just written, wait for it:
///   [`SharedInformer::wait_for`](crate::SharedInformer::wait_for).
///
/// # By namespace, selector and index
///
/// [`namespace`](Self::namespace) limits reading to one namespace, [`matching`](Self::matching) selects by labels, and
/// [`by_index`](Self::by_index) finds objects by any other value, such as the node of a pod, without going through all
/// of them.
///
/// # Methods of your own
///
/// With an extension trait you can add methods of your own to the lister of a kind:
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::testing::ScriptedSource;
/// use kube_informer::{Lister, Object, SharedInformer};
///
/// trait PodLister {
///     fn on_node(&self, node: &str) -> Vec<Object<Pod>>;
/// }
///
/// impl PodLister for Lister<Pod> {
///     fn on_node(&self, node: &str) -> Vec<Object<Pod>> {
///         let is_there = |pod: &Object<Pod>| {
///             let pod = pod.get().ok();
///             pod.and_then(|pod| pod.spec.as_ref()?.node_name.clone()).is_some_and(|name| name == node)
///         };
///         self.list().into_iter().filter(is_there).collect()
///     }
/// }
///
/// let pods = SharedInformer::<Pod>::builder(ScriptedSource::of::<Pod>()).build()?;
/// assert!(pods.lister().on_node("node-1").is_empty());
/// # Ok::<(), kube_informer::error::BuildError>(())
/// ```
pub struct Lister<K> {
    indexer: Arc<Indexer>,
    origin: Arc<Origin>,
    of: PhantomData<fn() -> K>,
}

/// Reads one namespace of an informer's cache.
pub struct NamespaceLister<K> {
    all: Lister<K>,
    scope: Scope,
}

impl<K> Lister<K> {
    pub(crate) fn new(indexer: Arc<Indexer>, origin: Arc<Origin>) -> Self {
        Self { indexer, origin, of: PhantomData }
    }

    /// All objects.
    pub fn list(&self) -> Vec<Object<K>> {
        self.in_scope(&Scope::All)
    }

    /// All objects of one commit, one after the other. Unlike [`list`](Self::list) it takes hold of a few dozen objects at a
    /// time, so a task that goes through a large cache can give way to others in between, or stop.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # async fn first_of_shop(pods: kube_informer::Lister<Pod>) -> Option<kube_informer::Object<Pod>> {
    /// for (number, pod) in pods.scan().enumerate() {
    ///     if pod.namespace() == Some("shop") {
    ///         return Some(pod);
    ///     }
    ///     if number % 1_000 == 999 {
    ///         tokio::task::yield_now().await;
    ///     }
    /// }
    /// # None
    /// # }
    /// ```
    pub fn scan(&self) -> impl Iterator<Item = Object<K>> + Send + use<K> {
        let mut snapshot = self.indexer.snapshot(&Scope::All);
        (0..snapshot.parts()).flat_map(move |number| {
            let part = snapshot.take_part(number);
            let records: Vec<_> = part.iter().flat_map(|part| part.iter()).cloned().collect();
            records.into_iter().map(Object::from_record)
        })
    }

    /// The store that this lister reads.
    pub(crate) fn indexer(&self) -> &Arc<Indexer> {
        &self.indexer
    }

    /// The objects that match a label selector.
    pub fn matching(&self, selector: &Selector) -> Vec<Object<K>> {
        let matcher = Matcher::new(selector);
        objects(self.indexer.matching(&Scope::All, |labels| matcher.matches(labels)))
    }

    /// The object with this key.
    pub fn by_key(&self, key: &ObjectKey) -> Result<Object<K>, NotFoundError> {
        let found = self.indexer.get(key).map(Object::from_record);
        found.ok_or_else(|| NotFoundError::new(self.origin.kind.clone(), key.clone()))
    }

    /// The keys of all objects.
    pub fn keys(&self) -> Vec<ObjectKey> {
        self.indexer.keys()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.indexer.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn in_scope(&self, scope: &Scope) -> Vec<Object<K>> {
        self.indexer.snapshot(scope).iter().cloned().map(Object::from_record).collect()
    }
}

impl<K: Kind> Lister<K>
where
    K::Scope: InNamespaces,
{
    /// A lister of one namespace. With an empty string it lists all namespaces, but its `get` finds nothing.
    pub fn namespace(&self, namespace: impl Into<Arc<str>>) -> NamespaceLister<K> {
        let namespace = namespace.into();
        let scope = if namespace.is_empty() { Scope::All } else { Scope::Namespace(namespace) };
        NamespaceLister { all: self.clone(), scope }
    }
}

impl<K: Kind> Lister<K>
where
    K::Scope: AcrossCluster,
{
    /// The object with this name. Only cluster-scoped kinds have this method: for a namespaced kind, call
    /// [`namespace`](Self::namespace) first.
    ///
    /// ```compile_fail
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # fn pods(lister: kube_informer::Lister<Pod>) {
    /// lister.get("web").unwrap(); // a Pod is found with `lister.namespace("default").get("web")`
    /// # }
    /// ```
    pub fn get(&self, name: &str) -> Result<Object<K>, NotFoundError> {
        let found = self.indexer.get_parts(None, name).map(Object::from_record);
        found.ok_or_else(|| NotFoundError::new(self.origin.kind.clone(), ObjectKey::cluster(name)))
    }
}

impl<K: DeserializeOwned + Send + Sync + 'static> Lister<K> {
    /// All objects, decoded. Objects that do not decode are left out, counted, and reported to the error callback: once
    /// for each version of an object, however often it is listed.
    pub fn list_decoded(&self) -> Vec<Arc<K>> {
        self.decode(self.list())
    }

    fn decode(&self, objects: Vec<Object<K>>) -> Vec<Arc<K>> {
        let decode = |object: Object<K>| {
            let error = match object.get() {
                Ok(decoded) => return Some(decoded),
                Err(error) => error,
            };
            if object.record().report_failure::<K>() {
                let cause =
                    Cause::Undecodable { key: object.key().clone(), message: error.message().to_owned() };
                self.origin.host.failed(cause);
            }
            None
        };
        objects.into_iter().filter_map(decode).collect()
    }
}

impl<K> NamespaceLister<K> {
    /// All objects of the namespace.
    pub fn list(&self) -> Vec<Object<K>> {
        self.all.in_scope(&self.scope)
    }

    pub(crate) fn all(&self) -> &Lister<K> {
        &self.all
    }

    pub(crate) fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The objects of the namespace that match a label selector.
    pub fn matching(&self, selector: &Selector) -> Vec<Object<K>> {
        let matcher = Matcher::new(selector);
        objects(self.all.indexer.matching(&self.scope, |labels| matcher.matches(labels)))
    }

    /// The object of a name.
    pub fn get(&self, name: &str) -> Result<Object<K>, NotFoundError> {
        let namespace = self.scope.as_namespace();
        let found = self.all.indexer.get_parts(namespace, name).map(Object::from_record);
        found.ok_or_else(|| {
            let key = ObjectKey::namespaced(namespace.unwrap_or_default(), name);
            NotFoundError::new(self.all.origin.kind.clone(), key)
        })
    }
}

impl<K: DeserializeOwned + Send + Sync + 'static> NamespaceLister<K> {
    /// All objects of the namespace, decoded. Objects that do not decode are left out, counted, and reported to the
    /// error callback: once for each version of an object.
    pub fn list_decoded(&self) -> Vec<Arc<K>> {
        self.all.decode(self.list())
    }
}

fn objects<K>(records: Vec<Arc<Record>>) -> Vec<Object<K>> {
    records.into_iter().map(Object::from_record).collect()
}

impl<K> Clone for Lister<K> {
    fn clone(&self) -> Self {
        Self { indexer: self.indexer.clone(), origin: self.origin.clone(), of: PhantomData }
    }
}

impl<K> Clone for NamespaceLister<K> {
    fn clone(&self) -> Self {
        Self { all: self.all.clone(), scope: self.scope.clone() }
    }
}

impl<K> fmt::Debug for Lister<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lister").field("kind", &self.origin.kind).field("objects", &self.len()).finish()
    }
}

impl<K> fmt::Debug for NamespaceLister<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamespaceLister")
            .field("kind", &self.all.origin.kind)
            .field("scope", &self.scope)
            .finish()
    }
}
