//! What the garbage collector does about one object. Decisions are made from what is stored; nothing is written here.

use std::sync::Arc;

use http::Method;
use serde_json::{Value, json};

use super::super::requests::{Write, object_path};
use super::super::{Metadata, OwnerReference};
use super::graph::{Graph, Node, Place, Task, Uid};
use crate::api::Api;
use crate::kinds::Resource;
use crate::storage::Stored;
use crate::write::{FOREGROUND, ORPHAN};

const COMPONENT: &str = "garbage-collector-controller";

/// Decides about objects.
pub(super) struct Decide<'a> {
    pub(super) graph: &'a mut Graph,
    pub(super) api: &'a Api,
}

/// What a task takes.
#[derive(Debug, Default)]
pub(super) struct Writes {
    /// If one is refused, those that follow must not be made.
    pub(super) writes: Vec<Write>,
    /// Whether the task is to be done again after them.
    pub(super) again: bool,
}

impl From<Vec<Write>> for Writes {
    fn from(writes: Vec<Write>) -> Self {
        Self { writes, again: false }
    }
}

impl From<Write> for Writes {
    fn from(write: Write) -> Self {
        vec![write].into()
    }
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

impl Decide<'_> {
    /// The writes that a task takes.
    pub(super) fn writes(&mut self, task: &Task) -> Writes {
        match task {
            Task::Try(uid) => self.try_to_delete(uid).unwrap_or_default(),
            Task::Orphan(uid) => self.orphan(uid).into(),
            Task::Report(uid, owner) => self.report(uid, owner).map(Writes::from).unwrap_or_default(),
        }
    }

    fn try_to_delete(&mut self, uid: &Uid) -> Option<Writes> {
        let node = self.graph.node(uid)?;
        if node.metadata.is_terminating() && !node.deletes_dependents() {
            return None;
        }
        // If it is not there, or there is another one, its end has not been observed yet.
        let (stored, resource) = self.stored(uid)?;
        if node.deletes_dependents() {
            return self.delete_dependents(uid, &stored, &resource).map(Writes::from);
        }
        let metadata = Metadata::of(&stored);
        let owners = match self.owners(&metadata.owner_references, stored.content.namespace()) {
            Ok(owners) => owners,
            Err(Undecided::OwnerInNamespace) => return None,
            Err(Undecided::Unserved) => {
                self.graph.unserved.insert(uid.clone());
                return None;
            }
        };
        let Owners { solid, dangling, waiting } = owners;
        if dangling.is_empty() && waiting.is_empty() {
            return None;
        }
        if solid > 0 {
            // An owner that waits would wait for ever.
            let is_left = |owner: &Value| {
                let uid = owner["uid"].as_str().unwrap_or_default();
                !dangling.iter().chain(&waiting).any(|other| other == uid)
            };
            return change_owners(&stored, &resource, |owners| owners.retain(is_left)).map(Writes::from);
        }
        let dependents = self.graph.dependents(uid);
        let policy = if !waiting.is_empty() && !dependents.is_empty() {
            let waits = |uid: &Uid| self.graph.node(uid).is_some_and(Node::deletes_dependents);
            if dependents.iter().any(waits) && metadata.owner_references.iter().any(OwnerReference::blocks) {
                // This may be a circle, in which each waits for the next one.
                let unblocked = unblock_owners(&stored, &resource)?;
                return Some(Writes { writes: vec![unblocked], again: true });
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
        let body = json!({
            "kind": "DeleteOptions", "apiVersion": "v1",
            "preconditions": preconditions, "propagationPolicy": policy,
        });
        let path = object_path(&resource, &stored.content.key);
        Some(Write { method: Method::DELETE, path, body }.into())
    }

    /// Lets go of an object that waits for its dependents, if none of them block it any more. Otherwise looks after those.
    fn delete_dependents(&mut self, uid: &Uid, stored: &Stored, resource: &Resource) -> Option<Write> {
        let blocking = self.graph.blocking(uid);
        if blocking.is_empty() {
            return Some(remove_finalizer(stored, resource, FOREGROUND));
        }
        for dependent in blocking {
            if !self.graph.node(&dependent).is_some_and(Node::deletes_dependents) {
                self.graph.add(Task::Try(dependent));
            }
        }
        None
    }

    /// Takes an object out of the owners of its dependents, and removes its finalizer.
    fn orphan(&self, uid: &Uid) -> Vec<Write> {
        let is_other = |owner: &Value| owner["uid"] != **uid;
        let dependents = self.graph.dependents(uid);
        let dependents = dependents.iter().filter(|dependent| *dependent != uid);
        let mut writes: Vec<Write> = dependents
            .filter_map(|dependent| self.stored(dependent))
            .filter_map(|(stored, resource)| {
                change_owners(&stored, &resource, |owners| owners.retain(is_other))
            })
            .collect();
        if let Some((stored, resource)) = self.stored(uid) {
            writes.push(remove_finalizer(&stored, &resource, ORPHAN));
        }
        writes
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
        let Some(resource) = self.api.registry.of_kind(&reference.api_version, &reference.kind) else {
            return if self.graph.has_gone(reference, namespace) {
                Ok(None)
            } else {
                Err(Undecided::Unserved)
            };
        };
        if resource.namespaced && namespace.is_empty() {
            return Err(Undecided::OwnerInNamespace);
        }
        let key = if resource.namespaced {
            format!("{namespace}/{}", reference.name)
        } else {
            reference.name.clone()
        };
        let found = self.api.storage.get(&resource.storage_id(), &key);
        Ok(found.filter(|stored| *stored.content.uid == *reference.uid))
    }

    /// An object as it is stored now, and its kind.
    fn stored(&self, uid: &str) -> Option<(Stored, Arc<Resource>)> {
        let Place { id, key } = &self.graph.node(uid)?.place;
        let stored = self.api.storage.get(id, key).filter(|stored| *stored.content.uid == *uid)?;
        Some((stored, self.api.registry.preferred(id)?))
    }

    /// The event that says that the owner of an object is in another namespace.
    fn report(&self, uid: &Uid, owner: &str) -> Option<Write> {
        let Node { place, resource, metadata } = self.graph.node(uid)?;
        let resource = resource.as_ref()?;
        let reference = metadata.owner_references.iter().find(|other| other.uid == *owner)?;
        let namespace = place.namespace();
        let name = place.name();
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
        let unique: String = self.api.chance.uuid().chars().filter(|digit| *digit != '-').take(16).collect();
        let now = self.api.clock.now();
        let body = json!({
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
        let path = format!("/api/v1/namespaces/{events_in}/events");
        Some(Write { method: Method::POST, path, body })
    }
}

/// Changes the owners of an object, if that changes anything.
fn change_owners(
    stored: &Stored,
    resource: &Resource,
    change: impl FnOnce(&mut Vec<Value>),
) -> Option<Write> {
    let object = stored.to_object().ok()?;
    let before = object.get("metadata")?.get("ownerReferences")?.as_array()?;
    let mut owners = before.clone();
    change(&mut owners);
    (owners != *before).then(|| patch(stored, resource, "ownerReferences", owners.into()))
}

/// Makes an object block the deletion of none of its owners.
fn unblock_owners(stored: &Stored, resource: &Resource) -> Option<Write> {
    // For custom resources the real one uses another kind of patch, which sets the field everywhere.
    let unblock = |owner: &mut Value| {
        if resource.custom || owner["blockOwnerDeletion"] == true {
            owner["blockOwnerDeletion"] = false.into();
        }
    };
    change_owners(stored, resource, |owners| owners.iter_mut().for_each(unblock))
}

fn remove_finalizer(stored: &Stored, resource: &Resource, finalizer: &str) -> Write {
    let mut finalizers = Metadata::of(stored).finalizers;
    finalizers.retain(|other| other != finalizer);
    patch(stored, resource, "finalizers", finalizers.into())
}

/// A patch of the metadata of this object in this version.
fn patch(stored: &Stored, resource: &Resource, name: &str, value: Value) -> Write {
    let mut metadata = json!({ "uid": &*stored.content.uid, "resourceVersion": stored.version.to_string() });
    metadata[name] = value;
    let path = object_path(resource, &stored.content.key);
    let body = json!({ "metadata": metadata });
    Write { method: Method::PATCH, path, body }
}
