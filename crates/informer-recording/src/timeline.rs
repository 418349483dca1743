//! What a recording shows of the objects of one resource: which there were at any time of it, and what became of them.
//!
//! Lists, initial events and watch events of all requests for the resource are put together to one history in order of
//! versions, as an API server has it. Nothing here waits or knows what time it is.

mod beginnings;
mod merge;
mod observations;
mod select;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use kube_informer::kind::KindInfo;

pub(crate) use self::observations::metadata_of;
pub(crate) use self::select::Selection;
use crate::exchange::Exchange;

/// Namespace, empty for what is in none, and name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// The history of a resource.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    /// The version of the state before all changes.
    base: u64,
    /// What was there, from which place in the history on.
    objects: BTreeMap<Key, Vec<ObjectSince>>,
    /// In order of their versions; none is due before the one before it.
    changes: Vec<Change>,
}

/// An object from a place in the history on; none if it was gone.
#[derive(Debug)]
struct ObjectSince {
    place: usize,
    object: Option<Bytes>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change {
    /// The version that the resource has with it.
    version: u64,
    /// When it was recorded.
    pub(crate) at: Duration,
    pub(crate) key: Key,
    pub(crate) before: Option<Bytes>,
    pub(crate) after: Option<Bytes>,
    /// The object as a watch shows it; for one that is gone as it was at its end.
    pub(crate) shown: Bytes,
}

/// What happened before a version was not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooOld {
    pub(crate) oldest: u64,
}

impl Timeline {
    /// The history of a kind; `None` if no complete list of it and no watch was recorded.
    pub(crate) fn of(kind: &KindInfo, exchanges: &[Exchange]) -> Option<Self> {
        let observations = observations::of_kind(kind, exchanges);
        (!observations.is_empty()).then(|| merge::merge(observations))
    }

    /// How many changes there have been at a time of the recording; without one all of them.
    pub(crate) fn place(&self, at: Option<Duration>) -> usize {
        match at {
            Some(at) => self.changes.partition_point(|change| change.at <= at),
            None => self.changes.len(),
        }
    }

    /// Where what is newer than a version begins.
    pub(crate) fn after(&self, version: u64) -> Result<usize, TooOld> {
        if version < self.base {
            return Err(TooOld { oldest: self.base });
        }
        Ok(self.changes.partition_point(|change| change.version <= version))
    }

    pub(crate) fn version(&self, place: usize) -> u64 {
        let last = place.checked_sub(1).and_then(|last| self.changes.get(last));
        last.map_or(self.base, |change| change.version.max(self.base))
    }

    pub(crate) fn change(&self, place: usize) -> Option<&Change> {
        self.changes.get(place)
    }

    /// The objects that are there and selected, in order of their keys.
    pub(crate) fn objects(&self, place: usize, selection: &Selection) -> Vec<Bytes> {
        let keys = self.objects.iter().filter(|(key, _)| selection.may_have(key));
        let there = keys.filter_map(|(key, since)| Some((key, as_of(since, place)?)));
        there.filter(|(key, object)| selection.has(key, object)).map(|(_, object)| object.clone()).collect()
    }

    pub(crate) fn get(&self, place: usize, key: &Key) -> Option<&Bytes> {
        as_of(self.objects.get(key)?, place)
    }

    /// Whether there ever was an object in a namespace.
    pub(crate) fn has_namespace(&self, namespace: &str) -> bool {
        let first = Key { namespace: namespace.to_owned(), name: String::new() };
        self.objects.range(first..).next().is_some_and(|(key, _)| key.namespace == namespace)
    }

    /// Whether its objects are in namespaces, as far as any were seen.
    pub(crate) fn is_namespaced(&self) -> Option<bool> {
        self.objects.keys().next().map(|key| !key.namespace.is_empty())
    }
}

/// What is the case after so many changes.
fn as_of(since: &[ObjectSince], place: usize) -> Option<&Bytes> {
    let valid = since.partition_point(|since| since.place <= place);
    since.get(valid.checked_sub(1)?)?.object.as_ref()
}
