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
    /// Decodes the part of a URL after the `?`. Parameters that cannot be decoded are ignored.
    pub(crate) fn parse(query: &str) -> Self {
        let pairs = query.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';'));
        let decoded = |text: &str| percent_decoded(&text.replace('+', " "));
        let parameters = pairs.filter_map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decoded(name)?, decoded(value)?))
        });
        Self { parameters: parameters.collect() }
    }

    /// The value of a parameter; empty if it has no value or is missing.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.first(name).unwrap_or_default()
    }

    /// The value of a parameter; `None` if it is missing.
    pub(crate) fn first(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// All values of a parameter.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.parameters.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// A boolean, as the real server reads it: `None` if it is missing; `0` and `false` are false; everything else is
    /// true, an empty value included.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        let value = self.first(name)?;
        Some(value != "0" && !value.eq_ignore_ascii_case("false"))
    }

    /// A number; if it is not a number, 400 with the message of Go's `strconv`.
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

    /// Checks that `timeout`, which clients may set for any request but a watch, is a duration. It has no other effect.
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

/// The message of Go's `strconv` for a text that is not a number of the range; `digits` is the text without its sign.
pub(super) fn not_a_number(function: &str, text: &str, digits: &str) -> String {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let why = if is_number { "value out of range" } else { "invalid syntax" };
    format!("strconv.{function}: parsing {text:?}: {why}")
}

#[cfg(test)]
mod tests;
