//! Regular expressions of schemas, which are written for Go.

use regex::Regex;
use serde::{Deserialize, Deserializer};

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
        let compiled = Regex::new(&from_go(&text)).map_err(|error| match error {
            regex::Error::Syntax(why) => why.lines().last().unwrap_or_default().to_owned(),
            other => other.to_string(),
        });
        Self { text, compiled }
    }
}

/// Writes a regular expression of Go for the regex crate. In Go, `\d`, `\w` and `\s` are ASCII, and classes know neither
/// nesting nor set operators.
fn from_go(pattern: &str) -> String {
    let mut written = String::with_capacity(pattern.len());
    let mut in_class = false;
    let mut rest = pattern.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next() {
                Some('d') => written.push_str("[0-9]"),
                Some('D') => written.push_str("[^0-9]"),
                Some('w') => written.push_str("[0-9A-Za-z_]"),
                Some('W') => written.push_str("[^0-9A-Za-z_]"),
                Some('s') => written.push_str("[\\t\\n\\f\\r ]"),
                Some('S') => written.push_str("[^\\t\\n\\f\\r ]"),
                Some('b') if !in_class => written.push_str("(?-u:\\b)"),
                other => {
                    written.push('\\');
                    written.extend(other);
                }
            },
            '[' if !in_class => {
                in_class = true;
                written.push('[');
                if rest.peek() == Some(&'^') {
                    written.extend(rest.next());
                }
                // A bracket at the start of a class is a character of it.
                if rest.peek() == Some(&']') {
                    rest.next();
                    written.push_str("\\]");
                }
            }
            '[' if rest.peek() == Some(&':') => written.push('['),
            '[' | '&' | '~' if in_class => {
                written.push('\\');
                written.push(c);
            }
            ']' if in_class => {
                // The end of `[:alpha:]` is not that of the class.
                let is_named =
                    written.ends_with(':') && written.rfind("[:").is_some_and(|at| at + 2 < written.len());
                in_class = is_named;
                written.push(']');
            }
            _ => written.push(c),
        }
    }
    written
}

#[cfg(test)]
mod tests;
