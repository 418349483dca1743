//! Slots by item, in many small tables: one that is full grows alone, and nobody waits for a million items to be moved.

use hashbrown::HashTable;

use super::entries::Entries;

/// A million items are eight thousand in each.
const TABLES: usize = 128;
/// A table that is smaller does not shrink.
const SMALL: usize = 64;

pub(super) struct Table(Vec<HashTable<u32>>);

impl Table {
    pub(super) fn new() -> Self {
        Self((0..TABLES).map(|_| HashTable::new()).collect())
    }

    pub(super) fn find<T: Eq>(&self, entries: &Entries<T>, hash: u64, item: &T) -> Option<u32> {
        self.0[table(hash)].find(hash, |&slot| entries[slot].item.as_ref() == Some(item)).copied()
    }

    pub(super) fn insert<T>(&mut self, entries: &Entries<T>, slot: u32) {
        let hash = entries[slot].hash;
        self.0[table(hash)].insert_unique(hash, slot, |&slot| entries[slot].hash);
    }

    pub(super) fn remove<T>(&mut self, entries: &Entries<T>, slot: u32) {
        let hash = entries[slot].hash;
        let table = &mut self.0[table(hash)];
        if let Ok(found) = table.find_entry(hash, |&other| other == slot) {
            found.remove();
        }
        if table.capacity() > SMALL && table.len() < table.capacity() / 8 {
            table.shrink_to(2 * table.len(), |&slot| entries[slot].hash);
        }
    }

    /// For how many items there is memory.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.0.iter().map(HashTable::capacity).sum()
    }
}

/// By bits that the table itself does not use first.
fn table(hash: u64) -> usize {
    usize::try_from(hash >> 32).unwrap_or_default() % TABLES
}
