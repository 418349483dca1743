//! What a program tells of its informers, at one moment.
//!
//! It is read from the [status document](informer_wire::status_document). A program that is older or newer than this command leaves out
//! fields and has others. Texts are made safe for a terminal here, and nowhere later.

use std::collections::{BTreeMap, HashMap, HashSet};

use informer_wire::status_document::{HandlerEntry, InformerEntry, QueueEntry, ScopeEntry, StatusDocument};
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
    pub(super) entry: InformerEntry,
    pub(super) handlers: Vec<Handler>,
    /// Events a second.
    pub(super) rate: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Handler {
    pub(super) name: String,
    pub(super) entry: HandlerEntry,
    /// Calls a second.
    pub(super) rate: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Queue {
    /// No two queues of a document have the same.
    pub(super) name: String,
    pub(super) entry: QueueEntry,
    /// How much its counts grow in a second.
    pub(super) run_rate: Option<f64>,
    pub(super) failure_rate: Option<f64>,
    pub(super) retry_rate: Option<f64>,
}

impl Document {
    /// Nothing if this is not what an informer-endpoint says.
    pub(super) fn read(mut json: Value) -> Option<Self> {
        let left_out = cut_rows(&mut json);
        make_safe(&mut json);
        let document: StatusDocument = serde_json::from_value(json).ok()?;
        let mut informers: Vec<_> = document.informers.into_iter().map(Informer::from).collect();
        tell_apart(informers.iter_mut().map(|informer| &mut informer.name));
        let mut queues: Vec<_> = document.queues.into_iter().map(Queue::from).collect();
        tell_apart(queues.iter_mut().map(|queue| &mut queue.name));
        let (instance, uptime) = (document.instance, document.uptime_seconds);
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

/// Makes texts safe for a terminal and not endless. No number of the document is negative.
fn make_safe(json: &mut Value) {
    match json {
        Value::String(text) => *text = clean(text),
        Value::Number(number) if number.as_f64().is_some_and(|number| number < 0.0) => *json = Value::Null,
        Value::Array(values) => values.iter_mut().for_each(make_safe),
        Value::Object(members) => {
            let safe = std::mem::take(members).into_iter().map(|(name, mut value)| {
                make_safe(&mut value);
                (clean(&name), value)
            });
            *members = safe.collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
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
    /// Such as `apps/v1 Deployment`.
    pub(super) fn kind(&self) -> String {
        let kind = [self.entry.api_version.as_deref(), self.entry.kind.as_deref()];
        kind.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// Packed and decoded objects together.
    pub(super) fn memory(&self) -> Option<u64> {
        total([self.entry.bytes_alive, self.entry.decoded_bytes])
    }

    /// The backlog of the handler that is furthest behind.
    pub(super) fn backlog(&self) -> Option<u64> {
        self.handlers.iter().filter_map(|handler| handler.entry.backlog).max()
    }

    /// Events of all scopes so far.
    pub(super) fn events(&self) -> Option<u64> {
        total(self.entry.scopes.iter().map(|scope| scope.events))
    }

    /// How often it was listed, by reason.
    pub(super) fn lists(&self) -> BTreeMap<&str, u64> {
        let mut lists = BTreeMap::new();
        for (reason, number) in self.entry.scopes.iter().flat_map(|scope| &scope.relists) {
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
        let same = self.entry.scopes.iter().filter(|scope| scope.phase == self.entry.phase);
        same.filter_map(|scope| scope.phase_seconds).reduce(f64::min)
    }

    /// `all`, the name of its namespace, or how many there are.
    pub(super) fn namespaces(&self) -> Option<String> {
        match self.entry.scopes.as_slice() {
            [] => None,
            [scope] if name_of(scope) == "all namespaces" => Some("all".to_owned()),
            [scope] => Some(name_of(scope).to_owned()),
            several => Some(format!("{} namespaces", several.len())),
        }
    }
}

impl From<InformerEntry> for Informer {
    fn from(mut entry: InformerEntry) -> Self {
        let names = || [&entry.name, &entry.resource].into_iter().flatten();
        let name = names().find(|name| !name.is_empty()).map_or_else(unnamed, Clone::clone);
        let handlers = std::mem::take(&mut entry.handlers).into_iter().map(Handler::from).collect();
        for scope in &mut entry.scopes {
            while scope.relists.len() > REASONS {
                scope.relists.pop_last();
            }
        }
        Self { name, entry, handlers, rate: None }
    }
}

impl From<HandlerEntry> for Handler {
    fn from(entry: HandlerEntry) -> Self {
        Self { name: entry.name.clone().unwrap_or_else(unnamed), entry, rate: None }
    }
}

impl From<QueueEntry> for Queue {
    fn from(entry: QueueEntry) -> Self {
        Self { name: entry.name.clone().unwrap_or_else(unnamed), entry, ..Self::default() }
    }
}

fn unnamed() -> String {
    "unnamed".to_owned()
}

/// The name of the namespace, or `all namespaces`.
pub(super) fn name_of(scope: &ScopeEntry) -> &str {
    let scope = scope.scope.as_deref().unwrap_or_default();
    let namespace = scope.strip_prefix("namespace \"").and_then(|name| name.strip_suffix('"'));
    namespace.unwrap_or(scope)
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
