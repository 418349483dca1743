//! The rules of the queue, without clock and without locks: what is handed out when. What is said to be now may be a little
//! earlier than it was in the call before.
//!
//! An item is in exactly one state. It waits for its time ([`State::Later`]), it is due ([`State::Ready`]), a worker has it
//! ([`State::Working`]), or nothing is to be done but to remember when it last started ([`State::Resting`]). Places in the heap and
//! in the lines are never searched for: an item that moves gets another stamp, and its old place is void.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::{BuildHasher as _, Hash};

use hashbrown::{DefaultHashBuilder, HashTable};

use super::limit::RateLimit;
use super::ready::{HIGHEST, LOWEST, Moment, Place, Ready};

/// What is set of a queue.
pub(super) struct Rules {
    pub(super) quantum: i64,
    pub(super) min_interval: i64,
    pub(super) limit: RateLimit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Resting,
    Later,
    Ready,
    Working,
}

/// So many void places are never too many.
const MANY: usize = 1024;

/// The position of what no worker is at.
const ASIDE: u32 = u32::MAX;

/// The time of what has not happened. Whatever is added to it is long ago.
const NEVER: Moment = Moment::MIN;

/// An item was added while a worker had it.
#[derive(Clone, Copy)]
struct Again {
    at: Moment,
    priority: i8,
}

struct Entry<T> {
    /// `None` if the slot is free.
    item: Option<T>,
    hash: u64,
    state: State,
    stamp: u32,
    priority: i8,
    /// It waits because it failed.
    is_backing_off: bool,
    /// It runs, or is to run, before the end of the wait that its last failure led to.
    is_early: bool,
    /// When it is or was due; of one that rests, when it may be forgotten.
    at: Moment,
    started: Moment,
    /// When it was started before that.
    before: Moment,
    failures: u32,
    /// Where it is in the list of what is worked on.
    position: u32,
    /// How long it had to wait after its last failure.
    wait: i64,
    again: Option<Again>,
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
    /// Slots by item.
    table: HashTable<u32>,
    entries: Vec<Entry<T>>,
    free: Vec<u32>,
    ready: Ready,
    later: BinaryHeap<Reverse<Place>>,
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
            table: HashTable::new(),
            entries: Vec::new(),
            free: Vec::new(),
            ready: Ready::default(),
            later: BinaryHeap::new(),
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
        let entry = &mut self.entries[slot as usize];
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
        let Some(&slot) =
            self.table.find(hash, |&slot| self.entries[slot as usize].item.as_ref() == Some(item))
        else {
            return false;
        };
        let entry = &mut self.entries[slot as usize];
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
        let entries = &self.entries;
        let live = |place: &Place| entries[place.slot as usize].stamp == place.stamp;
        let Some(place) = self.ready.pop(self.rules.quantum, live) else {
            // What was added while it is worked on comes back yet.
            let is_over = self.is_closed && self.again == 0;
            return if is_over { Next::Closed } else { Next::Nothing(self.earliest()) };
        };
        let slot = place.slot;
        self.enter(slot, State::Working);
        let entry = &mut self.entries[slot as usize];
        entry.before = std::mem::replace(&mut entry.started, now);
        entry.position = u32::try_from(self.active.len()).unwrap_or(ASIDE);
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
        let position = std::mem::replace(&mut self.entries[slot as usize].position, ASIDE);
        if position != ASIDE {
            self.active.swap_remove(position as usize);
            if let Some(&moved) = self.active.get(position as usize) {
                self.entries[moved as usize].position = position;
            }
        }
    }

    /// A worker is done with an item. Gives how long it took.
    pub(super) fn finish(&mut self, now: Moment, slot: u32, outcome: Outcome) -> i64 {
        self.set_aside(slot);
        let entry = &mut self.entries[slot as usize];
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

    /// Takes nothing any more, and forgets what is not due yet.
    pub(super) fn close(&mut self, now: Moment) {
        self.promote(now);
        self.is_closed = true;
        self.later.clear();
        for slot in 0..self.entries.len() {
            if matches!(self.entries[slot].state, State::Later | State::Resting)
                && self.entries[slot].item.is_some()
            {
                self.remove(u32::try_from(slot).unwrap_or_default());
            }
        }
    }

    /// What has waited longest, and since when it has been due.
    pub(super) fn oldest(&mut self) -> Option<(&T, Moment)> {
        let entries = &self.entries;
        let place = self.ready.oldest(|place| entries[place.slot as usize].stamp == place.stamp)?;
        Some((entries[place.slot as usize].item.as_ref()?, place.at))
    }

    /// How many places there are, void ones included.
    #[cfg(test)]
    pub(super) fn places(&self) -> usize {
        self.ready.places() + self.later.len()
    }

    /// When each item was started that a worker is at.
    pub(super) fn started(&self) -> impl Iterator<Item = Moment> {
        self.active.iter().map(|&slot| self.entries[slot as usize].started)
    }

    /// Moves what has become due to its line, and forgets what has rested long enough.
    fn promote(&mut self, now: Moment) {
        while let Some(&Reverse(place)) = self.later.peek() {
            let entry = &self.entries[place.slot as usize];
            let is_live = entry.stamp == place.stamp;
            if is_live && place.at > now {
                return;
            }
            self.later.pop();
            if is_live && entry.state == State::Resting {
                self.remove(place.slot);
            } else if is_live {
                self.schedule(place.slot, place.at, now);
            }
        }
    }

    fn earliest(&self) -> Option<Moment> {
        // The first of the heap is live: `promote` has been called, and only entries that move make places void. What rests
        // wakes a worker for nothing, once.
        self.later.peek().map(|Reverse(place)| place.at)
    }

    /// Puts an item where its time says.
    fn schedule(&mut self, slot: u32, at: Moment, now: Moment) {
        let state = if at <= now { State::Ready } else { State::Later };
        let stamp = self.enter(slot, state);
        let entry = &mut self.entries[slot as usize];
        entry.at = at;
        let (priority, place) = (entry.priority, Place { at, slot, stamp });
        match state {
            State::Ready => {
                self.ready.push(priority, place);
                // Void places go when it is their turn. Where items are taken back again and again, that would be too late.
                if self.ready.places() > MANY + 2 * self.counts.ready {
                    let entries = &self.entries;
                    self.ready.retain(|place| entries[place.slot as usize].stamp == place.stamp);
                }
            }
            _ => self.push_later(place),
        }
    }

    /// There is nothing to do for an item. It is forgotten, unless its next run has to keep a distance from this one.
    fn rest(&mut self, slot: u32, now: Moment) {
        let entry = &mut self.entries[slot as usize];
        (entry.is_early, entry.is_backing_off, entry.failures, entry.wait) = (false, false, 0, 0);
        let until = entry.started.saturating_add(self.rules.min_interval);
        if until <= now || self.is_closed {
            return self.remove(slot);
        }
        entry.at = until;
        let stamp = self.enter(slot, State::Resting);
        self.push_later(Place { at: until, slot, stamp });
    }

    fn push_later(&mut self, place: Place) {
        // As above.
        if self.later.len() > MANY + 2 * (self.counts.later + self.resting) {
            let entries = &self.entries;
            self.later.retain(|Reverse(place)| entries[place.slot as usize].stamp == place.stamp);
        }
        self.later.push(Reverse(place));
    }

    /// Makes the item's place void, and gives the stamp for its next one.
    fn enter(&mut self, slot: u32, state: State) -> u32 {
        let entry = &mut self.entries[slot as usize];
        let before = std::mem::replace(&mut entry.state, state);
        entry.stamp = entry.stamp.wrapping_add(1);
        let stamp = entry.stamp;
        *self.count(before) -= 1;
        *self.count(state) += 1;
        stamp
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
        let found = self.table.find(hash, |&slot| self.entries[slot as usize].item.as_ref() == Some(&item));
        if let Some(&slot) = found {
            return slot;
        }
        let entry = Entry {
            item: Some(item),
            hash,
            state: State::Resting,
            stamp: 0,
            priority: 0,
            is_backing_off: false,
            is_early: false,
            at: 0,
            started: NEVER,
            before: NEVER,
            failures: 0,
            position: ASIDE,
            wait: 0,
            again: None,
        };
        self.resting += 1;
        let slot = match self.free.pop() {
            Some(slot) => {
                // Places of the one before are void for this one, too.
                let stamp = self.entries[slot as usize].stamp;
                self.entries[slot as usize] = Entry { stamp, ..entry };
                slot
            }
            None => {
                self.entries.push(entry);
                u32::try_from(self.entries.len() - 1).unwrap_or(u32::MAX)
            }
        };
        let entries = &self.entries;
        self.table.insert_unique(hash, slot, |&slot| entries[slot as usize].hash);
        slot
    }

    fn remove(&mut self, slot: u32) {
        self.enter(slot, State::Resting);
        self.resting -= 1;
        let entry = &mut self.entries[slot as usize];
        entry.item = None;
        if let Ok(found) = self.table.find_entry(entry.hash, |&other| other == slot) {
            found.remove();
        }
        self.free.push(slot);
    }
}
