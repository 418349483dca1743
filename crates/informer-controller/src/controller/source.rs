//! Where keys come from: the events of informers.

use std::any::Any;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};
use kube_client::Client;
use kube_informer::error::{InformerError, WaitError};
use kube_informer::object::Uid;
use kube_informer::status::Patience;
use kube_informer::{Event, Index, IndexKey, Object, ObjectKey, Registration, SharedInformer, handler};
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::Filter;
use super::worker::message;
use crate::queue::WorkQueue;
use crate::writes::{Echoes, Known, Listener, Run, Tracker};

/// How many events may wait before they are merged. Merged events do not tell of everything: a pod that came and went, or that had
/// another owner for a moment. A run may have seen that in the cache.
pub(super) const EVENTS: usize = 10_000;

/// The priority of what was there at the start, and of resyncs.
const ROUTINE: i8 = -4;
/// The priority of what happens. It raises what waits as routine.
pub(super) const NEWS: i8 = 0;

/// An informer that a controller uses.
pub(super) trait Watched: Send + Sync {
    /// Adds the handler that fills the queue. `None` if no keys come from it.
    fn register(&self, into: &Keys) -> Result<Option<Registration>, InformerError>;

    fn informer(&self) -> SharedInformer<()>;
}

/// Where the keys go.
#[derive(Clone)]
pub(super) struct Keys {
    pub(super) controller: Arc<str>,
    pub(super) queue: WorkQueue<ObjectKey>,
    pub(super) behind: Arc<Behind>,
    /// What runs have written themselves is no news.
    pub(super) echoes: Echoes,
    /// How many events may wait for each handler.
    pub(super) events: usize,
}

impl Keys {
    fn add(&self, key: ObjectKey, is_routine: bool) {
        self.queue.add_with_priority(key, if is_routine { ROUTINE } else { NEWS });
    }

    /// Adds those of the keys for which this change is news.
    fn add_news<O>(&self, from: &Listener, old: Option<&Object<O>>, new: &Object<O>, keys: Vec<ObjectKey>) {
        from.news(old, new, keys).into_iter().for_each(|key| self.add(key, false));
    }

    /// Calls a function of the user. What it panics about must not take other keys with it.
    fn ask<R>(&self, object: &ObjectKey, function: impl FnOnce() -> R) -> Option<R> {
        let answer = catch_unwind(AssertUnwindSafe(function));
        if let Err(panic) = &answer {
            let (controller, message) = (&*self.controller, message(&**panic));
            tracing::error!(controller, %object, message, "what says which objects to reconcile panicked");
        }
        answer.ok()
    }
}

/// Notices that a handler did not keep up.
#[derive(Default)]
pub(super) struct Behind(Notify);

impl Behind {
    fn is_now(&self) {
        self.0.notify_one();
    }

    /// Whenever handlers that did not keep up have caught up, all objects are reconciled.
    pub(super) async fn watch<K: Send + Sync + 'static>(
        &self,
        handlers: &[Registration],
        all: &SharedInformer<K>,
        into: &Keys,
    ) {
        loop {
            self.0.notified().await;
            loop {
                join_all(handlers.iter().map(drained)).await;
                // Another may have fallen behind meanwhile, or the same again.
                if self.0.notified().now_or_never().is_none() {
                    break;
                }
            }
            let controller = &*into.controller;
            tracing::warn!(
                controller,
                "events came faster than they could be handled; all objects are reconciled"
            );
            all.lister().list().into_iter().for_each(|object| into.add(object.key().clone(), true));
        }
    }
}

/// Waits until nothing waits for a handler: a mailbox that is behind says so once, and merges silently until it is empty. A handler
/// that has ended has caught up as well.
async fn drained(handler: &Registration) {
    while handler.wait_drained(Patience::FOREVER).await.is_ok() && handler.status().backlog > 0 {}
}

/// Objects that were deleted, in their last state, until they have been reconciled.
pub(super) struct Deleted<K>(Mutex<HashMap<ObjectKey, Object<K>>>);

impl<K> Default for Deleted<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K> Deleted<K> {
    pub(super) fn get(&self, key: &ObjectKey) -> Option<Object<K>> {
        self.0.lock().get(key).cloned()
    }

    fn put(&self, object: &Object<K>) {
        self.0.lock().insert(object.key().clone(), object.clone());
    }

    /// This one has been reconciled. Another one of the same name may have been deleted meanwhile.
    pub(super) fn settle(&self, object: &Object<K>) {
        let mut deleted = self.0.lock();
        if deleted.get(object.key()).is_some_and(|other| other.uid() == object.uid()) {
            deleted.remove(object.key());
        }
    }
}

/// The informer of the objects themselves.
pub(super) struct Main<K> {
    informer: SharedInformer<K>,
    only_if: Option<Arc<Filter<K>>>,
    deleted: Arc<Deleted<K>>,
}

impl<K> Main<K> {
    pub(super) fn new(
        informer: SharedInformer<K>,
        only_if: Option<Arc<Filter<K>>>,
        deleted: Arc<Deleted<K>>,
    ) -> Self {
        Self { informer, only_if, deleted }
    }
}

impl<K: Send + Sync + 'static> Watched for Main<K> {
    fn register(&self, into: &Keys) -> Result<Option<Registration>, InformerError> {
        let (name, events) = (into.controller.clone(), into.events);
        let (into, only_if, deleted) = (into.clone(), self.only_if.clone(), self.deleted.clone());
        let listener = into.echoes.listener(&self.informer());
        let tell = move |event: &Event<K>| match event {
            Event::Added { object, initial: true } => into.add(object.key().clone(), true),
            Event::Added { object, .. } => {
                into.add_news(&listener, None, object, vec![object.key().clone()]);
            }
            Event::Updated { new, resync: true, .. } => into.add(new.key().clone(), true),
            Event::Updated { old, new, .. } => {
                let is_news =
                    |changed: &Arc<Filter<K>>| into.ask(new.key(), || changed(old, new)).unwrap_or(true);
                if only_if.as_ref().is_none_or(is_news) {
                    into.add_news(&listener, Some(old), new, vec![new.key().clone()]);
                }
            }
            Event::Deleted { object, .. } => {
                deleted.put(object);
                listener.note_gone(object);
                into.add(object.key().clone(), false);
            }
            Event::Merged => into.behind.is_now(),
            _ => {}
        };
        self.informer.add_event_handler(handler().named(name).every_event(events).on_event(tell)).map(Some)
    }

    fn informer(&self) -> SharedInformer<()> {
        self.informer.as_kind()
    }
}

/// An informer of other objects, and what keys they lead to.
pub(super) struct Other<O> {
    informer: SharedInformer<O>,
    keys_of: Arc<KeysOf<O>>,
}

type KeysOf<O> = dyn Fn(&Object<O>, &mut Vec<ObjectKey>) + Send + Sync;

impl<O> Other<O> {
    pub(super) fn new(
        informer: SharedInformer<O>,
        keys_of: impl Fn(&Object<O>, &mut Vec<ObjectKey>) + Send + Sync + 'static,
    ) -> Self {
        Self { informer, keys_of: Arc::new(keys_of) }
    }
}

impl<O: Send + Sync + 'static> Watched for Other<O> {
    fn register(&self, into: &Keys) -> Result<Option<Registration>, InformerError> {
        let (name, events) = (into.controller.clone(), into.events);
        let (into, keys_of) = (into.clone(), self.keys_of.clone());
        let listener = into.echoes.listener(&self.informer());
        let tell = move |event: &Event<O>| {
            let keys_of = |objects: &[&Object<O>]| {
                let mut keys = Vec::new();
                for object in objects {
                    into.ask(object.key(), || keys_of(object, &mut keys));
                }
                keys
            };
            let add = |objects: &[&Object<O>], is_routine: bool| {
                keys_of(objects).into_iter().for_each(|key| into.add(key, is_routine));
            };
            match event {
                Event::Added { object, initial: true } => add(&[object], true),
                Event::Added { object, .. } => into.add_news(&listener, None, object, keys_of(&[object])),
                // Who had it has to hear that it is gone.
                Event::Updated { old, new, resync: true } => add(&[old, new], true),
                Event::Updated { old, new, .. } => {
                    into.add_news(&listener, Some(old), new, keys_of(&[old, new]));
                }
                Event::Deleted { object, .. } => {
                    listener.note_gone(object);
                    add(&[object], false);
                }
                Event::Merged => into.behind.is_now(),
                _ => {}
            }
        };
        self.informer.add_event_handler(handler().named(name).every_event(events).on_event(tell)).map(Some)
    }

    fn informer(&self) -> SharedInformer<()> {
        self.informer.as_kind()
    }
}

/// An informer that is only read from.
pub(super) struct Read<O>(pub(super) SharedInformer<O>);

impl<O: Send + Sync + 'static> Watched for Read<O> {
    fn register(&self, _: &Keys) -> Result<Option<Registration>, InformerError> {
        Ok(None)
    }

    fn informer(&self) -> SharedInformer<()> {
        self.0.as_kind()
    }
}

/// Waits until the cache has everything that was written before this was called.
pub(super) async fn caught_up(informer: &SharedInformer<()>, client: &Client) {
    // Its own server, if it has one: a controller may look at several.
    let client = informer.client().unwrap_or_else(|| client.clone());
    Known::new(informer.clone(), Some(client), false).catch_up().await;
}

/// Waits until an informer has stopped, and gives its name.
pub(super) async fn stopped(informer: &SharedInformer<()>) -> String {
    informer.wait_stopped(Patience::FOREVER).await.ok();
    informer.name().to_owned()
}

/// The objects that a controller reconciles, as their children find them.
pub(super) struct Owners<K> {
    informer: SharedInformer<K>,
    pub(super) deleted: Arc<Deleted<K>>,
    /// Made when a child names an owner that is not where it should be.
    by_uid: OnceLock<Index<K, String>>,
}

impl<K: Send + Sync + 'static> Owners<K> {
    pub(super) fn new(informer: SharedInformer<K>) -> Self {
        Self { informer, deleted: Arc::default(), by_uid: OnceLock::new() }
    }

    /// The key of an object's controller, if that is of this kind in any version, and there: by its uid, like the children that
    /// [`owned_by`] finds, or else by its name. So no key is made up where a kind does not say whether its objects are in
    /// namespaces, nor for a child in another namespace. An owner that is not here yet is reconciled when it comes.
    pub(super) fn controller_of<C>(&self, child: &Object<C>) -> Option<ObjectKey> {
        let reference = child.controller_owner()?;
        let kind = self.informer.kind();
        let group = reference.api_version.rsplit_once('/').map_or("", |(group, _)| group);
        // Of some kinds only the resource is known.
        let is_kind = kind.kind().is_empty() || *reference.kind == *kind.kind();
        if group != kind.group() || !is_kind {
            return None;
        }
        let beside = child.namespace().filter(|_| kind.is_namespaced() != Some(false));
        let beside = beside.map(|namespace| ObjectKey::namespaced(namespace, &*reference.name));
        let above = (kind.is_namespaced() != Some(true)).then(|| ObjectKey::cluster(&*reference.name));
        let mut named: Option<ObjectKey> = None;
        for key in beside.into_iter().chain(above) {
            let owners = [self.informer.lister().by_key(&key).ok(), self.deleted.get(&key)];
            if owners.iter().flatten().any(|owner| *owner.uid() == reference.uid) {
                return Some(key);
            }
            // The name alone says little of an owner whose kind is not known.
            if !kind.kind().is_empty() && owners.iter().any(Option::is_some) {
                named.get_or_insert(key);
            }
        }
        self.elsewhere(&reference.uid).or(named)
    }

    fn elsewhere(&self, uid: &Uid) -> Option<ObjectKey> {
        let by_uid = self.by_uid.get_or_init(|| self.informer.index_by(IndexKey::new("uid", "metadata.uid")));
        Some(by_uid.get(uid.to_string().as_str()).ok()?.first()?.key().clone())
    }
}

/// The objects of one kind by their owners.
pub(super) trait Owned: Any + Send + Sync {
    /// Waits until the index can be asked.
    fn wait_ready(&self, patience: Patience) -> BoxFuture<'_, Result<(), WaitError>>;

    /// Whether it is this informer that has them.
    fn is_of(&self, informer: &SharedInformer<()>) -> bool;
}

/// The objects of one kind, and their index.
struct ByOwner<C> {
    children: SharedInformer<C>,
    index: Index<C, String>,
}

impl<C: Send + Sync + 'static> Owned for ByOwner<C> {
    fn wait_ready(&self, patience: Patience) -> BoxFuture<'_, Result<(), WaitError>> {
        self.index.wait_ready(patience).boxed()
    }

    fn is_of(&self, informer: &SharedInformer<()>) -> bool {
        self.children.same_informer(informer)
    }
}

pub(super) fn owned<C: Send + Sync + 'static>(children: &SharedInformer<C>) -> Box<dyn Owned> {
    let by_owner: IndexKey<C, String> = IndexKey::new("owner-uid", "metadata.ownerReferences[*].uid");
    Box::new(ByOwner { children: children.clone(), index: children.index_by(by_owner) })
}

/// Those of a kind, if it is that, which this object is the controller of.
pub(super) fn owned_by<C: Send + Sync + 'static>(
    all: &dyn Owned,
    owner: &Uid,
    run: &Run,
) -> Option<Result<Vec<Object<C>>, InformerError>> {
    let all: &dyn Any = all;
    let ByOwner { children, index } = all.downcast_ref::<ByOwner<C>>()?;
    Some(run.objects(children).by_index(index, owner.to_string().as_str()).map(|mut owned| {
        owned.retain(|child| child.controller_owner().is_some_and(|reference| reference.uid == *owner));
        owned
    }))
}

/// The tracker of a controller waits for its writes at all of its informers.
pub(super) fn know(
    tracker: &Tracker,
    informers: &[SharedInformer<()>],
    owned: &[Box<dyn Owned>],
    client: Option<&Client>,
) {
    for informer in informers {
        tracker.know(informer, client, owned.iter().any(|owned| owned.is_of(informer)));
    }
}

/// Those that several informers have, each once: in the later state, where one of them is behind.
pub(super) fn each_once<C>(all: Vec<Object<C>>) -> Vec<Object<C>> {
    let mut places = HashMap::with_capacity(all.len());
    let mut once: Vec<Object<C>> = Vec::with_capacity(all.len());
    for object in all {
        match places.entry(object.key().clone()) {
            Entry::Vacant(place) => {
                place.insert(once.len());
                once.push(object);
            }
            Entry::Occupied(place) => {
                let known = &mut once[*place.get()];
                if known.resource_version().is_older_than(object.resource_version()) {
                    *known = object;
                }
            }
        }
    }
    once
}

#[cfg(test)]
mod tests;
