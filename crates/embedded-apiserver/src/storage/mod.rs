//! The objects, in one order of writes, and their recent past.
//!
//! One counter numbers all writes. Each resource has a map of its objects by key and a log of its recent changes, which
//! says of each what was before and after. Watches read the log by position and have no copies of it. The state as of an
//! older version is that of now with the changes since then undone, so exact and paged lists are consistent as far back
//! as the log reaches.
//!
//! # Memory
//!
//! The objects, and per resource at most [`History::max_events`] changes and about [`History::max_bytes`] bytes of them;
//! an idle resource keeps [`History::min_events`]. A list or the beginning of a watch holds on to the objects it is made
//! of, not to copies, until it is sent. A watch is a position and a batch of at most 64 changes.

mod collection;
mod cursor;
mod escape;
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
pub(crate) use log::{Event, History};
pub(crate) use stored::{Content, Stored};

/// The version before the first write.
const FIRST_VERSION: u64 = 1;

/// All objects.
#[derive(Debug)]
pub(crate) struct Storage {
    state: Mutex<State>,
    /// The last version, for those who wait for one.
    version: watch::Sender<u64>,
    history: History,
    slowness: Slowness,
}

#[derive(Debug)]
struct State {
    version: u64,
    /// What was before this is forgotten.
    compacted: u64,
    collections: HashMap<StorageId, Collection>,
}

/// Which part of a collection is asked for.
pub(crate) struct PageRequest<'a> {
    /// `None`: all of them.
    pub(crate) namespace: Option<&'a str>,
    /// The first key that may be returned, without the namespace if there is one.
    pub(crate) from: Option<&'a str>,
    /// Zero for none.
    pub(crate) limit: usize,
    pub(crate) keep: &'a dyn Fn(&Stored) -> bool,
}

/// A part of a collection, all of one version.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) version: u64,
    pub(crate) items: Vec<Stored>,
    /// Whether there may be more.
    pub(crate) more: bool,
    /// How many objects, kept or not, are after these; counted only if there are more.
    pub(crate) remaining: usize,
}

/// The version is forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gone {
    /// The oldest that is remembered.
    pub(crate) oldest: u64,
}

/// What is replaced by a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// Nothing: the object is created, in a namespace that must exist.
    Absent,
    /// The object of that version.
    Version(u64),
}

/// Why a write is not done.
#[derive(Debug)]
pub(crate) enum Refused {
    /// There is one already.
    Exists(Stored),
    /// The object is not, or no longer, of the version that was expected.
    Changed,
    /// There is no such namespace.
    NoNamespace,
    /// The namespace is going away.
    NamespaceTerminating,
    /// The resource is served no longer.
    Retired,
}

impl Storage {
    pub(crate) fn new(history: History, slowness: Slowness) -> Self {
        let state = State { version: FIRST_VERSION, compacted: FIRST_VERSION, collections: HashMap::new() };
        Self { state: Mutex::new(state), version: watch::Sender::new(FIRST_VERSION), history, slowness }
    }

    /// The version of the last write.
    pub(crate) fn version(&self) -> u64 {
        self.state.lock().version
    }

    /// Waits until a version is reached; `false` if it is not in time.
    pub(crate) async fn reached(&self, version: u64, patience: Duration) -> bool {
        let mut versions = self.version.subscribe();
        let reached = versions.wait_for(|last| *last >= version);
        matches!(tokio::time::timeout(patience, reached).await, Ok(Ok(_)))
    }

    pub(crate) fn get(&self, id: &StorageId, key: &str) -> Option<Stored> {
        self.state.lock().collections.get(id)?.objects.get(key).cloned()
    }

    /// A part of a collection as of a version, by default as of now.
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

    /// A part of a collection as of now and a position just after it.
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

    /// The position just after a version, by default after the last one; and the version.
    pub(crate) fn cursor(&self, id: &StorageId, after: Option<u64>) -> Result<(u64, Cursor), Gone> {
        let mut state = self.state.lock();
        let after = after.unwrap_or(state.version);
        let collection = self.collection(&mut state, id);
        match after < collection.floor {
            true => Err(Gone { oldest: collection.floor }),
            false => Ok((after, Cursor::after(id.clone(), collection, after))),
        }
    }

    /// Reads on, at most so many changes.
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

    /// Removes an object; what it was, with the version of its removal.
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

    /// Whether a namespace is there to take new objects; the empty one is none, and takes all.
    pub(crate) fn namespace_takes(&self, namespace: &str) -> Result<(), Refused> {
        self.state.lock().namespace_takes(namespace)
    }

    /// Whether a collection is in use.
    pub(crate) fn has(&self, id: &StorageId) -> bool {
        self.state.lock().collections.get(id).is_some_and(|collection| !collection.retired)
    }

    /// Ends the use of a collection: its objects are removed, and nothing new is taken. Watches tell that and end. What
    /// was in it is kept to go back to. Returns what was removed.
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

    /// Begins a collection anew, without objects and past; watches of it end.
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

    /// Whether anything is in a namespace.
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

    /// Forgets what was before a version.
    pub(crate) fn compact(&self, version: u64) {
        let mut state = self.state.lock();
        let version = version.min(state.version);
        state.compacted = state.compacted.max(version);
        state.collections.values_mut().for_each(|collection| collection.compact(version));
    }

    /// Takes back everything after a version. Later writes use the same versions again; all watches end.
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
        self.advance(&mut state, version);
        Ok(())
    }

    fn advance(&self, state: &mut State, version: u64) {
        state.version = version;
        self.version.send_replace(version);
    }

    fn collection<'a>(&self, state: &'a mut State, id: &StorageId) -> &'a mut Collection {
        // Nothing was ever written to one that is not there: its past is known as far as any is.
        let floor = state.compacted;
        let collection = state.collections.entry(id.clone());
        let collection = collection.or_insert_with(|| Collection::new(self.history.clone(), floor));
        collection.expire();
        collection
    }
}

impl State {
    /// Whether a namespace is there to take new objects; the empty one is none, and takes all.
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
