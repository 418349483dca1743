//! What a program tells of its informers, at one moment.
//!
//! It is read from the [status document](informer_wire::status_document). A program that is older or newer than this command leaves out
//! fields and has others. Texts are made safe for a terminal here, and nowhere later.

use std::collections::{BTreeMap, HashMap, HashSet};

use informer_wire::status_document::{
    ErrorEntry, HandlerEntry, InformerEntry, QueueEntry, ScopeEntry, StatusDocument,
};
use serde_json::Value;

use crate::plain::plain;

/// Longer texts are cut.
const LONGEST: usize = 2_000;

/// So many informers, and so many queues, are read. More would take long to sort and nobody could look at them.
const ROWS: usize = 4_000;

/// So many handlers and scopes of all informers together.
const PARTS: usize = 20_000;

/// So many reasons of lists of one scope.
const REASONS: usize = 32;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Document {
    /// What this run of the program calls itself; older ones do not say.
    pub(super) instance: Option<String>,
    /// For how many seconds the program has had its endpoint.
    pub(super) uptime: Option<f64>,
    pub(super) informers: Vec<Informer>,
    pub(super) queues: Vec<Queue>,
    /// How many informers, queues, handlers and scopes there were too many.
    pub(super) left_out: usize,
    /// Events a second of all informers together, which [`Rates`](super::rates::Rates) knows.
    pub(super) rate: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Informer {
    /// No two informers of a document have the same.
    pub(super) name: String,
    /// Such as `apps/v1 Deployment`.
    pub(super) kind: String,
    pub(super) sensitive: bool,
    pub(super) synced: Option<bool>,
    pub(super) phase: Option<String>,
    pub(super) objects: Option<u64>,
    pub(super) versions: Option<u64>,
    /// Bytes of packed objects.
    pub(super) packed: Option<u64>,
    /// Bytes of objects that are kept decoded.
    pub(super) decoded: Option<u64>,
    pub(super) decode_hits: Option<u64>,
    pub(super) decode_misses: Option<u64>,
    /// Deltas that wait, and their bytes.
    pub(super) waiting: Option<u64>,
    pub(super) waiting_bytes: Option<u64>,
    /// How many seconds ago the server was last heard of.
    pub(super) heard: Option<f64>,
    pub(super) failures: Option<u64>,
    pub(super) last_failure: Option<String>,
    pub(super) wrong_type: Option<String>,
    pub(super) handlers: Vec<Handler>,
    pub(super) scopes: Vec<Scope>,
    /// Events a second.
    pub(super) rate: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Handler {
    pub(super) name: String,
    pub(super) synced: Option<bool>,
    pub(super) backlog: Option<u64>,
    pub(super) calls: Option<u64>,
    pub(super) merged: Option<u64>,
    pub(super) panics: Option<u64>,
    /// Calls that blocked a thread for long.
    pub(super) slow: Option<u64>,
    /// Seconds of the slowest call.
    pub(super) slowest: Option<f64>,
    /// Calls a second.
    pub(super) rate: Option<f64>,
}

/// A namespace, or all.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Scope {
    /// The name of the namespace, or `all namespaces`.
    pub(super) name: String,
    pub(super) phase: Option<String>,
    pub(super) phase_seconds: Option<f64>,
    pub(super) version: Option<String>,
    pub(super) heard: Option<f64>,
    pub(super) last_event: Option<f64>,
    pub(super) last_bookmark: Option<f64>,
    pub(super) watches: Option<u64>,
    pub(super) reconnects: Option<u64>,
    pub(super) events: Option<u64>,
    pub(super) bookmarks: Option<u64>,
    /// How often it was listed, by reason.
    pub(super) lists: BTreeMap<String, u64>,
    pub(super) last_error: Option<Trouble>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Trouble {
    pub(super) message: String,
    pub(super) http_status: Option<u16>,
    pub(super) seconds_ago: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Queue {
    /// No two queues of a document have the same.
    pub(super) name: String,
    pub(super) due: Option<u64>,
    pub(super) later: Option<u64>,
    pub(super) working: Option<u64>,
    pub(super) oldest_key: Option<String>,
    pub(super) oldest: Option<f64>,
    pub(super) longest_running: Option<f64>,
    pub(super) runs: Growing,
    pub(super) failures: Growing,
    pub(super) retries: Growing,
}

/// A number that only grows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Growing {
    pub(super) number: Option<u64>,
    /// By how much it grows in a second, which [`Rates`](super::rates::Rates) knows.
    pub(super) rate: Option<f64>,
}

impl Document {
    /// Nothing if this is not what an informer-endpoint says.
    pub(super) fn read(mut json: Value) -> Option<Self> {
        let left_out = cut_rows(&mut json);
        let document: StatusDocument = serde_json::from_value(json).ok()?;
        let mut informers: Vec<_> = document.informers.into_iter().map(Informer::from).collect();
        tell_apart(informers.iter_mut().map(|informer| &mut informer.name));
        let mut queues: Vec<_> = document.queues.into_iter().map(Queue::from).collect();
        tell_apart(queues.iter_mut().map(|queue| &mut queue.name));
        let (instance, uptime) = (text(document.instance), seconds(document.uptime_seconds));
        Some(Self { instance, uptime, informers, queues, left_out, rate: None })
    }

    pub(super) fn informer(&self, name: &str) -> Option<&Informer> {
        self.informers.iter().find(|informer| informer.name == name)
    }

    pub(super) fn queue(&self, name: &str) -> Option<&Queue> {
        self.queues.iter().find(|queue| queue.name == name)
    }
}

/// Cuts lists that are too long, before more is made of them: who answers may not be the program that was meant, and say anything.
/// The answer is how many entries were cut off.
fn cut_rows(json: &mut Value) -> usize {
    let mut left_out = cut(json, "informers", ROWS).1 + cut(json, "queues", ROWS).1;
    let mut parts = PARTS;
    for informer in json.get_mut("informers").and_then(Value::as_array_mut).into_iter().flatten() {
        for field in ["handlers", "scopes"] {
            let (kept, cut_off) = cut(informer, field, parts);
            parts -= kept;
            left_out += cut_off;
        }
    }
    left_out
}

/// How many entries of a list are left, and how many were cut off.
fn cut(json: &mut Value, field: &str, most: usize) -> (usize, usize) {
    let Some(list) = json.get_mut(field).and_then(Value::as_array_mut) else { return (0, 0) };
    let cut_off = list.len().saturating_sub(most);
    list.truncate(most);
    (list.len(), cut_off)
}

/// Those that come again get a number.
fn tell_apart<'a>(all: impl Iterator<Item = &'a mut String>) {
    let mut names = HashSet::new();
    // The last number of each name: counting from the beginning for each would take ever longer.
    let mut numbers = HashMap::new();
    for one in all {
        if names.insert(one.clone()) {
            continue;
        }
        let name = one.clone();
        let number = numbers.entry(name.clone()).or_insert(1_usize);
        while !names.insert(one.clone()) {
            *number += 1;
            *one = format!("{name} ({number})");
        }
    }
}

impl Informer {
    /// Packed and decoded objects together.
    pub(super) fn memory(&self) -> Option<u64> {
        total([self.packed, self.decoded])
    }

    /// The backlog of the handler that is furthest behind.
    pub(super) fn backlog(&self) -> Option<u64> {
        self.handlers.iter().filter_map(|handler| handler.backlog).max()
    }

    /// Events of all scopes so far.
    pub(super) fn events(&self) -> Option<u64> {
        total(self.scopes.iter().map(|scope| scope.events))
    }

    /// How often it was listed, by reason.
    pub(super) fn lists(&self) -> BTreeMap<&str, u64> {
        let mut lists = BTreeMap::new();
        for (reason, number) in self.scopes.iter().flat_map(|scope| &scope.lists) {
            let sum = lists.entry(reason.as_str()).or_insert(0_u64);
            *sum = sum.saturating_add(*number);
        }
        lists
    }

    /// Lists after the first of each scope.
    pub(super) fn relists(&self) -> Option<u64> {
        let lists = self.lists();
        let again = lists.iter().filter(|(reason, _)| **reason != "first").map(|(_, number)| Some(*number));
        (!lists.is_empty()).then(|| total(again).unwrap_or(0))
    }

    /// For how long its phase has lasted: the phase of an informer is the worst of its scopes.
    pub(super) fn phase_seconds(&self) -> Option<f64> {
        let same = self.scopes.iter().filter(|scope| scope.phase == self.phase);
        same.filter_map(|scope| scope.phase_seconds).reduce(f64::min)
    }

    /// `all`, the name of its namespace, or how many there are.
    pub(super) fn namespaces(&self) -> Option<String> {
        match self.scopes.as_slice() {
            [] => None,
            [scope] if scope.name == "all namespaces" => Some("all".to_owned()),
            [scope] => Some(scope.name.clone()),
            several => Some(format!("{} namespaces", several.len())),
        }
    }
}

impl From<InformerEntry> for Informer {
    fn from(entry: InformerEntry) -> Self {
        let name =
            [text(entry.name), text(entry.resource)].into_iter().flatten().find(|name| !name.is_empty());
        let kind = [text(entry.api_version), text(entry.kind)];
        Self {
            name: name.unwrap_or_else(|| "unnamed".to_owned()),
            kind: kind.into_iter().flatten().collect::<Vec<_>>().join(" "),
            sensitive: entry.sensitive.unwrap_or_default(),
            synced: entry.synced,
            phase: text(entry.phase),
            objects: entry.objects,
            versions: entry.versions_alive,
            packed: entry.bytes_alive,
            decoded: entry.decoded_bytes,
            decode_hits: entry.decode_hits,
            decode_misses: entry.decode_misses,
            waiting: entry.queued,
            waiting_bytes: entry.queued_bytes,
            heard: seconds(entry.stale_seconds),
            failures: entry.failures,
            last_failure: text(entry.last_failure),
            wrong_type: text(entry.wrong_type),
            handlers: entry.handlers.into_iter().map(Handler::from).collect(),
            scopes: entry.scopes.into_iter().map(Scope::from).collect(),
            rate: None,
        }
    }
}

impl From<HandlerEntry> for Handler {
    fn from(entry: HandlerEntry) -> Self {
        Self {
            name: text(entry.name).unwrap_or_else(|| "unnamed".to_owned()),
            synced: entry.synced,
            backlog: entry.backlog,
            calls: entry.delivered,
            merged: entry.merged,
            panics: entry.panics,
            slow: entry.slow,
            slowest: seconds(entry.slowest_seconds),
            rate: None,
        }
    }
}

impl From<ScopeEntry> for Scope {
    fn from(entry: ScopeEntry) -> Self {
        let name = text(entry.scope).unwrap_or_default();
        let namespace = name.strip_prefix("namespace \"").and_then(|name| name.strip_suffix('"'));
        let lists = entry.relists.into_iter().take(REASONS);
        Self {
            name: namespace.map(str::to_owned).unwrap_or(name),
            phase: text(entry.phase),
            phase_seconds: seconds(entry.phase_seconds),
            version: text(entry.resource_version),
            heard: seconds(entry.last_byte_seconds),
            last_event: seconds(entry.last_event_seconds),
            last_bookmark: seconds(entry.last_bookmark_seconds),
            watches: entry.watches,
            reconnects: entry.reconnects,
            events: entry.events,
            bookmarks: entry.bookmarks,
            lists: lists.map(|(reason, number)| (clean(&reason), number)).collect(),
            last_error: entry.last_error.and_then(Trouble::read),
        }
    }
}

impl Trouble {
    fn read(entry: ErrorEntry) -> Option<Self> {
        let (message, seconds_ago) = (text(entry.message)?, seconds(entry.seconds_ago));
        Some(Self { message, http_status: entry.http_status, seconds_ago })
    }
}

impl From<QueueEntry> for Queue {
    fn from(entry: QueueEntry) -> Self {
        Self {
            name: text(entry.name).unwrap_or_else(|| "unnamed".to_owned()),
            due: entry.due,
            later: entry.later,
            working: entry.working,
            oldest_key: text(entry.oldest_key),
            oldest: seconds(entry.oldest_seconds),
            longest_running: seconds(entry.longest_running_seconds),
            runs: Growing::from(entry.runs),
            failures: Growing::from(entry.failures),
            retries: Growing::from(entry.retries),
        }
    }
}

impl From<Option<u64>> for Growing {
    fn from(number: Option<u64>) -> Self {
        Self { number, rate: None }
    }
}

fn text(text: Option<String>) -> Option<String> {
    text.map(|text| clean(&text))
}

fn seconds(seconds: Option<f64>) -> Option<f64> {
    seconds.map(|seconds| seconds.max(0.0))
}

/// Safe for a terminal, and not endless.
fn clean(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", plain(&text[..end])),
        None => plain(text).into_owned(),
    }
}

/// The sum of those that are known; none if nothing is.
pub(super) fn total(numbers: impl IntoIterator<Item = Option<u64>>) -> Option<u64> {
    numbers.into_iter().flatten().reduce(u64::saturating_add)
}

#[cfg(test)]
mod tests;
