//! The items of a queue and their states, in pieces: nothing that is large is ever copied or cleared in one go, and pieces that
//! have become empty are given back.

use std::collections::BTreeSet;
use std::ops::{Index, IndexMut};

use super::ready::{Moment, Place};

/// How many entries are allocated together: enough that an allocator may take a piece from the system, and give it back, on its own.
/// That of glibc does so for the first flood: when it has given one back, it keeps pieces of that size for later ones.
const PIECE: usize = 1024;
/// The slot of nothing.
pub(super) const NONE: u32 = u32::MAX;

/// The time of what has not happened. Whatever is added to it is long ago.
const NEVER: Moment = Moment::MIN;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Resting,
    Later,
    Ready,
    Working,
}

/// An item was added while a worker had it.
#[derive(Clone, Copy)]
pub(super) struct Again {
    pub(super) at: Moment,
    pub(super) priority: i8,
}

pub(super) struct Entry<T> {
    /// `None` if the slot is free.
    pub(super) item: Option<T>,
    pub(super) hash: u64,
    pub(super) state: State,
    pub(super) priority: i8,
    /// It waits because it failed.
    pub(super) is_backing_off: bool,
    /// It runs, or is to run, before the end of the wait that its last failure led to.
    pub(super) is_early: bool,
    /// When it is or was due; of one that rests, when it may be forgotten.
    pub(super) at: Moment,
    pub(super) started: Moment,
    /// When it was started before that.
    pub(super) before: Moment,
    pub(super) failures: u32,
    /// Where it is in the list of what is worked on.
    pub(super) position: u32,
    /// How long it had to wait after its last failure.
    pub(super) wait: i64,
    pub(super) again: Option<Again>,
    pub(super) place: Place,
    /// Its neighbours in its line.
    pub(super) next: u32,
    pub(super) previous: u32,
}

impl<T> Entry<T> {
    /// Nothing is to be done for it, and never was.
    pub(super) fn new(item: T, hash: u64) -> Self {
        Self {
            item: Some(item),
            hash,
            state: State::Resting,
            priority: 0,
            is_backing_off: false,
            is_early: false,
            at: 0,
            started: NEVER,
            before: NEVER,
            failures: 0,
            position: NONE,
            wait: 0,
            again: None,
            place: Place::Nowhere,
            next: NONE,
            previous: NONE,
        }
    }
}

struct Piece<T> {
    entries: Vec<Entry<T>>,
    free: Vec<u32>,
}

pub(super) struct Entries<T> {
    pieces: Vec<Piece<T>>,
    /// The pieces with room. The first is filled first, so that the last ones become empty.
    roomy: BTreeSet<usize>,
}

impl<T> Entries<T> {
    pub(super) fn new() -> Self {
        Self { pieces: Vec::new(), roomy: BTreeSet::new() }
    }

    pub(super) fn insert(&mut self, entry: Entry<T>) -> u32 {
        let number = self.roomy.first().copied().unwrap_or(self.pieces.len());
        if number == self.pieces.len() {
            self.pieces.push(Piece { entries: Vec::new(), free: Vec::new() });
            self.roomy.insert(number);
        }
        let piece = &mut self.pieces[number];
        let slot = match piece.free.pop() {
            Some(slot) => {
                self.pieces[number].entries[slot as usize % PIECE] = entry;
                slot
            }
            None => {
                if piece.entries.capacity() == 0 && number > 0 {
                    piece.entries.reserve_exact(PIECE);
                }
                piece.entries.push(entry);
                u32::try_from(number * PIECE + piece.entries.len() - 1).unwrap_or(NONE)
            }
        };
        let piece = &self.pieces[number];
        if piece.free.is_empty() && piece.entries.len() == PIECE {
            self.roomy.remove(&number);
        }
        slot
    }

    pub(super) fn remove(&mut self, slot: u32) {
        let number = slot as usize / PIECE;
        self[slot].item = None;
        let piece = &mut self.pieces[number];
        piece.free.push(slot);
        self.roomy.insert(number);
        // The first one stays: most queues never need more, and are empty again and again.
        if number > 0 && piece.free.len() == piece.entries.len() {
            (piece.entries, piece.free) = (Vec::new(), Vec::new());
        }
        while self.pieces.len() > 1 && self.pieces.last().is_some_and(|last| last.entries.is_empty()) {
            self.pieces.pop();
            self.roomy.remove(&self.pieces.len());
        }
    }

    /// For how many entries there is memory.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.pieces.iter().map(|piece| piece.entries.capacity()).sum()
    }
}

impl<T> Index<u32> for Entries<T> {
    type Output = Entry<T>;

    fn index(&self, slot: u32) -> &Entry<T> {
        &self.pieces[slot as usize / PIECE].entries[slot as usize % PIECE]
    }
}

impl<T> IndexMut<u32> for Entries<T> {
    fn index_mut(&mut self, slot: u32) -> &mut Entry<T> {
        &mut self.pieces[slot as usize / PIECE].entries[slot as usize % PIECE]
    }
}
