//! The rules of the queue, without clock and without locks: what is handed out when. What is said to be now may be a little
//! earlier than it was in the call before.
//!
//! An item is in exactly one state. It waits for its time ([`State::Later`]), it is due ([`State::Ready`]), a worker has it
//! ([`State::Working`]), or nothing is to be done but to remember when it last started ([`State::Resting`]).
//!
//! Whoever calls this holds the lock of the queue, so no call does much: what concerns all items goes in steps.

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, Hash};

use hashbrown::DefaultHashBuilder;

use super::entries::{Again, Entries, Entry, NONE, State};
use super::limit::RateLimit;
use super::ready::{HIGHEST, LOWEST, Moment, Place, Ready};
use super::table::Table;

/// How many items one call moves or forgets at most, beside the one that it is about.
pub(super) const STEP: usize = 1024;

/// What is set of a queue.
pub(super) struct Rules {
    pub(super) quantum: i64,
    pub(super) min_interval: i64,
    pub(super) limit: RateLimit,
}

/// How an item is added.
#[derive(Clone, Copy, Default)]
pub(super) struct Adding {
    pub(super) after: i64,
    pub(super) priority: Option<i8>,
    /// Also if it was to run sooner.
    pub(super) even_later: bool,
}

/// What a worker says of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Done,
    Failed,
    /// It has failed, and trying again would not help.
    GivenUp,
    After(i64),
    /// It was not run, and is as due as it was before it was handed out.
    PutBack,
}

impl Outcome {
    /// Whether it comes again after a time.
    pub(super) fn is_retry(self) -> bool {
        matches!(self, Self::After(_) | Self::Failed)
    }
}

/// What there is for a worker.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next<T> {
    /// This one, which was due for so long.
    Work { slot: u32, item: T, failures: u32, waited: i64 },
    /// Nothing before that time, if nothing is added.
    Nothing(Option<Moment>),
    /// Nothing any more.
    Closed,
}

/// How many items are in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) ready: usize,
    pub(super) later: usize,
    pub(super) working: usize,
}

/// A queue at one moment.
pub(super) struct Core<T> {
    rules: Rules,
    hasher: DefaultHashBuilder,
    table: Table,
    entries: Entries<T>,
    ready: Ready,
    /// What is not due yet, and what rests, by its time.
    later: BTreeSet<(Moment, u32)>,
    counts: Counts,
    resting: usize,
    /// The slots that a worker is at. What it has set aside is not among them.
    active: Vec<u32>,
    /// How many are to run again when their worker is done.
    again: usize,
    is_closed: bool,
    random: fastrand::Rng,
}

impl<T: Clone + Eq + Hash> Core<T> {
    pub(super) fn new(rules: Rules, seed: u64) -> Self {
        Self {
            rules,
            hasher: DefaultHashBuilder::default(),
            table: Table::new(),
            entries: Entries::new(),
            ready: Ready::default(),
            later: BTreeSet::new(),
            counts: Counts::default(),
            resting: 0,
            active: Vec::new(),
            again: 0,
            is_closed: false,
            random: fastrand::Rng::with_seed(seed),
        }
    }

    pub(super) fn counts(&self) -> Counts {
        self.counts
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Adds an item. Says whether that was news: it was not to run yet, or not again.
    pub(super) fn add(&mut self, now: Moment, item: T, adding: Adding) -> bool {
        if self.is_closed {
            return false;
        }
        let slot = self.slot_of(item);
        let min_interval = self.rules.min_interval;
        let entry = &mut self.entries[slot];
        let at = now.saturating_add(adding.after.max(0)).max(entry.started.saturating_add(min_interval));
        let priority = adding.priority.map(|priority| priority.clamp(LOWEST, HIGHEST));
        match entry.state {
            State::Working => {
                let news = entry.again.is_none();
                self.again += usize::from(news);
                let before = entry.again.unwrap_or(Again { at, priority: entry.priority });
                let at = if adding.even_later { at } else { at.min(before.at) };
                entry.again = Some(Again { at, priority: priority.unwrap_or(LOWEST).max(before.priority) });
                news
            }
            State::Resting => {
                entry.priority = priority.unwrap_or_default();
                self.schedule(slot, at, now);
                true
            }
            State::Later | State::Ready => {
                let raised = priority.unwrap_or(LOWEST).max(entry.priority);
                let at = if adding.even_later { at } else { at.min(entry.at) };
                if at == entry.at && raised == entry.priority {
                    return false;
                }
                entry.is_early |= entry.is_backing_off && at < entry.at;
                entry.is_backing_off &= at >= entry.at;
                entry.priority = raised;
                self.schedule(slot, at, now);
                false
            }
        }
    }

    /// Takes back what is not being worked on, or is to be once more. Says whether there was anything to take back.
    pub(super) fn cancel(&mut self, now: Moment, item: &T) -> bool {
        let hash = self.hasher.hash_one(item);
        let Some(slot) = self.table.find(&self.entries, hash, item) else { return false };
        let entry = &mut self.entries[slot];
        match entry.state {
            State::Working => {
                let was_there = entry.again.take().is_some();
                self.again -= usize::from(was_there);
                was_there
            }
            State::Resting => false,
            State::Later | State::Ready => {
                self.rest(slot, now);
                true
            }
        }
    }

    /// The next item for a worker.
    pub(super) fn next(&mut self, now: Moment) -> Next<T> {
        self.promote(now);
        let Some(slot) = self.ready.next(&self.entries, self.rules.quantum) else {
            // What was added while it is worked on comes back yet.
            let is_over = self.is_closed && self.again == 0;
            return if is_over { Next::Closed } else { Next::Nothing(self.earliest()) };
        };
        self.enter(slot, State::Working);
        let entry = &mut self.entries[slot];
        entry.before = std::mem::replace(&mut entry.started, now);
        entry.position = u32::try_from(self.active.len()).unwrap_or(NONE);
        self.active.push(slot);
        entry.is_backing_off = false;
        let (failures, waited) = (entry.failures, now - entry.at);
        match entry.item.clone() {
            Some(item) => Next::Work { slot, item, failures, waited },
            None => Next::Nothing(None),
        }
    }

    /// A worker still has an item, and does nothing for it at present.
    pub(super) fn set_aside(&mut self, slot: u32) {
        let position = std::mem::replace(&mut self.entries[slot].position, NONE);
        if position != NONE {
            self.active.swap_remove(position as usize);
            if let Some(&moved) = self.active.get(position as usize) {
                self.entries[moved].position = position;
            }
        }
    }

    /// A worker is done with an item. Gives how long it took.
    pub(super) fn finish(&mut self, now: Moment, slot: u32, outcome: Outcome) -> i64 {
        self.set_aside(slot);
        let entry = &mut self.entries[slot];
        let took = now - entry.started;
        let again = entry.again.take();
        self.again -= usize::from(again.is_some());
        // Of a queue that is closed it may be that nobody takes anything any more.
        if outcome == Outcome::PutBack && !self.is_closed {
            entry.started = entry.before;
            entry.priority = again.map_or(LOWEST, |again| again.priority).max(entry.priority);
            let at = entry.at.max(entry.before.saturating_add(self.rules.min_interval));
            self.schedule(slot, at, now);
            return took;
        }
        // An add before the queue was closed is still good. A retry is not: it might be needed for ever.
        let retry = match outcome {
            _ if self.is_closed => None,
            Outcome::Done | Outcome::GivenUp | Outcome::PutBack => None,
            Outcome::Failed if entry.is_early => Some(entry.wait),
            Outcome::Failed => {
                entry.failures = entry.failures.saturating_add(1);
                entry.wait = self.rules.limit.wait(entry.failures, now, &mut self.random);
                Some(entry.wait)
            }
            Outcome::After(wait) => Some(wait.max(0)),
        };
        let has_failed = outcome == Outcome::Failed;
        if !has_failed {
            (entry.failures, entry.wait) = (0, 0);
        }
        entry.is_early = false;
        let earliest = entry.started.saturating_add(self.rules.min_interval);
        let retry = retry.map(|wait| now.saturating_add(wait).max(earliest));
        let (at, is_retry) = match (again, retry) {
            (None, None) => {
                self.rest(slot, now);
                return took;
            }
            (None, Some(retry)) => (retry, true),
            // Nobody waits for its time any more.
            (Some(_), None) if self.is_closed => (now, false),
            (Some(again), None) => (again.at.max(earliest), false),
            (Some(again), Some(retry)) if again.at.max(earliest) < retry => (again.at.max(earliest), false),
            (Some(_), Some(retry)) => (retry, true),
        };
        if let Some(again) = again {
            entry.priority = again.priority.max(entry.priority);
        }
        entry.is_backing_off = has_failed && is_retry;
        entry.is_early = has_failed && !is_retry && retry.is_some();
        self.schedule(slot, at, now);
        took
    }

    /// Has some of what is due take its place among it. Says whether there is more: then this is to be called again.
    pub(super) fn ripen(&mut self, now: Moment) -> bool {
        self.promote(now);
        !self.is_closed && self.earliest().is_some_and(|at| at <= now)
    }

    /// Takes nothing any more. What is not due yet is [to be forgotten](Self::forget_some).
    pub(super) fn close(&mut self) {
        self.is_closed = true;
    }

    /// Forgets some of what is not due, once it is closed. Says whether there is more.
    pub(super) fn forget_some(&mut self) -> bool {
        for _ in 0..STEP {
            let Some(&(_, slot)) = self.later.first() else { return false };
            self.remove(slot);
        }
        !self.later.is_empty()
    }

    /// What has waited longest, and since when it has been due.
    pub(super) fn oldest(&self) -> Option<(&T, Moment)> {
        let entry = &self.entries[self.ready.oldest(&self.entries)?];
        Some((entry.item.as_ref()?, entry.at))
    }

    /// For how many items there is memory.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.entries.capacity().max(self.table.capacity())
    }

    /// When each item was started that a worker is at.
    pub(super) fn started(&self) -> impl Iterator<Item = Moment> {
        self.active.iter().map(|&slot| self.entries[slot].started)
    }

    /// Moves what has become due to its line, and forgets what has rested long enough: so many at a time that nobody waits for it
    /// long. Of a flood that becomes due at once, those that became due first are put in order first.
    fn promote(&mut self, now: Moment) {
        if self.is_closed {
            return;
        }
        for _ in 0..STEP {
            let Some(&(at, slot)) = self.later.first() else { return };
            if at > now {
                return;
            }
            match self.entries[slot].state {
                State::Resting => self.remove(slot),
                _ => self.schedule(slot, at, now),
            }
        }
    }

    fn earliest(&self) -> Option<Moment> {
        // What rests wakes a worker for nothing, once.
        self.later.first().map(|(at, _)| *at)
    }

    /// Puts an item where its time says.
    fn schedule(&mut self, slot: u32, at: Moment, now: Moment) {
        let state = if at <= now { State::Ready } else { State::Later };
        self.enter(slot, state);
        self.entries[slot].at = at;
        match state {
            State::Ready => self.ready.push(&mut self.entries, slot),
            _ => self.push_later(slot),
        }
    }

    /// There is nothing to do for an item. It is forgotten, unless its next run has to keep a distance from this one.
    fn rest(&mut self, slot: u32, now: Moment) {
        let entry = &mut self.entries[slot];
        (entry.is_early, entry.is_backing_off, entry.failures, entry.wait) = (false, false, 0, 0);
        let until = entry.started.saturating_add(self.rules.min_interval);
        if until <= now || self.is_closed {
            return self.remove(slot);
        }
        self.enter(slot, State::Resting);
        self.entries[slot].at = until;
        self.push_later(slot);
    }

    fn push_later(&mut self, slot: u32) {
        let entry = &mut self.entries[slot];
        entry.place = Place::Later;
        self.later.insert((entry.at, slot));
    }

    /// Changes the state of an item, which is in no place then.
    fn enter(&mut self, slot: u32, state: State) {
        let entry = &mut self.entries[slot];
        let before = std::mem::replace(&mut entry.state, state);
        match entry.place {
            Place::Nowhere => {}
            Place::Later => {
                entry.place = Place::Nowhere;
                self.later.remove(&(entry.at, slot));
            }
            Place::Line(_) | Place::Stray(_) => self.ready.remove(&mut self.entries, slot),
        }
        *self.count(before) -= 1;
        *self.count(state) += 1;
    }

    fn count(&mut self, state: State) -> &mut usize {
        match state {
            State::Resting => &mut self.resting,
            State::Later => &mut self.counts.later,
            State::Ready => &mut self.counts.ready,
            State::Working => &mut self.counts.working,
        }
    }

    /// The slot of an item, made if there is none.
    fn slot_of(&mut self, item: T) -> u32 {
        let hash = self.hasher.hash_one(&item);
        if let Some(slot) = self.table.find(&self.entries, hash, &item) {
            return slot;
        }
        self.resting += 1;
        let slot = self.entries.insert(Entry::new(item, hash));
        self.table.insert(&self.entries, slot);
        slot
    }

    fn remove(&mut self, slot: u32) {
        self.enter(slot, State::Resting);
        self.resting -= 1;
        self.table.remove(&self.entries, slot);
        self.entries.remove(slot);
    }
}
