//! Answers for an index that is still being built.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::error::IndexError;
use crate::store::index::{IndexFunction, IndexValue};
use crate::store::index_build::IndexBuild;
use crate::store::index_reader::IndexReader;
use crate::store::indexer::Indexer;

/// The same index a second time, built by whoever asks before the first one is there.
///
/// A program that adds an index and asks it in the next line gets a right answer, as with client-go, although the task
/// that adds it to the store has not had its turn. What one query has indexed the next one need not index again.
pub(super) struct Early<V> {
    /// The number of the index that it stands in for.
    id: u64,
    function: IndexFunction<V>,
    field: Option<&'static str>,
    /// Taken out while somebody works on it: no lock is held while the function runs.
    built: Mutex<Option<IndexBuild<V>>>,
}

impl<V: IndexValue> Early<V> {
    pub(super) fn new(id: u64, function: IndexFunction<V>, field: Option<&'static str>) -> Self {
        Self { id, function, field, built: Mutex::default() }
    }

    pub(super) fn field(&self) -> Option<&'static str> {
        self.field
    }

    /// A reader that shows the newest commit. Runs the index function on what was not looked at before.
    pub(super) fn reader(
        &self,
        indexer: &Arc<Indexer>,
        name: &Arc<str>,
    ) -> Result<IndexReader<V>, IndexError> {
        if let Some(there) = IndexReader::resolve(indexer, (name, self.id), self.field)? {
            return Ok(there);
        }
        let build = self.built.lock().take();
        let mut build = build.unwrap_or_else(|| IndexBuild::new(name.clone(), self.function.clone()));
        let reader = build.show_now(indexer.list());
        // Another thread may have put one there meanwhile; it goes without the lock.
        let other = self.built.lock().replace(build);
        drop(other);
        reader
    }

    /// Lets go of it: the index itself is there.
    pub(super) fn forget(&self) {
        let built = self.built.lock().take();
        drop(built);
    }

    /// The same, with pauses.
    pub(super) async fn free(&self) {
        let built = self.built.lock().take();
        if let Some(built) = built {
            built.free().await;
        }
    }
}
