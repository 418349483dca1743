//! Searching a cache in small steps: by name and labels, which are at hand, and by a field, for which objects are unpacked.
//!
//! The connection of the viewer does the work, so it ends with the viewer. It gives way after every step; while it unpacks objects
//! it rests as long as it works, and only one search does so at a time, so that all together take at most half of a core from the
//! informers.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use futures::StreamExt as _;
use futures::stream::{BoxStream, unfold};
use hyper::body::Bytes;
use informer_wire::Path;
use informer_wire::path::Step;
use informer_wire::selector::LabelSelector;
use kube_informer::{Object, ObjectKey, SharedInformer};
use serde_json::{Value, json};

use super::query::Query;
use super::rows::row;
use super::viewer::{Turn, Viewer};
use crate::answer::event;

/// At most so many objects are shown.
pub(super) const ROWS: usize = 200;

/// How long it works before it gives way.
const STEP: Duration = Duration::from_millis(2);

/// So many heads are looked at between two looks at the clock.
const HEADS: usize = 64;

/// When it tells what it has so far, and then how often.
const FIRST: Duration = Duration::from_millis(150);
const EVERY: Duration = Duration::from_secs(1);

/// What is looked for.
struct Wanted {
    /// In the name or namespace, in small letters.
    name: Option<String>,
    labels: LabelSelector,
    field: Option<Field>,
}

/// A field with a value.
struct Field {
    path: Path,
    value: String,
    /// The value as JSON has it within quotation marks: only what contains this has to be parsed.
    written: Vec<u8>,
}

struct Search {
    wanted: Wanted,
    scan: Box<dyn Iterator<Item = Object<()>> + Send>,
    is_sensitive: bool,
    /// The first of what was found.
    rows: BTreeMap<ObjectKey, Value>,
    matched: usize,
    searched: usize,
    of: usize,
    patience: Duration,
    is_over: bool,
    viewer: Viewer,
}

/// The rows that are found, again whenever there are more, and how far it is.
pub(super) fn stream(
    informer: &SharedInformer<()>,
    query: &Query,
    viewer: Viewer,
) -> Result<BoxStream<'static, Bytes>, String> {
    let is_sensitive = informer.status().sensitive;
    let wanted = Wanted::of(query)?;
    if is_sensitive && (wanted.field.is_some() || !wanted.labels.is_empty()) {
        return Err(format!("{} are sensitive: they are found by name only", informer.kind().plural()));
    }
    let lister = informer.lister();
    let search = Search {
        wanted,
        scan: Box::new(lister.scan()),
        is_sensitive,
        rows: BTreeMap::new(),
        matched: 0,
        searched: 0,
        of: lister.len(),
        patience: FIRST,
        is_over: false,
        viewer,
    };
    Ok(unfold(search, |mut search| async move { Some((search.next().await?, search)) }).boxed())
}

impl Search {
    async fn next(&mut self) -> Option<Bytes> {
        if self.is_over {
            return None;
        }
        let begun = Instant::now();
        while !self.paced_step().await && begun.elapsed() < self.patience {}
        self.patience = EVERY;
        self.viewer.turn(Turn::Answer).await;
        Some(self.report())
    }

    /// Works for a moment and lets others have their turn. Says whether that was all.
    async fn paced_step(&mut self) -> bool {
        if self.wanted.field.is_none() {
            let is_over = self.step();
            tokio::task::yield_now().await;
            return is_over;
        }
        let _turn = self.viewer.unpacks().await;
        let begun = Instant::now();
        let is_over = self.step();
        // One large object can take far longer than a step, and then the rest is as long. Others wait meanwhile.
        tokio::time::sleep(begun.elapsed().max(STEP)).await;
        is_over
    }

    /// Works for a moment. Says whether that was all.
    fn step(&mut self) -> bool {
        let at_once = if self.wanted.field.is_some() { 1 } else { HEADS };
        let begun = Instant::now();
        while begun.elapsed() < STEP {
            for _ in 0..at_once {
                let Some(object) = self.scan.next() else {
                    self.is_over = true;
                    return true;
                };
                self.look(&object);
            }
        }
        false
    }

    fn look(&mut self, object: &Object<()>) {
        self.searched += 1;
        if !self.wanted.is(object) {
            return;
        }
        self.matched += 1;
        let is_full = self.rows.len() >= ROWS;
        let is_late = || self.rows.last_key_value().is_some_and(|(last, _)| last < object.key());
        if is_full && is_late() {
            return;
        }
        self.rows.insert(object.key().clone(), row(object, self.is_sensitive));
        if is_full {
            self.rows.pop_last();
        }
    }

    fn report(&self) -> Bytes {
        event(&json!({
            "rows": self.rows.values().collect::<Vec<_>>(),
            "matched": self.matched,
            "searched": self.searched,
            "of": self.of.max(self.searched),
            "isOver": self.is_over,
        }))
    }
}

impl Wanted {
    fn of(query: &Query) -> Result<Self, String> {
        Ok(Self {
            name: query.text("name").map(str::to_lowercase),
            labels: query.text("labels").map(labels).transpose()?.unwrap_or_default(),
            field: query.text("field").map(Field::parse).transpose()?,
        })
    }

    fn is(&self, object: &Object<()>) -> bool {
        self.name.as_ref().is_none_or(|name| is_named(object.key(), name))
            && self.labels.matches(|key| object.labels().get(key))
            && self.field.as_ref().is_none_or(|field| field.is_of(object))
    }
}

fn labels(text: &str) -> Result<LabelSelector, String> {
    // A search begins while somebody types: a comma at the end is before the next condition.
    LabelSelector::parse(text.trim_end_matches([',', ' '])).map_err(|error| {
        let problem = error.into_message();
        format!("cannot read {text:?}; labels are found by a selector such as app=web,!canary: {problem}")
    })
}

/// Whether the name or namespace contains this, or both with the slash between them.
fn is_named(key: &ObjectKey, wanted: &str) -> bool {
    // Names of objects are lower case as a rule, and then nothing has to be copied.
    let is_lower = |text: &str| text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    let contains =
        |text: &str| text.contains(wanted) || (!is_lower(text) && text.to_lowercase().contains(wanted));
    contains(key.name())
        || key.namespace().is_some_and(contains)
        || (wanted.contains('/') && contains(&key.to_string()))
}

impl Field {
    fn parse(text: &str) -> Result<Self, String> {
        let found = "a field is found by its path and value, such as spec.nodeName=node-1";
        let (path, rest) = Path::parse_prefix(text.trim_start())
            .map_err(|error| format!("cannot read a field: {error}; {found}"))?;
        let value = rest.trim_start().strip_prefix('=');
        let value = value.ok_or_else(|| format!("cannot read {text:?}; {found}"))?.trim().to_owned();
        let written = Value::from(value.as_str()).to_string().into_bytes();
        let written = written.get(1..written.len() - 1).unwrap_or_default().to_vec();
        Ok(Self { path, value, written })
    }

    fn is_of(&self, object: &Object<()>) -> bool {
        let json = object.raw_json();
        // Servers may write characters in other ways than we do, but those of names and numbers they do not.
        let is_plain = self.value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
        if is_plain && memchr::memmem::find(&json, &self.written).is_none() {
            return false;
        }
        serde_json::from_slice(&json).is_ok_and(|value: Value| is_at(&value, self.path.steps(), &self.value))
    }
}

/// Whether a path leads to this value. Names lead through every element of lists, with and without `[*]`.
fn is_at(value: &Value, path: &[Step], wanted: &str) -> bool {
    match (value, path) {
        (Value::Array(items), [] | [Step::Name(_), ..]) => items.iter().any(|item| is_at(item, path, wanted)),
        (_, [first, rest @ ..]) => first.find(value).into_iter().any(|found| is_at(found, rest, wanted)),
        (Value::String(text), []) => text == wanted,
        (Value::Number(number), []) => number.to_string() == wanted,
        (Value::Bool(value), []) => wanted == if *value { "true" } else { "false" },
        _ => false,
    }
}

#[cfg(test)]
mod tests;
