//! Regular expressions of schemas, which are written for Go.

mod translate;

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Deserializer};

/// How deeply Go lets expressions nest.
const DEEPEST: u32 = 1000;

/// A regular expression.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub(super) text: String,
    /// Or what is wrong with it.
    pub(super) compiled: Result<Regex, String>,
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

/// Compiles a regular expression that is written for Go. The error is Go's, unless only this server cannot compile it: it has
/// other limits of size.
pub(super) fn compile(text: &str) -> Result<Regex, String> {
    let written = translate::from_go(text)?;
    RegexBuilder::new(&written).nest_limit(DEEPEST).build().map_err(|error| match error {
        regex::Error::Syntax(why) => why.lines().last().unwrap_or_default().to_owned(),
        other => other.to_string(),
    })
}

#[cfg(test)]
mod tests;
