//! Who owns whom, and what is to be tried because of a change.
//!
//! As in kube-controller-manager, a change only says which objects to look at. Whether one is to be deleted is decided from
//! the stored objects when its turn comes, so looking once too often does no harm.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::super::{Knowledge, Metadata, OwnerReference};
use crate::kinds::{Registry, Resource, StorageId};
use crate::storage::{Event, Stored};
use crate::write::{FOREGROUND, ORPHAN};

pub(super) type Uid = Arc<str>;

/// How soon it tries again what the server refused. The real one waits longer from time to time.
const RETRY: Duration = Duration::from_secs(1);

/// How many objects that are gone are remembered.
const REMEMBERED: usize = 500;

/// Where an object is stored. Dependents are looked at in this order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) id: StorageId,
    /// `namespace/name`, or `name`.
    pub(super) key: Arc<str>,
}

impl Place {
    /// Empty for cluster-scoped kinds.
    pub(super) fn namespace(&self) -> &str {
        self.key.split_once('/').map_or("", |(namespace, _)| namespace)
    }

    pub(super) fn name(&self) -> &str {
        self.key.rsplit('/').next().unwrap_or_default()
    }
}

/// An object in the graph.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) place: Place,
    /// Its kind in the preferred version; `None` if it was never seen while it was served.
    pub(super) resource: Option<Arc<Resource>>,
    pub(super) metadata: Metadata,
}

impl Node {
    /// Whether a reference from an object in that namespace, which has the uid of this object, means it: the kind and the
    /// name are right, and the namespace is if this object has one.
    fn is_meant_by(&self, reference: &OwnerReference, namespace: &str) -> bool {
        let is_kind = |resource: &Arc<Resource>| {
            *resource.kind == *reference.kind && resource.api_version() == reference.api_version
        };
        self.resource.as_ref().is_some_and(is_kind)
            && self.place.name() == reference.name
            && !self.is_elsewhere(namespace)
    }

    /// Whether it is in another namespace than this one. What is in none is not.
    fn is_elsewhere(&self, namespace: &str) -> bool {
        !self.place.namespace().is_empty() && self.place.namespace() != namespace
    }

    /// Whether it waits for its dependents to be deleted.
    pub(super) fn deletes_dependents(&self) -> bool {
        self.metadata.is_kept_by(FOREGROUND)
    }
}

/// Something to do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Task {
    /// Look whether an object is to be deleted.
    Try(Uid),
    /// Take an object that is being deleted out of the owners of its dependents.
    Orphan(Uid),
    /// Say that an object has an owner in another namespace, whose uid is the second one.
    Report(Uid, String),
}

/// All objects, with their owners and dependents.
#[derive(Debug)]
pub(super) struct Graph {
    registry: Arc<Registry>,
    nodes: HashMap<Uid, Node>,
    /// The objects that name an owner, by its uid; there need not be such an owner.
    dependents: HashMap<Uid, BTreeMap<Place, Uid>>,
    tasks: VecDeque<Task>,
    queued: BTreeSet<Task>,
    /// Tasks that are to be tried again, and when, the first one first.
    delayed: VecDeque<(Instant, Task)>,
    /// References to objects of kinds that are not served: the objects that have them are tried again when kinds change.
    pub(super) unserved: BTreeSet<Uid>,
    /// Objects with dependents that went last, in case their kind is gone too when the dependents are tried.
    gone: VecDeque<(Uid, Node)>,
}

impl Graph {
    pub(super) fn new(registry: Arc<Registry>) -> Self {
        Self {
            registry,
            nodes: HashMap::new(),
            dependents: HashMap::new(),
            tasks: VecDeque::new(),
            queued: BTreeSet::new(),
            delayed: VecDeque::new(),
            unserved: BTreeSet::new(),
            gone: VecDeque::new(),
        }
    }

    /// The next task, first in first out.
    pub(super) fn next(&mut self) -> Option<Task> {
        while self.due().is_some_and(|due| due <= Instant::now()) {
            let (_, task) = self.delayed.pop_front()?;
            self.add(task);
        }
        let task = self.tasks.pop_front()?;
        self.queued.remove(&task);
        Some(task)
    }

    pub(super) fn add(&mut self, task: Task) {
        if self.queued.insert(task.clone()) {
            self.tasks.push_back(task);
        }
    }

    /// Adds a task after a while.
    pub(super) fn add_later(&mut self, task: Task) {
        self.delayed.push_back((Instant::now() + RETRY, task));
    }

    /// When the next task is due that is to be tried again.
    pub(super) fn due(&self) -> Option<Instant> {
        self.delayed.front().map(|(due, _)| *due)
    }

    pub(super) fn node(&self, uid: &str) -> Option<&Node> {
        self.nodes.get(uid)
    }

    pub(super) fn dependents(&self, owner: &str) -> Vec<Uid> {
        self.dependents.get(owner).into_iter().flat_map(BTreeMap::values).cloned().collect()
    }

    /// The dependents that the deletion of an owner waits for.
    pub(super) fn blocking(&self, owner: &str) -> Vec<Uid> {
        let blocks = |uid: &Uid| {
            let references = self.nodes.get(uid).map(|node| &node.metadata.owner_references);
            references.into_iter().flatten().any(|reference| reference.uid == owner && reference.blocks())
        };
        self.dependents(owner).into_iter().filter(blocks).collect()
    }

    /// Whether the object that a reference means has been seen to go.
    pub(super) fn has_gone(&self, reference: &OwnerReference, namespace: &str) -> bool {
        let mut gone = self.gone.iter().filter(|(uid, _)| **uid == *reference.uid);
        gone.any(|(_, node)| node.is_meant_by(reference, namespace))
    }

    fn put(&mut self, id: &StorageId, old: Option<&Stored>, new: &Stored) {
        let uid: Uid = (&*new.content.uid).into();
        let place = Place { id: id.clone(), key: new.content.key.clone() };
        let metadata = Metadata::of(new);
        let resource = self.registry.preferred(id);
        let (before, resource) = match self.nodes.remove(&uid) {
            Some(known) => (known.metadata.owner_references, resource.or(known.resource)),
            None => (Vec::new(), resource),
        };
        let owners = metadata.owner_references.clone();
        let starts = |finalizer: &str| {
            metadata.is_kept_by(finalizer) && old.is_none_or(|old| !Metadata::of(old).is_kept_by(finalizer))
        };
        let orphans = starts(ORPHAN);
        let waits = starts(FOREGROUND);
        self.nodes.insert(uid.clone(), Node { place: place.clone(), resource, metadata });
        if before != owners {
            self.replace_owners(&uid, &place, &before, &owners);
        }
        if orphans {
            self.add(Task::Orphan(uid));
        } else if waits {
            self.dependents(&uid).into_iter().for_each(|dependent| self.add(Task::Try(dependent)));
            self.add(Task::Try(uid));
        }
    }

    fn replace_owners(
        &mut self,
        uid: &Uid,
        place: &Place,
        before: &[OwnerReference],
        owners: &[OwnerReference],
    ) {
        for old in before {
            let new = owners.iter().find(|new| new.uid == old.uid);
            if new.is_none() {
                self.forget_dependent(&old.uid, place);
            }
            // The owner may have waited for this object alone.
            if old.blocks() && new.is_none_or(|new| !new.blocks()) && self.nodes.contains_key(&*old.uid) {
                self.add(Task::Try((&*old.uid).into()));
            }
        }
        let added = owners.iter().filter(|new| !before.iter().any(|old| old.uid == new.uid));
        let mut is_doubtful = false;
        let mut is_absent = false;
        for owner in added {
            let dependents = self.dependents.entry((&*owner.uid).into()).or_default();
            dependents.insert(place.clone(), uid.clone());
            match self.nodes.get(&*owner.uid) {
                None => is_absent = true,
                Some(_) if is_doubtful => {}
                Some(node) if node.is_elsewhere(place.namespace()) => {
                    is_doubtful = true;
                    self.add(Task::Report(uid.clone(), owner.uid.clone()));
                }
                Some(node) => is_doubtful = !node.is_meant_by(owner, place.namespace()),
            }
        }
        if is_doubtful || is_absent {
            self.add(Task::Try(uid.clone()));
        }
    }

    fn remove(&mut self, old: &Stored) {
        let Some((uid, node)) = self.nodes.remove_entry(&*old.content.uid) else { return };
        self.unserved.remove(&uid);
        for owner in &node.metadata.owner_references {
            self.forget_dependent(&owner.uid, &node.place);
        }
        let dependents = self.dependents(&uid);
        if !dependents.is_empty() {
            let metadata = Metadata::default();
            self.gone.push_back((uid, Node { place: node.place, resource: node.resource, metadata }));
            if self.gone.len() > REMEMBERED {
                self.gone.pop_front();
            }
        }
        dependents.into_iter().for_each(|dependent| self.add(Task::Try(dependent)));
        for owner in &node.metadata.owner_references {
            if self.nodes.get(&*owner.uid).is_some_and(Node::deletes_dependents) {
                self.add(Task::Try((&*owner.uid).into()));
            }
        }
    }

    fn forget_dependent(&mut self, owner: &str, place: &Place) {
        if let Some(dependents) = self.dependents.get_mut(owner) {
            dependents.remove(place);
            if dependents.is_empty() {
                self.dependents.remove(owner);
            }
        }
    }

    /// Tries again what refers to kinds that were not served.
    pub(super) fn retry_unserved(&mut self) {
        for uid in std::mem::take(&mut self.unserved) {
            self.add(Task::Try(uid));
        }
    }
}

/// Events have no owners, and there are many.
fn is_ignored(id: &StorageId) -> bool {
    id.is("", "events")
}

impl Knowledge for Graph {
    fn start_over(&mut self, objects: &[(StorageId, Stored)]) {
        *self = Self::new(self.registry.clone());
        for (id, stored) in objects {
            if !is_ignored(id) {
                self.put(id, None, stored);
            }
        }
    }

    fn observe(&mut self, id: &StorageId, event: &Event) {
        if is_ignored(id) {
            return;
        }
        match (&event.old, &event.new) {
            (old, Some(new)) => self.put(id, old.as_ref(), new),
            (Some(old), None) => self.remove(old),
            (None, None) => {}
        }
    }
}
