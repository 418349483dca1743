//! `watch --summary`: at the end, which objects changed most and which conditions flapped.

use std::collections::HashMap;
use std::time::Duration;

use kube_client::api::DynamicObject;
use kube_informer::{Event, ObjectKey};
use serde_json::{Value, json};

use crate::plain::plain;
use crate::watch::changes::Change;
use crate::watch::line::Told;

/// So many objects and conditions are named.
const NAMED: usize = 10;

/// A condition that changed more often than once went back and forth.
const FLAPPING: u64 = 2;

/// The kind and the key of an object.
type Which = (String, ObjectKey);

#[derive(Default)]
pub(crate) struct Summary {
    added: u64,
    updated: u64,
    deleted: u64,
    updates: HashMap<Which, u64>,
    /// How often a condition changed, and what it is now.
    conditions: HashMap<(Which, String), (u64, String)>,
}

impl Summary {
    /// Counts what happened. Objects that were there at the start have not happened.
    pub(crate) fn see(&mut self, event: &Event<DynamicObject>, told: &Told) {
        let which = || (told.object().kind().kind().to_owned(), told.object().key().clone());
        match event {
            Event::Added { initial: false, .. } => self.added += 1,
            Event::Deleted { .. } => self.deleted += 1,
            Event::Updated { .. } => {
                self.updated += 1;
                *self.updates.entry(which()).or_default() += 1;
                for (condition, status) in told.changes().iter().filter_map(condition) {
                    let (count, now) = self.conditions.entry((which(), condition)).or_default();
                    *count += 1;
                    *now = status;
                }
            }
            _ => {}
        }
    }

    fn most(&self) -> Vec<(&Which, u64)> {
        let mut most: Vec<_> = self.updates.iter().map(|(which, count)| (which, *count)).collect();
        most.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
        most.truncate(NAMED);
        most
    }

    fn flapping(&self) -> Vec<(&Which, &str, u64, &str)> {
        let flaps = self.conditions.iter().filter(|(_, (count, _))| *count >= FLAPPING);
        let mut flapping: Vec<_> =
            flaps.map(|((which, name), (count, now))| (which, name.as_str(), *count, now.as_str())).collect();
        flapping.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| (a.0, a.1).cmp(&(b.0, b.1))));
        flapping.truncate(NAMED);
        flapping
    }

    pub(crate) fn text(&self, lasted: Duration) -> String {
        let mut lines = vec![format!(
            "{} added, {} updated, {} deleted in {:.0} s",
            self.added,
            self.updated,
            self.deleted,
            lasted.as_secs_f64()
        )];
        let (most, flapping) = (self.most(), self.flapping());
        if !most.is_empty() {
            lines.push("most updates:".to_owned());
        }
        for ((kind, key), count) in most {
            lines.push(format!("{count:>7}  {} {key}", kind.to_lowercase()));
        }
        if !flapping.is_empty() {
            lines.push("conditions that went back and forth:".to_owned());
        }
        for ((kind, key), name, count, now) in flapping {
            lines.push(format!("{count:>7}  {} {key} {name}, now {now}", kind.to_lowercase()));
        }
        lines.iter().map(|line| plain(line)).collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn json(&self, lasted: Duration) -> Value {
        let which = |(kind, key): &Which| json!({ "kind": kind, "key": key.to_string() });
        let with = |mut object: Value, more: &[(&str, Value)]| {
            for (name, value) in more {
                object[*name] = value.clone();
            }
            object
        };
        let most = self.most().into_iter().map(|(it, count)| with(which(it), &[("updates", count.into())]));
        let flapping = self.flapping().into_iter().map(|(it, name, count, now)| {
            with(which(it), &[("condition", name.into()), ("changes", count.into()), ("status", now.into())])
        });
        json!({ "event": "summary", "seconds": lasted.as_secs(), "added": self.added, "updated": self.updated,
            "deleted": self.deleted, "most": most.collect::<Vec<_>>(), "flapping": flapping.collect::<Vec<_>>() })
    }
}

/// The condition whose status a change is about, and what it is now.
fn condition(change: &Change) -> Option<(String, String)> {
    let name = change.path.strip_prefix("status.conditions[")?.strip_suffix("].status")?;
    Some((name.to_owned(), change.new.as_ref()?.as_str()?.to_owned()))
}

#[cfg(test)]
mod tests;
