//! The objects that a request selects: scope and simple selectors.

use serde_json::Value;

use super::answers;
use crate::scope::Scope;
use crate::source::error::HttpFailure;
use crate::source::request::Request;

/// The scope and selectors of a request, parsed.
#[derive(Clone, Debug)]
pub(super) struct Select {
    scope: Scope,
    labels: Vec<(String, String)>,
    fields: Vec<(String, String)>,
    pub(super) metadata_only: bool,
}

impl Select {
    pub(super) fn new(request: &Request) -> Result<Self, HttpFailure> {
        let fields = equalities(request.field_selector.as_deref(), "field")?;
        if let Some((field, _)) = fields.iter().find(|(field, _)| pointer(field).is_none()) {
            let message = format!("field label not supported: {field}");
            return Err(answers::failure(400, "BadRequest", message));
        }
        Ok(Self {
            scope: request.scope.clone(),
            labels: equalities(request.label_selector.as_deref(), "label")?,
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
        let labels = &metadata["labels"];
        in_scope
            && self.labels.iter().all(|(key, value)| labels[key.as_str()] == value.as_str())
            && self.fields.iter().all(|(field, value)| {
                let found = pointer(field).and_then(|pointer| object.pointer(pointer)?.as_str());
                found.unwrap_or_default() == value
            })
    }
}

fn pointer(field: &str) -> Option<&'static str> {
    match field {
        "metadata.name" => Some("/metadata/name"),
        "metadata.namespace" => Some("/metadata/namespace"),
        _ => None,
    }
}

/// `a=b,c==d`; anything else is refused, as a server refuses what it cannot parse.
fn equalities(selector: Option<&str>, what: &str) -> Result<Vec<(String, String)>, HttpFailure> {
    let terms = selector.unwrap_or_default().split(',').map(str::trim).filter(|term| !term.is_empty());
    terms
        .map(|term| match term.split_once('=') {
            Some((key, value)) if !key.contains(['!', ' ', '(']) => {
                Ok((key.trim().to_owned(), value.strip_prefix('=').unwrap_or(value).trim().to_owned()))
            }
            _ => {
                let message =
                    format!("the scripted source knows only {what} selectors of the form a=b, not {term:?}");
                Err(answers::failure(400, "BadRequest", message))
            }
        })
        .collect()
}
