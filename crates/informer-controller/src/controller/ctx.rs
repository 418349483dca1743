//! What a reconcile function gets, and what it says.

use std::any::type_name;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube_informer::{Object, ObjectKey, SharedInformer};
use serde::Serialize;
use serde_json::Value;

use super::source;
use super::worker::Shared;
use crate::election::Leadership;
use crate::recorder::Note;
use crate::writes::{Objects, Run, WriteError};

/// What is to be done next for an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Next {
    /// Nothing until something happens to it.
    Done,
    /// It is reconciled again after this time, or sooner if something happens to it.
    After(Duration),
}

/// One run of a reconcile function.
pub struct Ctx<K> {
    pub(super) key: ObjectKey,
    pub(super) object: Option<Object<K>>,
    pub(super) last: Option<Object<K>>,
    pub(super) failures: u32,
    pub(super) run: Run,
    pub(super) shared: Arc<Shared<K>>,
}

impl<K: Send + Sync + 'static> Ctx<K> {
    /// The key of the object.
    pub fn key(&self) -> &ObjectKey {
        &self.key
    }

    /// The object as the cache had it when this run began; in a [stale](Self::is_stale) run with what the runs before it wrote.
    /// `None` if there is none: it was deleted.
    pub fn object(&self) -> Option<&Object<K>> {
        self.object.as_ref()
    }

    /// The last state of an object that was deleted, until a run that is done. Also if there is one of the same name again.
    ///
    /// Of what was deleted while no controller ran nobody hears: a [finalizer](super::Controller::finalizer) holds an object
    /// until it has been cleaned up.
    pub fn last(&self) -> Option<&Object<K>> {
        self.last.as_ref()
    }

    /// How many runs in a row have failed before this one.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// The informer of the controller, to look at other objects.
    pub fn informer(&self) -> &SharedInformer<K> {
        &self.shared.informer
    }

    /// The objects of an informer, to read and to [write](crate::writes).
    pub fn objects<C: Send + Sync + 'static>(&self, informer: &SharedInformer<C>) -> Objects<C> {
        self.run.objects(informer)
    }

    /// Takes note of a write that was made with another client: of what the server answered, the object or a `Status`. Reads
    /// have it, and the next run waits for it, like one that was made with [`objects`](Self::objects). But nothing says what the
    /// object was before it, so its event leads to a run.
    ///
    /// An error if none of the informers of the controller, those that it owns, watches and reads included, has such objects.
    pub fn wrote(&self, answer: &impl Serialize) -> Result<(), WriteError> {
        let value = serde_json::to_value(answer).unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (version, kind) = (text(&value["apiVersion"]), text(&value["kind"]));
        let details = &value["details"];
        let group = version.rsplit_once('/').map_or("", |(group, _)| group);
        let mut told: Vec<&SharedInformer<()>> = Vec::new();
        for informer in &self.shared.informers {
            let of = informer.kind();
            let is_of = match &*kind {
                "Status" => text(&details["group"]) == of.group() && text(&details["kind"]) == of.plural(),
                kind => group == of.group() && kind == of.kind(),
            };
            // One tells all others of its cluster.
            if is_of && !told.iter().any(|other| self.run.are_siblings(other, informer)) {
                self.run.objects(informer).note_answer(value.clone())?;
                told.push(informer);
            }
        }
        if !told.is_empty() || kind == "Status" {
            Ok(())
        } else {
            Err(WriteError::NotWatched { kind: format!("{version} {kind}") })
        }
    }

    /// Tells of something that happened to the object, through the [recorder](super::Controller::recorder) of the controller.
    /// Never waits. Without a recorder nobody hears of it.
    pub fn event(&self, event: Note) {
        let object = self.object.as_ref().or(self.last.as_ref());
        if let (Some(recorder), Some(object)) = (&self.shared.recorder, object) {
            recorder.event(object, event);
        }
    }

    /// The leadership that this is done under, of a controller that [runs as](super::Controller::run_as) the leader.
    pub fn leadership(&self) -> Option<&Leadership> {
        self.shared.leadership.as_ref()
    }

    /// Whether caches may lack what the last run wrote: they had not seen it within
    /// [`Controller::patience`](super::Controller::patience). [`objects`](Self::objects) and [`owned`](Self::owned) have it all the
    /// same, except what the server never answered, and what was deleted as a collection. Such a run had better not create
    /// anything that may exist, and come back [later](Next::After).
    pub fn is_stale(&self) -> bool {
        self.run.is_stale()
    }

    /// The objects of a kind that this object is the controller of, as the cache has them now, with what this run has
    /// [written](crate::writes). Of a deleted object, those that it was the controller of. Each once, also if several informers
    /// that the controller owns have it, and by the uid of the owner, also if it is in another namespace.
    ///
    /// # Panics
    ///
    /// For a kind that [`Controller::owns`](super::Controller::owns) was not called for, and if somebody has removed the index
    /// that it made: an empty answer would be a wrong one. It is counted as a failure of the run.
    pub fn owned<C: Send + Sync + 'static>(&self) -> Vec<Object<C>> {
        let Some(owner) = self.object.as_ref().or(self.last.as_ref()) else { return Vec::new() };
        let mut all = Vec::new();
        let mut informers = 0;
        for owned in &self.shared.owned {
            match source::owned_by::<C>(&**owned, owner.uid(), &self.run) {
                Some(Ok(found)) => all.extend(found),
                Some(Err(error)) => panic!("controller {}: {error}", self.shared.name),
                None => continue,
            }
            informers += 1;
        }
        assert!(
            informers > 0,
            "controller {} does not own {}: call `owns` with its informer",
            self.shared.name,
            type_name::<C>()
        );
        if informers > 1 { source::each_once(all) } else { all }
    }
}

impl<K> fmt::Debug for Ctx<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ctx")
            .field("key", &self.key)
            .field("failures", &self.failures)
            .finish_non_exhaustive()
    }
}
