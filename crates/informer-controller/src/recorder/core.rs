//! The rules of the recorder, without clock and server: what is told becomes series, and series become writes.
//!
//! A series is in exactly one state: one of its writes is under way, it is to be written at a time ([`Core::due`]), or the server
//! has all of it and it is only remembered ([`Core::settled`]).

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1 as api;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};
use k8s_openapi::jiff::Timestamp;
use tokio::time::Instant;

use super::event::{Note, Reference, Type};
use super::limit::{Bucket, Notes, Recent};

/// A series ends when nothing was added to it for so long. This and what follows are as in client-go.
const FINISHED: Duration = Duration::from_secs(6 * 60);
/// How often the count of a series that goes on is written.
const REFRESHED: Duration = Duration::from_secs(30 * 60);
/// How often a write is tried.
const TRIES: u32 = 12;
/// How many series are remembered.
const SERIES: usize = 4096;

/// Now, as clocks and as people say it.
#[derive(Clone, Copy)]
pub(super) struct Now {
    pub(super) instant: Instant,
    pub(super) time: Timestamp,
}

/// What is set of a recorder.
pub(super) struct Rules {
    pub(super) controller: Arc<str>,
    pub(super) instance: String,
    pub(super) burst: u32,
    pub(super) one_per: Duration,
}

/// Why an event does not come to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dropped {
    /// Its object has had too many.
    Spam,
    /// Too many are waiting for the server.
    Full,
    /// The server does not take it: it is malformed, not allowed, or its namespace is going away.
    Refused,
    /// The server could not be asked for too long.
    Failed,
}

/// What came of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Done,
    /// The event to be changed is no longer there: events are kept for an hour.
    Gone,
    /// One of that name is there already.
    Exists,
    Refused,
    /// It may help to try again after this time.
    Again(Duration),
}

/// What is to be sent.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Body {
    Create(Box<api::Event>),
    Patch(api::EventSeries),
}

/// One write of a series.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Write {
    pub(super) series: u64,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) body: Body,
}

/// Events of one series have all of this in common.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Identity {
    regarding: Reference,
    related: Option<Reference>,
    event_type: Type,
    reason: String,
    action: String,
    /// None of one that stands for many notes.
    note: Option<String>,
}

struct Series {
    identity: Identity,
    name: String,
    note: String,
    begun: Timestamp,
    count: i32,
    last: Timestamp,
    seen: Instant,
    /// The count that the server has, and since when. None before there is an event.
    written: i32,
    written_at: Instant,
    /// The count that is being written.
    writing: Option<i32>,
    tries: u32,
    retry_at: Instant,
    place: Option<(Instant, bool)>,
}

/// A recorder at one moment.
pub(super) struct Core {
    rules: Rules,
    series: HashMap<u64, Series>,
    numbers: HashMap<Identity, u64>,
    /// Those that the server does not have all of, by when they are to be written.
    due: BTreeSet<(Instant, u64)>,
    /// Those that it has all of, by when they are forgotten.
    settled: BTreeSet<(Instant, u64)>,
    writing: usize,
    is_flushing: bool,
    notes: Recent<Identity, Notes>,
    buckets: Recent<(Reference, Type), Bucket>,
    last_number: u64,
    last_name: i128,
}

impl Core {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            rules,
            series: HashMap::new(),
            numbers: HashMap::new(),
            due: BTreeSet::new(),
            settled: BTreeSet::new(),
            writing: 0,
            is_flushing: false,
            notes: Recent::new(SERIES),
            buckets: Recent::new(SERIES),
            last_number: 0,
            last_name: 0,
        }
    }

    /// An event is told.
    pub(super) fn observe(&mut self, regarding: Reference, event: Note, now: Now) -> Result<(), Dropped> {
        let mut event = event;
        let mut identity = Identity {
            regarding,
            related: event.related.clone(),
            event_type: event.event_type,
            reason: event.reason.clone(),
            action: event.action.clone(),
            note: None,
        };
        let notes = self.notes.get(identity.clone(), || Notes::new(now.instant));
        if notes.are_many(&event.note, now.instant) {
            event = event.combined();
        } else {
            identity.note = Some(event.note.clone());
        }
        if let Some(&number) = self.numbers.get(&identity) {
            if let Some(series) = self.series.get_mut(&number) {
                series.count = series.count.saturating_add(1);
                (series.last, series.seen) = (now.time, now.instant);
            }
            self.place(number, now.instant);
            return Ok(());
        }
        // Only a new event costs: a series is written now and then, however often something is added to it.
        let (burst, one_per) = (self.rules.burst, self.rules.one_per);
        let whose = (identity.regarding.clone(), identity.event_type);
        let bucket = self.buckets.get(whose, || Bucket::full(burst, now.instant));
        if !bucket.take(burst, one_per, now.instant) {
            return Err(Dropped::Spam);
        }
        if self.series.len() >= SERIES {
            let &(_, oldest) = self.settled.first().ok_or(Dropped::Full)?;
            self.forget(oldest);
        }
        self.last_number += 1;
        let number = self.last_number;
        let series = Series {
            name: self.new_name(&identity.regarding.name, now.time),
            note: event.note,
            begun: now.time,
            count: 1,
            last: now.time,
            seen: now.instant,
            written: 0,
            written_at: now.instant,
            writing: None,
            tries: 0,
            retry_at: now.instant,
            place: None,
            identity: identity.clone(),
        };
        self.series.insert(number, series);
        self.numbers.insert(identity, number);
        self.place(number, now.instant);
        Ok(())
    }

    /// The next write, if one is due.
    pub(super) fn next(&mut self, now: Instant) -> Option<Write> {
        while let Some(&(at, number)) = self.settled.first()
            && at <= now
        {
            self.forget(number);
        }
        let &(at, number) = self.due.first()?;
        if at > now {
            return None;
        }
        self.unplace(number);
        let series = self.series.get_mut(&number)?;
        series.writing = Some(series.count);
        self.writing += 1;
        let body = match series.written {
            0 => Body::Create(Box::new(series.event(&self.rules))),
            _ => Body::Patch(series.api()),
        };
        let (namespace, name) = (series.namespace().to_owned(), series.name.clone());
        Some(Write { series: number, namespace, name, body })
    }

    /// When there will be something to do, if nothing happens.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let first = |set: &BTreeSet<(Instant, u64)>| set.first().map(|(at, _)| *at);
        first(&self.due).into_iter().chain(first(&self.settled)).min()
    }

    /// What came of a write.
    pub(super) fn wrote(&mut self, number: u64, outcome: Outcome, now: Now) -> Result<(), Dropped> {
        self.writing = self.writing.saturating_sub(1);
        let Some(series) = self.series.get_mut(&number) else { return Ok(()) };
        let count = series.writing.take().unwrap_or_default();
        series.tries += 1;
        series.retry_at = now.instant;
        let mut is_taken = false;
        match outcome {
            Outcome::Done => {
                (series.written, series.written_at, series.tries) = (count, now.instant, 0);
            }
            Outcome::Gone => series.written = 0,
            // Somebody else's.
            Outcome::Exists if series.tries == 1 => is_taken = true,
            // The answer to an earlier try was lost, and what it said may have been less.
            Outcome::Exists => (series.written, series.written_at) = (1, now.instant),
            Outcome::Again(pause) => series.retry_at = now.instant + pause,
            Outcome::Refused => {
                self.forget(number);
                return Err(Dropped::Refused);
            }
        }
        if series.tries >= TRIES {
            self.forget(number);
            return Err(Dropped::Failed);
        }
        if is_taken {
            let about = series.identity.regarding.name.clone();
            let name = self.new_name(&about, now.time);
            if let Some(series) = self.series.get_mut(&number) {
                series.name = name;
            }
        }
        self.place(number, now.instant);
        Ok(())
    }

    /// All is to be written now.
    pub(super) fn flush(&mut self, now: Instant) {
        self.is_flushing = true;
        let waiting: Vec<u64> = self.due.iter().map(|(_, number)| *number).collect();
        waiting.into_iter().for_each(|number| self.place(number, now));
        self.is_flushed();
    }

    /// Whether the server has everything.
    pub(super) fn is_flushed(&mut self) -> bool {
        let is_flushed = self.due.is_empty() && self.writing == 0;
        if is_flushed {
            self.is_flushing = false;
        }
        is_flushed
    }

    /// How many series the server does not have all of.
    pub(super) fn unwritten(&self) -> usize {
        self.due.len() + self.writing
    }

    /// Puts a series where it belongs.
    fn place(&mut self, number: u64, now: Instant) {
        self.unplace(number);
        let Some(series) = self.series.get_mut(&number) else { return };
        if series.writing.is_some() {
            return;
        }
        let is_due = series.count != series.written;
        let finished = series.seen + FINISHED;
        let at = match series.written {
            _ if !is_due => finished,
            _ if series.tries > 0 => series.retry_at,
            // That it has become a series is said at once.
            0 | 1 => now,
            _ if self.is_flushing => now,
            _ => finished.min(series.written_at + REFRESHED),
        };
        series.place = Some((at, is_due));
        let set = if is_due { &mut self.due } else { &mut self.settled };
        set.insert((at, number));
    }

    fn unplace(&mut self, number: u64) {
        let Some((at, is_due)) = self.series.get_mut(&number).and_then(|series| series.place.take()) else {
            return;
        };
        let set = if is_due { &mut self.due } else { &mut self.settled };
        set.remove(&(at, number));
    }

    fn forget(&mut self, number: u64) {
        self.unplace(number);
        if let Some(series) = self.series.remove(&number) {
            self.numbers.remove(&series.identity);
        }
    }

    /// A name as client-go makes it, never the same twice.
    fn new_name(&mut self, about: &str, now: Timestamp) -> String {
        self.last_name = now.as_nanosecond().max(self.last_name + 1);
        let name = format!("{about}.{:x}", self.last_name);
        let is_fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.');
        // Names of some kinds, roles for example, are not names of events.
        if name.len() > 253
            || !name.chars().all(is_fine)
            || !name.starts_with(|c: char| c.is_ascii_alphanumeric())
        {
            return format!("event.{:x}", self.last_name);
        }
        name
    }
}

impl Series {
    fn namespace(&self) -> &str {
        self.identity.regarding.namespace.as_deref().unwrap_or("default")
    }

    fn api(&self) -> api::EventSeries {
        api::EventSeries { count: self.count, last_observed_time: MicroTime(self.last) }
    }

    fn event(&self, rules: &Rules) -> api::Event {
        let identity = &self.identity;
        api::Event {
            metadata: ObjectMeta {
                name: Some(self.name.clone()),
                namespace: Some(self.namespace().to_owned()),
                ..ObjectMeta::default()
            },
            event_time: Some(MicroTime(self.begun)),
            series: (self.count > 1).then(|| self.api()),
            reporting_controller: Some(rules.controller.to_string()),
            reporting_instance: Some(rules.instance.clone()),
            action: Some(identity.action.clone()),
            reason: Some(identity.reason.clone()),
            regarding: Some(reference(&identity.regarding)),
            related: identity.related.as_ref().map(reference),
            note: Some(self.note.clone()),
            type_: Some(identity.event_type.as_str().to_owned()),
            ..api::Event::default()
        }
    }
}

fn reference(to: &Reference) -> ObjectReference {
    ObjectReference {
        api_version: Some(to.api_version.clone()),
        kind: Some(to.kind.clone()),
        namespace: to.namespace.clone(),
        name: Some(to.name.clone()),
        uid: Some(to.uid.to_string()),
        ..ObjectReference::default()
    }
}

#[cfg(test)]
mod tests;
