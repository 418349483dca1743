//! The recent changes of one resource.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use super::Stored;

/// How much history is kept of each resource.
#[derive(Clone, Debug)]
pub(crate) struct History {
    /// This many changes are kept whatever their age.
    pub(crate) min_events: usize,
    /// More changes than this are never kept.
    pub(crate) max_events: usize,
    /// Between these two numbers, changes younger than this are kept.
    pub(crate) window: Duration,
    /// Changes older than this are forgotten even if there is room.
    pub(crate) max_age: Option<Duration>,
    /// More bytes than about this are never kept.
    pub(crate) max_bytes: usize,
}

impl Default for History {
    fn default() -> Self {
        Self {
            min_events: 100,
            max_events: 102_400,
            window: Duration::from_secs(75),
            max_age: None,
            max_bytes: 256 << 20,
        }
    }
}

/// One change of one object.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) version: u64,
    /// The object before the change, with its version at that time; `None` if it was created.
    pub(crate) old: Option<Stored>,
    /// The object after the change; `None` if it was deleted.
    pub(crate) new: Option<Stored>,
    at: Instant,
    /// The line that most watches send for this change, with the kind and apiVersion that it was written with. The first
    /// watch that needs it writes it.
    pub(crate) line: OnceLock<(Arc<str>, Bytes)>,
}

impl Event {
    pub(super) fn new(version: u64, old: Option<Stored>, new: Option<Stored>) -> Self {
        Self { version, old, new, at: Instant::now(), line: OnceLock::new() }
    }

    pub(super) fn key(&self) -> Option<&Arc<str>> {
        self.new.as_ref().or(self.old.as_ref()).map(|stored| &stored.content.key)
    }

    fn size(&self) -> usize {
        let of = |stored: &Option<Stored>| stored.as_ref().map_or(0, |stored| stored.content.size());
        of(&self.old) + of(&self.new)
    }
}

/// The recent changes of one resource, in order. Each has a number.
#[derive(Debug)]
pub(super) struct Log {
    history: History,
    events: VecDeque<Arc<Event>>,
    /// The number of the oldest change that is kept.
    first: u64,
    capacity: usize,
    bytes: usize,
}

impl Log {
    pub(super) fn new(history: History) -> Self {
        let capacity = history.min_events.max(1);
        Self { history, events: VecDeque::new(), first: 0, capacity, bytes: 0 }
    }

    /// The number that the next change will have.
    pub(super) fn end(&self) -> u64 {
        self.first + self.events.len() as u64
    }

    /// The number of the oldest change that is kept.
    pub(super) fn start(&self) -> u64 {
        self.first
    }

    /// Appends a change. If older ones had to be forgotten, returns the version of the last of them.
    pub(super) fn push(&mut self, event: Event) -> Option<u64> {
        let forgotten = self.make_room(event.at);
        self.bytes += event.size();
        self.events.push_back(Arc::new(event));
        let mut last = forgotten;
        while self.bytes > self.history.max_bytes && self.events.len() > 1 {
            last = self.pop_front().or(last);
        }
        last
    }

    /// Makes room as the ring buffer of the real server does: it grows while it is full of young changes, and shrinks when
    /// most of them are old.
    fn make_room(&mut self, now: Instant) -> Option<u64> {
        let age = |event: Option<&Arc<Event>>| event.map_or(Duration::ZERO, |event| now - event.at);
        let len = self.events.len();
        if len >= self.capacity {
            let History { min_events, max_events, window, .. } = self.history;
            if age(self.events.front()) < window {
                self.capacity = (self.capacity * 2).min(max_events).max(1);
            } else if age(self.events.get(len.saturating_sub(self.capacity / 4))) > window {
                self.capacity = (self.capacity / 2).max(min_events).max(1);
            }
        }
        let mut last = None;
        while self.events.len() >= self.capacity {
            last = self.pop_front().or(last);
        }
        last
    }

    /// Forgets changes that are too old; returns the version of the last of them, if any.
    pub(super) fn expire(&mut self) -> Option<u64> {
        let max_age = self.history.max_age?;
        let now = Instant::now();
        self.forget_while(|event| now - event.at > max_age)
    }

    /// Forgets changes up to and including a version.
    pub(super) fn forget_to(&mut self, version: u64) {
        self.forget_while(|event| event.version <= version);
    }

    /// Removes the last change and returns it, if it is after a version.
    pub(super) fn take_back(&mut self, version: u64) -> Option<Arc<Event>> {
        let event = self.events.back().filter(|event| event.version > version)?.clone();
        self.bytes -= event.size();
        self.events.pop_back();
        Some(event)
    }

    /// The changes after a version, in order.
    pub(super) fn after(&self, version: u64) -> impl DoubleEndedIterator<Item = &Arc<Event>> {
        let from = self.events.partition_point(|event| event.version <= version);
        self.events.range(from..)
    }

    /// The number of the first change after a version.
    pub(super) fn number_after(&self, version: u64) -> u64 {
        self.first + self.events.partition_point(|event| event.version <= version) as u64
    }

    /// At most `count` changes from a number on.
    pub(super) fn read(&self, number: u64, count: usize) -> Vec<Arc<Event>> {
        let from = usize::try_from(number - self.first).unwrap_or(usize::MAX);
        self.events.iter().skip(from).take(count).cloned().collect()
    }

    /// How long ago the change with that number was made.
    pub(super) fn age(&self, number: u64) -> Option<Duration> {
        let at = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.events.get(at).map(|event| event.at.elapsed())
    }

    fn forget_while(&mut self, too_old: impl Fn(&Event) -> bool) -> Option<u64> {
        let mut last = None;
        while self.events.front().is_some_and(|event| too_old(event)) {
            last = self.pop_front();
        }
        last
    }

    fn pop_front(&mut self) -> Option<u64> {
        let event = self.events.pop_front()?;
        self.first += 1;
        self.bytes -= event.size();
        Some(event.version)
    }
}
