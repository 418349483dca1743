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
//! - Whatever comes and goes, the mailbox holds a few versions of each key: a sweep lets go of each part of its snapshot of
//!   which nothing is left to be told.

pub mod delivery;
pub mod pending;
mod sweep;

use std::collections::VecDeque;
use std::mem;

use hashbrown::HashMap;
use informer_wire::key::{KeyRef, MapKey, ObjectKey};

use self::sweep::Sweep;
pub use self::sweep::SweepKind;
use crate::mailbox::delivery::Delivery;
use crate::mailbox::pending::{Discard, Keep, Pending};
use crate::store::change::Change;
use crate::store::snapshot::Snapshot;

/// How many entries of a log that has overflowed are merged when a handler takes its next events, at most: the mailbox is locked
/// meanwhile.
const STEP: usize = 256;

/// The same when a change comes in: more than one, so that the log comes to an end.
const STEP_OF_CHANGE: usize = 2;

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
        let (discards, keep) = (&mut self.discards, self.keep);
        let sweep = self.sweeps.iter_mut().rfind(|sweep| sweep.awaits(key));
        let mut is_swept = false;
        if let Some(pending) = self.pending.get_mut(&KeyRef::from(key)) {
            if let Some(sweep) = sweep {
                // A resync of a key that has a real change waiting is covered by that change.
                if let Some(next) = sweep.hand_over(key, discards) {
                    pending.succeed(next, keep, discards);
                }
                is_swept = sweep.left == 0;
            }
            pending.merge(change, keep, discards);
            self.merged += 1;
        } else if let Some(sweep) = sweep
            && sweep.change(change, keep, discards)
        {
            self.merged += 1;
            is_swept = sweep.left == 0;
        } else {
            self.pending.insert(MapKey(key.clone()), Pending::from_change(change));
            self.order.push_back(key.clone());
        }
        if is_swept {
            self.drop_swept();
        }
    }

    /// Adds a sweep behind all that waits.
    fn sweep(&mut self, mut sweep: Sweep) {
        let after = self.taken + self.order.len() as u64;
        sweep.after = after;
        self.sweeps.push_back(sweep);
    }

    /// Forgets sweeps of which nothing is left. The first one stays while something that was loaded from it waits, and the last
    /// initial one until its turn: what was handed over is told by then, and only then the handler counts as synced.
    fn drop_swept(&mut self) {
        let last = self.sweeps.iter().rposition(|sweep| sweep.kind == SweepKind::Initial);
        let (loaded, mut sweeps) = (!self.loaded.is_empty(), 0..);
        self.sweeps.retain(|sweep| {
            let at = sweeps.next();
            sweep.left > 0 || (loaded && at == Some(0)) || (last.is_some() && at == last)
        });
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
            let mut is_swept = false;
            for sweep in self.sweeps.iter_mut().skip(later).filter(|sweep| sweep.awaits(&key)) {
                if let Some(next) = sweep.hand_over(&key, &mut self.discards) {
                    pending.succeed(next, self.keep, &mut self.discards);
                }
                is_swept |= sweep.left == 0;
            }
            pending.deliver(out, &mut self.discards);
            if is_swept {
                self.drop_swept();
            }
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
        self.pending.len() + self.sweeps.iter().map(|sweep| sweep.left).sum::<usize>()
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
    /// The limit was passed. The entries go into the merge from the front, a few at a time, and what is new goes to the back.
    merging: bool,
}

/// The pending events of one handler. See the module.
pub struct Mailbox {
    /// Only with `every_event`. What was merged is older than what is here, and delivered first: once the log has overflowed, the
    /// merge takes all until both are empty, or events would overtake each other.
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
    pub fn new(every_event: Option<usize>) -> Self {
        let log =
            every_event.map(|limit| Log { limit, entries: VecDeque::new(), changes: 0, merging: false });
        Self {
            log,
            merge: Merge::default(),
            ready: VecDeque::new(),
            upstream_synced: false,
            initial_in_flight: false,
        }
    }

    /// Which version is kept of a deleted object while a new one of the same key is pending as well.
    pub fn keeping(mut self, keep: Keep) -> Self {
        self.merge.keep = keep;
        self
    }

    /// A change that the store has committed.
    pub fn change(&mut self, change: &Change) {
        match &mut self.log {
            Some(log) if log.merging || self.merge.is_empty() => {
                if !log.merging && log.changes >= log.limit {
                    log.merging = true;
                    self.ready.push_back(Delivery::Merged);
                }
                log.entries.push_back(Logged::Change(change.clone()));
                log.changes += 1;
                self.merge_log(STEP_OF_CHANGE);
            }
            _ => self.merge.change(change),
        }
    }

    /// A snapshot of the commit made last: all of it for a late joiner or a resync, one scope when that first filled.
    pub fn sweep(&mut self, snapshot: Snapshot, kind: SweepKind) {
        if snapshot.is_empty() || (kind == SweepKind::Resync && self.sweeping()) {
            return; // The handler is about to hear of all objects anyway, and a slow one must not collect sweeps.
        }
        let sweep = Sweep::new(snapshot, kind);
        match &mut self.log {
            Some(log) if log.merging || self.merge.is_empty() => log.entries.push_back(Logged::Sweep(sweep)),
            _ => self.merge.sweep(sweep),
        }
    }

    /// All scopes of the informer have filled.
    pub fn upstream_synced(&mut self) {
        self.upstream_synced = true;
    }

    /// The next deliveries, at most about `most`; none if nothing is pending, or if there is still [to be
    /// merged](Self::is_merging). The previous deliveries count as done.
    pub fn take(&mut self, most: usize) -> Vec<Delivery> {
        self.merge_log(STEP);
        // Checked before taking: an initial object whose key had an earlier delete pending is not delivered as
        // `initial`.
        let filling = self.merge.initial_left();
        while self.ready.len() < most && self.refill() {}
        let taken: Vec<_> = self.ready.drain(..self.ready.len().min(most)).collect();
        self.initial_in_flight = !taken.is_empty() && (filling || taken.iter().any(Delivery::is_initial));
        taken
    }

    /// Whether a log that overflowed is not merged yet: then there may be more, although nothing could be taken.
    pub fn is_merging(&self) -> bool {
        self.log.as_ref().is_some_and(|log| log.merging)
    }

    /// What is no longer needed, to be dropped without a lock.
    pub fn discards(&mut self) -> Vec<Discard> {
        mem::take(&mut self.merge.discards)
    }

    /// Whether the informer has filled its cache, and the handler has been called with all initial objects.
    pub fn is_synced(&self) -> bool {
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
    pub fn backlog(&self) -> usize {
        let logged = self.log.iter().flat_map(|log| &log.entries).map(|entry| match entry {
            Logged::Change(_) => 1,
            Logged::Sweep(sweep) => sweep.left,
        });
        self.ready.len() + self.merge.backlog() + logged.sum::<usize>()
    }

    /// The same without the objects of sweeps, which would have to be counted: cheap enough to be called after every
    /// commit.
    pub fn pending(&self) -> usize {
        self.ready.len() + self.merge.pending.len() + self.log.as_ref().map_or(0, |log| log.changes)
    }

    /// How many changes were merged into an earlier one of the same key.
    pub fn merged(&self) -> u64 {
        self.merge.merged
    }

    /// Forgets everything: the handler was removed. What it held is given back, to be dropped without a lock: decoded
    /// objects are of a user's type.
    pub fn clear(&mut self) -> Self {
        mem::replace(self, Self { upstream_synced: self.upstream_synced, ..Self::new(None) })
    }

    fn sweeping(&self) -> bool {
        let logged = self.log.iter().flat_map(|log| &log.entries);
        !self.merge.sweeps.is_empty() || logged.into_iter().any(|entry| matches!(entry, Logged::Sweep(_)))
    }

    /// Moves something from the log or the merge to `ready`; false if both are empty.
    fn refill(&mut self) -> bool {
        let log = self.log.as_mut().filter(|log| !log.merging);
        let Some(log) = log else { return self.merge.next(&mut self.ready) };
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

    /// Merges some entries of a log that has overflowed, per key.
    fn merge_log(&mut self, most: usize) {
        let Some(log) = self.log.as_mut().filter(|log| log.merging) else { return };
        for entry in log.entries.drain(..most.min(log.entries.len())) {
            match entry {
                Logged::Change(change) => {
                    log.changes -= 1;
                    self.merge.change(&change);
                    self.merge.discards.push(Discard::Change(change));
                }
                Logged::Sweep(sweep) => self.merge.sweep(sweep),
            }
        }
        log.merging = !log.entries.is_empty();
    }
}

#[cfg(test)]
mod tests;
