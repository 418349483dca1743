//! The parameters in a query, read as the real server reads them.

use crate::status::ApiError;

/// The parameters of a request. Of a repeated one only the first value counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    parameters: Vec<(String, String)>,
}

impl Query {
    /// Decodes what is after the `?`. What cannot be decoded is left out, as if it were not there.
    pub(crate) fn parse(query: &str) -> Self {
        let _ = query;
        Self::default()
    }

    /// The value of a parameter; empty if it has none, or is not there.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.first(name).unwrap_or_default()
    }

    /// The value of a parameter that is there.
    pub(crate) fn first(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// All values of a parameter.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.parameters.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// A switch: absent is `None`, `0` and `false` are false, and everything else is true, also nothing.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        let value = self.first(name)?;
        Some(value != "0" && !value.eq_ignore_ascii_case("false"))
    }

    /// A number; 400 in the words of Go if it is none.
    pub(crate) fn integer(&self, name: &str) -> Result<Option<i64>, ApiError> {
        let _ = name;
        Ok(None)
    }
}
