//! Decoded objects, each shared by all users that ask for it while at least one of them still holds it.

use std::any::{Any, TypeId};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde::de::DeserializeOwned;

use crate::error::ObjectError;
use crate::json;
use crate::object::error::{attempt, undecodable};
use crate::object::record::Record;

/// A decoded object of any type.
pub(crate) type AnyDecoded = Arc<dyn Any + Send + Sync>;

/// Decodes the JSON of an object into the informer's type.
pub(crate) type Decoder = fn(&[u8]) -> Result<AnyDecoded, serde_json::Error>;

/// The decoder of a type, for code that does not know the type.
pub(crate) fn decoder<K: DeserializeOwned + Send + Sync + 'static>() -> Decoder {
    |json| Ok(Arc::new(json::read::<K>(json)?))
}

/// The record's object, decoded: the one that is still held somewhere, or a new one.
///
/// Runs the user's `Deserialize`, so it must never be called with a lock held.
pub(crate) fn get<T>(record: &Arc<Record>) -> Result<Arc<T>, ObjectError>
where
    T: DeserializeOwned + Send + Sync + 'static,
{
    let shelf = &record.origin.shelf;
    if let Some(found) = record.decoded.find::<T>() {
        shelf.hits.fetch_add(1, Ordering::Relaxed);
        return Ok(found);
    }
    shelf.misses.fetch_add(1, Ordering::Relaxed);
    let value = attempt(record.origin.sensitive, || record.body.with_json(json::read::<T>))
        .map_err(|message| undecodable(record, message))?;
    let offer = record.decoded.offer(Arc::new(value));
    if offer.won {
        let bytes = size_of::<T>() + record.body.json_len().saturating_mul(EXPANSION);
        shelf.keep(record, offer.value.clone(), bytes, &offer.before);
    }
    Ok(offer.value)
}

/// How much larger than its JSON an object is taken to be when decoded: strings, maps, padding. A list of pods decoded
/// into the types of k8s-openapi was measured at about seven times.
const EXPANSION: usize = 7;

/// The decoded forms of one record, one for each type that it was decoded into. While there are none it takes one word and
/// a lock.
#[derive(Default)]
pub(crate) struct DecodedSlot(Mutex<Option<Box<Forms>>>);

#[derive(Default)]
struct Forms {
    /// Made at ingestion in `decoded` mode, and kept as long as the record.
    pinned: Option<AnyDecoded>,
    /// Those that users were given. A `Weak` keeps the memory of its value allocated even after the value was dropped, so
    /// the shelf removes dead ones.
    loose: Vec<(TypeId, Weak<dyn Any + Send + Sync>)>,
    /// Types that it does not decode into and for which that has been reported.
    reported: Vec<TypeId>,
}

/// What became of a newly decoded form that was offered to the slot.
struct Offer<T> {
    /// The one to use: the new one, or that of another thread that was faster.
    value: Arc<T>,
    /// Whether `value` is the newly decoded one.
    won: bool,
    before: Before,
}

/// What a slot knew before a form was added.
struct Before {
    /// Whether the record had been decoded before.
    decoded: bool,
    /// Whether the slot held no forms, so that the shelf has yet to hear of it.
    empty: bool,
}

impl DecodedSlot {
    pub(crate) fn pinned(value: AnyDecoded) -> Self {
        Self(Mutex::new(Some(Box::new(Forms { pinned: Some(value), ..Forms::default() }))))
    }

    fn find<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.0.lock().as_ref()?.find()
    }

    fn offer<T: Send + Sync + 'static>(&self, value: Arc<T>) -> Offer<T> {
        let mut slot = self.0.lock();
        let decoded = slot.is_some();
        let forms = slot.get_or_insert_default();
        let before = Before { decoded, empty: forms.loose.is_empty() };
        if let Some(found) = forms.find::<T>() {
            // The slot is unlocked before the new value is dropped, because dropping it runs the user's code.
            drop(slot);
            return Offer { value: found, won: false, before };
        }
        forms.loose.retain(|(_, form)| form.strong_count() > 0);
        let shared: AnyDecoded = value.clone();
        forms.loose.push((TypeId::of::<T>(), Arc::downgrade(&shared)));
        Offer { value, won: true, before }
    }

    /// Whether the caller has to report that the record does not decode into this type. True once for each type.
    pub(crate) fn report_failure<T: 'static>(&self) -> bool {
        let mut slot = self.0.lock();
        let reported = &mut slot.get_or_insert_default().reported;
        let first = !reported.contains(&TypeId::of::<T>());
        if first {
            reported.push(TypeId::of::<T>());
        }
        first
    }

    /// Removes decoded forms that the program no longer holds; returns whether some are left.
    fn prune(&self) -> bool {
        let mut slot = self.0.lock();
        let Some(forms) = slot.as_mut() else { return false };
        forms.loose.retain(|(_, form)| form.strong_count() > 0);
        forms.loose.shrink_to_fit();
        !forms.loose.is_empty()
    }
}

impl Forms {
    fn find<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        if let Some(pinned) = &self.pinned
            && let Ok(found) = pinned.clone().downcast::<T>()
        {
            return Some(found);
        }
        let wanted = TypeId::of::<T>();
        let (_, form) = self.loose.iter().find(|(kind, form)| *kind == wanted && form.strong_count() > 0)?;
        form.upgrade()?.downcast().ok()
    }
}

/// Recently decoded objects of one informer.
///
/// Holds the newest ones up to an estimated size, so that handlers and listers that come after each other decode once.
pub(crate) struct Shelf {
    limit: usize,
    state: Mutex<ShelfState>,
    hits: AtomicU64,
    misses: AtomicU64,
    hinted: AtomicBool,
}

#[derive(Default)]
struct ShelfState {
    recent: VecDeque<(AnyDecoded, usize)>,
    bytes: usize,
    /// Records whose slots hold forms, perhaps dead ones.
    filled: Vec<Weak<Record>>,
    /// The number of them at which they are looked through next.
    prune_at: usize,
    window: Option<Instant>,
    /// Decodes within the window of records that had been decoded before.
    repeats: usize,
}

/// Below this number of slots with forms, dead forms are not looked for.
const SMALL: usize = 64;

/// Repeated decodes are counted for this long.
const WINDOW: Duration = Duration::from_secs(60);

impl Default for Shelf {
    fn default() -> Self {
        Self::new(Self::DEFAULT_BYTES)
    }
}

impl Shelf {
    /// Enough that handlers which get the same object one after the other decode it once. Eight times as much makes `get()`
    /// slower by a sixth: memory is then reused so late that it has left the processor's caches.
    pub(crate) const DEFAULT_BYTES: usize = 4 << 20;

    /// Holds up to this many estimated bytes. With 0 it holds nothing, and only objects that users still hold are shared.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            state: Mutex::default(),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            hinted: AtomicBool::new(false),
        }
    }

    /// How often a decoded form was there already.
    pub(crate) fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }

    /// How often an object had to be decoded.
    pub(crate) fn misses(&self) -> u64 {
        self.misses.load(Ordering::Relaxed)
    }

    fn keep(&self, record: &Arc<Record>, value: AnyDecoded, bytes: usize, before: &Before) {
        // Dropped after the lock is released: dropping a value runs the user's code.
        let mut evicted = Vec::new();
        let mut prune = Vec::new();
        let mut state = self.state.lock();
        if bytes <= self.limit {
            state.recent.push_back((value, bytes));
            state.bytes += bytes;
            while state.bytes > self.limit
                && let Some((old, size)) = state.recent.pop_front()
            {
                state.bytes -= size;
                evicted.push(old);
            }
        }
        if before.empty {
            state.filled.push(Arc::downgrade(record));
            if state.filled.len() >= state.prune_at.max(SMALL) {
                prune = std::mem::take(&mut state.filled);
            }
        }
        let hint = before.decoded && self.repeated(&mut state, record);
        drop(state);
        drop(evicted);
        if !prune.is_empty() {
            prune.retain(|record| record.upgrade().is_some_and(|record| record.decoded.prune()));
            let mut state = self.state.lock();
            state.prune_at = prune.len() * 2;
            state.filled.append(&mut prune);
        }
        if hint {
            tracing::info!(
                kind = %record.origin.kind,
                "objects are decoded again and again: an informer in `decoded` mode fits this better"
            );
        }
    }

    /// Whether it is time to say that `decoded` mode fits better: within a minute, four times as many objects as there
    /// are, and at least a thousand, were decoded although they had been before. Said once.
    fn repeated(&self, state: &mut ShelfState, record: &Record) -> bool {
        let now = Instant::now();
        if state.window.is_none_or(|start| now.duration_since(start) > WINDOW) {
            state.window = Some(now);
            state.repeats = 0;
        }
        state.repeats += 1;
        state.repeats > (record.origin.alive.load(Ordering::Relaxed) * 4).max(1_000)
            && !self.hinted.swap(true, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests;
