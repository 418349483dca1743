//! The whole content of a scope while it is being read.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::key::ObjectKey;
use crate::object::record::Record;

/// Collects a list, whatever way it comes: in one piece, in pages, or as a stream of events.
///
/// One entry a key, the last one wins; the order is that of first appearance, which is the server's.
#[derive(Debug, Default)]
pub(crate) struct SnapshotBuilder {
    records: Vec<Option<Arc<Record>>>,
    places: HashMap<ObjectKey, usize>,
}

impl SnapshotBuilder {
    /// Takes an object, in the place of an earlier one with the same key. True if there was none.
    pub(crate) fn put(&mut self, record: Arc<Record>) -> bool {
        match self.places.get(record.key()) {
            Some(&place) => {
                self.records[place] = Some(record);
                false
            }
            None => {
                self.places.insert(record.key().clone(), self.records.len());
                self.records.push(Some(record));
                true
            }
        }
    }

    /// Forgets an object: it was deleted, or its newest version cannot be taken in.
    pub(crate) fn remove(&mut self, key: &ObjectKey) {
        if let Some(place) = self.places.remove(key) {
            self.records[place] = None;
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// What was collected; the builder is empty again.
    pub(crate) fn finish(&mut self) -> Vec<Arc<Record>> {
        self.places = HashMap::new();
        std::mem::take(&mut self.records).into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests;
