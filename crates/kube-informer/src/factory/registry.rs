//! The informers of a factory, and the kinds and names under which the program requests them.

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
use crate::status::Patience;

/// What keeps an informer alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// The informer lives until it or the factory is stopped.
    Held,
    /// The informer lives as long as the lease.
    Leased,
}

/// The informer does not belong to this factory, or no longer.
pub(super) struct NotOurs;

#[derive(Default)]
pub(super) struct Registry {
    entries: Vec<Entry>,
    /// Informers that are stopping: a shutdown waits for them, but no request gets them any more.
    leaving: Vec<Leaving>,
    leftovers: Leftovers,
    /// Runs informers, once the factory has been started.
    spawn: Option<Arc<dyn Spawn>>,
    closed: bool,
}

struct Entry {
    slots: Vec<Slot>,
    blueprint: Blueprint,
    /// Keeps the names of this informer from being bound to other options.
    named: Vec<Arc<Named>>,
    typed: bool,
    informer: SharedInformer<()>,
    failed: Arc<Notify>,
    running: Option<Running>,
    held: bool,
    leases: usize,
}

/// An informer that is stopping. The weak reference does not keep its cache alive.
struct Leaving {
    engine: Weak<Engine>,
    running: Running,
}

/// Informers that have ended. The caller drops them without holding the lock: their handlers are dropped with them, and
/// dropping values that a handler owns may call the factory again.
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
    /// Takes the values that are to be dropped when the lock is released.
    pub(super) fn leftovers(&mut self) -> Leftovers {
        std::mem::take(&mut self.leftovers)
    }

    /// The informer that an earlier request for the same slot got, or another one that fits this request.
    pub(super) fn find(&mut self, request: &Request, claim: Claim) -> Option<SharedInformer<()>> {
        self.prune();
        let place = self
            .place(|entry| entry.slots.contains(&request.slot))
            .or_else(|| self.alike(&request.blueprint))
            .or_else(|| self.whole_for_metadata(request))?;
        let entry = &mut self.entries[place];
        if !entry.slots.contains(&request.slot) {
            entry.slots.push(request.slot.clone());
            entry.named.extend(request.named.clone());
        }
        entry.claim(claim);
        Some(entry.informer.clone())
    }

    /// Takes the slot of a cluster-scoped kind away from informers limited to namespaces, which were made before the
    /// scope of the kind was known. Callers that have such an informer keep it; later requests get another one.
    pub(super) fn correct_scope(&mut self, slot: &Slot, kind: &KindInfo) {
        if !slot.is_named() {
            let limited = self.entries.iter_mut().filter(|entry| !entry.blueprint.suits(kind));
            limited.for_each(|entry| entry.slots.retain(|other| other != slot));
        }
    }

    /// Adds an informer that was built for a request.
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

    /// Whether no type is set yet against which sample objects of this informer are checked; from now on one counts as
    /// set.
    pub(super) fn take_type(&mut self, informer: &SharedInformer<()>) -> bool {
        let entry = self.entries.iter_mut().find(|entry| entry.is(informer));
        entry.is_some_and(|entry| !std::mem::replace(&mut entry.typed, true))
    }

    /// Starts all informers that have not started, and from now on each new one. The runtime of the first call is used
    /// for all of them: a later one may be short-lived.
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

    /// All informers.
    pub(super) fn informers(&self) -> Vec<SharedInformer<()>> {
        self.entries.iter().map(|entry| entry.informer.clone()).collect()
    }

    /// Each informer, together with the second one if the factory holds its kind twice: metadata only and, if they were
    /// requested later, whole objects.
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

    /// Stops all informers for good; returns the ends that the caller has to wait for.
    pub(super) fn close(&mut self, patience: Patience) -> Vec<Ended> {
        self.closed = true;
        let mut ended: Vec<Ended> = self.leaving.iter().map(|leaving| leaving.running.ended()).collect();
        for entry in &self.entries {
            match &entry.running {
                Some(running) => {
                    running.stop(patience);
                    ended.push(running.ended());
                }
                None => self.leftovers.never_started.push(entry.informer.clone()),
            }
        }
        ended
    }

    /// Stops one informer, if it belongs to this factory; returns the end that the caller has to wait for, if the
    /// informer was ever started.
    pub(super) fn stop(
        &mut self,
        informer: &SharedInformer<()>,
        patience: Patience,
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
            _ => Ok(self.dismiss(place, patience)),
        }
    }

    /// Counts one more lease of an informer that has a lease already.
    pub(super) fn lease_again(&mut self, informer: &SharedInformer<()>) {
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.is(informer)) {
            entry.leases += 1;
        }
    }

    /// Counts one lease less. After the last one the informer is stopped, unless it was also requested without a lease.
    pub(super) fn release(&mut self, informer: &SharedInformer<()>, patience: Patience) {
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.is(informer)) else { return };
        entry.leases = entry.leases.saturating_sub(1);
        if entry.leases == 0 && !entry.held {
            self.stop(informer, patience).ok();
        }
    }

    fn place(&self, wanted: impl Fn(&Entry) -> bool) -> Option<usize> {
        self.entries.iter().position(wanted)
    }

    /// Stops an informer and no longer gives it to any request. Its cache is freed when its task has ended.
    fn dismiss(&mut self, place: usize, patience: Patience) -> Option<Ended> {
        let mut entry = self.entries.remove(place);
        let (running, engine) = (entry.running.take(), Arc::downgrade(entry.informer.engine()));
        self.leftovers.entries.push(entry);
        let running = running?;
        running.stop(patience);
        let ended = running.ended();
        self.leaving.push(Leaving { engine, running });
        Some(ended)
    }

    /// Removes informers that have stopped by themselves. Not once the factory is closed: the remaining caches can
    /// still be read.
    fn prune(&mut self) {
        self.leaving.retain(|leaving| !leaving.running.ended().is_over());
        while !self.closed {
            let Some(place) = self.place(|entry| entry.informer.is_stopped()) else { break };
            self.dismiss(place, Duration::ZERO.into());
        }
    }

    /// An informer with exactly these options. Namespaces can be added and removed, so informers limited to namespaces
    /// are not shared between two names.
    fn alike(&self, wanted: &Blueprint) -> Option<usize> {
        let options = &wanted.options;
        let comparable = options.namespaces.named().is_none() && !options.exclusive;
        self.place(|entry| {
            let held = &entry.blueprint;
            comparable && held.resource() == wanted.resource() && held.options.does_the_same(options)
        })
    }

    /// An informer of whole objects can serve a request for metadata, unless a transform of the objects' type may have
    /// changed the metadata.
    fn whole_for_metadata(&self, request: &Request) -> Option<usize> {
        if !request.slot.metadata {
            return None;
        }
        let whole = request.slot.other_face();
        let wanted = Options { metadata_only: false, ..request.blueprint.options.clone() };
        self.place(|entry| {
            let held = &entry.blueprint.options;
            entry.slots.contains(&whole)
                && wanted.does_the_same(&Options { decoded: wanted.decoded, ..held.clone() })
        })
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

    /// Returns the informer if it will never run, so that the caller ends it without holding the lock.
    fn start(&mut self, spawn: &Arc<dyn Spawn>, turns: &Turns) -> Option<SharedInformer<()>> {
        if self.running.is_some() {
            return None;
        }
        let (informer, failed) = (self.informer.clone(), self.failed.clone());
        let running = self.running.insert(Running::start(spawn, informer, failed, turns.clone()));
        running.over_at_once().then(|| self.informer.clone())
    }
}

/// Ends the waits for an informer that will never start.
impl Drop for Entry {
    fn drop(&mut self) {
        self.informer.engine().abandon();
    }
}
