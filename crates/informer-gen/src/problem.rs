//! Errors in inputs, with their places.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A place in an input file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    file: Arc<Path>,
    line: usize,
    column: usize,
}

impl Place {
    /// A file as a whole.
    pub fn file(file: impl Into<PathBuf>) -> Self {
        Self { file: file.into().into(), line: 0, column: 0 }
    }

    /// Line and column in the same file, both from 1.
    #[must_use]
    pub fn at(&self, line: usize, column: usize) -> Self {
        Self { file: self.file.clone(), line, column }
    }

    /// The place of a byte of `text`, the contents of the file.
    pub(crate) fn at_offset(&self, text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.matches('\n').count() + 1;
        self.at(line, before[line_start..].chars().count() + 1)
    }

    /// The path of the file, as it was given.
    pub fn path(&self) -> &Path {
        &self.file
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        Ok(())
    }
}

/// A problem in an input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The place in the input.
    pub place: Place,
    /// What is wrong, and what to do about it.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl Problem {
    pub(crate) fn new(place: &Place, message: impl Into<String>) -> Self {
        Self { place: place.clone(), message: message.into() }
    }
}

/// All problems of the inputs, so that one run shows every one of them. Displayed with one line for each.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct InputError(Vec<Problem>);

impl InputError {
    /// All problems in the order of their places.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.0.iter()
    }

    pub(crate) fn add(&mut self, place: &Place, message: impl Into<String>) {
        self.0.push(Problem::new(place, message));
    }

    pub(crate) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// `value`, unless there are problems.
    pub(crate) fn or<T>(mut self, value: T) -> Result<T, Self> {
        self.0.sort_by(|one, other| one.place.cmp(&other.place));
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }
}

impl From<Problem> for InputError {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(Problem::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for InputError {}

#[cfg(test)]
mod tests;
