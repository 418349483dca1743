//! Listers that read by index.

use std::borrow::Borrow;
use std::hash::Hash;

use informer_core::scope::Scope;

use crate::error::InformerError;
use crate::informer::Index;
use crate::lister::{Lister, NamespaceLister};
use crate::object::Object;

impl<K> Lister<K> {
    /// The objects that an index has under a value, in no particular order: the same as [`Index::get`].
    ///
    /// The index and the lister have to be of the same informer: an index of another kind does not compile, an index of
    /// another informer is an error.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use k8s_openapi::api::core::v1::Pod;
    /// use kube_informer::testing::ScriptedSource;
    /// use kube_informer::{IndexKey, SharedInformer};
    /// # use serde_json::json;
    /// # use std::time::Duration;
    ///
    /// const BY_NODE: IndexKey<Pod, String> = IndexKey::new("node", "spec.nodeName");
    ///
    /// # let server = ScriptedSource::of::<Pod>();
    /// # for namespace in ["shop", "bank"] {
    /// #     let metadata = json!({ "namespace": namespace, "name": "web" });
    /// #     server.put_json(json!({ "metadata": metadata, "spec": { "nodeName": "node-1", "containers": [] } }))?;
    /// # }
    /// # let pods = SharedInformer::<Pod>::builder(server).build()?;
    /// # let run = pods.clone();
    /// # tokio::spawn(async move { run.run(std::future::pending()).await });
    /// # pods.wait_synced(Duration::from_secs(5)).await?;
    /// let (lister, by_node) = (pods.lister(), pods.index_by(BY_NODE));
    ///
    /// assert_eq!(lister.by_index(&by_node, "node-1")?.len(), 2);
    /// assert_eq!(lister.namespace("shop").by_index(&by_node, "node-1")?.len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn by_index<V, Q>(&self, index: &Index<K, V>, value: &Q) -> Result<Vec<Object<K>>, InformerError>
    where
        V: Borrow<Q> + Hash + Eq + Clone + Send + Sync + 'static,
        Q: Hash + Eq + ?Sized,
    {
        self.found(&Scope::All, index, value)
    }

    fn found<V, Q>(
        &self,
        scope: &Scope,
        index: &Index<K, V>,
        value: &Q,
    ) -> Result<Vec<Object<K>>, InformerError>
    where
        V: Borrow<Q> + Hash + Eq + Clone + Send + Sync + 'static,
        Q: Hash + Eq + ?Sized,
    {
        let records = index.ask_in(self.indexer(), |reader| reader.get_in(scope, value))?;
        Ok(records.into_iter().map(Object::from_record).collect())
    }
}

impl<K> NamespaceLister<K> {
    /// The objects of the namespace that an index has under a value, in no particular order. See [`Lister::by_index`].
    pub fn by_index<V, Q>(&self, index: &Index<K, V>, value: &Q) -> Result<Vec<Object<K>>, InformerError>
    where
        V: Borrow<Q> + Hash + Eq + Clone + Send + Sync + 'static,
        Q: Hash + Eq + ?Sized,
    {
        self.all().found(self.scope(), index, value)
    }
}
