//! Helpers for tests of the decoders.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use informer_wire::ObjectKey;

use informer_core::object::known::Known;
use informer_core::object::record::Record;
pub(crate) use informer_core::object::testing::config_maps;
pub(crate) use informer_wire::testing::{chunks, to_the_end};

/// How large one document may be unless set otherwise.
pub(crate) const DEFAULT_LIMIT: usize = 32 << 20;

/// Knows one record and counts the questions.
pub(crate) struct KnowsOne {
    pub(crate) record: Arc<Record>,
    pub(crate) asked: AtomicUsize,
}

impl KnowsOne {
    pub(crate) fn new(record: Arc<Record>) -> Self {
        Self { record, asked: AtomicUsize::new(0) }
    }

    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Known for KnowsOne {
    fn stored(&self, key: &ObjectKey) -> Option<Arc<Record>> {
        (self.record.head.key == *key).then(|| self.record.clone())
    }

    fn may_stand_in(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed);
        true
    }
}
