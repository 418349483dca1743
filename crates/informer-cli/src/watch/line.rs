//! An event as a line of text or of JSON.

use k8s_openapi::jiff::Timestamp;
use k8s_openapi::jiff::tz::TimeZone;
use kube_client::api::DynamicObject;
use kube_informer::{Event, Object, SharedInformer};
use serde_json::{Map, Value, json};

use crate::clock::time_of_day;
use crate::content::{shown, shown_both};
use crate::failure::Failure;
use crate::get::columns::{labels, summary};
use crate::plain::{plain, plain_json};
use crate::watch::changes::{Change, changes};
use crate::watch::unified::unified;

/// How many changes of an event are shown; the others are only counted.
const SHOWN: usize = 3;

/// The widest column for keys. A longer key pushes the rest of its line to the right.
const KEY_WIDTH: usize = 40;

const GREEN: &str = "\x1b[32m";
const YELLOW: &str = "\x1b[33m";
const RED: &str = "\x1b[31m";
const DIM: &str = "\x1b[2m";
const PLAIN: &str = "\x1b[0m";

/// The content of a line.
pub(crate) struct Told {
    what: What,
    object: Object<DynamicObject>,
    content: Value,
    /// The old and the new content of an update.
    both: Option<(Value, Value)>,
    changes: Vec<Change>,
    initial: bool,
}

/// The widths of the columns of the log. They grow with the longest entries.
pub(crate) struct Columns {
    kind: usize,
    key: usize,
}

impl Columns {
    pub(crate) fn of(informers: &[SharedInformer<DynamicObject>]) -> Self {
        let kinds = informers.iter().map(|informer| informer.kind().kind().len());
        Self { kind: kinds.max().unwrap_or(0), key: 0 }
    }

    /// Widens the columns for these lines.
    pub(crate) fn fit(&mut self, told: &[Told]) {
        let widths = told.iter().map(|told| told.object.key().to_string().len());
        self.key = widths.filter(|width| *width <= KEY_WIDTH).fold(self.key, usize::max);
    }
}

/// What a line has besides what happened.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) is_wide: bool,
    pub(crate) label_columns: Vec<String>,
    pub(crate) labels: bool,
}

impl Parts {
    /// `status Running, app web, labels app=web,tier=front`
    fn with_labels(&self, rest: String, object: &Value) -> String {
        let value = |label| object["metadata"]["labels"][label].as_str().unwrap_or("<none>");
        let single = self.label_columns.iter().map(|label| format!("{label} {}", value(label)));
        let all = self.labels.then(|| format!("labels {}", labels(object, "/metadata/labels")));
        let parts = std::iter::once(rest).chain(single).chain(all).filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(", ")
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Added,
    Updated,
    Deleted,
}

impl Told {
    /// An object that existed at the start.
    pub(crate) fn initial(object: Object<DynamicObject>) -> Self {
        let content = shown(&object);
        Self { what: What::Added, content, object, both: None, changes: Vec::new(), initial: true }
    }

    /// The line of an event; `None` for a resync and for other events that are no changes.
    pub(crate) fn of(event: &Event<DynamicObject>) -> Option<Self> {
        let (what, object, old, initial) = match event {
            Event::Added { object, initial } => (What::Added, object, None, *initial),
            Event::Updated { resync: true, .. } => return None,
            Event::Updated { old, new, .. } => (What::Updated, new, Some(old), false),
            Event::Deleted { object, .. } => (What::Deleted, object, None, false),
            _ => return None,
        };
        let both = old.map(|old| shown_both(old, object));
        let changes = both.as_ref().map(|(old, new)| changes(old, new)).unwrap_or_default();
        Some(Self { what, object: object.clone(), content: shown(object), both, changes, initial })
    }

    pub(crate) fn object(&self) -> &Object<DynamicObject> {
        &self.object
    }

    pub(crate) fn content(&self) -> &Value {
        &self.content
    }

    /// The old and the new content; `None` if it is no update.
    pub(crate) fn both(&self) -> Option<&(Value, Value)> {
        self.both.as_ref()
    }

    pub(crate) fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The lines of a unified diff, with colours if they are on. Empty if it is no update.
    pub(crate) fn diff(&self) -> Result<Vec<String>, Failure> {
        let Some((old, new)) = &self.both else { return Ok(Vec::new()) };
        let version =
            |object: &Value| object["metadata"]["resourceVersion"].as_str().unwrap_or_default().to_owned();
        let key = self.object.key();
        let mut lines = vec![format!("--- {key} {}", version(old)), format!("+++ {key} {}", version(new))];
        lines.extend(unified(old, new).map_err(Failure::local)?);
        Ok(lines.iter().map(|line| plain(line).into_owned()).collect())
    }

    /// `12:00:01 ADDED   pod  default/web-0  ready 0/1, status Pending`, with colours if they are on.
    pub(crate) fn text(&self, at: Timestamp, zone: &TimeZone, columns: &Columns, parts: &Parts) -> String {
        let time = time_of_day(at, zone);
        let (word, colour) = match self.what {
            What::Added => ("ADDED  ", GREEN),
            What::Updated => ("UPDATED", YELLOW),
            What::Deleted => ("DELETED", RED),
        };
        let kind = self.object.kind().kind();
        let summary = || summary(self.object.kind(), &self.content, parts.is_wide, at);
        let rest = match self.what {
            // A repeated Event has a higher count; its message is shown, and not the changed fields.
            What::Updated if kind == "Event" => {
                let count = self.changes.iter().find(|change| change.path.ends_with("count"));
                let count = count.map(|change| format!(", {change}")).unwrap_or_default();
                summary() + &count
            }
            What::Added => summary(),
            What::Updated => told(&self.changes),
            What::Deleted => String::new(),
        };
        let rest = parts.with_labels(rest, &self.content);
        let (kind, key) = (kind.to_ascii_lowercase(), self.object.key().to_string());
        let (kind, key, rest) = (plain(&kind), plain(&key), plain(&rest));
        let line = format!(
            "{DIM}{time}{PLAIN} {colour}{word}{PLAIN} {kind:<0$}  {key:<1$}  {rest}",
            columns.kind, columns.key
        );
        line.trim_end().to_owned()
    }

    /// The line as a JSON document.
    pub(crate) fn json(&self, at: Timestamp, diff: &[String]) -> String {
        let event = match self.what {
            What::Added => "added",
            What::Updated => "updated",
            What::Deleted => "deleted",
        };
        let mut line = Map::new();
        line.insert("time".into(), utc(at).into());
        line.insert("event".into(), event.into());
        line.insert("kind".into(), self.object.kind().kind().into());
        line.insert("apiVersion".into(), self.object.kind().api_version().into());
        line.insert("key".into(), self.object.key().to_string().into());
        if self.what == What::Added {
            line.insert("initial".into(), self.initial.into());
        }
        if self.what == What::Updated {
            line.insert("changes".into(), self.changes.iter().map(change).collect());
        }
        if !diff.is_empty() {
            line.insert("diff".into(), diff.join("\n").into());
        }
        line.insert("object".into(), self.content.clone());
        plain_json(&Value::from(line).to_string()).into_owned()
    }
}

/// A time in UTC, for JSON.
pub(crate) fn utc(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// A line of a unified diff in its colour.
pub(crate) fn coloured(line: &str) -> String {
    let colour = match line.chars().next() {
        Some('+') => GREEN,
        Some('-') => RED,
        Some('@') => DIM,
        _ => return line.to_owned(),
    };
    format!("{colour}{line}{PLAIN}")
}

fn told(changes: &[Change]) -> String {
    let worth: Vec<_> = changes.iter().filter(|change| !change.is_detail()).collect();
    match (worth.len(), changes.len()) {
        (_, 0) => return "nothing but its version".to_owned(),
        (0, _) => return changes[0].to_string(),
        _ => {}
    }
    let mut text: Vec<_> = worth.iter().take(SHOWN).map(ToString::to_string).collect();
    if worth.len() > SHOWN {
        text.push(format!("and {} more", worth.len() - SHOWN));
    }
    text.join(", ")
}

fn change(change: &Change) -> Value {
    json!({ "path": change.path, "old": change.old, "new": change.new })
}
