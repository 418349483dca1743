//! Label and field selectors.

mod fields;
mod labels;
mod names;

use crate::kinds::Resource;
use crate::request::ListOptions;
use crate::status::ApiError;
use crate::storage::Stored;

pub(crate) use names::{label_key_problems, label_name_problem, label_value_problems, subdomain_problem};

/// Selects the objects of a list or a watch. All conditions must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selector {
    labels: Vec<labels::Requirement>,
    fields: Vec<fields::FieldTerm>,
}

impl Selector {
    /// Parses the selectors of a request; 400 with the message of the real server if they are invalid.
    pub(crate) fn parse(resource: &Resource, options: &ListOptions) -> Result<Self, ApiError> {
        let labels = labels::parse(&options.label_selector).map_err(ApiError::bad_request)?;
        let fields = fields::parse(&options.field_selector).map_err(ApiError::bad_request)?;
        for term in &fields {
            resource.field(&term.label)?;
        }
        Ok(Self { labels, fields })
    }

    /// Adds the condition that the object has this name.
    #[must_use]
    pub(crate) fn named(mut self, name: &str) -> Self {
        self.fields.push(fields::FieldTerm::name(name));
        self
    }

    /// Whether it selects everything.
    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    pub(crate) fn matches(&self, stored: &Stored) -> bool {
        let content = &stored.content;
        self.labels.iter().all(|requirement| requirement.holds(content.label(requirement.key())))
            && self.fields.iter().all(|term| term.holds(content.field(&term.label)))
    }
}

#[cfg(test)]
mod tests;
