//! `watch --owner`: an object with all that belongs to it, and the events about them, in one stream.

use std::collections::{HashSet, VecDeque};

use kube_client::api::DynamicObject;
use kube_informer::kind::KindInfo;
use kube_informer::{Event, Object};

use crate::content::content;
use crate::kinds::Selected;
use crate::watch::events::object;

/// So many events wait for their owner to become known: another watch may bring it later.
const WAITING: usize = 1_000;

/// So many members are remembered, also after they are gone, because events about them still come.
const MEMBERS: usize = 10_000;

/// The kinds of what belongs to an object of this kind.
pub(crate) fn kinds_below(kind: &KindInfo) -> &'static [&'static str] {
    match (kind.group(), kind.kind()) {
        ("apps", "Deployment") => &["replicasets.apps", "pods", "events"],
        ("batch", "CronJob") => &["jobs.batch", "pods", "events"],
        ("apps", _) | ("batch", "Job") => &["pods", "events"],
        _ => &["events"],
    }
}

/// Who belongs to the owner.
pub(crate) struct Family {
    kind: KindInfo,
    name: String,
    members: HashSet<String>,
    /// The members in the order in which they became known.
    order: VecDeque<String>,
    waiting: VecDeque<(usize, Event<DynamicObject>)>,
}

impl Family {
    /// Those that are in the caches.
    pub(crate) fn of(owner: &Selected, all: &[Selected]) -> Self {
        let name = owner.names.first().cloned().unwrap_or_default();
        let kind = owner.informer.kind().clone();
        let mut family =
            Self { kind, name, members: HashSet::new(), order: VecDeque::new(), waiting: VecDeque::new() };
        let mut objects: Vec<_> =
            all.iter().flat_map(Selected::objects).filter(|object| !is_event(object)).collect();
        // Each turn finds those whose owners the turn before found.
        loop {
            let before = objects.len();
            objects.retain(|object| {
                let belongs = family.has(object);
                if belongs {
                    family.add(object);
                }
                !belongs
            });
            if objects.len() == before {
                return family;
            }
        }
    }

    /// The events to show because this one came: itself if it is about a member, and those that waited for it.
    pub(crate) fn sort(
        &mut self,
        place: usize,
        event: Event<DynamicObject>,
    ) -> Vec<(usize, Event<DynamicObject>)> {
        let mut shown = Vec::new();
        let mut next = vec![(place, event)];
        while let Some((place, event)) = next.pop() {
            let Some(about) = object(&event) else { continue };
            if !self.has(about) {
                self.waiting.push_back((place, event));
                if self.waiting.len() > WAITING {
                    self.waiting.pop_front();
                }
                continue;
            }
            if self.add(about) {
                let waiting = std::mem::take(&mut self.waiting);
                next.extend(waiting.into_iter().rev());
            }
            shown.push((place, event));
        }
        shown
    }

    /// Whether an object belongs to the owner, or is about what does.
    pub(crate) fn has(&self, object: &Object<DynamicObject>) -> bool {
        if is_event(object) {
            let event = content(object);
            let about = ["/involvedObject/uid", "/regarding/uid"];
            return about.iter().any(|uid| {
                event.pointer(uid).and_then(|uid| uid.as_str()).is_some_and(|uid| self.members.contains(uid))
            });
        }
        let is_owner = object.kind() == &self.kind && object.name() == self.name;
        is_owner || object.owners().iter().any(|owner| self.members.contains(&owner.uid.to_string()))
    }

    /// Remembers a member. False if it was known, or is an event, to which nothing belongs.
    fn add(&mut self, object: &Object<DynamicObject>) -> bool {
        let uid = object.uid().to_string();
        if is_event(object) || !self.members.insert(uid.clone()) {
            return false;
        }
        self.order.push_back(uid);
        if self.order.len() > MEMBERS
            && let Some(oldest) = self.order.pop_front()
        {
            self.members.remove(&oldest);
        }
        true
    }
}

fn is_event(object: &Object<DynamicObject>) -> bool {
    object.kind().kind() == "Event" && matches!(object.kind().group(), "" | "events.k8s.io")
}

#[cfg(test)]
mod tests;
