//! `watch --until`: ends when something holds, as `kubectl wait` does.

use std::collections::HashMap;
use std::str::FromStr;

use informer_wire::Path;
use kube_client::api::DynamicObject;
use kube_informer::{Event, Object, ObjectKey};
use serde_json::Value;

use crate::content::{shown, text};

/// What is waited for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Until {
    /// A condition has a status.
    Condition { name: String, status: String },
    /// A path leads to a value; to any if there is none.
    Value { path: Path, value: Option<String> },
    /// The objects are gone.
    Delete,
    /// The objects are there.
    Create,
}

impl FromStr for Until {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            None if text == "delete" => Ok(Self::Delete),
            None if text == "create" => Ok(Self::Create),
            Some(("condition", condition)) if !condition.is_empty() => {
                let (name, status) = condition.split_once('=').unwrap_or((condition, "True"));
                Ok(Self::Condition { name: name.to_owned(), status: status.to_owned() })
            }
            Some(("jsonpath", path)) => value(path),
            _ => Err("expected condition=NAME, condition=NAME=STATUS, jsonpath={PATH}=VALUE, jsonpath={PATH}, create or \
                      delete"
                .to_owned()),
        }
    }
}

/// `{.status.phase}=Running`, `{.status.phase}`, `.status.phase=Running`.
fn value(text: &str) -> Result<Until, String> {
    let (path, rest) = Path::parse_prefix(text).map_err(|error| error.to_string())?;
    if rest.is_empty() {
        return Ok(Until::Value { path, value: None });
    }
    let Some(value) = rest.strip_prefix('=') else {
        return Err(format!("expected jsonpath={{{path}}}=VALUE, not {rest:?} after the path"));
    };
    let unquoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    Ok(Until::Value { path, value: Some(unquoted.unwrap_or(value).to_owned()) })
}

impl Until {
    /// Whether it holds for an object that is there.
    fn holds(&self, object: &Value) -> bool {
        match self {
            Self::Create => true,
            Self::Delete => false,
            Self::Value { path, value } => {
                let found = path.find(object);
                let is = |found: &&Value| value.as_ref().is_none_or(|value| is_written(found, value));
                !found.is_empty() && found.iter().all(is)
            }
            Self::Condition { name, status } => {
                let conditions = object.pointer("/status/conditions").and_then(Value::as_array);
                let of_name = |condition: &&Value| {
                    condition["type"].as_str().is_some_and(|known| known.eq_ignore_ascii_case(name))
                };
                let found = conditions.into_iter().flatten().find(of_name);
                found.is_some_and(|condition| {
                    is_recent(object, condition)
                        && condition["status"]
                            .as_str()
                            .is_some_and(|known| known.eq_ignore_ascii_case(status))
                })
            }
        }
    }
}

/// Whether people write a value so: a number without a fraction also as an integer, whatever the notation of the server.
fn is_written(found: &Value, wanted: &str) -> bool {
    let number = found.as_f64().filter(|number| found.is_f64() && number.fract() == 0.0);
    text(found) == wanted || number.is_some_and(|number| number.to_string() == wanted)
}

/// Whether a condition is about the newest spec, as far as its controller says.
fn is_recent(object: &Value, condition: &Value) -> bool {
    let observed = condition["observedGeneration"].as_i64();
    let observed = observed.or_else(|| object.pointer("/status/observedGeneration")?.as_i64());
    let wanted = object.pointer("/metadata/generation").and_then(Value::as_i64);
    !matches!((observed, wanted), (Some(observed), Some(wanted)) if observed < wanted)
}

/// Whether it holds for all objects: for each that was named, or else for all there are, of which there is one at least.
pub(crate) struct Awaited {
    until: Until,
    /// By place of the informer: the names that were asked for, and for each object whether it holds.
    kinds: Vec<(Vec<String>, HashMap<ObjectKey, bool>)>,
}

impl Awaited {
    /// For objects of these kinds; each with the names that were asked for.
    pub(crate) fn new(until: Until, names: impl IntoIterator<Item = Vec<String>>) -> Self {
        Self { until, kinds: names.into_iter().map(|names| (names, HashMap::new())).collect() }
    }

    pub(crate) fn see(&mut self, place: usize, event: &Event<DynamicObject>) {
        let Some((_, objects)) = self.kinds.get_mut(place) else { return };
        let holds = |object: &Object<DynamicObject>| match &self.until {
            Until::Create => true,
            Until::Delete => false,
            until => until.holds(&shown(object)),
        };
        match event {
            Event::Added { object, .. } | Event::Updated { new: object, .. } => {
                objects.insert(object.key().clone(), holds(object));
            }
            Event::Deleted { object, .. } => {
                objects.remove(object.key());
            }
            _ => {}
        }
    }

    /// Whether it holds now. All objects that were there at the start have to have been seen.
    pub(crate) fn holds(&self) -> bool {
        let gone = self.until == Until::Delete;
        let of_kind = |(names, objects): &(Vec<String>, HashMap<ObjectKey, bool>)| {
            if gone {
                return objects.is_empty();
            }
            let is_there = |name: &String| objects.keys().any(|key| key.name() == name);
            objects.values().all(|holds| *holds) && names.iter().all(is_there)
        };
        let any = self.kinds.iter().any(|(_, objects)| !objects.is_empty());
        self.kinds.iter().all(of_kind) && (gone || any)
    }

    /// The objects for which it does not hold, for the user.
    pub(crate) fn missing(&self) -> String {
        let mut missing: Vec<String> = Vec::new();
        for (names, objects) in &self.kinds {
            let gone = self.until == Until::Delete;
            missing
                .extend(objects.iter().filter(|(_, holds)| gone || !**holds).map(|(key, _)| key.to_string()));
            let absent =
                names.iter().filter(|name| !gone && !objects.keys().any(|key| key.name() == name.as_str()));
            missing.extend(absent.map(|name| format!("{name} (not there)")));
        }
        missing.sort();
        let count = missing.len();
        let named = missing.into_iter().take(5).collect::<Vec<_>>().join(", ");
        match count {
            0 => "there are no such objects".to_owned(),
            1..=5 => format!("not of {named}"),
            _ => format!("not of {named} and {} more", count - 5),
        }
    }
}

#[cfg(test)]
mod tests;
