//! The whole content of a scope while it is being read.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use informer_wire::ObjectKey;

use crate::object::record::Record;

/// Collects a list, whatever way it comes: in one piece, in pages, or as a stream of events.
///
/// One entry a key, the last one wins; the order is that of first appearance, which is the server's.
#[derive(Debug, Default)]
pub struct SnapshotBuilder {
    records: Vec<Option<Arc<Record>>>,
    places: HashMap<ObjectKey, usize>,
    /// Keys that came and are not in it.
    absent: HashSet<ObjectKey>,
}

impl SnapshotBuilder {
    /// Takes an object, in the place of an earlier one with the same key. True if its key comes for the first time.
    pub fn put(&mut self, record: Arc<Record>) -> bool {
        match self.places.get(record.key()) {
            Some(&place) => {
                self.records[place] = Some(record);
                false
            }
            None => {
                self.places.insert(record.key().clone(), self.records.len());
                let first = !self.absent.remove(record.key());
                self.records.push(Some(record));
                first
            }
        }
    }

    /// Forgets an object: it was deleted, or its newest version cannot be taken in. True if its key comes for the first
    /// time.
    pub fn remove(&mut self, key: &ObjectKey) -> bool {
        let place = self.places.remove(key);
        if let Some(place) = place {
            self.records[place] = None;
        }
        self.absent.insert(key.clone()) && place.is_none()
    }

    /// How many objects are in it.
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// What was collected; the builder is empty again.
    pub fn finish(&mut self) -> Vec<Arc<Record>> {
        self.places = HashMap::new();
        self.absent = HashSet::new();
        std::mem::take(&mut self.records).into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests;
