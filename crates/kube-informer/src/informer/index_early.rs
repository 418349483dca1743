//! Answers for an index that is still being built.

use std::sync::Arc;

use parking_lot::Mutex;

use informer_core::store::index::{IndexFunction, IndexValue};
use informer_core::store::index_build::IndexBuild;
use informer_core::store::index_error::IndexError;
use informer_core::store::index_reader::IndexReader;
use informer_core::store::indexer::Indexer;

/// A second copy of the same index, built by the first query that comes before the index itself is built.
///
/// A program that adds an index and queries it in the next line gets a correct answer, as with client-go, although the
/// task that adds the index to the store has not run yet. Objects that one query has indexed are not indexed again by
/// the next one.
pub(super) struct Early<V> {
    /// The number of the index that it stands in for.
    id: u64,
    function: IndexFunction<V>,
    field: Option<&'static str>,
    /// Taken out while a query works on it: no lock is held while the index function runs.
    built: Mutex<Option<IndexBuild<V>>>,
}

impl<V: IndexValue> Early<V> {
    pub(super) fn new(id: u64, function: IndexFunction<V>, field: Option<&'static str>) -> Self {
        Self { id, function, field, built: Mutex::default() }
    }

    pub(super) fn field(&self) -> Option<&'static str> {
        self.field
    }

    /// A reader that shows the newest commit. Runs the index function on objects that it has not run on before.
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
        // Another thread may have put one there meanwhile; that one is dropped without the lock.
        let other = self.built.lock().replace(build);
        drop(other);
        reader
    }

    /// Drops the copy, because the index itself is built.
    pub(super) fn forget(&self) {
        let built = self.built.lock().take();
        drop(built);
    }

    /// The same, yielding to other tasks now and then.
    pub(super) async fn free(&self) {
        let built = self.built.lock().take();
        if let Some(built) = built {
            built.free().await;
        }
    }
}
