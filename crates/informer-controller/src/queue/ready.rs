//! The order of what is due.
//!
//! The next one is that with the smallest `at − priority × quantum`. Within one priority that is the order in which they became
//! due, which a queue keeps without comparing anything; so there is a line for each priority, and only their heads are compared.
//! What gets a higher priority while it waits is older than the end of its new line: such strays are in order beside the line.

use std::collections::BTreeSet;

use super::entries::{Entries, NONE};

/// Nanoseconds since the queue was made.
pub(super) type Moment = i64;

/// The lowest priority, and the highest.
pub(super) const LOWEST: i8 = -8;
pub(super) const HIGHEST: i8 = 7;
const CLASSES: usize = 16;

/// Where an item waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Nowhere,
    /// For its time to come.
    Later,
    /// In the line of this class.
    Line(u8),
    /// Beside it.
    Stray(u8),
}

/// The items of one priority. Those in the line know their neighbours, so each can leave it without a search.
struct Class {
    first: u32,
    last: u32,
    strays: BTreeSet<(Moment, u32)>,
}

impl Default for Class {
    fn default() -> Self {
        Self { first: NONE, last: NONE, strays: BTreeSet::new() }
    }
}

impl Class {
    fn head<T>(&self, entries: &Entries<T>) -> Option<u32> {
        let line = (self.first != NONE).then_some(self.first);
        match (line, self.strays.first()) {
            (Some(line), Some(&(at, stray))) if at < entries[line].at => Some(stray),
            (Some(line), _) => Some(line),
            (None, stray) => stray.map(|&(_, stray)| stray),
        }
    }
}

/// All that is due.
#[derive(Default)]
pub(super) struct Ready {
    classes: [Class; CLASSES],
    /// A bit for each class that may have something.
    filled: u16,
}

impl Ready {
    /// Takes in an item that is nowhere.
    pub(super) fn push<T>(&mut self, entries: &mut Entries<T>, slot: u32) {
        let (number, at) = (class(entries[slot].priority), entries[slot].at);
        self.filled |= 1 << number;
        let class = &mut self.classes[usize::from(number)];
        let last = class.last;
        if last != NONE && entries[last].at > at {
            class.strays.insert((at, slot));
            entries[slot].place = Place::Stray(number);
            return;
        }
        match last {
            NONE => class.first = slot,
            last => entries[last].next = slot,
        }
        class.last = slot;
        let entry = &mut entries[slot];
        (entry.place, entry.previous, entry.next) = (Place::Line(number), last, NONE);
    }

    /// Lets an item go from where it waits.
    pub(super) fn remove<T>(&mut self, entries: &mut Entries<T>, slot: u32) {
        let entry = &mut entries[slot];
        let (at, previous, next) = (entry.at, entry.previous, entry.next);
        match std::mem::replace(&mut entry.place, Place::Nowhere) {
            Place::Stray(class) => drop(self.classes[usize::from(class)].strays.remove(&(at, slot))),
            Place::Line(class) => {
                let class = &mut self.classes[usize::from(class)];
                match previous {
                    NONE => class.first = next,
                    previous => entries[previous].next = next,
                }
                match next {
                    NONE => class.last = previous,
                    next => entries[next].previous = previous,
                }
            }
            Place::Nowhere | Place::Later => {}
        }
    }

    /// The next one. A priority is worth so much time.
    pub(super) fn next<T>(&mut self, entries: &Entries<T>, quantum: i64) -> Option<u32> {
        let mut best: Option<(i64, u32)> = None;
        // From the highest on, so that among equals the higher priority is first.
        for class in self.each_filled() {
            let Some(head) = self.classes[class].head(entries) else {
                self.filled &= !(1 << class);
                continue;
            };
            let at = entries[head].at.saturating_sub(i64::from(priority(class)).saturating_mul(quantum));
            if best.is_none_or(|(first, _)| at < first) {
                best = Some((at, head));
            }
        }
        best.map(|(_, head)| head)
    }

    /// What has waited longest.
    pub(super) fn oldest<T>(&self, entries: &Entries<T>) -> Option<u32> {
        let heads = self.each_filled().filter_map(|class| self.classes[class].head(entries));
        heads.min_by_key(|&head| entries[head].at)
    }

    fn each_filled(&self) -> impl Iterator<Item = usize> + use<> {
        let mut left = self.filled;
        std::iter::from_fn(move || {
            let class = left.checked_ilog2()?;
            left &= !(1 << class);
            usize::try_from(class).ok()
        })
    }
}

/// The class of a priority that is within the limits.
fn class(priority: i8) -> u8 {
    u8::try_from(i16::from(priority.clamp(LOWEST, HIGHEST)) - i16::from(LOWEST)).unwrap_or_default()
}

fn priority(class: usize) -> i8 {
    i8::try_from(class).unwrap_or(HIGHEST) + LOWEST
}
