//! What the garbage collector does about one object.

use std::sync::Arc;

use serde_json::{Value, json};

use super::super::requests::{Refusal, Requests, object_path};
use super::super::{Metadata, OwnerReference};
use super::graph::{Graph, Node, Place, Task, Uid};
use crate::kinds::Resource;
use crate::storage::Stored;
use crate::write::{FOREGROUND, ORPHAN};

const COMPONENT: &str = "garbage-collector-controller";

/// One task.
pub(super) struct Attempt<'a> {
    pub(super) graph: &'a mut Graph,
    pub(super) requests: Requests<'a>,
}

/// The owners of an object.
#[derive(Debug, Default)]
struct Owners {
    /// How many exist and do not wait for their dependents.
    solid: usize,
    /// The uids of those that do not exist.
    dangling: Vec<String>,
    /// The uids of those that are being deleted and wait for their dependents.
    waiting: Vec<String>,
}

/// Why the owners of an object cannot be told.
enum Undecided {
    /// The kind of one is not served.
    Unserved,
    /// The object is cluster-scoped and the kind of one is not. Such a reference can never be followed.
    OwnerInNamespace,
}

impl Attempt<'_> {
    pub(super) async fn perform(&mut self, task: Task) {
        let done = match &task {
            Task::Try(uid) => self.try_to_delete(uid).await,
            Task::Orphan(uid) => self.orphan(uid).await,
            Task::Report(uid, owner) => self.report(uid, owner).await,
        };
        match done {
            // It is gone already.
            Ok(()) | Err(Refusal { code: 404, .. }) => {}
            // Somebody else has changed it meanwhile.
            Err(Refusal { code: 409, .. }) => self.graph.add(task),
            Err(Refusal { code, message }) => {
                tracing::warn!(code, message, ?task, "the garbage collector was refused a write");
            }
        }
    }

    async fn try_to_delete(&mut self, uid: &Uid) -> Result<(), Refusal> {
        let Some(node) = self.graph.node(uid) else { return Ok(()) };
        if node.metadata.is_terminating() && !node.deletes_dependents() {
            return Ok(());
        }
        // Changes that have not been observed yet come later.
        let Some((stored, resource)) = self.stored(uid, node) else { return Ok(()) };
        if node.deletes_dependents() {
            return self.delete_dependents(uid, &stored, &resource).await;
        }
        let metadata = Metadata::of(&stored);
        let namespace = stored.content.namespace();
        let owners = match self.owners(&metadata.owner_references, namespace) {
            Ok(owners) => owners,
            Err(Undecided::OwnerInNamespace) => return Ok(()),
            Err(Undecided::Unserved) => {
                self.graph.unserved.insert(uid.clone());
                return Ok(());
            }
        };
        let Owners { solid, dangling, waiting } = owners;
        if metadata.owner_references.is_empty() || (solid > 0 && dangling.is_empty() && waiting.is_empty()) {
            return Ok(());
        }
        if solid > 0 {
            // An owner that waits would wait for ever.
            let is_left = |owner: &Value| {
                let uid = owner["uid"].as_str().unwrap_or_default();
                !dangling.iter().chain(&waiting).any(|other| other == uid)
            };
            return self.change_owners(&stored, &resource, |owners| owners.retain(is_left)).await;
        }
        let dependents = self.graph.dependents(uid);
        let policy = if !waiting.is_empty() && !dependents.is_empty() {
            let waits = |uid: &Uid| self.graph.node(uid).is_some_and(Node::deletes_dependents);
            if dependents.iter().any(waits) && metadata.owner_references.iter().any(OwnerReference::blocks) {
                // This may be a circle, in which each waits for the next one.
                self.graph.add(Task::Try(uid.clone()));
                // For custom resources the real one uses another kind of patch, which sets the field everywhere.
                let unblock = |owner: &mut Value| {
                    if resource.custom || owner["blockOwnerDeletion"] == true {
                        owner["blockOwnerDeletion"] = false.into();
                    }
                };
                let change = |owners: &mut Vec<Value>| owners.iter_mut().for_each(unblock);
                return self.change_owners(&stored, &resource, change).await;
            }
            "Foreground"
        } else if metadata.has(ORPHAN) {
            "Orphan"
        } else if metadata.has(FOREGROUND) {
            "Foreground"
        } else {
            "Background"
        };
        let preconditions = json!({ "uid": &**uid, "resourceVersion": stored.version.to_string() });
        let options = json!({
            "kind": "DeleteOptions", "apiVersion": "v1",
            "preconditions": preconditions, "propagationPolicy": policy,
        });
        self.requests.delete(&object_path(&resource, &stored.content.key), &options).await
    }

    /// Deletes an object that waits for its dependents, if none of them block it any more. Otherwise looks after those.
    async fn delete_dependents(
        &mut self,
        uid: &Uid,
        stored: &Stored,
        resource: &Resource,
    ) -> Result<(), Refusal> {
        let blocking = self.graph.blocking(uid);
        if blocking.is_empty() {
            return self.remove_finalizer(stored, resource, FOREGROUND).await;
        }
        for dependent in blocking {
            if !self.graph.node(&dependent).is_some_and(Node::deletes_dependents) {
                self.graph.add(Task::Try(dependent));
            }
        }
        Ok(())
    }

    /// Takes an object out of the owners of its dependents, and removes its finalizer.
    async fn orphan(&mut self, uid: &Uid) -> Result<(), Refusal> {
        for dependent in self.graph.dependents(uid) {
            let Some(node) = self.graph.node(&dependent) else { continue };
            let Some((stored, resource)) = self.stored(&dependent, node) else { continue };
            let is_other = |owner: &Value| owner["uid"] != **uid;
            match self.change_owners(&stored, &resource, |owners| owners.retain(is_other)).await {
                Ok(()) | Err(Refusal { code: 404, .. }) => {}
                refused => return refused,
            }
        }
        let Some(node) = self.graph.node(uid) else { return Ok(()) };
        let Some((stored, resource)) = self.stored(uid, node) else { return Ok(()) };
        self.remove_finalizer(&stored, &resource, ORPHAN).await
    }

    /// Tells the owners of an object apart.
    fn owners(&self, references: &[OwnerReference], namespace: &str) -> Result<Owners, Undecided> {
        let mut owners = Owners::default();
        for reference in references {
            match self.owner(reference, namespace)? {
                None => owners.dangling.push(reference.uid.clone()),
                Some(owner) if Metadata::of(&owner).is_kept_by(FOREGROUND) => {
                    owners.waiting.push(reference.uid.clone());
                }
                Some(_) => owners.solid += 1,
            }
        }
        Ok(owners)
    }

    /// The object that a reference means, if it exists.
    fn owner(&self, reference: &OwnerReference, namespace: &str) -> Result<Option<Stored>, Undecided> {
        let api = &self.requests.front.api;
        let Some(resource) = api.registry.of_kind(&reference.api_version, &reference.kind) else {
            return if self.graph.has_gone(reference, namespace) {
                Ok(None)
            } else {
                Err(Undecided::Unserved)
            };
        };
        let key = match resource.namespaced {
            true if namespace.is_empty() => return Err(Undecided::OwnerInNamespace),
            true => format!("{namespace}/{}", reference.name),
            false => reference.name.clone(),
        };
        let found = api.storage.get(&resource.storage_id(), &key);
        Ok(found.filter(|stored| *stored.content.uid == *reference.uid))
    }

    /// An object as it is stored now, and its kind.
    fn stored(&self, uid: &str, node: &Node) -> Option<(Stored, Arc<Resource>)> {
        let Place { id, key } = &node.place;
        let api = &self.requests.front.api;
        let stored = api.storage.get(id, key).filter(|stored| *stored.content.uid == *uid)?;
        Some((stored, api.registry.preferred(id)?))
    }

    async fn change_owners(
        &self,
        stored: &Stored,
        resource: &Resource,
        change: impl FnOnce(&mut Vec<Value>),
    ) -> Result<(), Refusal> {
        let Ok(object) = stored.to_object() else { return Ok(()) };
        let owners = object.get("metadata").and_then(|metadata| metadata["ownerReferences"].as_array());
        let mut owners = owners.cloned().unwrap_or_default();
        change(&mut owners);
        self.patch(stored, resource, "ownerReferences", owners.into()).await
    }

    async fn remove_finalizer(
        &self,
        stored: &Stored,
        resource: &Resource,
        finalizer: &str,
    ) -> Result<(), Refusal> {
        let mut finalizers = Metadata::of(stored).finalizers;
        finalizers.retain(|other| other != finalizer);
        self.patch(stored, resource, "finalizers", finalizers.into()).await
    }

    async fn patch(
        &self,
        stored: &Stored,
        resource: &Resource,
        name: &str,
        value: Value,
    ) -> Result<(), Refusal> {
        let mut metadata =
            json!({ "uid": &*stored.content.uid, "resourceVersion": stored.version.to_string() });
        metadata[name] = value;
        let path = object_path(resource, &stored.content.key);
        self.requests.merge(&path, &json!({ "metadata": metadata })).await
    }

    /// Writes an event: the owner of an object is in another namespace.
    async fn report(&self, uid: &Uid, owner: &str) -> Result<(), Refusal> {
        let Some(Node { place, resource: Some(resource), metadata }) = self.graph.node(uid) else {
            return Ok(());
        };
        let Some(reference) = metadata.owner_references.iter().find(|other| other.uid == *owner) else {
            return Ok(());
        };
        let api = &self.requests.front.api;
        let (namespace, name) = (place.namespace(), place.name());
        let OwnerReference { api_version, kind, name: owner_name, .. } = reference;
        let identity =
            format!("[{api_version}/{kind}, namespace: {namespace}, name: {owner_name}, uid: {owner}]");
        let message = format!("ownerRef {identity} does not exist in namespace {namespace:?}");
        let mut involved = json!({
            "kind": &*resource.kind, "apiVersion": resource.api_version(), "name": name, "uid": &**uid,
        });
        if !namespace.is_empty() {
            involved["namespace"] = namespace.into();
        }
        let events_in = if namespace.is_empty() { "default" } else { namespace };
        let unique: String = api.chance.uuid().chars().filter(|digit| *digit != '-').take(16).collect();
        let now = api.clock.now();
        let event = json!({
            "kind": "Event",
            "apiVersion": "v1",
            "metadata": { "name": format!("{name}.{unique}"), "namespace": events_in },
            "involvedObject": involved,
            "reason": "OwnerRefInvalidNamespace",
            "message": message,
            "source": { "component": COMPONENT },
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
            "type": "Warning",
            "reportingComponent": COMPONENT,
            "reportingInstance": "",
        });
        match self.requests.post(&format!("/api/v1/namespaces/{events_in}/events"), &event).await {
            // An event in a namespace that is being deleted is not written, as everywhere.
            Err(Refusal { code: 403, .. }) => Ok(()),
            done => done,
        }
    }
}
