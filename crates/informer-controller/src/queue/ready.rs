//! The order of what is due.
//!
//! The next one is that with the smallest `at − priority × quantum`. Within one priority that is the order in which they became
//! due, which a queue keeps without comparing anything; so there is a line for each priority, and only their heads are compared.
//! What gets a higher priority while it waits is older than the end of its new line: such strays are in a heap beside the line.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Nanoseconds since the queue was made.
pub(super) type Moment = i64;

/// The lowest priority, and the highest.
pub(super) const LOWEST: i8 = -8;
pub(super) const HIGHEST: i8 = 7;
const CLASSES: usize = 16;

/// A place in a line. It is void if the entry has another stamp by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// When it became due.
    pub(super) at: Moment,
    pub(super) slot: u32,
    pub(super) stamp: u32,
}

#[derive(Default)]
struct Class {
    line: VecDeque<Place>,
    strays: BinaryHeap<Reverse<Place>>,
}

impl Class {
    /// The first that is not void.
    fn head(&mut self, places: &mut usize, is_live: &impl Fn(&Place) -> bool) -> Option<Place> {
        while self.line.front().is_some_and(|place| !is_live(place)) {
            self.line.pop_front();
            *places -= 1;
        }
        while self.strays.peek().is_some_and(|Reverse(place)| !is_live(place)) {
            self.strays.pop();
            *places -= 1;
        }
        let (line, stray) = (self.line.front().copied(), self.strays.peek().map(|Reverse(place)| *place));
        match (line, stray) {
            (Some(line), Some(stray)) if stray.at < line.at => Some(stray),
            (Some(line), _) => Some(line),
            (None, stray) => stray,
        }
    }

    fn remove_head(&mut self, head: Place) {
        if self.line.front() == Some(&head) {
            self.line.pop_front();
        } else {
            self.strays.pop();
        }
    }
}

/// All that is due.
#[derive(Default)]
pub(super) struct Ready {
    classes: [Class; CLASSES],
    /// A bit for each class that may have something.
    filled: u16,
    /// How many places there are, void ones included.
    places: usize,
}

impl Ready {
    pub(super) fn push(&mut self, priority: i8, place: Place) {
        let class = class(priority);
        self.filled |= 1 << class;
        self.places += 1;
        let class = &mut self.classes[class];
        match class.line.back() {
            Some(last) if last.at > place.at => class.strays.push(Reverse(place)),
            _ => class.line.push_back(place),
        }
    }

    /// Takes the first. A priority is worth so much time.
    pub(super) fn pop(&mut self, quantum: i64, is_live: impl Fn(&Place) -> bool) -> Option<Place> {
        let mut best: Option<(i64, usize, Place)> = None;
        // From the highest on, so that among equals the higher priority is first.
        for class in self.each_filled() {
            let Some(head) = self.classes[class].head(&mut self.places, &is_live) else {
                self.filled &= !(1 << class);
                continue;
            };
            let place = head.at.saturating_sub(i64::from(priority(class)).saturating_mul(quantum));
            if best.is_none_or(|(first, _, _)| place < first) {
                best = Some((place, class, head));
            }
        }
        let (_, class, head) = best?;
        self.classes[class].remove_head(head);
        self.places -= 1;
        Some(head)
    }

    /// What has waited longest.
    pub(super) fn oldest(&mut self, is_live: impl Fn(&Place) -> bool) -> Option<Place> {
        let heads =
            self.each_filled().filter_map(|class| self.classes[class].head(&mut self.places, &is_live));
        heads.min_by_key(|head| head.at)
    }

    /// How many places there are, void ones included.
    pub(super) fn places(&self) -> usize {
        self.places
    }

    /// Forgets the void ones.
    pub(super) fn retain(&mut self, is_live: impl Fn(&Place) -> bool) {
        for class in &mut self.classes {
            class.line.retain(&is_live);
            class.strays.retain(|Reverse(place)| is_live(place));
        }
        self.places = self.classes.iter().map(|class| class.line.len() + class.strays.len()).sum();
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
fn class(priority: i8) -> usize {
    usize::try_from(i16::from(priority.clamp(LOWEST, HIGHEST)) - i16::from(LOWEST)).unwrap_or_default()
}

fn priority(class: usize) -> i8 {
    i8::try_from(class).unwrap_or(HIGHEST) + LOWEST
}
