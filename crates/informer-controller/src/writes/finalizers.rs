//! Finalizers of an object: nobody else's are touched, and no other object of that name.

use kube_client::core::params::{Patch, PatchParams};
use kube_informer::Object;
use serde_json::json;

use super::error::WriteError;
use super::objects::Objects;

impl<C: Send + Sync + 'static> Objects<C> {
    /// The object with a finalizer. It is refused with a conflict if the object has changed since, and if there is another one
    /// of that name.
    pub async fn add_finalizer(&self, object: &Object<C>, name: &str) -> Result<Object<C>, WriteError> {
        if object.finalizers().any(|other| other == name) {
            return Ok(object.clone());
        }
        self.set_finalizers(object, object.finalizers().chain([name]).collect()).await
    }

    /// The object without a finalizer, under the same conditions. Where it was the last one of an object that is being deleted,
    /// the object is gone then. What is gone already is no error.
    pub async fn remove_finalizer(&self, object: &Object<C>, name: &str) -> Result<(), WriteError> {
        if object.finalizers().all(|other| other != name) {
            return Ok(());
        }
        let others = object.finalizers().filter(|other| *other != name).collect();
        match self.set_finalizers(object, others).await {
            Err(error) if error.is_not_found() => Ok(()),
            removed => removed.map(drop),
        }
    }

    async fn set_finalizers(&self, object: &Object<C>, all: Vec<&str>) -> Result<Object<C>, WriteError> {
        // The whole list is written, so the version has to be the one that it was read from.
        let patch = Patch::Merge(json!({ "metadata": {
            "uid": object.uid().to_string(),
            "resourceVersion": object.resource_version().to_string(),
            "finalizers": all,
        } }));
        self.patch(object.key(), &PatchParams::default(), &patch).await
    }
}
