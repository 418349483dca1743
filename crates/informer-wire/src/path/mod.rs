//! Paths into objects, as people write them: one grammar for every option and function that takes one.
//!
//! | syntax | leads to |
//! |---|---|
//! | `a.b`, `.a.b`, `{.a.b}`, `$.a`, `@.a` | a member of an object |
//! | `a["b.c/d"]`, `a['b.c']`, `a.b\.c` | a member whose name has other characters than letters, digits, `-`, `_`, `/` and `$` |
//! | `a[0]`, `a[-1]` | one element of a list, counted from the beginning or from the end |
//! | `a[*]` | every element of a list |
//! | `a[?(@.b=="c")]`, `a[?(@.b!=1)]`, `a[?(@.b)]` | the elements for which this holds; without a comparison, those that have the member |
//!
//! A path into nothing leads nowhere, which is not an error. `[*]` leads to elements of lists only, not to members of
//! objects. This is the part of kubectl's JSONPath that names fields; what else kubectl has (`..a`, `[1:3]`, `[0,2]`, `<`, several
//! braces) is an error.

mod parse;

use std::fmt;

use serde_json::Value;

/// A path into an object, such as `spec.containers[*].image` or `.status.conditions[?(@.type=="Ready")].status`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path(Vec<Step>);

/// One step on the way into a document.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// To the member of this name of an object.
    Name(String),
    /// To one element of an array; negative numbers count from the end.
    At(i64),
    /// To every element of an array.
    Each,
    /// To the elements of an array for which a condition holds.
    Where(Condition),
}

/// Whether a path within an element leads to a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    path: Path,
    /// Without a comparison there has to be a value, of whatever kind.
    compared: Option<(Comparison, Value)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Comparison {
    Equal,
    NotEqual,
}

/// A text is not a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path:?} is not a path to a field: {problem}")]
pub struct PathError {
    path: String,
    problem: String,
}

impl PathError {
    /// A text that is not the path that is needed, and why.
    pub fn new(path: &str, problem: impl Into<String>) -> Self {
        Self { path: path.to_owned(), problem: problem.into() }
    }
}

impl Path {
    /// Of these steps.
    pub fn of(steps: impl IntoIterator<Item = Step>) -> Self {
        Self(steps.into_iter().collect())
    }

    /// Reads a path; the table of this [module](self) has the grammar.
    pub fn parse(path: &str) -> Result<Self, PathError> {
        parse::path(path).map_err(|problem| PathError::new(path, problem))
    }

    /// Reads the path that a text begins with, as in `.status.phase=Running`, and gives back what follows it.
    pub fn parse_prefix(text: &str) -> Result<(Self, &str), PathError> {
        parse::prefix(text).map_err(|problem| PathError::new(text, problem))
    }

    /// Reads a path of names and `[*]` only: a path to a field that informers can drop or index by.
    pub fn parse_plain(path: &str) -> Result<Self, PathError> {
        let parsed = Self::parse(path)?;
        let is_plain = |step: &Step| matches!(step, Step::Name(_) | Step::Each);
        if parsed.0.first() == Some(&Step::Each) {
            return Err(PathError::new(path, "there is no name before [*]: an object is no list"));
        }
        if parsed.0.iter().all(is_plain) {
            return Ok(parsed);
        }
        Err(PathError::new(path, "only names and [*] can stand here, no single elements of a list"))
    }

    /// The steps from the document on.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// All values that the path leads to, in the order of the document.
    pub fn find<'a>(&self, document: &'a Value) -> Vec<&'a Value> {
        let mut values = vec![document];
        for step in &self.0 {
            values = values.into_iter().flat_map(|value| step.find(value)).collect();
        }
        values
    }
}

impl Step {
    /// The values that this one step leads to.
    pub fn find<'a>(&self, value: &'a Value) -> Vec<&'a Value> {
        let elements = value.as_array().map(Vec::as_slice).unwrap_or_default();
        match self {
            Self::Name(name) => value.as_object().and_then(|members| members.get(name)).into_iter().collect(),
            Self::At(place) => {
                let place = match usize::try_from(*place) {
                    Ok(place) => Some(place),
                    Err(_) => usize::try_from(place.unsigned_abs())
                        .ok()
                        .and_then(|back| elements.len().checked_sub(back)),
                };
                place.and_then(|place| elements.get(place)).into_iter().collect()
            }
            Self::Each => elements.iter().collect(),
            Self::Where(condition) => elements.iter().filter(|element| condition.holds(element)).collect(),
        }
    }
}

impl Condition {
    fn holds(&self, element: &Value) -> bool {
        let found = self.path.find(element);
        match &self.compared {
            None => found.iter().any(|value| !value.is_null()),
            Some((comparison, wanted)) => {
                let has = found.iter().any(|value| is_same(value, wanted));
                match comparison {
                    Comparison::Equal => has,
                    Comparison::NotEqual => !found.is_empty() && !has,
                }
            }
        }
    }
}

/// Equal, or the same number in two notations, such as `1` and `1.0`.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        // As floating point numbers large integers would be the same as their neighbours.
        (Value::Number(one), Value::Number(other)) if one.is_f64() || other.is_f64() => {
            one.as_f64() == other.as_f64()
        }
        _ => one == other,
    }
}

/// As it is read again.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, step) in self.0.iter().enumerate() {
            match step {
                // A path that is nothing but `$` is the document itself.
                Step::Name(name) if name != "$" && !name.is_empty() && name.chars().all(parse::is_plain) => {
                    write!(f, "{}{name}", if place == 0 { "" } else { "." })?;
                }
                Step::Name(name) => write!(f, "[{}]", Value::from(name.as_str()))?,
                Step::At(place) => write!(f, "[{place}]")?,
                Step::Each => f.write_str("[*]")?,
                Step::Where(condition) => write!(f, "[?({condition})]")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.to_string();
        let dot = if path.is_empty() || path.starts_with('[') { "" } else { "." };
        write!(f, "@{dot}{path}")?;
        match &self.compared {
            None => Ok(()),
            Some((Comparison::Equal, value)) => write!(f, "=={value}"),
            Some((Comparison::NotEqual, value)) => write!(f, "!={value}"),
        }
    }
}

#[cfg(test)]
mod tests;
