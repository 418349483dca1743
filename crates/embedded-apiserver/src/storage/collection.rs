//! The objects of one resource and their recent past.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use tokio::sync::watch;

use super::log::{Event, History, Log};
use super::{Gone, Page, PageRequest, Stored};

/// The objects of one resource and their recent past.
#[derive(Debug)]
pub(super) struct Collection {
    pub(super) objects: BTreeMap<Arc<str>, Stored>,
    pub(super) log: Log,
    /// The oldest version that can be read, or watched from.
    pub(super) floor: u64,
    /// Since when it exists.
    born: u64,
    /// Watches of an earlier incarnation have ended.
    pub(super) incarnation: u64,
    /// Whether the resource is served no longer.
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

    /// Puts one object in place of another, or of none.
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

    /// Forgets what has grown too old.
    pub(super) fn expire(&mut self) {
        if let Some(forgotten) = self.log.expire() {
            self.floor = self.floor.max(forgotten);
        }
    }

    /// Forgets what was before a version.
    pub(super) fn compact(&mut self, version: u64) {
        self.log.forget_to(version);
        self.floor = self.floor.max(version);
    }

    /// Begins anew without objects and without a past; watches end.
    pub(super) fn renew(&mut self, version: u64) {
        self.objects.clear();
        self.log = Log::new(self.history.clone());
        self.floor = version;
        // What was there in an earlier life is forgotten, which is not the same as that there was none.
        if !std::mem::take(&mut self.retired) {
            self.born = version;
        }
        self.end_watches();
    }

    pub(super) fn end_watches(&mut self) {
        self.incarnation += 1;
        self.changed.send_replace(());
    }

    /// Whether it can be taken back to a version.
    pub(super) fn reaches(&self, version: u64) -> bool {
        self.floor <= version || self.born > version
    }

    /// Takes back everything after a version; watches end.
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

    /// A part of the state as of a version.
    pub(super) fn page(&self, at: u64, request: &PageRequest<'_>) -> Result<Page, Gone> {
        if at < self.floor {
            return Err(Gone { oldest: self.floor });
        }
        // What was otherwise at that version: of several changes of one object the first after it counts.
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
                match page.more {
                    true => page.remaining += 1,
                    false => page.items.push(stored.clone()),
                }
            }
        }
        Ok(page)
    }
}

impl PageRequest<'_> {
    /// From where to where, by key.
    fn bounds(&self) -> (Bound<String>, Bound<String>) {
        let prefix = self.namespace.map(|namespace| format!("{namespace}/"));
        let to = match self.namespace {
            // The character after the slash.
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

/// The state now with that of then laid over it, in order of keys.
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
