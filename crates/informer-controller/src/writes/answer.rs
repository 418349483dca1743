//! What an answer says of an object, told to every informer of its resource.

use std::sync::Arc;

use kube_informer::object::{ResourceVersion, Uid};
use kube_informer::{Object, ObjectKey};
use serde_json::Value;

use super::cache::Known;
use super::error::WriteError;
use super::objects::Objects;
use super::overlay::{Change, Written};
use super::seen::Until;
use super::tickets::Tickets;

/// What the server answered to a write.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) value: Value,
    /// The object was not there before.
    pub(super) is_new: bool,
}

impl Answer {
    pub(super) fn new(text: String) -> Self {
        Self { value: serde_json::from_str(&text).unwrap_or_default(), text, is_new: false }
    }

    pub(super) fn of(value: Value) -> Self {
        Self { text: value.to_string(), value, is_new: false }
    }

    pub(super) fn is_status(&self) -> bool {
        self.value["kind"] == "Status"
    }

    pub(super) fn is_of<C: Send + Sync + 'static>(&self, objects: &Objects<C>) -> bool {
        let kind = objects.informer.kind();
        self.value["kind"] == kind.kind() && self.value["apiVersion"] == kind.api_version()
    }

    /// One that was to be deleted, and is held by nobody any more, is gone with this write.
    fn is_gone(&self) -> bool {
        let meta = &self.value["metadata"];
        self.is_going() && meta["deletionGracePeriodSeconds"] == 0 && !has_finalizers(&self.value)
    }

    fn is_going(&self) -> bool {
        !self.value["metadata"]["deletionTimestamp"].is_null()
    }

    /// What an informer is going to have of it. `sent` is the object as it came, which the server's selectors are about.
    fn written(&self, known: &Known, sent: &Object<()>) -> Written {
        let version = known.informer.kind().api_version();
        // An informer of the same resource in another version: what differs there only the watch can tell.
        let other = (self.value["apiVersion"] != version).then(|| {
            let mut value = self.value.clone();
            value["apiVersion"] = version.into();
            value.to_string()
        });
        let text = other.as_ref().unwrap_or(&self.text);
        match known.informer.object_from_json(text.as_bytes()) {
            Ok(object) => Written { object, is_selected: known.informer.selects(sent) },
            // Its transform refuses it, so the cache leaves it out.
            Err(_) => Written { object: sent.clone(), is_selected: Some(false) },
        }
    }
}

impl<C: Send + Sync + 'static> Objects<C> {
    /// Takes note of what the object is now.
    pub(super) fn note_object(&self, tickets: Tickets, answer: &Answer) -> Result<Object<C>, WriteError> {
        let meta = &answer.value["metadata"];
        let version = ResourceVersion::new(meta["resourceVersion"].as_str().unwrap_or_default());
        // As it came: types of ours may not know all of its fields.
        let sent = match self.known.informer.object_as_sent(answer.text.as_bytes()) {
            Ok(sent) => sent,
            Err(error) => {
                // The informers do not show it either, and pass it all the same.
                let text = |name: &str| meta[name].as_str().unwrap_or_default();
                let key = match text("namespace") {
                    "" => ObjectKey::cluster(text("name")),
                    namespace => ObjectKey::namespaced(namespace, text("name")),
                };
                if !key.name().is_empty() && !version.is_empty() {
                    tickets.pass(&key, &Until::Version(version));
                }
                return Err(error.into());
            }
        };
        let key = sent.key().clone();
        if answer.is_gone() {
            let object = self.rehearsed(answer)?;
            self.note_gone(tickets, &key, Some(sent.uid().clone()));
            return Ok(object);
        }
        let (mut object, mut hiding) = (None, Hiding::default());
        for (known, ticket) in tickets {
            let written = answer.written(&known, &sent);
            let (is_selected, is_mine) = (written.is_selected, object.is_none());
            object.get_or_insert_with(|| written.object.as_kind());
            hiding.look(&known, is_selected, is_mine);
            if is_selected.is_none() && known.is_first_left_out() {
                tracing::warn!(%key, informer = known.informer.name(), "what is written is left out of lists until the watch brings it: only the server can tell whether the field selector selects it; this is said once");
            }
            self.put(&known, key.clone(), Change::Written(written));
            match is_selected {
                // It is new, so no earlier state of it is on its way to a cache that does not select it.
                Some(false) if answer.is_new && !is_mine => ticket.void(),
                _ => {
                    let until = Until::Version(version.clone());
                    ticket.answered(key.clone(), until, is_selected == Some(true));
                }
            }
        }
        if let Some(known) = hiding.of(&sent).filter(|_| !answer.is_going()) {
            self.run.tracker.count_hidden();
            if known.is_first_hidden() {
                tracing::warn!(%key, informer = known.informer.name(), "what is written is in no list of this informer, now or later: its selectors, its namespaces or its transform leave it out; a function that creates what it does not find creates it again and again; this is said once and counted");
            }
        }
        Ok(object.unwrap_or_else(|| sent.as_kind()))
    }

    /// An answer as an object of this informer; as it came, if the transform refuses it.
    pub(super) fn rehearsed(&self, answer: &Answer) -> Result<Object<C>, WriteError> {
        let json = answer.text.as_bytes();
        Ok(self.informer.object_from_json(json).or_else(|_| self.informer.object_as_sent(json))?)
    }

    /// Takes note that this object is gone.
    pub(super) fn note_gone(&self, tickets: Tickets, key: &ObjectKey, uid: Option<Uid>) {
        // Without a uid the server is asked for that name.
        let Some(uid) = uid else { return };
        for (known, ticket) in tickets {
            self.put(&known, key.clone(), Change::Gone(uid.clone()));
            ticket.answered(key.clone(), Until::Gone(uid.clone()), false);
        }
    }

    /// Takes note that this object of a collection is gone, or about to go.
    pub(super) fn note_of_collection(&self, key: &ObjectKey, uid: &Uid, left: Option<&Answer>) {
        let sent = left.map(|left| (left, self.known.informer.object_as_sent(left.text.as_bytes())));
        for known in self.siblings() {
            let change = match &sent {
                Some((left, Ok(sent))) => Change::Written(left.written(&known, sent)),
                Some((_, Err(_))) => continue,
                None => Change::Gone(uid.clone()),
            };
            self.put(&known, key.clone(), change);
        }
    }

    fn put(&self, known: &Known, key: ObjectKey, change: Change) {
        self.run.overlays.of(&known.informer).lock().put(&known.informer, key, change);
    }
}

/// Which informer hides a write from those who look for it.
#[derive(Default)]
struct Hiding {
    /// That it was written through.
    mine: Option<Arc<Known>>,
    /// One that has what belongs to an object, if none of those shows it.
    owned: Option<Arc<Known>>,
    is_shown: bool,
}

impl Hiding {
    fn look(&mut self, known: &Arc<Known>, is_selected: Option<bool>, is_mine: bool) {
        let is_hidden = is_selected == Some(false);
        if is_mine && is_hidden {
            self.mine = Some(known.clone());
        }
        if known.is_owned {
            self.owned.get_or_insert_with(|| known.clone());
            self.is_shown |= !is_hidden;
        }
    }

    fn of(self, sent: &Object<()>) -> Option<Arc<Known>> {
        let owned = self.owned.filter(|_| !self.is_shown && sent.controller_owner().is_some());
        self.mine.or(owned)
    }
}

/// Whether somebody holds an object that is to be deleted. Namespaces have finalizers of their own.
pub(super) fn has_finalizers(object: &Value) -> bool {
    let is_held = |of: &Value| of["finalizers"].as_array().is_some_and(|finalizers| !finalizers.is_empty());
    is_held(&object["metadata"]) || (object["kind"] == "Namespace" && is_held(&object["spec"]))
}
