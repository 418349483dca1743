//! Label and field selectors, with the grammar and the error messages of a Kubernetes API server.

mod fields;
mod labels;

use std::borrow::Cow;

pub use fields::FieldTerm;
pub use labels::Requirement;

/// A text is no selector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{selector:?} is no selector: {message}")]
pub struct SelectorError {
    selector: String,
    message: String,
}

impl SelectorError {
    fn new(selector: &str, message: String) -> Self {
        Self { selector: selector.to_owned(), message }
    }

    /// The message of an API server for this text.
    pub fn into_message(self) -> String {
        self.message
    }
}

/// Conditions on the labels of an object, such as `app=web,tier in (front,back),!legacy`. All of them must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSelector(Vec<Requirement>);

impl LabelSelector {
    /// Reads a selector as it stands in a URL or on a command line.
    pub fn parse(selector: &str) -> Result<Self, SelectorError> {
        labels::parse(selector).map(Self).map_err(|message| SelectorError::new(selector, message))
    }

    /// Whether there is no condition.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an object with these labels is selected: `label` gives the value of a key, if the object has it.
    pub fn matches<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.0.iter().all(|requirement| requirement.holds(label(requirement.key())))
    }
}

impl FromIterator<Requirement> for LabelSelector {
    fn from_iter<I: IntoIterator<Item = Requirement>>(requirements: I) -> Self {
        Self(requirements.into_iter().collect())
    }
}

/// Conditions on the fields of an object, such as `metadata.name=a,status.phase!=Running`. All of them must hold.
///
/// Which fields can be asked for depends on the kind, so the names are not checked here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSelector(Vec<FieldTerm>);

impl FieldSelector {
    /// Reads a selector as it stands in a URL or on a command line.
    pub fn parse(selector: &str) -> Result<Self, SelectorError> {
        fields::parse(selector).map(Self).map_err(|message| SelectorError::new(selector, message))
    }

    /// Whether there is no condition.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The conditions.
    pub fn terms(&self) -> &[FieldTerm] {
        &self.0
    }

    /// The name that a selected object must have, if the selector asks for one.
    pub fn name(&self) -> Option<&str> {
        self.0.iter().find(|term| term.is_equal() && term.field() == "metadata.name").map(FieldTerm::value)
    }

    /// Adds the condition that the object has this name.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.0.push(FieldTerm::name(name));
        self
    }

    /// Whether an object with these fields is selected: `field` gives the value of a field, empty if it has none.
    pub fn matches<'a>(&self, field: impl Fn(&str) -> Cow<'a, str>) -> bool {
        self.0.iter().all(|term| term.holds(&field(term.field())))
    }
}
