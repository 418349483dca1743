//! Building an index over objects that are already there, beside the running informer.
//!
//! A build is brought up to a snapshot, as often as wanted and by any task; each time only what differs from the last
//! snapshot is looked at by the index function. The writer does it a last time and makes the index visible, so nobody
//! ever sees a half-built index and the stream of events stands still only for the last difference.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::object::record::Record;
use crate::panics::user_panic;
use crate::store::index::{ErasedIndex, IndexFailure, IndexFunction, IndexValue, TypedIndex, evaluate};
use crate::store::index_error::IndexError;
use crate::store::index_reader::IndexReader;
use crate::store::pace::{self, Pace};
use crate::store::snapshot::Snapshot;
use crate::store::writer;

/// An index function is user code and may decode the object; it counts as this many objects looked at.
pub(super) const EVALUATION: usize = 4;

/// Numbers the indexes of all stores: an index that was removed and one added later under its name must not be confused.
static BUILDS: AtomicU64 = AtomicU64::new(0);

/// An index that is not in the store yet.
pub struct IndexBuild<V> {
    pub(super) name: Arc<str>,
    pub(super) id: u64,
    pub(super) field: Option<&'static str>,
    pub(super) index: TypedIndex<V>,
    pub(super) failures: Vec<IndexFailure>,
    /// Why the index cannot be used: `Hash` or `Eq` of its value panicked half-way through an edit.
    pub(super) broken: Option<String>,
    /// What the index shows.
    shown: Snapshot,
}

impl<V: IndexValue> IndexBuild<V> {
    /// An index of this name on this function, without any object.
    pub fn new(name: impl Into<Arc<str>>, function: IndexFunction<V>) -> Self {
        Self {
            name: name.into(),
            id: BUILDS.fetch_add(1, Ordering::Relaxed),
            field: None,
            index: TypedIndex::new(function),
            failures: Vec::new(),
            broken: None,
            shown: Snapshot::default(),
        }
    }

    /// Notes which field it is on, so that an index on another field is not taken for this one.
    pub fn on_field(mut self, field: Option<&'static str>) -> Self {
        self.field = field;
        self
    }

    /// The name of the index.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The number that the index has for as long as it is there.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Brings the index up to a snapshot of all objects, with pauses. If this is dropped half-way, start anew.
    pub async fn catch_up(&mut self, now: Snapshot) {
        self.bring_up(now, Pace::default()).await;
    }

    /// The same without pauses, and a reader of what it shows then.
    pub fn show_now(&mut self, now: Snapshot) -> Result<IndexReader<V>, IndexError> {
        // It never pauses, so it is done.
        pace::at_once(self.bring_up(now, Pace::hurried()));
        self.failures.clear();
        match &self.broken {
            Some(message) => Err(IndexError::Function { index: self.name.clone(), message: message.clone() }),
            None => Ok(IndexReader::of_one_commit(self.name.clone(), self.index.share())),
        }
    }

    /// Frees it, with pauses.
    pub async fn free(self) {
        let index: Box<dyn ErasedIndex> = Box::new(self.index);
        writer::free(index.into()).await;
    }

    async fn bring_up(&mut self, now: Snapshot, mut pace: Pace) {
        if self.shown.commit() == now.commit() {
            return;
        }
        for part in 0..now.parts() {
            if now.shares_part(&self.shown, part) {
                continue;
            }
            for record in now.part(part) {
                let known = self.shown.get(record.key()).is_some_and(|shown| Arc::ptr_eq(shown, record));
                if !known {
                    self.guarded(record, |build| build.put(record));
                }
                pace.work(if known { 1 } else { EVALUATION }).await;
            }
        }
        let shown = mem::replace(&mut self.shown, now.clone());
        for part in 0..shown.parts() {
            if now.shares_part(&shown, part) {
                continue;
            }
            for record in shown.part(part) {
                if now.get(record.key()).is_none() {
                    self.guarded(record, |build| build.index.remove(record.key().into()));
                }
                pace.work(1).await;
            }
        }
    }

    fn guarded(&mut self, record: &Record, edit: impl FnOnce(&mut Self)) {
        if self.broken.is_some() {
            return;
        }
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| edit(self))) {
            let text = user_panic(&*payload, record.origin.sensitive);
            self.broken = Some(format!("Hash or Eq of its value panicked: {text}"));
        }
    }

    fn put(&mut self, record: &Arc<Record>) {
        match evaluate(self.index.function(), record) {
            Ok(Some(values)) => self.index.put(record, &values),
            Ok(None) => self.index.remove(record.key().into()),
            Err(message) => {
                self.index.remove(record.key().into());
                self.failures.push(IndexFailure {
                    index: self.name.clone(),
                    key: record.key().clone(),
                    message,
                });
            }
        }
    }
}
