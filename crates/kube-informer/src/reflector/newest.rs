//! The newest objects that a scope holds: what a server that was restored from a backup is most likely not to have. Pure.

use std::cmp::Ordering;

use informer_wire::{ObjectKey, ResourceVersion, Uid};

/// How many are remembered: when the newest is deleted the next one takes its place.
const KEPT: usize = 8;

/// An object at the version at which we last saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) key: ObjectKey,
    pub(crate) uid: Uid,
    pub(crate) version: ResourceVersion,
}

/// A few of the newest objects, the newest last.
#[derive(Debug, Default)]
pub(crate) struct Newest(Vec<Seen>);

impl Newest {
    /// Records the current state of an object. An object whose version cannot be compared proves nothing and is not
    /// recorded.
    pub(crate) fn put(&mut self, key: &ObjectKey, uid: &Uid, version: &ResourceVersion) {
        self.remove(key);
        if version.compare(version).is_none() || uid.is_empty() {
            return;
        }
        let older = |seen: &Seen| seen.version.compare(version) != Some(Ordering::Greater);
        let place = self.0.iter().rposition(older).map_or(0, |place| place + 1);
        if place == 0 && self.0.len() >= KEPT {
            return;
        }
        self.0.insert(place, Seen { key: key.clone(), uid: uid.clone(), version: version.clone() });
        if self.0.len() > KEPT {
            self.0.remove(0);
        }
    }

    /// Forgets an object that is gone.
    pub(crate) fn remove(&mut self, key: &ObjectKey) {
        self.0.retain(|seen| seen.key != *key);
    }

    /// Starts anew with all objects of a list, each key once.
    pub(crate) fn fill<'a>(
        &mut self,
        objects: impl Iterator<Item = (&'a ObjectKey, &'a Uid, &'a ResourceVersion)>,
    ) {
        self.0.clear();
        for (key, uid, version) in objects {
            // A list can be long, and nearly all of it is older than the newest few.
            let is_older = |oldest: &Seen| !oldest.version.is_older_than(version);
            if self.0.len() < KEPT || !self.0.first().is_some_and(is_older) {
                self.put(key, uid, version);
            }
        }
    }

    /// The newest of them.
    pub(crate) fn last(&self) -> Option<&Seen> {
        self.0.last()
    }

    /// Whether this object is still held at this version.
    pub(crate) fn has(&self, seen: &Seen) -> bool {
        self.0.contains(seen)
    }
}

#[cfg(test)]
mod tests;
