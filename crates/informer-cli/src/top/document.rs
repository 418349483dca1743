//! What a program tells of its informers, at one moment.
//!
//! Read leniently, field by field: a program that is older or newer than this command leaves out fields and has others. Texts are made
//! safe for a terminal here, and nowhere later.

use std::collections::{BTreeMap, HashMap, HashSet};

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
    pub(super) http_status: Option<u64>,
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
    pub(super) fn read(json: &Value) -> Option<Self> {
        json.get("informers")?.as_array()?;
        let mut room = Room { parts: PARTS, left_out: 0 };
        let informers = room.rows(json, "informers").iter();
        let mut informers: Vec<_> = informers.map(|json| informer(json, &mut room)).collect();
        tell_apart(informers.iter_mut().map(|informer| &mut informer.name));
        let mut queues: Vec<_> = room.rows(json, "queues").iter().map(queue).collect();
        tell_apart(queues.iter_mut().map(|queue| &mut queue.name));
        let left_out = room.left_out;
        let (instance, uptime) = (text(json, "instance"), seconds(json, "uptimeSeconds"));
        Some(Self { instance, uptime, informers, queues, left_out, rate: None })
    }

    pub(super) fn informer(&self, name: &str) -> Option<&Informer> {
        self.informers.iter().find(|informer| informer.name == name)
    }

    pub(super) fn queue(&self, name: &str) -> Option<&Queue> {
        self.queues.iter().find(|queue| queue.name == name)
    }
}

/// How much more of a document is read. Who answers may not be the program that was meant, and say anything.
struct Room {
    parts: usize,
    left_out: usize,
}

impl Room {
    fn rows<'a>(&mut self, json: &'a Value, field: &str) -> &'a [Value] {
        self.first(json, field, ROWS)
    }

    fn parts<'a>(&mut self, json: &'a Value, field: &str) -> &'a [Value] {
        let parts = self.first(json, field, self.parts);
        self.parts -= parts.len();
        parts
    }

    fn first<'a>(&mut self, json: &'a Value, field: &str, most: usize) -> &'a [Value] {
        let all = json[field].as_array().map(Vec::as_slice).unwrap_or_default();
        let (read, left_out) = all.split_at(all.len().min(most));
        self.left_out += left_out.len();
        read
    }
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

fn informer(json: &Value, room: &mut Room) -> Informer {
    let name =
        [text(json, "name"), text(json, "resource")].into_iter().flatten().find(|name| !name.is_empty());
    let kind = [text(json, "apiVersion"), text(json, "kind")];
    Informer {
        name: name.unwrap_or_else(|| "unnamed".to_owned()),
        kind: kind.into_iter().flatten().collect::<Vec<_>>().join(" "),
        sensitive: json["sensitive"] == true,
        synced: json["synced"].as_bool(),
        phase: text(json, "phase"),
        objects: number(json, "objects"),
        versions: number(json, "versionsAlive"),
        packed: number(json, "bytesAlive"),
        decoded: number(json, "decodedBytes"),
        decode_hits: number(json, "decodeHits"),
        decode_misses: number(json, "decodeMisses"),
        waiting: number(json, "queued"),
        waiting_bytes: number(json, "queuedBytes"),
        heard: seconds(json, "staleSeconds"),
        failures: number(json, "failures"),
        last_failure: text(json, "lastFailure"),
        wrong_type: text(json, "wrongType"),
        handlers: room.parts(json, "handlers").iter().map(handler).collect(),
        scopes: room.parts(json, "scopes").iter().map(scope).collect(),
        rate: None,
    }
}

fn handler(json: &Value) -> Handler {
    Handler {
        name: text(json, "name").unwrap_or_else(|| "unnamed".to_owned()),
        synced: json["synced"].as_bool(),
        backlog: number(json, "backlog"),
        calls: number(json, "delivered"),
        merged: number(json, "merged"),
        panics: number(json, "panics"),
        slow: number(json, "slow"),
        slowest: seconds(json, "slowestSeconds"),
        rate: None,
    }
}

fn scope(json: &Value) -> Scope {
    let name = text(json, "scope").unwrap_or_default();
    let namespace = name.strip_prefix("namespace \"").and_then(|name| name.strip_suffix('"'));
    let lists = json["relists"].as_object().into_iter().flatten();
    let lists = lists.take(REASONS).filter_map(|(reason, number)| Some((clean(reason), number.as_u64()?)));
    let error = &json["lastError"];
    Scope {
        name: namespace.map(str::to_owned).unwrap_or(name),
        phase: text(json, "phase"),
        phase_seconds: seconds(json, "phaseSeconds"),
        version: text(json, "resourceVersion"),
        heard: seconds(json, "lastByteSeconds"),
        last_event: seconds(json, "lastEventSeconds"),
        last_bookmark: seconds(json, "lastBookmarkSeconds"),
        watches: number(json, "watches"),
        reconnects: number(json, "reconnects"),
        events: number(json, "events"),
        bookmarks: number(json, "bookmarks"),
        lists: lists.collect(),
        last_error: text(error, "message").map(|message| Trouble {
            message,
            http_status: number(error, "httpStatus"),
            seconds_ago: seconds(error, "secondsAgo"),
        }),
    }
}

fn queue(json: &Value) -> Queue {
    Queue {
        name: text(json, "name").unwrap_or_else(|| "unnamed".to_owned()),
        due: number(json, "due"),
        later: number(json, "later"),
        working: number(json, "working"),
        oldest_key: text(json, "oldestKey"),
        oldest: seconds(json, "oldestSeconds"),
        longest_running: seconds(json, "longestRunningSeconds"),
        runs: growing(json, "runs"),
        failures: growing(json, "failures"),
        retries: growing(json, "retries"),
    }
}

fn text(json: &Value, field: &str) -> Option<String> {
    json[field].as_str().map(clean)
}

fn number(json: &Value, field: &str) -> Option<u64> {
    json[field].as_u64()
}

fn growing(json: &Value, field: &str) -> Growing {
    Growing { number: number(json, field), rate: None }
}

fn seconds(json: &Value, field: &str) -> Option<f64> {
    json[field].as_f64().map(|seconds| seconds.max(0.0))
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
