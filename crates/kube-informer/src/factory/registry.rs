//! The informers of a factory, and under which names they are asked for.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::Notify;

use crate::factory::request::{Named, Request, Slot};
use crate::factory::running::{Ended, Running, Turns};
use crate::informer::SharedInformer;
use crate::informer::blueprint::Blueprint;
use crate::informer::engine::Engine;
use crate::informer::tasks::Spawn;
use crate::kind::{KindInfo, ResourceId};
use crate::options::Options;

/// Who wants an informer to live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// Until the factory stops, or somebody stops it.
    Held,
    /// As long as the lease lives.
    Leased,
}

/// The informer is none of this factory's, or no longer.
pub(super) struct NotOurs;

#[derive(Default)]
pub(super) struct Registry {
    entries: Vec<Entry>,
    /// What is on its way out: it is waited for, but no longer given to anybody.
    leaving: Vec<Leaving>,
    leftovers: Leftovers,
    /// Runs informers, once the factory has been started.
    spawn: Option<Arc<dyn Spawn>>,
    closed: bool,
}

struct Entry {
    slots: Vec<Slot>,
    blueprint: Blueprint,
    /// Keeps its names from being given to others.
    named: Vec<Arc<Named>>,
    typed: bool,
    informer: SharedInformer<()>,
    failed: Arc<Notify>,
    running: Option<Running>,
    held: bool,
    leases: usize,
}

/// An informer that was told to stop. Its cache is not kept for that.
struct Leaving {
    engine: Weak<Engine>,
    running: Running,
}

/// What is over. It is let go by the caller, without a lock: handlers are dropped with it, and what they hold may come
/// back to the factory.
#[derive(Default)]
pub(super) struct Leftovers {
    entries: Vec<Entry>,
    never_started: Vec<SharedInformer<()>>,
}

impl Drop for Leftovers {
    fn drop(&mut self) {
        for informer in &self.never_started {
            informer.engine().abandon();
        }
    }
}

impl Registry {
    /// What is to be let go when the lock is released.
    pub(super) fn leftovers(&mut self) -> Leftovers {
        std::mem::take(&mut self.leftovers)
    }

    /// The informer that a request has had before, or another that serves it.
    pub(super) fn find(&mut self, request: &Request, claim: Claim) -> Option<SharedInformer<()>> {
        self.prune();
        let place = self
            .place(|entry| entry.slots.contains(&request.slot))
            .or_else(|| self.alike(&request.blueprint))
            .or_else(|| self.whole_for_metadata(request))
            .or_else(|| self.metadata_made_whole(request))?;
        let entry = &mut self.entries[place];
        if !entry.slots.contains(&request.slot) {
            entry.slots.push(request.slot.clone());
            entry.named.extend(request.named.clone());
        }
        entry.claim(claim);
        Some(entry.informer.clone())
    }

    /// Gives a kind of the whole cluster no informer over namespaces, which somebody got who did not know its scope. He
    /// keeps it; who asks from now on gets another.
    pub(super) fn correct_scope(&mut self, slot: &Slot, kind: &KindInfo) {
        if !slot.is_named() {
            let limited = self.entries.iter_mut().filter(|entry| !entry.blueprint.suits(kind));
            limited.for_each(|entry| entry.slots.retain(|other| other != slot));
        }
    }

    /// Adds an informer that was made for a request.
    pub(super) fn add(
        &mut self,
        request: &Request,
        informer: SharedInformer<()>,
        failed: Arc<Notify>,
        turns: &Turns,
        claim: Claim,
    ) {
        let mut entry = Entry {
            slots: vec![request.slot.clone()],
            blueprint: request.blueprint.clone(),
            named: request.named.iter().cloned().collect(),
            typed: request.blueprint.typed,
            informer,
            failed,
            running: None,
            held: false,
            leases: 0,
        };
        entry.claim(claim);
        if self.closed {
            self.leftovers.never_started.push(entry.informer.clone());
        } else if let Some(spawn) = &self.spawn {
            self.leftovers.never_started.extend(entry.start(spawn, turns));
        }
        self.entries.push(entry);
    }

    /// A name that no other informer of the resource has.
    pub(super) fn free_name(&self, name: &str, resource: &ResourceId) -> Arc<str> {
        let taken = |name: &str| {
            self.place(|entry| entry.blueprint.resource() == *resource && entry.informer.name() == name)
                .is_some()
        };
        let mut free = name.to_owned();
        let mut number = 2;
        while taken(&free) {
            free = format!("{name}-{number}");
            number += 1;
        }
        free.into()
    }

    /// Whether samples of this informer are yet to be checked against somebody's type; from here on they are.
    pub(super) fn take_type(&mut self, informer: &SharedInformer<()>) -> bool {
        let entry = self.entries.iter_mut().find(|entry| entry.is(informer));
        entry.is_some_and(|entry| !std::mem::replace(&mut entry.typed, true))
    }

    /// Starts what has not started, now and from now on. The first runtime counts: a later one may be short-lived.
    pub(super) fn start(&mut self, spawn: Arc<dyn Spawn>, turns: &Turns) {
        if self.closed {
            return;
        }
        let spawn = self.spawn.get_or_insert(spawn);
        for entry in &mut self.entries {
            self.leftovers.never_started.extend(entry.start(spawn, turns));
        }
    }

    pub(super) fn is_started(&self) -> bool {
        self.spawn.is_some()
    }

    /// What there is.
    pub(super) fn informers(&self) -> Vec<SharedInformer<()>> {
        self.entries.iter().map(|entry| entry.informer.clone()).collect()
    }

    /// Each informer, with the other one if the factory holds its kind twice: its metadata and, asked for after the start,
    /// whole objects.
    pub(super) fn informers_and_twins(&self) -> Vec<(SharedInformer<()>, Option<SharedInformer<()>>)> {
        let twin = |entry: &Entry| {
            let faces: Vec<_> = entry.slots.iter().map(Slot::other_face).collect();
            let twin = |other: &&Entry| {
                !other.is(&entry.informer) && other.slots.iter().any(|slot| faces.contains(slot))
            };
            self.entries.iter().find(twin).map(|twin| twin.informer.clone())
        };
        self.entries.iter().map(|entry| (entry.informer.clone(), twin(entry))).collect()
    }

    /// Stops everything for good; gives what is to be waited for.
    pub(super) fn close(&mut self, timeout: Duration) -> Vec<Ended> {
        self.closed = true;
        let mut ended: Vec<Ended> = self.leaving.iter().map(|leaving| leaving.running.ended()).collect();
        for entry in &self.entries {
            match &entry.running {
                Some(running) => {
                    running.stop(timeout);
                    ended.push(running.ended());
                }
                None => self.leftovers.never_started.push(entry.informer.clone()),
            }
        }
        ended
    }

    /// Stops one, if it is one of this factory's; gives what is to be waited for, if it was ever started.
    pub(super) fn stop(
        &mut self,
        informer: &SharedInformer<()>,
        timeout: Duration,
    ) -> Result<Option<Ended>, NotOurs> {
        self.prune();
        let engine = Arc::downgrade(informer.engine());
        let leaving = self.leaving.iter().find(|leaving| leaving.engine.ptr_eq(&engine));
        if let Some(Leaving { running, .. }) = leaving {
            return Ok(Some(running.ended()));
        }
        let place = self.place(|entry| entry.is(informer)).ok_or(NotOurs)?;
        match &self.entries[place].running {
            Some(running) if self.closed => Ok(Some(running.ended())),
            None if self.closed => Ok(None),
            _ => Ok(self.dismiss(place, timeout)),
        }
    }

    /// There is one more lease of an informer that has one.
    pub(super) fn lease_again(&mut self, informer: &SharedInformer<()>) {
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.is(informer)) {
            entry.leases += 1;
        }
    }

    /// A lease is over. The last one takes its informer along if nobody else holds it.
    pub(super) fn release(&mut self, informer: &SharedInformer<()>, timeout: Duration) {
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.is(informer)) else { return };
        entry.leases = entry.leases.saturating_sub(1);
        if entry.leases == 0 && !entry.held {
            self.stop(informer, timeout).ok();
        }
    }

    fn place(&self, wanted: impl Fn(&Entry) -> bool) -> Option<usize> {
        self.entries.iter().position(wanted)
    }

    /// Has an informer stop and gives it to nobody any more. Its cache goes when its task has ended.
    fn dismiss(&mut self, place: usize, timeout: Duration) -> Option<Ended> {
        let mut entry = self.entries.remove(place);
        let (running, engine) = (entry.running.take(), Arc::downgrade(entry.informer.engine()));
        self.leftovers.entries.push(entry);
        let running = running?;
        running.stop(timeout);
        let ended = running.ended();
        self.leaving.push(Leaving { engine, running });
        Some(ended)
    }

    /// Forgets what has stopped by itself. Once the factory is closed the caches that are left can still be read.
    fn prune(&mut self) {
        self.leaving.retain(|leaving| !leaving.running.ended().is_over());
        while !self.closed {
            let Some(place) = self.place(|entry| entry.informer.is_stopped()) else { break };
            self.dismiss(place, Duration::ZERO);
        }
    }

    /// One with exactly these options. Namespaces come and go, so who names some does not share them with another name.
    fn alike(&self, wanted: &Blueprint) -> Option<usize> {
        let comparable = wanted.options.namespaces.named().is_none();
        let same_transform =
            |entry: &Entry| match (&entry.blueprint.options.transform, &wanted.options.transform) {
                (Some(held), Some(wanted)) => held.function.does_the_same(&wanted.function),
                _ => true,
            };
        self.place(|entry| {
            comparable && entry.blueprint.differences(wanted).is_empty() && same_transform(entry)
        })
    }

    /// Whole objects have metadata too, unless a transform of theirs has changed it.
    fn whole_for_metadata(&self, request: &Request) -> Option<usize> {
        if !request.slot.metadata {
            return None;
        }
        let whole = request.slot.other_face();
        let wanted = Options { metadata_only: false, ..request.blueprint.options.clone() };
        self.place(|entry| {
            let held = &entry.blueprint.options;
            entry.slots.contains(&whole) && wanted == Options { decoded: wanted.decoded, ..held.clone() }
        })
    }

    /// An informer of metadata that has not started can just as well get whole objects, if nothing else differs: then
    /// they are not to be kept decoded, nor transformed as a type of theirs.
    fn metadata_made_whole(&mut self, request: &Request) -> Option<usize> {
        if request.slot.metadata {
            return None;
        }
        let partial = request.slot.other_face();
        let place = self.place(|entry| {
            let whole = Options { metadata_only: false, ..entry.blueprint.options.clone() };
            // Not if it is asked for in another way as well: that may stand for these very options.
            entry.slots == [partial.clone()] && whole == request.blueprint.options
        })?;
        let entry = &mut self.entries[place];
        if !entry.informer.engine().widen() {
            return None;
        }
        entry.blueprint.options.metadata_only = false;
        Some(place)
    }
}

impl Entry {
    fn is(&self, informer: &SharedInformer<()>) -> bool {
        Arc::ptr_eq(self.informer.engine(), informer.engine())
    }

    fn claim(&mut self, claim: Claim) {
        match claim {
            Claim::Held => self.held = true,
            Claim::Leased => self.leases += 1,
        }
    }

    /// Gives the informer back if it will never run, to be let go without the lock.
    fn start(&mut self, spawn: &Arc<dyn Spawn>, turns: &Turns) -> Option<SharedInformer<()>> {
        if self.running.is_some() {
            return None;
        }
        let (informer, failed) = (self.informer.clone(), self.failed.clone());
        let running = self.running.insert(Running::start(spawn, informer, failed, turns.clone()));
        running.over_at_once().then(|| self.informer.clone())
    }
}

/// Those who wait for an informer that will never start are told.
impl Drop for Entry {
    fn drop(&mut self) {
        self.informer.engine().abandon();
    }
}
