//! The objects that a request selects: scope and selectors.

use std::borrow::Cow;

use informer_core::scope::Scope;
use informer_wire::Status;
use informer_wire::selector::{FieldSelector, LabelSelector, SelectorError};
use serde_json::Value;

use super::answers;
use crate::source::request::Request;

/// The scope and selectors of a request, parsed.
#[derive(Clone, Debug)]
pub(super) struct Select {
    scope: Scope,
    labels: LabelSelector,
    fields: FieldSelector,
    pub(super) metadata_only: bool,
}

impl Select {
    pub(super) fn new(request: &Request) -> Result<Self, Status> {
        let refused = |error: SelectorError| answers::failure(400, "BadRequest", error.into_message());
        let labels = LabelSelector::parse(request.label_selector.as_deref().unwrap_or_default());
        let fields = FieldSelector::parse(request.field_selector.as_deref().unwrap_or_default());
        let fields = fields.map_err(refused)?;
        if let Some(term) = fields.terms().iter().find(|term| pointer(term.field()).is_none()) {
            let message = format!("field label not supported: {}", term.field());
            return Err(answers::failure(400, "BadRequest", message));
        }
        Ok(Self {
            scope: request.scope.clone(),
            labels: labels.map_err(refused)?,
            fields,
            metadata_only: request.metadata_only,
        })
    }

    /// Whether every object of the scope is selected.
    pub(super) fn is_everything(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    pub(super) fn matches(&self, object: &Value) -> bool {
        let metadata = &object["metadata"];
        let in_scope = self.scope.as_namespace().is_none_or(|namespace| metadata["namespace"] == namespace);
        let field = |field: &str| {
            let found = pointer(field).and_then(|pointer| object.pointer(pointer)?.as_str());
            Cow::Borrowed(found.unwrap_or_default())
        };
        in_scope && self.labels.matches(|key| metadata["labels"][key].as_str()) && self.fields.matches(field)
    }
}

fn pointer(field: &str) -> Option<&'static str> {
    match field {
        "metadata.name" => Some("/metadata/name"),
        "metadata.namespace" => Some("/metadata/namespace"),
        _ => None,
    }
}
