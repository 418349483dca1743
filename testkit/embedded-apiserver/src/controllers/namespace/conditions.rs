//! The conditions of a namespace that is being deleted.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The conditions, each with reason and message if all is well.
const CONDITIONS: [(&str, &str, &str); 5] = [
    ("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    (
        "NamespaceDeletionGroupVersionParsingFailure",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    (
        "NamespaceDeletionContentFailure",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    ("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed"),
    ("NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished"),
];

/// What a look at a namespace found.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// How many objects remain, by `plural.group`.
    pub(super) remaining: BTreeMap<String, usize>,
    /// How many of them each finalizer keeps.
    pub(super) finalizers: BTreeMap<String, usize>,
    /// Why objects could not be deleted.
    pub(super) errors: Vec<String>,
    /// Whether one of these is that the server refused it.
    pub(super) is_refused: bool,
}

impl Findings {
    /// Brings the conditions up to date; returns whether that changed them.
    pub(super) fn write(&self, conditions: &mut Value, now: &str) -> bool {
        let mut list = conditions.as_array().cloned().unwrap_or_default();
        for (kind, reason, message) in CONDITIONS {
            let (status, reason, message) = match self.problem(kind) {
                Some((reason, message)) => ("True", reason, message),
                None => ("False", reason, message.to_owned()),
            };
            let mut new = json!({
                "type": kind, "status": status, "lastTransitionTime": now, "reason": reason, "message": message,
            });
            match list.iter_mut().find(|old| old["type"] == kind) {
                None => list.push(new),
                Some(old) => {
                    if old["status"] == status {
                        new["lastTransitionTime"] = old["lastTransitionTime"].clone();
                    }
                    *old = new;
                }
            }
        }
        let list = Value::Array(list);
        let is_changed = *conditions != list;
        *conditions = list;
        is_changed
    }

    /// The reason and the message if something is in the way.
    fn problem(&self, kind: &str) -> Option<(&'static str, String)> {
        let told = |counts: &BTreeMap<String, usize>, verb: &str| {
            // As text, in which "a.b" comes before "a".
            let mut told: Vec<String> = counts
                .iter()
                .map(|(what, count)| format!("{what} {verb} {count} resource instances"))
                .collect();
            told.sort();
            (!told.is_empty()).then(|| told.join(", "))
        };
        match kind {
            "NamespaceDeletionContentFailure" if !self.errors.is_empty() => {
                let mut errors = self.errors.clone();
                errors.sort();
                let count = errors.len();
                let errors = errors.join(", ");
                let message = format!("Failed to delete all resource types, {count} remaining: {errors}");
                Some(("ContentDeletionFailed", message))
            }
            "NamespaceContentRemaining" => {
                let told = told(&self.remaining, "has")?;
                Some(("SomeResourcesRemain", format!("Some resources are remaining: {told}")))
            }
            "NamespaceFinalizersRemaining" => {
                let told = told(&self.finalizers, "in")?;
                let message = format!("Some content in the namespace has finalizers remaining: {told}");
                Some(("SomeFinalizersRemain", message))
            }
            _ => None,
        }
    }
}
