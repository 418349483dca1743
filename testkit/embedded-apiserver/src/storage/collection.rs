//! The objects of one resource and their recent changes.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use tokio::sync::watch;

use super::log::{Event, History, Log};
use super::{Gone, Page, PageRequest, Stored};

/// The objects of one resource and their recent changes.
#[derive(Debug)]
pub(super) struct Collection {
    pub(super) objects: BTreeMap<Arc<str>, Stored>,
    pub(super) log: Log,
    /// The oldest version that can be listed or watched from.
    pub(super) floor: u64,
    /// The version at which it was created.
    born: u64,
    /// Increased to end all watches: a watch ends if this is not what it was at its start.
    pub(super) incarnation: u64,
    /// Whether the resource has been removed with its CustomResourceDefinition.
    pub(super) retired: bool,
    pub(super) changed: watch::Sender<()>,
    history: History,
}

impl Collection {
    pub(super) fn new(history: History, version: u64) -> Self {
        Self {
            objects: BTreeMap::new(),
            log: Log::new(history.clone()),
            floor: version,
            born: version,
            incarnation: 0,
            retired: false,
            changed: watch::Sender::new(()),
            history,
        }
    }

    /// Replaces `old` with `new` and logs the change.
    pub(super) fn apply(&mut self, version: u64, old: Option<Stored>, new: Option<Stored>) {
        match (&old, &new) {
            (_, Some(stored)) => drop(self.objects.insert(stored.content.key.clone(), stored.clone())),
            (Some(stored), None) => drop(self.objects.remove(&stored.content.key)),
            (None, None) => return,
        }
        if let Some(forgotten) = self.log.push(Event::new(version, old, new)) {
            self.floor = self.floor.max(forgotten);
        }
        self.changed.send_replace(());
    }

    /// Forgets changes that are too old.
    pub(super) fn expire(&mut self) {
        if let Some(forgotten) = self.log.expire() {
            self.floor = self.floor.max(forgotten);
        }
    }

    /// Forgets the history before a version.
    pub(super) fn compact(&mut self, version: u64) {
        self.log.forget_to(version);
        self.floor = self.floor.max(version);
    }

    /// Starts over without objects and history; watches end.
    pub(super) fn renew(&mut self, version: u64) {
        self.objects.clear();
        self.log = Log::new(self.history.clone());
        self.floor = version;
        // A retired collection had objects. Its old versions are forgotten, so reading them must fail and not be empty.
        if !std::mem::take(&mut self.retired) {
            self.born = version;
        }
        self.end_watches();
    }

    pub(super) fn end_watches(&mut self) {
        self.incarnation += 1;
        self.changed.send_replace(());
    }

    /// Whether the history goes back to a version.
    pub(super) fn reaches(&self, version: u64) -> bool {
        self.floor <= version || self.born > version
    }

    /// Undoes all changes after a version; watches end.
    pub(super) fn rewind(&mut self, version: u64) {
        if self.born > version {
            self.retired = false;
            return self.renew(version);
        }
        while let Some(event) = self.log.take_back(version) {
            let Some(key) = event.key() else { continue };
            match &event.old {
                Some(old) => drop(self.objects.insert(key.clone(), old.clone())),
                None => drop(self.objects.remove(key)),
            }
        }
        self.retired = false;
        self.end_watches();
    }

    /// A page of the objects as of a version.
    pub(super) fn page(&self, at: u64, request: &PageRequest<'_>) -> Result<Page, Gone> {
        if at < self.floor {
            return Err(Gone { oldest: self.floor });
        }
        // The objects that were different at that version. The first change of an object after it has the state of then.
        let mut then: BTreeMap<&str, Option<&Stored>> = BTreeMap::new();
        for event in self.log.after(at).rev() {
            if let Some(key) = event.key() {
                then.insert(key, event.old.as_ref());
            }
        }
        let (from, to) = request.bounds();
        let in_range = (from.as_ref().map(String::as_str), to.as_ref().map(String::as_str));
        let now = self.objects.range::<str, _>(in_range).map(|(key, stored)| (&**key, stored));
        let then = then.range::<str, _>(in_range).map(|(key, stored)| (*key, *stored));
        let mut page = Page { version: at, ..Page::default() };
        for stored in (Overlaid { now: now.peekable(), then: then.peekable() }) {
            if page.more {
                page.remaining += 1;
            } else if (request.keep)(stored) {
                page.more = request.limit > 0 && page.items.len() == request.limit;
                if page.more { page.remaining += 1 } else { page.items.push(stored.clone()) }
            }
        }
        Ok(page)
    }
}

impl PageRequest<'_> {
    /// The range of keys that a page is from.
    fn bounds(&self) -> (Bound<String>, Bound<String>) {
        let prefix = self.namespace.map(|namespace| format!("{namespace}/"));
        let to = match self.namespace {
            // `0` is the character after `/`, so this is the end of the keys `namespace/…`.
            Some(namespace) => Bound::Excluded(format!("{namespace}0")),
            None => Bound::Unbounded,
        };
        let from = match (self.from, prefix) {
            (Some(from), prefix) => Bound::Included(prefix.unwrap_or_default() + from),
            (None, Some(prefix)) => Bound::Included(prefix),
            (None, None) => Bound::Unbounded,
        };
        (from, to)
    }
}

/// Merges the current objects with those that were different then, in the order of keys.
struct Overlaid<N: Iterator, T: Iterator> {
    now: std::iter::Peekable<N>,
    then: std::iter::Peekable<T>,
}

impl<'a, N, T> Iterator for Overlaid<N, T>
where
    N: Iterator<Item = (&'a str, &'a Stored)>,
    T: Iterator<Item = (&'a str, Option<&'a Stored>)>,
{
    type Item = &'a Stored;

    fn next(&mut self) -> Option<&'a Stored> {
        loop {
            match (self.now.peek(), self.then.peek()) {
                (Some((now, _)), Some((then, _))) if now < then => {
                    return self.now.next().map(|(_, stored)| stored);
                }
                (Some(_), None) => return self.now.next().map(|(_, stored)| stored),
                (None, None) => return None,
                (Some((now, _)), Some((then, _))) => {
                    if now == then {
                        self.now.next();
                    }
                }
                (None, Some(_)) => {}
            }
            if let Some((_, Some(stored))) = self.then.next() {
                return Some(stored);
            }
        }
    }
}
