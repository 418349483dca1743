//! TEMPORARY stand-in.
use crate::key::ObjectKey;
use crate::object::record::Record;
use std::sync::Arc;

#[derive(Clone, Default)]
pub(crate) struct Snapshot(pub(crate) Vec<Vec<Arc<Record>>>);
impl Snapshot {
    pub(crate) fn of(r: impl Iterator<Item = Arc<Record>>) -> Self {
        Self(r.collect::<Vec<_>>().chunks(2).map(|c| c.to_vec()).collect())
    }

    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }
    pub(crate) fn parts(&self) -> usize {
        self.0.len()
    }
    pub(crate) fn part(&self, i: usize) -> impl ExactSizeIterator<Item = &Arc<Record>> {
        self.0[i].iter()
    }
    pub(crate) fn part_of(&self, key: &ObjectKey) -> Option<usize> {
        self.0.iter().position(|p| p.iter().any(|r| r.key() == key))
    }
    pub(crate) fn get(&self, key: &ObjectKey) -> Option<&Arc<Record>> {
        self.0.iter().flatten().find(|r| r.key() == key)
    }
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Record>> {
        self.0.iter().flatten()
    }
}
