//! The pending events of one handler: bounded by the number of keys, whatever the number of changes.
//!
//! A handler that keeps up is called with every change. For a handler that falls behind, the changes of each key are
//! merged into one: the difference between the version that the handler was last called with and the version in the
//! store at the time of the call. The first snapshot and a resync are *sweeps*: they walk over a shared snapshot,
//! loaded part by part, instead of adding an entry per object.
//!
//! What has to hold:
//!
//! - A key is pending in one place only: in `pending`, or in one sweep that has not reached it. Otherwise its events
//!   could be delivered twice, or in the wrong order.
//! - For each key the handler is called with a legal history: added, updated, deleted, added. The `old` of an update is
//!   the state that the handler was last called with.
//! - Keys are delivered in the order in which they became pending, so that a key that changes all the time cannot keep
//!   another one waiting.
//! - A key whose changes cancel out (added and deleted before its turn) is not delivered at all.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;

use hashbrown::HashMap;
use informer_wire::key::{KeyRef, MapKey, ObjectKey};

use crate::handler::delivery::Delivery;
use crate::handler::pending::{Discard, Keep, Pending};
use crate::object::record::Record;
use crate::store::change::Change;
use crate::store::snapshot::Snapshot;

/// Why a snapshot is swept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SweepKind {
    /// The handler knows none of these objects yet.
    Initial,
    /// The handler has been called with all of them, and a resync is due.
    Resync,
}

/// A snapshot on its way to a handler.
struct Sweep {
    snapshot: Snapshot,
    kind: SweepKind,
    next_part: usize,
    /// The turn of this sweep, as a number of keys taken out of [`Merge::order`]: the keys that were pending when it began
    /// are delivered before it.
    after: u64,
    /// Changes, since the sweep began, of keys in parts that are not loaded yet. They are kept here and not in
    /// `Merge::pending`, so that the object keeps its place in the sweep. `None`: the key was handed over to
    /// `Merge::pending`, and the sweep has to skip it.
    overrides: HashMap<MapKey, Option<Pending>>,
}

impl Sweep {
    fn new(snapshot: Snapshot, kind: SweepKind) -> Self {
        Self { snapshot, kind, next_part: 0, after: 0, overrides: HashMap::new() }
    }

    /// Whether the key is in the snapshot and has not been delivered from it yet.
    fn awaits(&self, key: &ObjectKey) -> bool {
        self.snapshot.part_of(key).is_some_and(|part| part >= self.next_part)
            && self.snapshot.get(key).is_some()
    }

    /// The event to deliver for an object of the snapshot that has not changed since the sweep began.
    fn untouched(&self, record: &Arc<Record>) -> Pending {
        match self.kind {
            SweepKind::Initial => Pending::initial(record.clone()),
            SweepKind::Resync => Pending::resync(record.clone()),
        }
    }

    /// Takes a key out of the sweep, because it is pending elsewhere and will be delivered earlier, and gives back what the
    /// sweep would have delivered. `None` if it was taken out before.
    fn hand_over(&mut self, key: &ObjectKey) -> Option<Pending> {
        match self.overrides.insert(MapKey(key.clone()), None) {
            Some(handed) => handed,
            None => self.snapshot.get(key).map(|record| self.untouched(record)),
        }
    }

    /// The next part that is not empty, as entries in order; `None` when the sweep is over. The part itself is let go of
    /// here: holding all parts until the end would keep old versions in memory, and free a million objects at once.
    fn load(&mut self, discards: &mut Vec<Discard>) -> Option<Vec<(ObjectKey, Pending)>> {
        while self.next_part < self.snapshot.parts() {
            let part = self.snapshot.take_part(self.next_part);
            self.next_part += 1;
            let mut entries = Vec::new();
            for record in part.iter().flat_map(|part| part.iter()) {
                let key = record.key();
                let entry = match self.overrides.remove(&KeyRef::from(key)) {
                    Some(Some(pending)) => pending,
                    Some(None) => continue,
                    None => self.untouched(record),
                };
                entries.push((key.clone(), entry));
            }
            discards.extend(part.map(Discard::Part));
            if !entries.is_empty() {
                return Some(entries);
            }
        }
        None
    }

    fn left(&self) -> usize {
        (self.next_part..self.snapshot.parts()).map(|part| self.snapshot.part(part).count()).sum()
    }
}

/// Changes merged per key.
#[derive(Default)]
struct Merge {
    pending: HashMap<MapKey, Pending>,
    /// Keys of the part that was loaded from the first sweep. They come before `order`: they have been pending since the
    /// sweep began, and all that was pending before that has been delivered, or nothing would have been loaded.
    loaded: VecDeque<ObjectKey>,
    /// Keys in the order they became pending.
    order: VecDeque<ObjectKey>,
    /// How many have been taken out of `order` so far. Only goes up, so that a sweep can name its turn by it.
    taken: u64,
    /// In order. The first one stays until all that was loaded from it has been taken: while it is here the handler does
    /// not count as synced.
    sweeps: VecDeque<Sweep>,
    keep: Keep,
    /// How many changes have gone into one that was waiting already.
    merged: u64,
    discards: Vec<Discard>,
}

impl Merge {
    fn change(&mut self, change: &Change) {
        let key = change.key();
        // A key can be in several sweeps, if its namespace was removed and added again meanwhile. The last sweep is of the
        // newest snapshot, so it is the one that this change follows.
        let sweep = self.sweeps.iter_mut().rfind(|sweep| sweep.awaits(key));
        if let Some(pending) = self.pending.get_mut(&KeyRef::from(key)) {
            // A resync of a key that has a real change waiting is covered by that change.
            if let Some(next) = sweep.and_then(|sweep| sweep.hand_over(key)) {
                pending.succeed(next, self.keep, &mut self.discards);
            }
            pending.merge(change, self.keep, &mut self.discards);
            self.merged += 1;
            return;
        }
        let Some(sweep) = sweep else {
            self.pending.insert(MapKey(key.clone()), Pending::from_change(change));
            self.order.push_back(key.clone());
            return;
        };
        let before = sweep.snapshot.get(key).map(|record| sweep.untouched(record));
        match sweep.overrides.entry(MapKey(key.clone())).or_insert(before) {
            Some(pending) => {
                pending.merge(change, self.keep, &mut self.discards);
                self.merged += 1;
            }
            // The key was pending beside the sweep and has been delivered since.
            None => {
                self.pending.insert(MapKey(key.clone()), Pending::from_change(change));
                self.order.push_back(key.clone());
            }
        }
    }

    /// Adds a sweep behind all that waits.
    fn sweep(&mut self, sweep: Sweep) {
        let after = self.taken + self.order.len() as u64;
        self.sweeps.push_back(Sweep { after, ..sweep });
    }

    fn next(&mut self, out: &mut VecDeque<Delivery>) -> bool {
        self.load();
        // A later sweep can hold the same key: its namespace was removed, which is the delete to be delivered now, and added
        // again, which is that sweep. Both are delivered together, or an update could come before the delete. For a key that
        // was just loaded the first sweep is the one that it came from.
        let (key, later) = match self.loaded.pop_front() {
            Some(key) => (key, 1),
            None => {
                let Some(key) = self.order.pop_front() else { return false };
                self.taken += 1;
                (key, 0)
            }
        };
        if let Some(mut pending) = self.pending.remove(&KeyRef::from(&key)) {
            for sweep in self.sweeps.iter_mut().skip(later).filter(|sweep| sweep.awaits(&key)) {
                if let Some(next) = sweep.hand_over(&key) {
                    pending.succeed(next, self.keep, &mut self.discards);
                }
            }
            pending.deliver(out, &mut self.discards);
        }
        true
    }

    /// Loads from the first sweep if its turn has come and nothing of it is loaded.
    fn load(&mut self) {
        while self.loaded.is_empty() {
            let Some(sweep) = self.sweeps.front_mut().filter(|sweep| sweep.after <= self.taken) else {
                return;
            };
            let Some(entries) = sweep.load(&mut self.discards) else {
                self.sweeps.pop_front();
                continue;
            };
            for (key, pending) in entries {
                let waiting = self.pending.insert(MapKey(key.clone()), pending);
                debug_assert!(waiting.is_none(), "{key} waits before its sweep and was not handed over");
                self.loaded.push_back(key);
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.pending.is_empty() && self.sweeps.is_empty()
    }

    fn initial_left(&self) -> bool {
        self.sweeps.iter().any(|sweep| sweep.kind == SweepKind::Initial)
    }

    fn backlog(&self) -> usize {
        self.pending.len() + self.sweeps.iter().map(Sweep::left).sum::<usize>()
    }
}

/// An entry of the log of a handler with `every_event`.
enum Logged {
    Change(Change),
    Sweep(Sweep),
}

/// Every event in stream order, up to a limit. Sweeps do not count: they share their snapshot with the store.
struct Log {
    limit: usize,
    entries: VecDeque<Logged>,
    changes: usize,
}

/// The pending events of one handler. See the module.
pub(crate) struct Mailbox {
    /// Only with `every_event`. Events go either here or into `merge`, never into both: once the log has overflowed, the
    /// merge takes all until it is empty, or events would overtake each other.
    log: Option<Log>,
    merge: Merge,
    /// Taken out of the log or the merge, next to be delivered.
    ready: VecDeque<Delivery>,
    upstream_synced: bool,
    /// Whether initial objects were handed out and the handler may not have returned from them yet: it counts as synced only
    /// after that.
    initial_in_flight: bool,
}

impl Mailbox {
    /// A mailbox that merges per key, or that keeps up to `every_event` changes in stream order before it does.
    pub(crate) fn new(every_event: Option<usize>) -> Self {
        let log = every_event.map(|limit| Log { limit, entries: VecDeque::new(), changes: 0 });
        Self {
            log,
            merge: Merge::default(),
            ready: VecDeque::new(),
            upstream_synced: false,
            initial_in_flight: false,
        }
    }

    /// Which version is kept of a deleted object while a new one of the same key is pending as well.
    pub(crate) fn keeping(mut self, keep: Keep) -> Self {
        self.merge.keep = keep;
        self
    }

    /// A change that the store has committed.
    pub(crate) fn change(&mut self, change: &Change) {
        match &mut self.log {
            Some(log) if self.merge.is_empty() => {
                if log.changes < log.limit {
                    log.entries.push_back(Logged::Change(change.clone()));
                    log.changes += 1;
                } else {
                    self.overflow();
                    self.merge.change(change);
                }
            }
            _ => self.merge.change(change),
        }
    }

    /// A snapshot of the commit made last: all of it for a late joiner or a resync, one scope when that first filled.
    pub(crate) fn sweep(&mut self, snapshot: Snapshot, kind: SweepKind) {
        if kind == SweepKind::Resync && self.sweeping() {
            return; // The handler is about to hear of all objects anyway, and a slow one must not collect sweeps.
        }
        let sweep = Sweep::new(snapshot, kind);
        match &mut self.log {
            Some(log) if self.merge.is_empty() => log.entries.push_back(Logged::Sweep(sweep)),
            _ => self.merge.sweep(sweep),
        }
    }

    /// All scopes of the informer have filled.
    pub(crate) fn upstream_synced(&mut self) {
        self.upstream_synced = true;
    }

    /// The next deliveries, at most about `most`; none if nothing is pending. The previous deliveries count as done.
    pub(crate) fn take(&mut self, most: usize) -> Vec<Delivery> {
        // Checked before taking: an initial object whose key had an earlier delete pending is not delivered as
        // `initial`.
        let filling = self.merge.initial_left();
        while self.ready.len() < most && self.refill() {}
        let taken: Vec<_> = self.ready.drain(..self.ready.len().min(most)).collect();
        self.initial_in_flight = !taken.is_empty() && (filling || taken.iter().any(Delivery::is_initial));
        taken
    }

    /// What is no longer needed, to be dropped without a lock.
    pub(crate) fn discards(&mut self) -> Vec<Discard> {
        mem::take(&mut self.merge.discards)
    }

    /// Whether the informer has filled its cache, and the handler has been called with all initial objects.
    pub(crate) fn is_synced(&self) -> bool {
        let log_initial = self
            .log
            .iter()
            .flat_map(|log| &log.entries)
            .any(|entry| matches!(entry, Logged::Sweep(Sweep { kind: SweepKind::Initial, .. })));
        self.upstream_synced
            && !self.initial_in_flight
            && !log_initial
            && !self.merge.initial_left()
            && !self.ready.iter().any(Delivery::is_initial)
    }

    /// How many events wait, keys that merged counted once.
    pub(crate) fn backlog(&self) -> usize {
        let logged = self.log.iter().flat_map(|log| &log.entries).map(|entry| match entry {
            Logged::Change(_) => 1,
            Logged::Sweep(sweep) => sweep.left(),
        });
        self.ready.len() + self.merge.backlog() + logged.sum::<usize>()
    }

    /// The same without the objects of sweeps, which would have to be counted: cheap enough to be called after every
    /// commit.
    pub(crate) fn pending(&self) -> usize {
        self.ready.len() + self.merge.pending.len() + self.log.as_ref().map_or(0, |log| log.changes)
    }

    /// How many changes were merged into an earlier one of the same key.
    pub(crate) fn merged(&self) -> u64 {
        self.merge.merged
    }

    /// Forgets everything: the handler was removed. What it held is given back, to be dropped without a lock: decoded
    /// objects are of a user's type.
    pub(crate) fn clear(&mut self) -> Self {
        mem::replace(self, Self { upstream_synced: self.upstream_synced, ..Self::new(None) })
    }

    fn sweeping(&self) -> bool {
        let logged = self.log.iter().flat_map(|log| &log.entries);
        !self.merge.sweeps.is_empty() || logged.into_iter().any(|entry| matches!(entry, Logged::Sweep(_)))
    }

    /// Moves something from the log or the merge to `ready`; false if both are empty.
    fn refill(&mut self) -> bool {
        let Some(log) = &mut self.log else { return self.merge.next(&mut self.ready) };
        match log.entries.front_mut() {
            None => self.merge.next(&mut self.ready),
            Some(Logged::Change(_)) => {
                log.changes -= 1;
                if let Some(Logged::Change(change)) = log.entries.pop_front() {
                    Pending::from_change(&change).deliver(&mut self.ready, &mut self.merge.discards);
                    self.merge.discards.push(Discard::Change(change));
                }
                true
            }
            Some(Logged::Sweep(sweep)) => {
                match sweep.load(&mut self.merge.discards) {
                    Some(entries) => {
                        for (_, pending) in entries {
                            pending.deliver(&mut self.ready, &mut self.merge.discards);
                        }
                    }
                    None => {
                        log.entries.pop_front();
                    }
                }
                true
            }
        }
    }

    /// The log is full: its entries are merged per key, and the handler gets [`Delivery::Merged`] first.
    fn overflow(&mut self) {
        let Some(log) = &mut self.log else { return };
        self.ready.push_back(Delivery::Merged);
        log.changes = 0;
        for entry in mem::take(&mut log.entries) {
            match entry {
                Logged::Change(change) => {
                    self.merge.change(&change);
                    self.merge.discards.push(Discard::Change(change));
                }
                Logged::Sweep(sweep) => self.merge.sweep(sweep),
            }
        }
    }
}

#[cfg(test)]
mod tests;
