//! Label and field selectors.

use std::borrow::Cow;

use informer_wire::selector::{FieldSelector, LabelSelector, SelectorError};

use crate::kinds::Resource;
use crate::request::ListOptions;
use crate::status::ApiError;
use crate::storage::Stored;

/// Selects the objects of a list or a watch. All conditions must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selector {
    labels: LabelSelector,
    fields: FieldSelector,
}

impl Selector {
    /// Parses the selectors of a request; 400 with the message of the real server if they are invalid.
    pub(crate) fn parse(resource: &Resource, options: &ListOptions) -> Result<Self, ApiError> {
        let bad_request = |error: SelectorError| ApiError::bad_request(error.into_message());
        let labels = LabelSelector::parse(&options.label_selector).map_err(bad_request)?;
        let fields = FieldSelector::parse(&options.field_selector).map_err(bad_request)?;
        for term in fields.terms() {
            resource.field(term.field())?;
        }
        Ok(Self { labels, fields })
    }

    /// Adds the condition that the object has this name.
    #[must_use]
    pub(crate) fn named(self, name: &str) -> Self {
        Self { fields: self.fields.named(name), ..self }
    }

    /// Whether it selects everything.
    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    pub(crate) fn matches(&self, stored: &Stored) -> bool {
        let content = &stored.content;
        self.labels.matches(|key| content.label(key))
            && self.fields.matches(|field| Cow::Borrowed(content.field(field)))
    }
}

#[cfg(test)]
mod tests;
