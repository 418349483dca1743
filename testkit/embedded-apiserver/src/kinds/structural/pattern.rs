//! Regular expressions of schemas, which are written for Go.

mod translate;

use std::fmt;

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Deserializer};

/// How deeply Go lets expressions nest.
const DEEPEST: u32 = 1000;

/// A regular expression.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub(super) text: String,
    pub(super) compiled: Result<Regex, Unusable>,
}

/// Why a regular expression cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unusable {
    /// Go refuses it too, with this message.
    InGo(String),
    /// This server has other limits of size than Go. This says so, as the end of "… are not supported".
    Here(String),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InGo(why) | Self::Here(why) => f.write_str(why),
        }
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self::new(String::deserialize(from)?))
    }
}

impl Pattern {
    fn new(text: String) -> Self {
        let compiled = compile(&text);
        Self { text, compiled }
    }
}

/// Compiles a regular expression that is written for Go.
pub(super) fn compile(text: &str) -> Result<Regex, Unusable> {
    let written = translate::from_go(text).map_err(Unusable::InGo)?;
    RegexBuilder::new(&written).nest_limit(DEEPEST).build().map_err(|error| match error {
        regex::Error::Syntax(why) => Unusable::InGo(why.lines().last().unwrap_or_default().to_owned()),
        _ => Unusable::Here(format!("regular expressions as large as {text:?}")),
    })
}

#[cfg(test)]
mod tests;
