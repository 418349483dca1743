//! A hash map in small shared pieces: cheap to take a copy of, cheap to go on writing to while copies are held.
//!
//! The entries live in shards of about `TARGET` entries, or another number of them, each behind an `Arc`. A clone of
//! the map shares all shards; a write copies the one shard it touches, and only while somebody else still holds that
//! shard. The map grows by linear hashing, one shard split at a time, so no single write ever moves more than two shards'
//! worth of entries.

use std::hash::{BuildHasher, Hash, Hasher};
use std::mem;
use std::sync::Arc;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use informer_wire::key::HASHER;

/// How many entries a shard holds on average. Smaller: cheaper writes beside a held snapshot. Larger: cheaper snapshots.
const TARGET: usize = 64;

/// The same of a map that is read key by key and not shared with snapshots: the fewer shards there are, the more of them stay in
/// the processor's caches.
pub(crate) const WIDE: usize = 256;

/// One piece of the map.
pub(crate) type Shard<T> = HashTable<T>;

/// An entry that carries its own key, so that the map does not hold the key twice.
pub(crate) trait Keyed: Clone {
    /// Feeds the key to the hasher exactly as every [`KeyOf`] for this entry does.
    fn hash_key(&self, hasher: &mut impl Hasher);
    fn same_key(&self, other: &Self) -> bool;
}

/// Something an entry can be looked up by, without building an entry.
pub(crate) trait KeyOf<T>: Hash {
    fn is_key_of(&self, entry: &T) -> bool;
}

/// A hash map in shards. See the module.
#[derive(Clone)]
pub(crate) struct ShardedMap<T, const SIZE: usize = TARGET> {
    shards: Vec<Arc<Shard<T>>>,
    len: usize,
}

impl<T, const SIZE: usize> Default for ShardedMap<T, SIZE> {
    fn default() -> Self {
        Self { shards: Vec::new(), len: 0 }
    }
}

fn hash_of(entry: &impl Keyed) -> u64 {
    let mut hasher = HASHER.build_hasher();
    entry.hash_key(&mut hasher);
    hasher.finish()
}

pub(crate) fn hash_key(key: &(impl Hash + ?Sized)) -> u64 {
    HASHER.hash_one(key)
}

/// The shard a hash belongs to. Uses other bits than the table inside the shard, or each shard would be one long chain.
pub(crate) fn place(hash: u64, shards: usize) -> usize {
    let bits = ((hash >> 20) & 0xFFFF_FFFF) as usize;
    let mask = shards.next_power_of_two() - 1;
    let at = bits & mask;
    if at < shards { at } else { at & (mask >> 1) }
}

impl<T, const SIZE: usize> ShardedMap<T, SIZE> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All shards, in the order [`place`] counts them.
    pub(crate) fn shards(&self) -> &[Arc<Shard<T>>] {
        &self.shards
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.shards.iter().flat_map(|shard| shard.iter())
    }

    /// Takes the map apart piece by piece, so that a large one can be freed without a long pause.
    pub(crate) fn take_shard(&mut self) -> Option<Arc<Shard<T>>> {
        let shard = self.shards.pop()?;
        self.len = self.len.saturating_sub(shard.len());
        Some(shard)
    }

    /// Drops one shard and says how much work that was; `None` when there are none left.
    pub(crate) fn free_shard(&mut self) -> Option<usize> {
        let shard = self.take_shard()?;
        Some(if Arc::strong_count(&shard) > 1 { 1 } else { shard.len().max(1) })
    }

    /// Which shard holds this key, if any does; `None` only in an empty map.
    pub(crate) fn shard_of(&self, key: &(impl Hash + ?Sized)) -> Option<usize> {
        (!self.shards.is_empty()).then(|| place(hash_key(key), self.shards.len()))
    }

    pub(crate) fn get(&self, key: &impl KeyOf<T>) -> Option<&T> {
        if self.shards.is_empty() {
            return None;
        }
        let hash = hash_key(key);
        self.shards[place(hash, self.shards.len())].find(hash, |entry| key.is_key_of(entry))
    }
}

impl<T: Keyed, const SIZE: usize> ShardedMap<T, SIZE> {
    /// The entry to change in place. Its key must stay the same.
    pub(crate) fn get_mut(&mut self, key: &impl KeyOf<T>) -> Option<&mut T> {
        // Asked first without writing: a miss must not copy a shared shard.
        self.get(key)?;
        let hash = hash_key(key);
        let at = place(hash, self.shards.len());
        Arc::make_mut(&mut self.shards[at]).find_mut(hash, |entry| key.is_key_of(entry))
    }

    /// Puts an entry in and hands back the one of the same key.
    pub(crate) fn insert(&mut self, new: T) -> Option<T> {
        if self.shards.is_empty() {
            self.shards.push(Arc::default());
        }
        let hash = hash_of(&new);
        let at = place(hash, self.shards.len());
        let shard = Arc::make_mut(&mut self.shards[at]);
        match shard.entry(hash, |entry| entry.same_key(&new), hash_of) {
            Entry::Occupied(mut old) => Some(mem::replace(old.get_mut(), new)),
            Entry::Vacant(place) => {
                place.insert(new);
                self.len += 1;
                if self.len > self.shards.len() * SIZE {
                    self.split();
                }
                None
            }
        }
    }

    pub(crate) fn remove(&mut self, key: &impl KeyOf<T>) -> Option<T> {
        self.get(key)?;
        let hash = hash_key(key);
        let at = place(hash, self.shards.len());
        let found =
            Arc::make_mut(&mut self.shards[at]).find_entry(hash, |entry| key.is_key_of(entry)).ok()?;
        let (old, _) = found.remove();
        self.len -= 1;
        if self.len < self.shards.len() * (SIZE / 4) {
            self.merge();
        }
        Some(old)
    }

    /// Adds one shard and moves into it what belongs there, all of it from one other shard.
    fn split(&mut self) {
        let count = self.shards.len() + 1;
        let from = (count - 1) & ((count.next_power_of_two() - 1) >> 1);
        let full = Arc::unwrap_or_clone(mem::take(&mut self.shards[from]));
        let half = full.len() / 2 + full.len() / 8;
        let (mut stay, mut go) = (HashTable::with_capacity(half), HashTable::with_capacity(half));
        for entry in full {
            let hash = hash_of(&entry);
            let to = if place(hash, count) == from { &mut stay } else { &mut go };
            to.insert_unique(hash, entry, hash_of);
        }
        self.shards[from] = Arc::new(stay);
        self.shards.push(Arc::new(go));
    }

    /// Takes the last shard away; what it held goes back to where it was split from.
    fn merge(&mut self) {
        if self.len == 0 {
            self.shards = Vec::new();
            return;
        }
        if self.shards.len() < 2 {
            return;
        }
        let Some(last) = self.shards.pop() else { return };
        for entry in Arc::unwrap_or_clone(last) {
            let hash = hash_of(&entry);
            let to = place(hash, self.shards.len());
            Arc::make_mut(&mut self.shards[to]).insert_unique(hash, entry, hash_of);
        }
    }
}

#[cfg(test)]
mod tests;
