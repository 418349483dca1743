//! Building an index over objects that are already there, beside the running informer.
//!
//! A build is brought up to a snapshot, as often as wanted and by any task; each time only what differs from the last
//! snapshot is looked at by the index function. The writer does it a last time and makes the index visible, so nobody
//! ever sees a half-built index and the stream of events stands still only for the last difference.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::object::record::Record;
use crate::report::panic_text;
use crate::store::index::{IndexFailure, IndexFunction, IndexValue, TypedIndex, evaluate};
use crate::store::pace::Pace;
use crate::store::snapshot::Snapshot;

/// An index function is user code and may decode the object; it counts as this many objects looked at.
pub(super) const EVALUATION: usize = 4;

/// An index that is not in the store yet.
pub(crate) struct IndexBuild<V> {
    pub(super) name: Arc<str>,
    pub(super) field: Option<&'static str>,
    pub(super) index: TypedIndex<V>,
    pub(super) failures: Vec<IndexFailure>,
    /// Why the index cannot be used: `Hash` or `Eq` of its value panicked half-way through an edit.
    pub(super) broken: Option<String>,
    /// What the index shows.
    shown: Snapshot,
}

impl<V: IndexValue> IndexBuild<V> {
    pub(crate) fn new(name: impl Into<Arc<str>>, function: IndexFunction<V>) -> Self {
        Self {
            name: name.into(),
            field: None,
            index: TypedIndex::new(function),
            failures: Vec::new(),
            broken: None,
            shown: Snapshot::default(),
        }
    }

    /// Notes which field it is on, so that an index on another field is not taken for this one.
    pub(crate) fn on_field(mut self, field: Option<&'static str>) -> Self {
        self.field = field;
        self
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Brings the index up to a snapshot of all objects, with pauses. If this is dropped half-way, start anew.
    pub(crate) async fn catch_up(&mut self, now: Snapshot) {
        let mut pace = Pace::default();
        for part in 0..now.parts() {
            for record in now.part(part) {
                let known = self.shown.get(record.key()).is_some_and(|shown| Arc::ptr_eq(shown, record));
                if !known {
                    self.guarded(|build| build.put(record));
                }
                pace.work(if known { 1 } else { EVALUATION }).await;
            }
        }
        let shown = mem::replace(&mut self.shown, now.clone());
        for part in 0..shown.parts() {
            for record in shown.part(part) {
                if now.get(record.key()).is_none() {
                    self.guarded(|build| build.index.remove(record.into()));
                }
                pace.work(1).await;
            }
        }
    }

    fn guarded(&mut self, edit: impl FnOnce(&mut Self)) {
        if self.broken.is_some() {
            return;
        }
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| edit(self))) {
            self.broken = Some(format!("Hash or Eq of its value panicked: {}", panic_text(&*payload)));
        }
    }

    fn put(&mut self, record: &Arc<Record>) {
        match evaluate(self.index.function(), record) {
            Ok(Some(values)) => self.index.put(record, &values),
            Ok(None) => self.index.remove(record.into()),
            Err(message) => {
                self.index.remove(record.into());
                self.failures.push(IndexFailure {
                    index: self.name.clone(),
                    key: record.key().clone(),
                    message,
                });
            }
        }
    }
}
