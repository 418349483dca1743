//! The parameters in a query, read as the real server reads them.

use super::decode::percent_decoded;
use super::duration;
use crate::status::ApiError;

/// The parameters of a request. Of a repeated one only the first value counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    parameters: Vec<(String, String)>,
}

impl Query {
    /// Decodes what is after the `?`. What cannot be decoded is left out, as if it were not there.
    pub(crate) fn parse(query: &str) -> Self {
        let pairs = query.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';'));
        let decoded = |text: &str| percent_decoded(&text.replace('+', " "));
        let parameters = pairs.filter_map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decoded(name)?, decoded(value)?))
        });
        Self { parameters: parameters.collect() }
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
        let Some(text) = self.first(name) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| {
            let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
            ApiError::bad_request(not_a_number("ParseInt", text, digits))
        })
    }

    /// Takes parameters out, as if they had not been sent.
    pub(crate) fn remove(&mut self, names: &[&str]) {
        self.parameters.retain(|(key, _)| !names.contains(&key.as_str()));
    }

    /// Whether `timeout`, the time that a client gives any request but a watch, makes sense. It has no effect here.
    pub(crate) fn check_timeout(&self) -> Result<(), ApiError> {
        let timeout = self.text("timeout");
        if timeout.is_empty() {
            return Ok(());
        }
        duration::check(timeout).map_err(|why| {
            ApiError::bad_request(format!("invalid timeout specified in the request URL - {why}"))
        })
    }
}

/// What Go says about a text that is not a number in its range; `digits` is the text without its sign.
pub(super) fn not_a_number(function: &str, text: &str, digits: &str) -> String {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let why = if is_number { "value out of range" } else { "invalid syntax" };
    format!("strconv.{function}: parsing {text:?}: {why}")
}

#[cfg(test)]
#[path = "query_tests.rs"]
mod tests;
