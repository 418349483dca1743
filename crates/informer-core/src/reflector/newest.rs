//! The newest objects that a scope holds: what a server that was restored from a backup is most likely not to have. Pure.

use std::cmp::Ordering;

use informer_wire::{ObjectKey, ResourceVersion, Uid};

/// How many are remembered: when the newest is deleted the next one takes its place.
const KEPT: usize = 8;

/// An object at the version at which we last saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its key.
    pub key: ObjectKey,
    /// Its uid.
    pub uid: Uid,
    /// The version.
    pub version: ResourceVersion,
}

/// A few of the newest objects.
#[derive(Debug)]
pub struct Newest {
    /// The newest last.
    seen: Vec<Seen>,
    /// The latest version of which it is known what was gone by then. An answer as of an earlier one may show an object that is
    /// known to be gone: of those that are gone nothing is kept.
    passed: ResourceVersion,
}

impl Default for Newest {
    fn default() -> Self {
        Self { seen: Vec::new(), passed: ResourceVersion::empty() }
    }
}

impl Newest {
    /// Records the current state of an object, unless a newer one is known: a watch may lag behind a lookup. An object whose
    /// version cannot be compared proves nothing and is not recorded.
    pub fn put(&mut self, key: &ObjectKey, uid: &Uid, version: &ResourceVersion) {
        if self.seen.iter().any(|seen| seen.key == *key && version.is_older_than(&seen.version)) {
            return;
        }
        self.remove(key);
        if version.compare(version).is_none() || uid.is_empty() {
            return;
        }
        let older = |seen: &Seen| seen.version.compare(version) != Some(Ordering::Greater);
        let place = self.seen.iter().rposition(older).map_or(0, |place| place + 1);
        if place == 0 && self.seen.len() >= KEPT {
            return;
        }
        self.seen.insert(place, Seen { key: key.clone(), uid: uid.clone(), version: version.clone() });
        if self.seen.len() > KEPT {
            self.seen.remove(0);
        }
    }

    /// Records an object as a lookup found it. The answer may be late: what is older than the last delete or list proves nothing.
    pub fn looked(&mut self, key: &ObjectKey, uid: &Uid, version: &ResourceVersion, as_of: &ResourceVersion) {
        if !as_of.is_older_than(&self.passed) {
            self.put(key, uid, version);
        }
    }

    /// Forgets an object that is gone.
    pub fn remove(&mut self, key: &ObjectKey) {
        self.seen.retain(|seen| seen.key != *key);
    }

    /// Forgets an object that was gone at this version, unless a newer state of it is known.
    pub fn gone(&mut self, key: &ObjectKey, version: &ResourceVersion) {
        self.seen.retain(|seen| seen.key != *key || version.is_older_than(&seen.version));
        self.pass(version);
    }

    fn pass(&mut self, version: &ResourceVersion) {
        if !version.is_older_than(&self.passed) {
            self.passed = version.clone();
        }
    }

    /// A list of this version was read, which says it all, but for what was looked up at a later one. `None`: nothing counts
    /// that was known before.
    pub fn begin(&mut self, version: Option<&ResourceVersion>) {
        self.seen.retain(|seen| version.is_some_and(|version| version.is_older_than(&seen.version)));
        match version {
            Some(version) => self.pass(version),
            None => self.passed = ResourceVersion::empty(),
        }
    }

    /// Records all objects of a list, each key once.
    pub fn fill<'a>(&mut self, objects: impl Iterator<Item = (&'a ObjectKey, &'a Uid, &'a ResourceVersion)>) {
        for (key, uid, version) in objects {
            // A list can be long, and nearly all of it is older than the newest few.
            let is_older = |oldest: &Seen| !oldest.version.is_older_than(version);
            if self.seen.len() < KEPT || !self.seen.first().is_some_and(is_older) {
                self.put(key, uid, version);
            }
        }
    }

    /// The newest of them.
    pub fn last(&self) -> Option<&Seen> {
        self.seen.last()
    }

    /// Whether this object is still held at this version.
    pub fn has(&self, seen: &Seen) -> bool {
        self.seen.contains(seen)
    }
}

#[cfg(test)]
mod tests;
