//! A snapshot on its way to a handler: it is walked over part by part, instead of adding an entry per object.

use std::sync::Arc;

use hashbrown::HashMap;
use informer_wire::key::{KeyRef, MapKey, ObjectKey};

use super::pending::{Discard, Keep, Pending};
use crate::object::record::Record;
use crate::store::change::Change;
use crate::store::snapshot::Snapshot;

/// Why a snapshot is swept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepKind {
    /// The handler knows none of these objects yet.
    Initial,
    /// The handler has been called with all of them, and a resync is due.
    Resync,
}

/// A snapshot on its way to a handler.
pub(super) struct Sweep {
    snapshot: Snapshot,
    pub(super) kind: SweepKind,
    next_part: usize,
    /// The turn of this sweep, as a number of keys taken out of `Merge::order`: the keys that were pending when it began
    /// are delivered before it.
    pub(super) after: u64,
    /// Changes, since the sweep began, of keys in parts that are not loaded yet. They are kept here and not in
    /// `Merge::pending`, so that the object keeps its place in the sweep. `None`: the key was handed over to
    /// `Merge::pending`, and the sweep has to skip it.
    pub(super) overrides: HashMap<MapKey, Option<Pending>>,
    /// How many objects there are in parts that are neither loaded nor released.
    pub(super) left: usize,
    /// Of how many keys nothing is left to be told from here, by part: they were handed over, or their changes cancelled out.
    over: HashMap<usize, usize>,
}

impl Sweep {
    pub(super) fn new(snapshot: Snapshot, kind: SweepKind) -> Self {
        let left = snapshot.len();
        Self { snapshot, kind, next_part: 0, after: 0, overrides: HashMap::new(), left, over: HashMap::new() }
    }

    /// Whether the key is in the snapshot and has not been delivered from it yet.
    pub(super) fn awaits(&self, key: &ObjectKey) -> bool {
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
    pub(super) fn hand_over(&mut self, key: &ObjectKey, discards: &mut Vec<Discard>) -> Option<Pending> {
        self.alter(key, discards, |entry, _| entry.take())
    }

    /// Takes in a change of a key that it awaits. False if the key was taken out: it was pending beside the sweep and has been
    /// delivered since.
    pub(super) fn change(&mut self, change: &Change, keep: Keep, discards: &mut Vec<Discard>) -> bool {
        self.alter(change.key(), discards, |entry, discards| match entry {
            Some(pending) => {
                pending.merge(change, keep, discards);
                true
            }
            None => false,
        })
    }

    /// Alters what is to be delivered for a key that it awaits, and lets go of the part with the key if that was the last one of
    /// the part.
    fn alter<R>(
        &mut self,
        key: &ObjectKey,
        discards: &mut Vec<Discard>,
        alter: impl FnOnce(&mut Option<Pending>, &mut Vec<Discard>) -> R,
    ) -> R {
        let is_over = |entry: &Option<Pending>| entry.as_ref().is_none_or(Pending::is_over);
        let before = self.snapshot.get(key).map(|record| self.untouched(record));
        let entry = self.overrides.entry(MapKey(key.clone())).or_insert(before);
        let was_over = is_over(entry);
        let result = alter(entry, discards);
        let part = self.snapshot.part_of(key).unwrap_or_default();
        match (was_over, is_over(entry)) {
            (false, true) => {
                let over = self.over.entry(part).or_default();
                *over += 1;
                if *over == self.snapshot.part(part).count() {
                    self.release(part, discards);
                }
            }
            (true, false) => *self.over.entry(part).or_default() -= 1,
            _ => {}
        }
        result
    }

    /// Lets go of a part of which nothing is left to be told.
    fn release(&mut self, part: usize, discards: &mut Vec<Discard>) {
        self.over.remove(&part);
        let released = self.snapshot.take_part(part);
        for record in released.iter().flat_map(|part| part.iter()) {
            self.overrides.remove(&KeyRef::from(record.key()));
            self.left -= 1;
        }
        discards.extend(released.map(Discard::Part));
    }

    /// The next part that is not empty, as entries in order; `None` when the sweep is over. The part itself is let go of
    /// here: holding all parts until the end would keep old versions in memory, and free a million objects at once.
    pub(super) fn load(&mut self, discards: &mut Vec<Discard>) -> Option<Vec<(ObjectKey, Pending)>> {
        while self.next_part < self.snapshot.parts() {
            let part = self.snapshot.take_part(self.next_part);
            self.over.remove(&self.next_part);
            self.next_part += 1;
            let mut entries = Vec::new();
            for record in part.iter().flat_map(|part| part.iter()) {
                self.left -= 1;
                let key = record.key();
                let entry = match self.overrides.remove(&KeyRef::from(key)) {
                    Some(Some(pending)) if !pending.is_over() => pending,
                    Some(_) => continue,
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
}
