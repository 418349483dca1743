//! Which decoded objects stay in memory: those that are read again and again, within a number of bytes that informers share.

use std::any::TypeId;
use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Weak};

use parking_lot::Mutex;

use super::slot::{Leave, Offer, Place};
use super::{AnyDecoded, let_go};
use crate::object::origin::Origin;
use crate::object::record::Record;

/// How much the cache of a process holds unless it is told otherwise.
const DEFAULT_BYTES: usize = 64 << 20;

/// How much of it holds what was decoded last, or a quarter if that is less: enough that handlers which get the same object one
/// after the other decode it once.
const PROBATION: usize = 4 << 20;

/// How much that is while nothing of it is read twice. A handler that alone decodes each update once takes 6 to 9 % less: memory
/// is used again while it is still in the processor's caches.
const NARROW: usize = 256 << 10;

/// After so many that left without having been read twice, one after the other, it becomes narrow.
const UNREAD: u32 = 512;

/// So many are passed over at most before one has to go although it was read: all informers of the process wait meanwhile.
const SPARES: usize = 64;

/// So many forms that users hold are looked at for each that is decoded: those that were dropped are gone soon, however many there
/// are, and nobody waits for a look at all of them.
const LOOKS: usize = 2;

/// Below this number of entries those of dropped records are not looked for.
const SMALL: usize = 64;

/// The process's own, which informers have if nobody says otherwise.
static PROCESS: LazyLock<DecodedCache> = LazyLock::new(|| DecodedCache::new(DEFAULT_BYTES));

/// Decoded objects that stay in memory because they are read again and again. All informers with the same cache share its
/// bytes. Clones are the same cache, and only those are equal.
#[derive(Clone)]
pub struct DecodedCache(Arc<Shared>);

struct Shared {
    limit: usize,
    /// How many bytes the forms of each part need. Falls also when a record is dropped, without the lock.
    bytes: [AtomicUsize; 2],
    /// How many bytes have ever been decoded: the clock of the cache.
    decoded: AtomicU64,
    /// How many have left the probation without having been read twice since the last that was.
    unread: AtomicU32,
    rings: Mutex<Rings>,
}

/// A part of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// What was decoded last, in this order.
    Probation,
    /// What is read again and again.
    Protected,
}

/// Records of which a form is kept, oldest first, and those whose forms users hold. The forms themselves are with the records,
/// and die with them. A slot may be locked with this locked, and never the other way round.
#[derive(Default)]
struct Rings {
    probation: Ring,
    protected: Ring,
    lent: VecDeque<Weak<Record>>,
    /// Records of which a form left, oldest first, and when: until that need not be remembered any more.
    left: VecDeque<(Weak<Record>, u64)>,
}

#[derive(Default)]
struct Ring {
    entries: VecDeque<Entry>,
    /// The length at which entries of dropped records are looked for next.
    compact_at: usize,
}

struct Entry {
    record: Weak<Record>,
    of: TypeId,
    bytes: usize,
}

/// What is dropped once nothing is locked any more: values and records run the user's code then.
type Rubble = Vec<(Arc<Record>, Option<AnyDecoded>)>;

fn clear(rubble: Rubble) {
    for (record, value) in rubble {
        if let Some(value) = value {
            let_go(value, record.key(), &record.origin);
        }
    }
}

impl DecodedCache {
    /// Holds up to about this many bytes: the size of a decoded object is an estimate from the size of its JSON. With 0 only
    /// objects that somebody still holds are shared.
    pub fn new(limit: usize) -> Self {
        Self(Arc::new(Shared {
            limit,
            bytes: [AtomicUsize::new(0), AtomicUsize::new(0)],
            decoded: AtomicU64::new(0),
            unread: AtomicU32::new(0),
            rings: Mutex::default(),
        }))
    }

    /// How many bytes it takes its objects to need now.
    pub fn bytes(&self) -> usize {
        self.used(Part::Probation) + self.used(Part::Protected)
    }

    /// How many bytes it may hold.
    pub fn limit(&self) -> usize {
        self.0.limit
    }

    fn used(&self, part: Part) -> usize {
        self.0.bytes[part as usize].load(Ordering::Relaxed)
    }

    fn limit_of(&self, part: Part) -> usize {
        let probation = PROBATION.min(self.0.limit / 4);
        match part {
            Part::Probation if self.0.unread.load(Ordering::Relaxed) >= UNREAD => probation.min(NARROW),
            Part::Probation => probation,
            Part::Protected => self.0.limit - probation,
        }
    }

    /// Whether a form that left so many decoded bytes ago would still be there if the probation were not narrow.
    pub(super) fn left_early(&self, ago: Option<u64>) -> bool {
        ago.is_some_and(|ago| ago <= PROBATION.min(self.0.limit / 4) as u64)
    }

    /// Whether a form that left so many decoded bytes ago would still be there if the cache were twice as large: then it is
    /// worth a place. Something that is read rarely, or once by a program that reads everything, is not.
    pub(super) fn remembers(&self, ago: Option<u64>) -> bool {
        ago.is_some_and(|ago| ago <= self.0.limit as u64)
    }

    /// Where a new form belongs; `None` if it is too large.
    pub(super) fn place(&self, bytes: usize, hot: bool) -> Option<Part> {
        let fits = |part: &Part| bytes <= self.limit_of(*part);
        let parts = if hot { [Part::Protected, Part::Probation] } else { [Part::Probation; 2] };
        parts.into_iter().find(fits)
    }

    /// Takes in what a record was just decoded into.
    pub(super) fn offer<T: Send + Sync + 'static>(
        &self,
        record: &Arc<Record>,
        value: Arc<T>,
        bytes: usize,
    ) -> Offer<T> {
        let now = self.0.decoded.fetch_add(bytes as u64, Ordering::Relaxed);
        let offered = value.clone();
        let offer = record.decoded.offer(value, bytes, self, now);
        // The last of it, if another thread was faster.
        let_go(offered, record.key(), &record.origin);
        if offer.early {
            self.0.unread.store(0, Ordering::Relaxed);
        }
        match offer.place {
            Place::Kept(part) => self.admit(record, TypeId::of::<T>(), bytes, part, now),
            Place::Lent { list } => self.lent(record, list, now),
            Place::Lost => {}
        }
        offer
    }

    fn admit(&self, record: &Arc<Record>, of: TypeId, bytes: usize, part: Part, now: u64) {
        self.0.bytes[part as usize].fetch_add(bytes, Ordering::Relaxed);
        record.origin.decodes.kept.fetch_add(bytes, Ordering::Relaxed);
        let mut rubble = Rubble::new();
        let mut rings = self.0.rings.lock();
        rings.of(part).push(Entry { record: Arc::downgrade(record), of, bytes });
        self.make_room(&mut rings, now, &mut rubble);
        self.forget(&mut rings, now, &mut rubble);
        drop(rings);
        clear(rubble);
        self.prune(now);
    }

    /// Lets the oldest ones go until the rest fits.
    fn make_room(&self, rings: &mut Rings, now: u64, rubble: &mut Rubble) {
        for part in [Part::Probation, Part::Protected] {
            // Each is passed over once at most, however often it is read meanwhile, and all others wait only for a few.
            let mut spares = rings.of(part).entries.len().min(SPARES);
            while self.used(part) > self.limit_of(part)
                && let Some(entry) = rings.of(part).entries.pop_front()
            {
                let Some(record) = entry.record.upgrade() else { continue };
                let leave = record.decoded.leave(entry.of, part, spares > 0, now);
                let value = match leave {
                    Leave::Protected if part == Part::Protected => {
                        spares -= 1;
                        rings.protected.entries.push_back(entry);
                        None
                    }
                    Leave::Protected => {
                        self.left_probation(false);
                        self.0.bytes[Part::Probation as usize].fetch_sub(entry.bytes, Ordering::Relaxed);
                        self.0.bytes[Part::Protected as usize].fetch_add(entry.bytes, Ordering::Relaxed);
                        rings.protected.push(entry);
                        None
                    }
                    Leave::Out { value, list, unread } => {
                        if part == Part::Probation {
                            self.left_probation(unread);
                        }
                        self.released(&record.origin, part, entry.bytes);
                        if list {
                            rings.lent.push_back(entry.record.clone());
                        }
                        rings.left.push_back((entry.record, now));
                        Some(value)
                    }
                    Leave::Nothing => None,
                };
                rubble.push((record, value));
            }
        }
    }

    fn left_probation(&self, unread: bool) {
        // Only changed with the rings locked, but for the reset of those that left too early.
        let before = self.0.unread.load(Ordering::Relaxed);
        let after = if unread { before.saturating_add(1) } else { 0 };
        self.0.unread.store(after, Ordering::Relaxed);
    }

    /// Forgets which forms left so long ago that they would not have been kept by a cache of twice the size either.
    fn forget(&self, rings: &mut Rings, now: u64, rubble: &mut Rubble) {
        while let Some((_, left)) = rings.left.front()
            && !self.remembers(Some(now.saturating_sub(*left)))
            && let Some((record, left)) = rings.left.pop_front()
        {
            if let Some(record) = record.upgrade() {
                record.decoded.forget(left);
                rubble.push((record, None));
            }
        }
    }

    /// A form is not kept any more.
    pub(super) fn released(&self, origin: &Origin, part: Part, bytes: usize) {
        self.0.bytes[part as usize].fetch_sub(bytes, Ordering::Relaxed);
        origin.decodes.kept.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Forgets all records that have been dropped, whose memory the entries keep.
    pub fn sweep(&self) {
        let mut rings = self.0.rings.lock();
        let Rings { probation, protected, lent, left } = &mut *rings;
        probation.compact();
        protected.compact();
        lent.retain(|record| record.strong_count() > 0);
        lent.shrink_to(lent.len() * 2);
        left.retain(|(record, _)| record.strong_count() > 0);
        left.shrink_to(left.len() * 2);
    }

    /// Only users hold the record's form.
    fn lent(&self, record: &Arc<Record>, list: bool, now: u64) {
        let mut rubble = Rubble::new();
        let mut rings = self.0.rings.lock();
        if list {
            rings.lent.push_back(Arc::downgrade(record));
        }
        if self.limit() > 0 {
            rings.left.push_back((Arc::downgrade(record), now));
            self.forget(&mut rings, now, &mut rubble);
        }
        drop(rings);
        clear(rubble);
        self.prune(now);
    }

    /// Forgets forms that users held and have dropped: their memory is not given back before. A few at a time, in turn, and
    /// not the last ones: what is decoded again soon is noticed by its form.
    fn prune(&self, now: u64) {
        for _ in 0..LOOKS {
            let Some(entry) = self.0.rings.lock().next_lent() else { return };
            // The record is dropped with nothing locked.
            if entry.upgrade().is_some_and(|record| record.decoded.prune(self, now)) {
                self.0.rings.lock().lent.push_back(entry);
            }
        }
    }
}

#[cfg(any(test, feature = "testing"))]
impl DecodedCache {
    /// How many entries there are, those of dropped records included.
    pub fn places(&self) -> usize {
        let rings = self.0.rings.lock();
        rings.probation.entries.len() + rings.protected.entries.len() + rings.lent.len() + rings.left.len()
    }
}

impl Rings {
    /// The one on the list of lent ones that was not looked at for longest, unless there are only a few.
    fn next_lent(&mut self) -> Option<Weak<Record>> {
        if self.lent.len() < SMALL { None } else { self.lent.pop_front() }
    }

    fn of(&mut self, part: Part) -> &mut Ring {
        match part {
            Part::Probation => &mut self.probation,
            Part::Protected => &mut self.protected,
        }
    }
}

impl Ring {
    fn push(&mut self, entry: Entry) {
        if self.entries.len() >= self.compact_at.max(SMALL) {
            self.compact();
        }
        self.entries.push_back(entry);
    }

    fn compact(&mut self) {
        self.entries.retain(|entry| entry.record.strong_count() > 0);
        self.entries.shrink_to(self.entries.len() * 2);
        self.compact_at = self.entries.len() * 2;
    }
}

/// That of the process.
impl Default for DecodedCache {
    fn default() -> Self {
        PROCESS.clone()
    }
}

impl PartialEq for DecodedCache {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for DecodedCache {}

impl fmt::Debug for DecodedCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecodedCache").field("bytes", &self.bytes()).field("limit", &self.limit()).finish()
    }
}
