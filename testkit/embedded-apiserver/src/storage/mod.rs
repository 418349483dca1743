//! All objects and their recent changes.
//!
//! One counter numbers all writes. Each resource has a map of its objects by key and a log of its recent changes with the
//! object before and after. Watches read the log by position and hold no copies of it. The state as of an older version is
//! computed from the current one by undoing the changes since then, so exact and paged lists are consistent as far back as
//! the log reaches.
//!
//! # Memory
//!
//! The objects, and of each resource at most [`History::max_events`] changes and about [`History::max_bytes`] bytes; an
//! idle resource keeps [`History::min_events`] changes. A list and the initial events of a watch hold references to their
//! objects, not copies, until they are sent. A watch holds a position and a batch of at most 64 changes.

mod collection;
mod cursor;
mod escape;
mod feed;
mod log;
mod stored;

use std::collections::HashMap;
use std::ops::Bound;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;

use crate::kinds::StorageId;
use collection::Collection;

pub(crate) use cursor::{Cursor, Read, Slowness};
pub(crate) use feed::{Feed, News};
pub(crate) use log::{Event, History};
pub(crate) use stored::{Content, Stored, write_json};

/// All objects.
#[derive(Debug)]
pub(crate) struct Storage {
    state: Mutex<State>,
    /// The version of the last write; requests for a later version wait on it.
    version: watch::Sender<u64>,
    history: History,
    slowness: Slowness,
}

#[derive(Debug)]
struct State {
    version: u64,
    /// History before this version is forgotten.
    compacted: u64,
    /// How often writes have been undone.
    rewinds: u64,
    collections: HashMap<StorageId, Collection>,
}

/// Which part of a collection to read.
pub(crate) struct PageRequest<'a> {
    /// `None` for all namespaces.
    pub(crate) namespace: Option<&'a str>,
    /// The first key that may be returned, without the namespace if there is one.
    pub(crate) from: Option<&'a str>,
    /// The most objects to return; zero for no limit.
    pub(crate) limit: usize,
    pub(crate) keep: &'a dyn Fn(&Stored) -> bool,
}

/// A part of a collection as of one version.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) version: u64,
    pub(crate) items: Vec<Stored>,
    /// Whether there may be more objects.
    pub(crate) more: bool,
    /// How many objects follow, whether `keep` selects them or not; counted only if `more` is set.
    pub(crate) remaining: usize,
}

/// The history of the requested version is forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gone {
    /// The oldest version that is still known.
    pub(crate) oldest: u64,
}

/// What a write expects to replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// Nothing: the object is created. Its namespace must exist.
    Absent,
    /// The object with that version.
    Version(u64),
}

/// Why a write is refused.
#[derive(Debug)]
pub(crate) enum Refused {
    /// The object exists already.
    Exists(Stored),
    /// The object does not have the expected version, or is gone.
    Changed,
    /// There is no such namespace.
    NoNamespace,
    /// The namespace is being deleted.
    NamespaceTerminating,
    /// The resource has been removed with its CustomResourceDefinition.
    Retired,
}

impl Storage {
    /// `first` is the version before the first write.
    pub(crate) fn new(first: u64, history: History, slowness: Slowness) -> Self {
        let state = State { version: first, compacted: first, rewinds: 0, collections: HashMap::new() };
        Self { state: Mutex::new(state), version: watch::Sender::new(first), history, slowness }
    }

    /// The version of the last write.
    pub(crate) fn version(&self) -> u64 {
        self.state.lock().version
    }

    /// Waits until a version is reached; `false` after `patience`.
    pub(crate) async fn reached(&self, version: u64, patience: Duration) -> bool {
        let mut versions = self.version.subscribe();
        let reached = versions.wait_for(|last| *last >= version);
        matches!(tokio::time::timeout(patience, reached).await, Ok(Ok(_)))
    }

    pub(crate) fn get(&self, id: &StorageId, key: &str) -> Option<Stored> {
        self.state.lock().collections.get(id)?.objects.get(key).cloned()
    }

    /// All objects of a collection, or those in one namespace.
    pub(crate) fn all(&self, id: &StorageId, namespace: Option<&str>) -> Vec<Stored> {
        let everything = PageRequest { namespace, from: None, limit: 0, keep: &|_| true };
        self.page(id, None, &everything).map(|page| page.items).unwrap_or_default()
    }

    /// A part of a collection as of a version; `None` for the latest.
    pub(crate) fn page(
        &self,
        id: &StorageId,
        at: Option<u64>,
        request: &PageRequest<'_>,
    ) -> Result<Page, Gone> {
        let mut state = self.state.lock();
        let at = at.unwrap_or(state.version);
        self.collection(&mut state, id).page(at, request)
    }

    /// A part of the current collection, and the position of the changes that follow it.
    pub(crate) fn page_and_cursor(
        &self,
        id: &StorageId,
        request: &PageRequest<'_>,
    ) -> Result<(Page, Cursor), Gone> {
        let mut state = self.state.lock();
        let version = state.version;
        let collection = self.collection(&mut state, id);
        Ok((collection.page(version, request)?, Cursor::after(id.clone(), collection, version)))
    }

    /// The position of the changes after a version (`None` for the latest), and that version.
    pub(crate) fn cursor(&self, id: &StorageId, after: Option<u64>) -> Result<(u64, Cursor), Gone> {
        let mut state = self.state.lock();
        let after = after.unwrap_or(state.version);
        let collection = self.collection(&mut state, id);
        if after < collection.floor {
            Err(Gone { oldest: collection.floor })
        } else {
            Ok((after, Cursor::after(id.clone(), collection, after)))
        }
    }

    /// Reads the next changes, at most `count`.
    pub(crate) fn read(&self, cursor: &mut Cursor, count: usize) -> Read {
        let state = self.state.lock();
        match state.collections.get(&cursor.id) {
            Some(collection) => cursor.read(collection, state.version, count, self.slowness),
            None => Read::Ended,
        }
    }

    /// Writes an object.
    pub(crate) fn write(
        &self,
        id: &StorageId,
        content: Content,
        expected: Expected,
    ) -> Result<Stored, Refused> {
        let mut state = self.state.lock();
        if expected == Expected::Absent {
            state.namespace_takes(content.namespace())?;
        }
        let version = state.version + 1;
        let collection = self.collection(&mut state, id);
        if collection.retired {
            return Err(Refused::Retired);
        }
        let old = expect(collection.objects.get(&content.key), expected)?;
        let new = Stored { version, content: content.into() };
        collection.apply(version, old, Some(new.clone()));
        self.advance(&mut state, version);
        Ok(new)
    }

    /// Removes an object. Returns its last state with the version of its removal.
    pub(crate) fn remove(&self, id: &StorageId, key: &str, version: u64) -> Result<Stored, Refused> {
        let mut state = self.state.lock();
        let next = state.version + 1;
        let collection = self.collection(&mut state, id);
        let old = expect(collection.objects.get(key), Expected::Version(version))?.ok_or(Refused::Changed)?;
        let removed = Stored { version: next, content: old.content.clone() };
        collection.apply(next, Some(old), None);
        self.advance(&mut state, next);
        Ok(removed)
    }

    /// Whether objects can be created in a namespace. The empty name stands for cluster-scoped objects, which always can.
    pub(crate) fn namespace_takes(&self, namespace: &str) -> Result<(), Refused> {
        self.state.lock().namespace_takes(namespace)
    }

    /// Whether a collection exists and is not retired.
    pub(crate) fn has(&self, id: &StorageId) -> bool {
        self.state.lock().collections.get(id).is_some_and(|collection| !collection.retired)
    }

    /// Whether a collection has no objects.
    pub(crate) fn has_none(&self, id: &StorageId) -> bool {
        self.state.lock().collections.get(id).is_none_or(|collection| collection.objects.is_empty())
    }

    /// Retires a collection: its objects are removed, and writes are refused. Watches send the deletions and end. The history
    /// is kept for [`rewind`](Self::rewind). Returns the removed objects.
    pub(crate) fn retire(&self, id: &StorageId) -> Vec<Stored> {
        let mut state = self.state.lock();
        let mut version = state.version;
        let Some(collection) = state.collections.get_mut(id) else { return Vec::new() };
        let removed: Vec<Stored> = collection.objects.values().cloned().collect();
        for stored in &removed {
            version += 1;
            collection.apply(version, Some(stored.clone()), None);
        }
        collection.retired = true;
        collection.changed.send_replace(());
        self.advance(&mut state, version);
        removed
    }

    /// Starts a collection over without objects and history; watches of it end.
    pub(crate) fn renew(&self, id: &StorageId) {
        let mut state = self.state.lock();
        let version = state.version;
        self.collection(&mut state, id).renew(version);
    }

    /// Ends the watches of a collection.
    pub(crate) fn end_watches(&self, id: &StorageId) {
        if let Some(collection) = self.state.lock().collections.get_mut(id) {
            collection.end_watches();
        }
    }

    /// Whether a namespace has no objects.
    pub(crate) fn is_empty(&self, namespace: &str) -> bool {
        let prefix = format!("{namespace}/");
        let state = self.state.lock();
        state.collections.values().all(|collection| {
            let first = collection
                .objects
                .range::<str, _>((Bound::Included(prefix.as_str()), Bound::Unbounded))
                .next();
            first.is_none_or(|(key, _)| !key.starts_with(&prefix))
        })
    }

    /// Forgets the history before a version.
    pub(crate) fn compact(&self, version: u64) {
        let mut state = self.state.lock();
        let version = version.min(state.version);
        state.compacted = state.compacted.max(version);
        state.collections.values_mut().for_each(|collection| collection.compact(version));
    }

    /// Undoes all writes after a version. Later writes use the same versions again; all watches end.
    pub(crate) fn rewind(&self, version: u64) -> Result<(), Gone> {
        let mut state = self.state.lock();
        if version >= state.version {
            return Ok(());
        }
        if version < state.compacted {
            return Err(Gone { oldest: state.compacted });
        }
        if let Some(oldest) =
            state.collections.values().filter(|c| !c.reaches(version)).map(|c| c.floor).max()
        {
            return Err(Gone { oldest });
        }
        state.collections.values_mut().for_each(|collection| collection.rewind(version));
        state.rewinds += 1;
        self.advance(&mut state, version);
        Ok(())
    }

    fn advance(&self, state: &mut State, version: u64) {
        state.version = version;
        self.version.send_replace(version);
    }

    fn collection<'a>(&self, state: &'a mut State, id: &StorageId) -> &'a mut Collection {
        // Nothing was ever written to a new collection, so its history is complete back to the last compaction.
        let floor = state.compacted;
        let collection = state.collections.entry(id.clone());
        let collection = collection.or_insert_with(|| Collection::new(self.history.clone(), floor));
        collection.expire();
        collection
    }
}

impl State {
    /// Whether objects can be created in a namespace. The empty name stands for cluster-scoped objects, which always can.
    fn namespace_takes(&self, namespace: &str) -> Result<(), Refused> {
        if namespace.is_empty() {
            return Ok(());
        }
        let namespaces = self.collections.get(&StorageId { group: "".into(), plural: "namespaces".into() });
        match namespaces.and_then(|namespaces| namespaces.objects.get(namespace)) {
            None => Err(Refused::NoNamespace),
            Some(stored) if stored.content.terminating => Err(Refused::NamespaceTerminating),
            Some(_) => Ok(()),
        }
    }
}

fn expect(current: Option<&Stored>, expected: Expected) -> Result<Option<Stored>, Refused> {
    match (current, expected) {
        (None, Expected::Absent) => Ok(None),
        (Some(current), Expected::Absent) => Err(Refused::Exists(current.clone())),
        (Some(current), Expected::Version(version)) if current.version == version => {
            Ok(Some(current.clone()))
        }
        (_, Expected::Version(_)) => Err(Refused::Changed),
    }
}

#[cfg(test)]
mod tests;
