//! What is reported of bytes that are not JSON. Never the bytes themselves: they may be those of a Secret.

use std::borrow::Cow;
use std::fmt;

use serde::de::IgnoredAny;
use serde_json::error::Category;

/// Bytes that are not JSON. Says what was expected or where reading stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed(pub(crate) Cow<'static, str>);

impl Malformed {
    /// Bytes with this problem.
    pub const fn new(problem: &'static str) -> Self {
        Self(Cow::Borrowed(problem))
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Checks a document that nothing else reads to its end, and says where it is broken.
///
/// `value_end` accepts the same documents and is quicker; this one knows lines and columns.
pub fn check(json: &[u8]) -> Result<(), Malformed> {
    // serde_json does not look at the encoding of strings that it skips.
    let text = std::str::from_utf8(json)
        .map_err(|error| Malformed(format!("not UTF-8 at byte {}", error.valid_up_to()).into()))?;
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) => Ok(()),
        Err(error) => Err(Malformed(position(&error).into())),
    }
}

/// What serde_json says of a document, without its own words, which may quote the document.
pub fn position(error: &serde_json::Error) -> String {
    let what = match error.classify() {
        Category::Io => "cannot be read",
        Category::Syntax => "syntax error",
        Category::Data => "not of the expected form",
        Category::Eof => "ends too early",
    };
    format!("{what} at line {} column {}", error.line(), error.column())
}

#[cfg(test)]
mod tests;
