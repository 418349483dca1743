//! Judging here what an informer's selectors select, which the server does otherwise.

use informer_wire::ObjectKey;
use informer_wire::selector::{FieldSelector, LabelSelector};

use super::Options;
use crate::object::Labels;

impl Options {
    /// Whether the selectors select an object with that key and those labels; `None` if only the server can tell.
    pub(crate) fn select(&self, key: &ObjectKey, labels: &Labels) -> Option<bool> {
        let by_labels = match &self.labels {
            Some(selector) => by_labels(selector, labels),
            None => Some(true),
        };
        let by_fields = match &self.fields {
            Some(selector) => by_fields(selector, key),
            None => Some(true),
        };
        match (by_labels, by_fields) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }
    }
}

fn by_labels(selector: &str, labels: &Labels) -> Option<bool> {
    let selector = LabelSelector::parse(selector).ok()?;
    Some(selector.matches(|key| labels.get(key)))
}

/// A field selector, as far as it is about what the key says.
fn by_fields(selector: &str, key: &ObjectKey) -> Option<bool> {
    let mut is_known = true;
    for term in FieldSelector::parse(selector).ok()?.terms() {
        let found = match term.field() {
            "metadata.name" => key.name(),
            "metadata.namespace" => key.namespace().unwrap_or_default(),
            _ => {
                is_known = false;
                continue;
            }
        };
        if !term.holds(found) {
            return Some(false);
        }
    }
    is_known.then_some(true)
}

#[cfg(test)]
mod tests;
